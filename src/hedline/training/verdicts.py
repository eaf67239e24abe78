"""Verdicts on headlines: those given one by one, and those of headlines that a program spoilt.

A file of verdicts has a lead in each line, the best headline known, and headlines with what was said of them, as in
`good:…`, `untrue:…`, `broken:…` or `weak:…`, separated by tabs (examples/judged.tsv).
"""

from __future__ import annotations

import json
import random
import re
import zlib
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from hedline.errors import UserError
from hedline.models.batch import END, PAD
from hedline.text.polarity_words import word_set
from hedline.text.subword import ANY, Subwords

FAULTS = ("untrue", "broken", "weak", "altered")  # the last one: spoilt by a program
SOUND = "good"
DENIALS = word_set("not no never neither nor without cannot unless except only may might could if former")
SAID = re.compile(r"^(?:says?|said|told|tells|claims?|:)$")
SPOILT_EACH = 3  # spoilt headlines made of one
HELD_OUT = 10  # every tenth lead or so
A_TASK = 500  # leads that a process encodes at once


def held_out(lead: str) -> bool:
    """Whether a lead, in whatever file it stands, is one of the tenth that judges do not learn from.

    >>> held_out("The mayor  of Lund resigned.") == held_out("The mayor of Lund resigned.")
    True
    """
    return zlib.crc32(" ".join(lead.split()).encode()) % HELD_OUT == 0


class Judged(NamedTuple):
    """A lead, the best headline known ("" for none), and headlines with their verdicts."""

    lead: str
    best: str
    headlines: list[tuple[str, str]]


def read_judged(path: Path) -> list[Judged]:
    """The rows of a file of verdicts; a row that is cut is told with its place."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        lead, *rest = line.split("\t")
        pairs = [(verdict, text) for verdict, colon, text in (each.partition(":") for each in rest[1:]) if colon]
        if not rest or len(pairs) != len(rest) - 1 or not {kind for kind, _ in pairs} <= {SOUND, *FAULTS}:
            raise UserError(
                f"line {number} of {path}: give a lead, a headline and headlines such as good:… or untrue:…, with tabs"
            )
        found.append(Judged(lead, rest[0], pairs))
    return found


def spoilt(lead: str, headline: str, rng: random.Random) -> str | None:
    """A headline with one thing made wrong, None where that cannot be done."""
    words, told = headline.split(), lead.split()
    if len(words) < 4 or len(told) < 8:
        return None
    way = rng.choice((_drop, _move, _swap_names, _swap_names, _borrow, _insert, _splice, _splice, _undeny, _cut))
    changed = way(list(words), told, rng)
    return " ".join(changed) if changed and changed != words else None


def _drop(words: list[str], told: list[str], rng: random.Random) -> list[str]:
    del words[rng.randrange(len(words) - 1)]
    return words


def _cut(words: list[str], told: list[str], rng: random.Random) -> list[str]:
    """Up to a word that wants another."""
    ends = [
        place
        for place, word in enumerate(words)
        if word in {"of", "to", "in", "for", "with", "and", "over", "as", "by"}
    ]
    return words[: rng.choice(ends) + rng.randrange(2)] if ends else []


def _move(words: list[str], told: list[str], rng: random.Random) -> list[str]:
    first = rng.randrange(len(words) - 1)
    last = rng.randrange(first + 1, min(first + 4, len(words) + 1))
    part = words[first:last]
    rest = words[:first] + words[last:]
    place = rng.randrange(len(rest) + 1)
    return rest[:place] + part + rest[place:]


def _swap_names(words: list[str], told: list[str], rng: random.Random) -> list[str]:
    """Two names or numbers change places, or one becomes another of the lead's."""
    telling = [place for place, word in enumerate(words) if word[:1].isupper() or word[:1].isdigit()]
    others = [word.strip(",.") for word in told if word[:1].isupper() or word[:1].isdigit()]
    if len(telling) > 1 and rng.random() < 0.5:
        one, two = rng.sample(telling, 2)
        words[one], words[two] = words[two], words[one]
        return words
    if not telling or not others:
        return []
    words[rng.choice(telling)] = rng.choice(others)
    return words


def _borrow(words: list[str], told: list[str], rng: random.Random) -> list[str]:
    words[rng.randrange(len(words))] = rng.choice(told).strip(",.")
    return words


def _insert(words: list[str], told: list[str], rng: random.Random) -> list[str]:
    words.insert(rng.randrange(1, len(words)), rng.choice(told).strip(",."))
    return words


def _splice(words: list[str], told: list[str], rng: random.Random) -> list[str]:
    """The headline's beginning goes on somewhere else in the lead."""
    first = rng.randrange(len(told) - 3)
    return words[: rng.randrange(2, len(words))] + told[first : first + rng.randrange(2, 6)]


