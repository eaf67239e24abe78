"""`hedline distill`: a data folder whose training headlines were written by teachers, for a small quick student.

The pairs are taken in blocks; each block's result is a file, so that an interrupted run resumes, and blocks may be made
by several processes or on a cluster. A pair keeps its own headline where the teachers' is supported less by the lead.
Control tokens are set anew for what a pair's headline is now.
"""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import torch

from hedline.arrays import Array
from hedline.data.dataset import Dataset, Pairs, SplitWriter
from hedline.data.engine import open_engine
from hedline.data.prepare import WorkFolder, locked
from hedline.errors import UserError
from hedline.files import atomic_path, digest, read_json, write_json
from hedline.progress import Progress
from hedline.runtime.folder import ModelFolder
from hedline.text.subword import GROUPS, SUPPORT_NAMES, Subwords, pair_controls, support
from hedline.training.labelling import Teachers, check_teachers
from hedline.training.options import DistillRequest, LabelSettings

SHOWN = 5  # changed headlines in the report
TAKEN, EQUAL, LESS_SUPPORTED, NO_END = "taken", "equal", "less supported", "no end"
LEFT = "not asked"
SUMS = ("support before", "support after", "words before", "words after")


class Job(NamedTuple):
    """The pairs first to last of the training split; chosen: those of them that the teachers are asked for."""

    first: int
    last: int
    chosen: list[int]


@dataclass(frozen=True)
class Labeller:
    """Labels a block of pairs, in this process or in another; opens what it needs when first asked."""

    teachers: tuple[Path, ...]
    data: Path
    folder: Path
    settings: LabelSettings
    batch: int
    device: str

    def __call__(self, job: Job) -> dict[str, Any]:
        """Make the block's file unless it is there; gives its summary."""
        path = self.folder / f"block-{job.first:09d}.npz"
        summary = path.with_suffix(".json")
        if path.is_file() and summary.is_file():
            found: dict[str, Any] = read_json(summary)
            return found
        teachers = _teachers(self.teachers, self.settings, self.device)
        pairs = Dataset.open(self.data).split("train")
        torch.manual_seed(self.settings.seed + job.first)  # the same draws in whatever order blocks are made
        written = teachers.write([pairs.input(index) for index in job.chosen], self.batch)
        block = Block(pairs, job, teachers.subwords)
        for index, headline in zip(job.chosen, written, strict=True):
            block.judge(index, headline)
        block.save(path)
        write_json(summary, block.summary())
        return block.summary()


@lru_cache(maxsize=1)
def _teachers(folders: tuple[Path, ...], settings: LabelSettings, device: str) -> Teachers:
    return Teachers(folders, settings, device)


class Block:
    """A block's inputs and headlines, some of which the teachers' take the place of."""

    def __init__(self, pairs: Pairs, job: Job, subwords: Subwords) -> None:
        self.first, self.subwords = job.first, subwords
        self.inputs = [np.array(pairs.input(index), np.int32) for index in range(job.first, job.last)]
        self.outputs = [np.array(pairs.output(index), np.int32) for index in range(job.first, job.last)]
        self.reasons = Counter({LEFT: job.last - job.first - len(job.chosen)})
        self.sums = dict.fromkeys(SUMS, 0.0)
        self.examples: list[dict[str, str]] = []

    def judge(self, index: int, headline: list[int] | None) -> None:
        """Take the teachers' headline (None: it has no end) for pair `index`, or keep the pair's own; count why."""
        place = index - self.first
        decode = self.subwords.decode
        lead, own = decode(self.inputs[place].tolist()), decode(self.outputs[place].tolist())
        theirs = decode(headline) if headline else ""
        before, after = support(lead, own), support(lead, theirs)
        reason = TAKEN if theirs else NO_END
        if theirs and theirs == own:
            reason = EQUAL
        elif theirs and after < before:
            reason = LESS_SUPPORTED
        self.reasons[reason] += 1
        taken = reason == TAKEN
        now, share = (theirs, after) if taken else (own, before)
        for name, value in zip(SUMS, (before, share, len(own.split()), len(now.split())), strict=True):
            self.sums[name] += value
        if taken:
            self.outputs[place] = np.array(headline, np.int32)
            self.inputs[place] = relabelled(self.inputs[place], self.subwords, pair_controls(lead, theirs))
            if len(self.examples) < SHOWN:
                self.examples.append({"lead": lead, "own": own, "teacher": theirs})

    def save(self, path: Path) -> None:
        """Write the block's pairs."""
        arrays = {}
        for name, rows in (("input", self.inputs), ("output", self.outputs)):
            arrays[f"{name}s"] = np.concatenate(rows) if rows else np.zeros(0, np.int32)
            arrays[f"{name}_lengths"] = np.array([len(row) for row in rows], np.int64)
        with atomic_path(path) as temporary, temporary.open("wb") as stream:
            np.savez(stream, **arrays)  # type: ignore[arg-type]

    def summary(self) -> dict[str, Any]:
        """What the report adds up."""
        sizes = [sum(map(len, self.inputs)), sum(map(len, self.outputs))]
        counts = {name: count for name, count in self.reasons.items() if count}
        return {
            "pairs": len(self.inputs),
            "sizes": sizes,
            "reasons": counts,
            "sums": self.sums,
            "examples": self.examples,
        }


