"""CoNLL-U files: written as they are read, with offsets into the text."""

from __future__ import annotations

from pathlib import Path

from lead_trees import FILE, parsed

from hedline.baselines.conllu import read_conllu, to_conllu


def test_a_file_is_written_as_it_was_read() -> None:
    again = "".join(to_conllu(tree, str(number)) for number, tree in enumerate(read_conllu(FILE), start=1))
    assert again == FILE.read_text(encoding="utf-8")


def test_the_file_keeps_the_rules_of_conllu() -> None:
    """Ten columns, words numbered from 1 in each sentence, exactly one root, heads inside the sentence."""
    for block in FILE.read_text(encoding="utf-8").strip().split("\n\n"):
        rows = [line.split("\t") for line in block.split("\n") if not line.startswith("#")]
        assert all(len(row) == 10 for row in rows)
        assert [int(row[0]) for row in rows] == list(range(1, len(rows) + 1))
        assert [row[7] for row in rows if row[6] == "0"] == ["ROOT"]
        assert all(0 <= int(row[6]) <= len(rows) for row in rows)


def test_offsets_point_at_the_words() -> None:
    for tree in parsed():
        assert "".join(tree.text.split()) == "".join(tree.text[word.start : word.end] for word in tree.words)


def test_a_plain_conllu_file_needs_no_offsets(tmp_path: Path) -> None:
    rows = ["1\tBoats\tboat\tNOUN\tNNS\t_\t2\tnsubj\t_\t_", "2\tsank\tsink\tVERB\tVBD\t_\t0\troot\t_\tSpaceAfter=No"]
    path = tmp_path / "plain.conllu"
    path.write_text("# text = Boats sank.\n" + "\n".join([*rows, "3\t.\t.\tPUNCT\t.\t_\t2\tpunct\t_\t_"]) + "\n\n")
    (tree,) = read_conllu(path)
    assert [(word.text, word.start, word.head) for word in tree.words] == [
        ("Boats", 0, 1),
        ("sank", 6, -1),
        (".", 10, 1),
    ]
