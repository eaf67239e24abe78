"""DUC task 1, on documents and references of our own in the official layout."""

from pathlib import Path
from typing import Any

import pytest

from hedline.corpora.duc import EXPECTED, DucSettings, first_sentences, read_duc
from hedline.corpora.sets import read_evaluation_set, write_evaluation_set
from hedline.errors import UserError

LONG = (
    "LUND, Sweden (TST) _ The city council voted late on Monday to close the old harbour bridge for six "
    "months of repairs after divers found cracks in two of its pillars."
)


def layout(root: Path, year: int, documents: int = 2, references: int = 4) -> tuple[Path, Path]:
    """A small year in the official folders."""
    docs = root / ("docs.without.headlines" if year == 2003 else "docs")
    models = root / "models" / ("" if year == 2003 else "1")
    models.mkdir(parents=True)
    for n in range(documents):
        docset, docno = f"d3000{n}t", f"TST19981016.024{n}"
        (docs / docset).mkdir(parents=True)
        body = f"<P>\n{LONG}\n</P>\n<P>\nMore.\n</P>" if year == 2003 else f"\n   {LONG} More. \n"
        (docs / docset / docno).write_text(f"<DOC>\n<DOCNO> {docno} </DOCNO>\n<TEXT>{body}</TEXT>\n</DOC>\n")
        for annotator in "DCBA"[:references]:
            if year == 2003:
                name = f"{docset.upper()}.P.10.T.{annotator}.{docno}.html"
                text = f"<html><body><p>Bridge closed,\nsays {annotator} &amp; co</p></body></html>"
            else:
                name, text = f"{docset[:-1].upper()}.P.10.T.{annotator}.{docno}", f"Bridge closed, says {annotator}\n"
            (models / name).write_text(text)
        (models / f"{docset[:-1].upper()}.M.100.T.A").write_text("another task's summary")
    return (root if year == 2003 else docs), root / "models"


def asked(year: int, docs: Path = Path(), models: Path = Path(), **others: Any) -> DucSettings:
    """Settings for a year; its set is not written here."""
    return DucSettings(year, docs, models, out=Path("unused.jsonl"), **others)


@pytest.mark.parametrize("year", [2003, 2004])
def test_documents_meet_their_references_in_order(tmp_path: Path, year: int) -> None:
    found = read_duc(asked(year, *layout(tmp_path, year)))
    assert [item.id for item in found.items] == ["d30000t/TST19981016.0240", "d30001t/TST19981016.0241"]
    tail = " & co" if year == 2003 else ""
    assert found.items[0].references == tuple(f"Bridge closed, says {letter}{tail}" for letter in "ABCD")
    assert found.items[0].lead.startswith("The city council voted")
    assert found.problems == [f"DUC-{year} task 1 has {EXPECTED[year]} documents, 2 were found with references"]


def test_a_complete_year_has_no_problems_and_a_mislabelled_one_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folders = layout(tmp_path, 2004)
    monkeypatch.setitem(EXPECTED, 2004, 2)
    assert read_duc(asked(2004, *folders)).problems == []
    monkeypatch.setitem(EXPECTED, 2004, 500)
    monkeypatch.setitem(EXPECTED, 2003, 2)
    assert "that is DUC-2003's number" in read_duc(asked(2004, *folders)).problems[0]


def test_missing_references_are_named(tmp_path: Path) -> None:
    docs, models = layout(tmp_path, 2004, references=3)
    problems = read_duc(asked(2004, docs, models)).problems
    assert "d30000t/TST19981016.0240 has 3 references, not 4" in problems


def test_preparation_joins_short_sentences_and_strips_datelines() -> None:
    text = "LUND (TST) -- It rained. The river rose by two metres."
    assert first_sentences(text, asked(2004)) == "It rained , The river rose by two metres."
    assert first_sentences(text, asked(2004, join_short=False)) == "It rained."
    assert first_sentences(text, asked(2004, strip_dateline=False)).startswith("LUND (TST) -- It rained , The")
    # An underscore alone marks a dateline in 2003 only.
    assert first_sentences("LUND _ It rained.", asked(2003)) == "It rained."
    assert first_sentences("LUND _ It rained.", asked(2004)) == "LUND , It rained."


def test_folder_mistakes_are_sentences(tmp_path: Path) -> None:
    docs, models = layout(tmp_path, 2004)
    for year, d, m, match in (
        (2005, docs, models, "2003 or 2004"),
        (2004, tmp_path / "x", models, "no folder"),
        (2004, docs, tmp_path / "x", "no folder"),
        (2004, docs, docs, "holds no task-1 references"),
        (2004, models, models, "has a reference in"),
    ):
        with pytest.raises(UserError, match=match):
            read_duc(asked(year, d, m))


def test_a_set_is_read_back_as_written(tmp_path: Path) -> None:
    items = read_duc(asked(2004, *layout(tmp_path, 2004))).items
    write_evaluation_set(tmp_path / "set.jsonl", items)
    assert read_evaluation_set(tmp_path / "set.jsonl") == items


@pytest.mark.parametrize(("length", "joined"), [(129, True), (130, False)])
def test_the_second_sentence_joins_below_130_characters(length: int, joined: bool) -> None:
    first = ("The harbour " + "was quiet and " * 20)[: length - 1].rstrip() + "."
    first = first[:-1] + "y" * (length - len(first)) + "."
    found = first_sentences(f"{first} The second sentence follows.", asked(2004))
    assert len(first) == length
    assert (found == f"{first[:-1]} , The second sentence follows.") == joined
    assert joined or found == first