def relabelled(ids: Array, subwords: Subwords, names: Sequence[str]) -> Array:
    """An input's ids with its leading control tokens replaced by those of the same groups among `names`."""
    fresh = {name.partition(":")[0]: subwords.ids[name] for name in names if name in subwords.ids}
    result = ids.copy()
    for place, index in enumerate(ids.tolist()):
        if index >= subwords.specials:
            break
        result[place] = fresh.get(subwords.names[index].partition(":")[0], index)
    return result


def distill(request: DistillRequest) -> dict[str, Any]:
    """Make the data folder, or go on making it; gives the report."""
    check_teachers(request.teachers, request.data)
    dataset = Dataset.open(request.data)
    if dataset.units != "subwords":
        raise UserError(f"{request.data} holds words; teachers read subwords, so prepare it with --units subwords")
    key, weights = identity(request, dataset)
    if (request.out / "distilled.json").is_file() and Dataset.open(request.out).fingerprint == key:
        report: dict[str, Any] = read_json(request.out / "distilled.json")
        return report
    if request.out.exists() and any(request.out.iterdir()):
        raise UserError(f"{request.out} holds something else; choose another --out or remove it")
    work = WorkFolder(request.out)
    with locked(work):
        work.start(key)
        summaries = label(request, dataset, work)
        report = {"teachers": weights, "data": dataset.fingerprint, "settings": request.settings.table()}
        report |= {"limit": request.limit, **added(summaries)}
        write_folder(request, dataset, work, summaries, key, report)
        work.finish()
    return report


def identity(request: DistillRequest, dataset: Dataset) -> tuple[str, list[dict[str, str]]]:
    """The fingerprint of the result, and the teachers by name and weights."""
    weights = [
        {"model": folder.name, "weights": ModelFolder.open(folder).config.weights_id} for folder in request.teachers
    ]
    told = [dataset.fingerprint, [one["weights"] for one in weights], request.settings.table(), request.limit]
    return digest([json.dumps([*told, request.block])])[:16], weights


def label(request: DistillRequest, dataset: Dataset, work: WorkFolder) -> list[dict[str, Any]]:
    """All blocks' summaries; makes the blocks that are missing."""
    teachers, folder = tuple(path.absolute() for path in request.teachers), work.chunks.absolute()
    labeller = Labeller(teachers, request.data.absolute(), folder, request.settings, request.batch, request.device)
    pairs = dataset.split("train")
    progress = Progress("labelling", len(pairs), "pairs")
    summaries = []
    engine = open_engine(request.engine, request.workers)
    for summary in engine.map(partial(labelled, labeller), jobs(pairs, request, dataset.folder)):
        summaries.append(summary)
        progress.advance(summary["pairs"])
    progress.close()
    return summaries


def labelled(labeller: Labeller, job: Job) -> dict[str, Any]:
    """A block's summary (a plain function, which other processes can be told)."""
    return labeller(job)