def _undeny(words: list[str], told: list[str], rng: random.Random) -> list[str]:
    """Without a word that turns or limits what is said, or who said it; or with a denial that is new."""
    kept = [word for word in words if word.lower() not in DENIALS and not SAID.match(word)]
    if kept != words:
        return kept
    helpers = [
        place
        for place, (one, two) in enumerate(pairwise(words))
        if one in {"to", "will", "is", "are", "was"} and two.isalpha()
    ]
    if not helpers:
        return []
    words.insert(rng.choice(helpers) + 1, "not")
    return words


@cache
def _subwords(folder: Path) -> Subwords:
    return Subwords.load(folder)


def encode(folder: Path, rows: Sequence[tuple[str, list[tuple[str, str]]]]) -> list[Verdict]:
    """Leads with (verdict, headline) as ids; folder: of a model or of data, with the pieces."""
    subwords = _subwords(folder)
    controls = [subwords.ids[name] for name in ANY if name in subwords.ids]
    return [
        Verdict(
            [*controls, *subwords.encode(lead)],
            [subwords.encode(text) for _, text in pairs],
            [labels(kind) for kind, _ in pairs],
        )
        for lead, pairs in rows
    ]


def spoil(folder: Path, seed: int, pairs: Sequence[tuple[str, str]]) -> list[Verdict]:
    """Each pair's headline as it is and up to three spoilt ones."""
    rng = random.Random(f"{seed} {pairs[0]}")
    rows = []
    for lead, headline in pairs:
        made = [text for text in (spoilt(lead, headline, rng) for _ in range(SPOILT_EACH)) if text]
        rows.append((lead, [("whole", headline), *(("altered", text) for text in made)]))
    return encode(folder, rows)


def read_verdicts(folder: Path, path: Path, seed: int = 1) -> list[Verdict]:
    """A file of verdicts as ids; from pairs (.jsonl) verdicts are made by spoiling headlines. By several processes."""
    rows: Sequence[Any]
    if path.suffix == ".jsonl":
        pairs = (json.loads(line) for line in path.open(encoding="utf-8"))
        task: Any = partial(spoil, folder, seed)
        rows = [(pair["lead"], pair["headline"]) for pair in pairs]
    else:
        task, rows = partial(encode, folder), [(each.lead, each.headlines) for each in read_judged(path)]
    with ProcessPoolExecutor() as pool:
        parts = pool.map(task, [rows[first : first + A_TASK] for first in range(0, len(rows), A_TASK)])
        return [each for part in parts for each in part]


class Verdict(NamedTuple):
    """A lead with headlines, and for each headline and fault 1.0, 0.0 or nan where nothing is known."""

    lead: list[int]
    headlines: list[list[int]]
    faults: list[list[float]]


class Block(NamedTuple):
    """Verdicts as tensors: inputs (B, M), headlines (B, S, L), faults (B, S, F)."""

    inputs: Tensor
    headlines: Tensor
    faults: Tensor


def labels(verdict: str) -> list[float]:
    """What a verdict says of each fault.

    >>> labels("broken")[:3], labels("altered")[3], labels("whole")[3]
    ([nan, 1.0, nan], 1.0, 0.0)
    """
    nothing = float("nan")
    if verdict in ("altered", "whole"):
        return [nothing, nothing, nothing, float(verdict == "altered")]
    if verdict == SOUND:
        return [0.0, 0.0, 0.0, nothing]
    found = [nothing] * len(FAULTS)
    found[FAULTS.index(verdict)] = 1.0
    if verdict == "weak":  # said of headlines that are true and well formed
        found[0] = found[1] = 0.0
    if verdict == "untrue":  # which are judged first for their truth
        found[2] = 0.0
    return found


def blocks(verdicts: Sequence[Verdict], size: int, device: torch.device, seed: int | None = None) -> Iterator[Block]:
    """All verdicts once, leads of about the same length together, in random order where there is a seed."""
    order = sorted(range(len(verdicts)), key=lambda place: len(verdicts[place].lead))
    cuts = [order[first : first + size] for first in range(0, len(order), size)]
    if seed is not None:
        random.Random(seed).shuffle(cuts)
    for cut in cuts:
        yield block_of([verdicts[place] for place in cut], device)


def block_of(verdicts: Sequence[Verdict], device: torch.device) -> Block:
    """Padded tensors; a missing headline is a lone `</s>` of which nothing is known."""
    count = max(len(each.headlines) for each in verdicts)
    width = max(len(each.lead) for each in verdicts)
    longest = max(len(headline) for each in verdicts for headline in each.headlines) + 1
    inputs = np.full((len(verdicts), width), PAD)
    headlines = np.full((len(verdicts), count, longest), PAD)
    headlines[:, :, 0] = END
    faults = np.full((len(verdicts), count, len(FAULTS)), np.nan, np.float32)
    for row, each in enumerate(verdicts):
        inputs[row, : len(each.lead)] = each.lead
        for place, (headline, known) in enumerate(zip(each.headlines, each.faults, strict=True)):
            headlines[row, place, : len(headline) + 1] = [*headline, END]
            faults[row, place] = known
    return Block(*(torch.from_numpy(part).to(device) for part in (inputs, headlines, faults)))
