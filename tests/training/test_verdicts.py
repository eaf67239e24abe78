"""Verdicts on headlines: read from files, made by spoiling, padded to blocks."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
import torch

from hedline.errors import UserError
from hedline.models.batch import END, PAD
from hedline.text.subword import ANY, SPECIALS, Subwords
from hedline.training.verdicts import (
    FAULTS,
    Judged,
    Verdict,
    block_of,
    blocks,
    labels,
    read_judged,
    read_verdicts,
    spoilt,
)

LEAD = "The mayor of Lund said on Monday that 12 of the 40 ferries to Bornholm will not sail unless the wind drops."
HEADLINE = "12 of 40 Bornholm ferries will not sail, Lund mayor says"
CPU = torch.device("cpu")


def pieces(folder: Path) -> Subwords:
    """Every byte that is a letter here is a piece."""
    names = [*SPECIALS, *ANY, *(chr(code) for code in range(33, 127)), "Ġ"]
    made = Subwords(names, [], len(SPECIALS) + len(ANY))
    made.save(folder)
    return made


def test_a_verdict_says_nothing_of_what_was_not_judged() -> None:
    assert labels("good") == [0.0, 0.0, 0.0, pytest.approx(math.nan, nan_ok=True)]
    assert labels("untrue")[0] == 1.0 and math.isnan(labels("untrue")[1])
    assert labels("whole")[3] == 0.0 and all(math.isnan(value) for value in labels("whole")[:3])
    assert len(labels("weak")) == len(FAULTS)


def test_a_file_of_verdicts_is_read_as_ids(tmp_path: Path) -> None:
    subwords, file = pieces(tmp_path), tmp_path / "judged.tsv"
    file.write_text(f"{LEAD}\t{HEADLINE}\tgood:{HEADLINE}\tuntrue:Ferries: all sail\n")
    assert read_judged(file) == [Judged(LEAD, HEADLINE, [("good", HEADLINE), ("untrue", "Ferries: all sail")])]
    (found,) = read_verdicts(tmp_path, file)
    assert subwords.decode(found.lead) == LEAD and [subwords.names[index] for index in found.lead[:4]] == list(ANY)
    assert [subwords.decode(ids) for ids in found.headlines] == [HEADLINE, "Ferries: all sail"]
    assert [each[0] for each in found.faults] == [0.0, 1.0]


@pytest.mark.parametrize("line", [LEAD, f"{LEAD}\tbest\tno verdict", f"{LEAD}\tbest\tgood:one\todd:two"])
def test_a_line_that_is_cut_is_told_with_its_place(line: str, tmp_path: Path) -> None:
    file = tmp_path / "judged.tsv"
    file.write_text(f"{LEAD}\t\tgood:Ferries\n{line}\n")
    with pytest.raises(UserError, match=r"line 2 of .*judged\.tsv: give a lead"):
        read_judged(file)


def test_spoilt_headlines_are_other_headlines_and_come_back_as_altered(tmp_path: Path) -> None:
    subwords, rng = pieces(tmp_path), random.Random(1)
    made = {spoilt(LEAD, HEADLINE, rng) for _ in range(300)} - {None}
    assert HEADLINE not in made and len(made) > 100
    assert "12 of 40 Bornholm ferries will sail, Lund mayor" in made  # a denial and who says so are gone
    assert any(text and sorted(text.split()) == sorted(HEADLINE.split()) for text in made)  # names changed places
    assert spoilt("Too short", "Too short to spoil", rng) is None
    (tmp_path / "pairs.jsonl").write_text(json.dumps({"lead": LEAD, "headline": HEADLINE}) + "\n")
    (found,) = read_verdicts(tmp_path, tmp_path / "pairs.jsonl")
    assert subwords.decode(found.headlines[0]) == HEADLINE and found.faults[0][3] == 0.0
    assert all(each[3] == 1.0 and math.isnan(each[0]) for each in found.faults[1:]) and len(found.faults) > 1


def test_blocks_hold_every_lead_once_and_pad_the_rest() -> None:
    rows = [Verdict([5] * size, [[6] * size], [labels("good")]) for size in (3, 9, 1, 4, 7)]
    sizes = [int((block.inputs != PAD).sum()) for block in blocks(rows, 2, CPU, seed=1)]
    assert sum(sizes) == 24 and len(sizes) == 3
    block = block_of([*rows[:1], Verdict([5], [[6], [7, 8]], [labels("weak"), labels("good")])], CPU)
    assert block.headlines.tolist() == [[[6, 6, 6, END], [END, PAD, PAD, PAD]], [[6, END, PAD, PAD], [7, 8, END, PAD]]]
    assert block.faults[0, 1].isnan().all() and block.faults[1, 0, 2] == 1.0