def jobs(pairs: Pairs, request: DistillRequest, folder: Path) -> Iterator[Job]:
    """The blocks of the training split."""
    asked = best_supported(pairs, Subwords.load(folder), request.limit)
    for first in range(0, len(pairs), request.block):
        last = min(first + request.block, len(pairs))
        yield Job(first, last, (first + np.flatnonzero(asked[first:last])).tolist())


def best_supported(pairs: Pairs, subwords: Subwords, limit: int) -> npt.NDArray[np.bool_]:
    """(n,): the `limit` pairs whose control tokens promise the most support; all when the limit is 0."""
    asked = np.ones(len(pairs), bool)
    if not limit or limit >= len(pairs):
        return asked
    levels = {subwords.ids[name]: level for level, name in enumerate(SUPPORT_NAMES[:-1]) if name in subwords.ids}
    level = np.full(len(pairs), -1)
    for place in range(len(GROUPS)):
        starts = np.minimum(pairs.input_offsets[:-1] + place, max(len(pairs.inputs) - 1, 0))
        heads = np.asarray(pairs.inputs[starts])
        for index, value in levels.items():
            level[heads == index] = value
    asked[np.argsort(-level, kind="stable")[limit:]] = False
    return asked


def added(summaries: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The blocks' summaries in one: counts by reason, means over the pairs the teachers were asked for, examples."""
    reasons: Counter[str] = Counter()
    for summary in summaries:
        reasons.update(summary["reasons"])
    asked = max(sum(reasons.values()) - reasons[LEFT], 1)
    means = {name: round(sum(summary["sums"][name] for summary in summaries) / asked, 4) for name in SUMS}
    examples = [example for summary in summaries for example in summary["examples"]][:SHOWN]
    return {"pairs": sum(reasons.values()), "reasons": dict(reasons), "means": means, "examples": examples}


def write_folder(
    request: DistillRequest,
    dataset: Dataset,
    work: WorkFolder,
    summaries: Sequence[dict[str, Any]],
    key: str,
    report: dict[str, Any],
) -> None:
    """Fill the new data folder: the training split from the blocks, all else as it was."""
    tokens = [sum(summary["sizes"][side] for summary in summaries) for side in (0, 1)]
    sizes = (dataset.input_size, dataset.output_size)
    pairs = sum(summary["pairs"] for summary in summaries)
    writer = SplitWriter(work.final, "train", pairs, (tokens[0], tokens[1]), sizes)
    for path in sorted(work.chunks.glob("block-*.npz")):
        with np.load(path, allow_pickle=False) as block:
            for side, name in enumerate(("input", "output")):
                writer.write(side, block[f"{name}s"], block[f"{name}_lengths"])
    writer.close()
    for path in dataset.folder.iterdir():
        if path.is_file() and not path.name.startswith("train.") and path.name != "settings.json":
            shutil.copyfile(path, work.final / path.name)
    write_json(work.final / "distilled.json", report)
    write_json(work.final / "settings.json", {**dataset.settings, "fingerprint": key, "distilled": report["teachers"]})


def report_text(report: dict[str, Any]) -> str:
    """The report as lines for the user."""
    reasons, means = report["reasons"], report["means"]
    lines = [f"{report['pairs']:,} pairs, teachers: {', '.join(one['model'] for one in report['teachers'])}"]
    for name, meaning in (
        (TAKEN, "have the teachers' headline now"),
        (EQUAL, "had it already"),
        (LESS_SUPPORTED, "keep their own, which the lead supports more"),
        (NO_END, "keep their own, since the teachers found no end"),
        (LEFT, "were not asked for (--limit)"),
    ):
        if reasons.get(name):
            lines.append(f"  {reasons[name]:,} {meaning}")
    for what, unit in (("support", "of the content words stand in the lead"), ("words", "words in a headline")):
        lines.append(f"  {means[f'{what} before']:.3f} to {means[f'{what} after']:.3f} {unit}, on average")
    for example in report["examples"]:
        lines += [f"  own:     {example['own']}", f"  teacher: {example['teacher']}"]
    return "\n".join(lines)
