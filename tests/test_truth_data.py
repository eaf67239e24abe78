"""The true headlines written for training, and the lessons that training makes of them."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts/gpu"))

from truth_data import as_used, judged_lessons, lessons, truth_lessons  # noqa: E402

from hedline.experiments.traps import read_traps  # noqa: E402
from hedline.training.verdicts import read_judged  # noqa: E402

PAIRS = ROOT / "examples/truth-pairs.tsv"


def rows() -> list[list[str]]:
    return [line.split("\t") for line in PAIRS.read_text(encoding="utf-8").splitlines()]


def test_every_lead_has_a_short_a_medium_and_a_long_headline() -> None:
    bounds = ((3, 7), (6, 11), (10, 16))
    for row in rows():
        assert len(row) == 5, row
        for headline, (fewest, most) in zip(row[2:], bounds, strict=True):
            assert fewest <= len(headline.split()) <= most and not headline.endswith("."), headline


def test_no_trap_was_trained_on() -> None:
    leads = {row[1] for row in rows()}
    assert len(leads) == len(rows())
    assert not leads & {trap.lead for trap in read_traps()}


def test_the_guide_quotes_the_verdicts() -> None:
    _, *judged = (line.split("\t") for line in (ROOT / "examples/unseen-verdicts.tsv").read_text("utf-8").splitlines())
    untrue = [row for row in judged if row[5] == "untrue"]
    plain = sum(row[1] == "plain" for row in untrue)
    guide = (ROOT / "docs/guide-headlines.md").read_text(encoding="utf-8")
    assert f"| {len(untrue)} of {len(judged)} | not judged |" in guide and f"of those {plain};" in guide
    assert not {row[2] for row in judged} & {row[1] for row in rows()}


def test_controls_are_those_of_use() -> None:
    denied, plain = "The mayor will not resign.", "The mayor opened a bridge."
    assert as_used(denied, "<len:any>") == ["<len:any>", "<sup:2>", "<case:any>", "<pol:kept>"]
    assert as_used(plain, "<len:7>")[0] == "<len:7>" and as_used(plain, "<len:7>")[3] == "<pol:any>"
    assert [lesson.controls[0] for lesson in lessons(plain, "Mayor opens a new bridge in Lund")] == [
        "<len:any>",
        "<len:7>",
    ]


@pytest.mark.parametrize(("own", "count"), [(True, 6), (False, 3)])
def test_the_medium_headline_is_taught_most(own: bool, count: int, tmp_path: Path) -> None:
    file = tmp_path / "truth.tsv"
    file.write_text(
        "negation\tThe mayor will not resign.\tMayor stays\tMayor will not resign\tMayor says she will not resign\n"
    )
    taught = truth_lessons(file, own)
    assert len(taught) == count
    shares = [sum(lesson.headline == text for lesson in taught) for text in ("Mayor will not resign", "Mayor stays")]
    assert shares[0] > shares[1]


def test_a_line_without_all_fields_is_told(tmp_path: Path) -> None:
    (tmp_path / "cut.tsv").write_text("negation\tThe mayor will not resign.\tMayor stays\n")
    with pytest.raises(SystemExit, match=r"line 1 of .*cut\.tsv has 3 fields"):
        truth_lessons(tmp_path / "cut.tsv", own=True)


def test_no_judged_lead_is_a_trap_or_unseen() -> None:
    judged = read_judged(ROOT / "examples/judged.tsv")
    leads = {each.lead for each in judged}
    _, *unseen = (line.split("\t") for line in (ROOT / "examples/unseen-verdicts.tsv").read_text("utf-8").splitlines())
    assert len(leads) == len(judged) == 7427 and sum(len(each.headlines) for each in judged) == 34403
    assert not leads & {trap.lead for trap in read_traps()} and not leads & {row[2] for row in unseen}
    held = {each.lead for each in read_judged(ROOT / "examples/judged-held.tsv")}
    assert len(held) == 200 and not held & leads


def test_the_best_of_judged_headlines_is_taught(tmp_path: Path) -> None:
    file = tmp_path / "judged.tsv"
    file.write_text("The mayor will not resign.\tMayor will not resign\tuntrue:Mayor to resign\nA lead.\t\tbroken:A\n")
    assert [lesson.headline for lesson in judged_lessons(file, own=False)] == ["Mayor will not resign"]
    assert {lesson.controls[0] for lesson in judged_lessons(file, own=True)} == {"<len:any>", "<len:5>"}
