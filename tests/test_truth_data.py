"""The true headlines written for training, and the lessons that training makes of them."""

from __future__ import annotations

import json
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "scripts/gpu"))

import truth_data  # noqa: E402
from truth_data import as_used, judged_lessons, lessons, truth_lessons  # noqa: E402

from hedline.data.dataset import Dataset  # noqa: E402
from hedline.experiments.traps import read_traps  # noqa: E402
from hedline.text.subword import CONTROLS, SPECIALS, Subwords, byte_letters, pair_controls  # noqa: E402
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
    again, traps = (read_judged(ROOT / f"examples/{name}.tsv") for name in ("judged-again", "unseen-traps"))
    assert {each.lead for each in again} < leads and sum(len(each.headlines) for each in again) == 8787
    unseen_traps = {each.lead for each in traps}
    assert len(unseen_traps) == 300 and not unseen_traps & (leads | held | {trap.lead for trap in read_traps()})


def test_the_guide_counts_the_unseen_traps() -> None:
    traps = read_judged(ROOT / "examples/unseen-traps.tsv")
    guide = (ROOT / "docs/guide-headlines.md").read_text(encoding="utf-8")
    counts = Counter(each.headlines[0][0] for each in traps)  # the first headline is the default's
    assert f"| {counts['untrue']} | {counts['broken']} | {counts['weak']} | {counts['good']} |" in guide
    assert f"| {counts['untrue']} of 300 | not judged |" in guide


def test_the_best_of_judged_headlines_is_taught(tmp_path: Path) -> None:
    file = tmp_path / "judged.tsv"
    file.write_text("The mayor will not resign.\tMayor will not resign\tuntrue:Mayor to resign\nA lead.\t\tbroken:A\n")
    assert [lesson.headline for lesson in judged_lessons(file, own=False)] == ["Mayor will not resign"]
    assert {lesson.controls[0] for lesson in judged_lessons(file, own=True)} == {"<len:any>", "<len:5>"}


NEWS = {
    "The mayor of Lund will not resign.": "Lund mayor stays",
    "Twelve ferries sail to Bornholm today.": "Twelve ferries sail to Bornholm today",
}
OLD = [f"Old lead {number}" for number in range(20)]
Row = tuple[tuple[str, ...], str, str]  # control tokens, lead, headline


def write_folder(folder: Path) -> Subwords:
    """A data folder whose pairs are OLD leads and their last words, without control tokens."""
    subwords = Subwords([*SPECIALS, *CONTROLS, *byte_letters().values()], [], len(SPECIALS) + len(CONTROLS))
    folder.mkdir()
    subwords.save(folder)
    for split, leads in (("train", OLD), ("valid", OLD[:2])):
        for name, texts in (("input", leads), ("output", [lead[4:] for lead in leads])):
            rows = [subwords.encode(text) for text in texts]
            np.save(folder / f"{split}.{name}s.npy", np.concatenate(rows).astype(np.uint16))
            np.save(folder / f"{split}.{name}_offsets.npy", np.cumsum([0, *map(len, rows)]))
    sizes = {"input": len(subwords), "output": len(subwords)}
    settings = {"format": 1, "settings": {"units": "subwords"}, "vocabulary": sizes, "fingerprint": "made-up"}
    (folder / "settings.json").write_text(json.dumps(settings))
    return subwords


@pytest.fixture
def taught(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """What the script makes of NEWS (or `-`) with options: the rows of its folder."""
    subwords = write_folder(tmp_path / "data")
    news, truth = tmp_path / "news.jsonl", tmp_path / "truth.tsv"
    news.write_text("".join(json.dumps({"lead": a, "headline": b}) + "\n" for a, b in NEWS.items()))
    truth.write_text("")
    monkeypatch.setattr(truth_data, "ProcessPoolExecutor", ThreadPoolExecutor)

    def run(given: Path | str, *options: str) -> list[Row]:
        out = tmp_path / f"out{len(list(tmp_path.iterdir()))}"
        folders = [str(tmp_path / "data")] * 2
        monkeypatch.setattr(sys, "argv", ["truth_data.py", *folders, str(given), str(truth), str(out), *options])
        truth_data.main()
        found = []
        for lead, headline in Dataset.open(out).split("train"):
            names = tuple(subwords.names[index] for index in lead if index < subwords.specials)
            found.append((names, subwords.decode(lead.tolist()), subwords.decode(headline.tolist())))
        return found

    return lambda *options, whole=False: run("-" if whole else news, *options)


def plain(leads: list[str]) -> list[Row]:
    return [((), lead, lead[4:]) for lead in leads]


def test_given_headlines_are_taught_as_they_are_used(taught) -> None:
    (one, stays), (other, sail) = NEWS.items()
    denied, usual = ("<sup:2>", "<case:any>", "<pol:kept>"), ("<sup:2>", "<case:any>", "<pol:any>")
    wanted = [
        (("<len:any>", *denied), one, stays),
        (("<len:5>", *denied), one, stays),
        (("<len:any>", *usual), other, sail),
        (("<len:7>", *usual), other, sail),
    ]
    assert sorted(taught("--headlines", "given")) == sorted(wanted)
    pairs = [(tuple(pair_controls(lead, headline)), lead, headline) for lead, headline in NEWS.items()]
    assert sorted(taught("--headlines", "pairs")) == sorted(pairs) and not set(pairs) & set(wanted)


@pytest.mark.parametrize("headlines", ["given", "pairs"])
def test_so_many_pairs_of_the_data_are_taken_beside(taught, headlines: str) -> None:
    found = taught("--headlines", headlines, "--beside", "5")
    beside = [row for row in found if row[1] in OLD]
    assert len(set(beside)) == len(beside) == 5 and set(beside) <= set(plain(OLD))
    assert {row[1] for row in beside} != set(OLD[:5])  # chosen at random
    assert {row[1] for row in found if row not in beside} == set(NEWS)
    assert {row for row in taught("--headlines", headlines, "--beside", "500") if row[1] in OLD} == set(plain(OLD))


def test_without_news_all_pairs_of_the_data_are_taken(taught) -> None:
    for more in ([], ["--beside", "3"]):
        assert sorted(taught("--headlines", "pairs", *more, whole=True)) == sorted(plain(OLD))
