"""A data folder that teaches a trained transformer to stay true and to keep what it knows.

    python scripts/gpu/truth_data.py MODEL DATA NEWS.jsonl TRUTH.tsv OUT --headlines own     # NEWS with the model's own
    python scripts/gpu/truth_data.py MODEL DATA NEWS.jsonl TRUTH.tsv OUT --headlines given   # NEWS with a teacher's
    python scripts/gpu/truth_data.py MODEL DATA NEWS.jsonl TRUTH.tsv OUT --headlines pairs   # NEWS as pairs
    python scripts/gpu/truth_data.py MODEL DATA - TRUTH.tsv OUT --headlines pairs            # DATA's training pairs

TRUTH: class, lead, and a short, a medium and a long headline, written one by one (examples/truth-pairs.tsv). Each
lead is taken --times times with each of its headlines. --judged: files of verdicts (train_judge.py), of which the best
headline of each lead is taken too. NEWS: pairs of `lead` and `headline`. With `own` the model writes the headlines of
NEWS first (greedy, read as it is used), so that training on them leaves it as it is; with `given` NEWS' headlines are
taught as if it had. DATA: a prepared folder with MODEL's vocabulary; its held-out splits are kept, its training pairs
only where NEWS is `-`, and as many as --beside says, chosen at random.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import random
import sys
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from hedline.data.dataset import Dataset, SplitWriter
from hedline.decoding.choice import lead_cues
from hedline.files import read_json, write_json
from hedline.text.subword import ANY, LENGTH_NAMES, SUPPORT_NAMES, Subwords, length_control, pair_controls
from hedline.training.verdicts import read_judged

KEPT = "<pol:kept>"
USUAL_SUPPORT = SUPPORT_NAMES[2]


class Lesson(NamedTuple):
    """A lead, its headline and the names of the control tokens before it."""

    lead: str
    headline: str
    controls: Sequence[str]


def as_used(lead: str, length: str) -> list[str]:
    """The control tokens that decoding puts before a lead, with this length token."""
    return [length, USUAL_SUPPORT, ANY[2], KEPT if lead_cues(lead) else ANY[3]]


def lessons(lead: str, headline: str) -> list[Lesson]:
    """A pair as it is used with no limit, and as it is used with a limit that suits its headline."""
    lengths = (LENGTH_NAMES[-1], length_control(len(headline.split())))
    return [Lesson(lead, headline, as_used(lead, length)) for length in lengths]


def truth_lessons(path: Path, own: bool) -> list[Lesson]:
    """The lessons of the written pairs; the medium headline is the one to write when no length is asked for."""
    found = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.count("\t") != 4:
            sys.exit(
                f"line {number} of {path} has {line.count(chr(9)) + 1} fields; give class, lead and three headlines"
            )
        _, lead, short, medium, long = line.split("\t")
        if own:
            limited = [lessons(lead, headline)[1] for headline in (short, medium, long)]
            found += [*limited, *[lessons(lead, medium)[0]] * 2, lessons(lead, long)[0]]
        else:
            found += [Lesson(lead, headline, pair_controls(lead, headline)) for headline in (medium, medium, long)]
    return found


def judged_lessons(path: Path, own: bool) -> list[Lesson]:
    """The best headline of each judged lead: as it is used with no limit and with one that suits it, or as a pair."""
    best = [(each.lead, each.best) for each in read_judged(path) if each.best]
    if own:
        return [lesson for pair in best for lesson in lessons(*pair)]
    return [Lesson(*pair, pair_controls(*pair)) for pair in best]


@cache
def _subwords(model: Path) -> Subwords:
    return Subwords.load(model)


def encode(job: tuple[Path, list[Lesson]]) -> list[tuple[list[int], list[int]]]:
    """The ids of some lessons."""
    subwords = _subwords(job[0])
    return [
        (
            [*(subwords.ids[name] for name in lesson.controls), *subwords.encode(lesson.lead)],
            subwords.encode(lesson.headline),
        )
        for lesson in job[1]
    ]


def encoded(model: Path, taught: Sequence[Lesson], size: int = 2000) -> list[tuple[list[int], list[int]]]:
    """The ids of all lessons, by several processes."""
    jobs = [(model, list(taught[first : first + size])) for first in range(0, len(taught), size)]
    with ProcessPoolExecutor() as pool:
        return [row for rows in pool.map(encode, jobs) for row in rows]


def own_headlines(model: Path, leads: Sequence[str], device: str) -> Iterable[tuple[str, str]]:
    """Leads with what the model writes for them, greedily; those without an end are left out."""
    from hedline.training.labelling import Teachers
    from hedline.training.options import LabelSettings

    asked = [Lesson(lead, "", as_used(lead, LENGTH_NAMES[-1])) for lead in leads]
    inputs = [np.array(row) for row, _ in encoded(model, asked)]
    teachers = Teachers([model], LabelSettings(method="greedy", controls="own"), device)
    for lead, ids in zip(leads, teachers.write(inputs), strict=True):
        if ids:
            yield lead, teachers.subwords.decode(ids)


def training_rows(data: Path, most: int | None = None) -> list[tuple[list[int], list[int]]]:
    """The training pairs of a data folder, or some of them."""
    pairs = Dataset.open(data).split("train")
    sides = (pairs.inputs, pairs.input_offsets), (pairs.outputs, pairs.output_offsets)
    count = len(pairs.input_offsets) - 1
    chosen = range(count) if most is None else random.Random(2).sample(range(count), min(most, count))
    found = [np.split(np.asarray(flat), np.asarray(offsets)[1:-1]) for flat, offsets in sides]
    return [(found[0][at].tolist(), found[1][at].tolist()) for at in chosen]


def write_folder(rows: Sequence[tuple[list[int], list[int]]], data: Path, out: Path) -> str:
    """Write the data folder; returns its fingerprint."""
    dataset = Dataset.open(data)
    out.mkdir(parents=True)
    tokens = [sum(len(row[side]) for row in rows) for side in (0, 1)]
    writer = SplitWriter(out, "train", len(rows), (tokens[0], tokens[1]), (dataset.input_size, dataset.output_size))
    for side in (0, 1):
        flat = np.concatenate([np.array(row[side], np.int64) for row in rows])
        writer.write(side, flat, np.array([len(row[side]) for row in rows]))
    writer.close()
    for path in data.iterdir():
        if not path.name.startswith("train.") and path.name != "settings.json":
            os.link(path, out / path.name)
    record = read_json(data / "settings.json")
    record["fingerprint"] = hashlib.sha256(json.dumps([*rows[:1000], [len(rows)], tokens]).encode()).hexdigest()[:16]
    write_json(out / "settings.json", record)
    return str(record["fingerprint"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("model", "data", "news", "truth", "out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--headlines", choices=("own", "given", "pairs"), default="own")
    parser.add_argument("--times", type=int, default=4)
    parser.add_argument("--judged", type=Path, nargs="*", default=[])
    parser.add_argument("--beside", type=int, default=0)
    parser.add_argument("--device", default="auto")
    asked = parser.parse_args()
    own, whole = asked.headlines != "pairs", str(asked.news) == "-"
    pairs = [] if whole else [json.loads(line) for line in asked.news.open(encoding="utf-8")]
    texts: Iterable[tuple[str, str]] = [(pair["lead"], pair["headline"]) for pair in pairs]
    if asked.headlines == "own":
        texts = own_headlines(asked.model, [pair["lead"] for pair in pairs], asked.device)
    if own:
        news = [lesson for pair in texts for lesson in lessons(*pair)]
    else:
        news = [Lesson(*pair, pair_controls(*pair)) for pair in texts]
    truth = truth_lessons(asked.truth, own)
    truth += [lesson for path in asked.judged for lesson in judged_lessons(path, own)]
    rows = encoded(asked.model, [*news, *truth])
    rows = rows[: len(news)] + rows[len(news) :] * asked.times
    if whole or asked.beside:
        rows = training_rows(asked.data, None if whole else asked.beside) + rows
    random.Random(1).shuffle(rows)
    fingerprint = write_folder(rows, asked.data, asked.out)
    print(f"{asked.out}: {len(news):,} of news, {len(truth):,} x {asked.times} of truth, {fingerprint}")


if __name__ == "__main__":
    main()
