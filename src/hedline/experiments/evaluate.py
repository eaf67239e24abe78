"""`hedline evaluate`: decode a set, score it, and put PREFIX and the human headlines beside it."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from hedline.arrays import Doubles
from hedline.baselines.system import Limit, is_baseline, open_baseline, run_prefix
from hedline.corpora.pairs import BadLine, bare_suffix, read_lines
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.decoding.options import Checked
from hedline.decoding.summary import Summary
from hedline.errors import UserError
from hedline.files import atomic_path
from hedline.metrics.measures import SCORE_NAMES
from hedline.metrics.resampling import compare, interval, resample_means
from hedline.metrics.rouge import Measured, Preset, find_preset, signature
from hedline.metrics.support import Extractiveness, measure_extractiveness
from hedline.pool import Crew
from hedline.progress import Progress
from hedline.settings import again, setting

BATCH = 32
SCORE_WORDS = {"R": "recall", "P": "precision", "F": "F1"}


@dataclass(frozen=True)
class System:
    """One row of the table: scores (n, metrics) of each headline where it has any, and what its headlines are like."""

    name: str
    scores: Doubles | None
    text: Extractiveness

    def to_json(self, metrics: Sequence[str]) -> dict[str, Any]:
        """ROUGE in per cent with 95 % intervals, then the rest."""
        if self.scores is None:
            return {"name": self.name, **self.text.to_json()}
        bounds = interval(resample_means(100 * self.scores))
        rouge = {
            metric: {"value": float(value), "low": float(low), "high": float(high)}
            for metric, value, low, high in zip(
                metrics, 100 * self.scores.mean(axis=0), bounds.low, bounds.high, strict=True
            )
        }
        return {"name": self.name, **rouge, **self.text.to_json()}


@dataclass(frozen=True)
class EvaluateSettings(Checked):
    """What `hedline evaluate` decodes, how it scores, and where the headlines go."""

    preset: str = again(Measured, "preset")
    limit: int | None = setting(None, "Only the first N inputs.", least=1)
    out: Path | None = setting(None, "Write the headlines to this JSONL file.")


def measured_options(preset: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    """How a model decodes to be measured by a preset: within its limit, then what was asked for.

    Recall inside a limit is the paper's measurement, and the paper's systems have no guard of meaning: there it is
    off, so that the search is measured and not how often the text's own words take its place.
    """
    limits = find_preset(preset).limits
    return {**limits, **({"guard_meaning": False} if limits else {}), **asked}


def decode_set(
    model: str, items: Sequence[EvaluationItem], options: Mapping[str, Any], workers: int = 1
) -> tuple[list[Summary], float]:
    """Headlines for every item, in order, and the seconds the decoding took (loading not counted).

    model: a model's name or folder, or the folder of a fitted baseline, which takes the options bytes and words.
    """
    if is_baseline(Path(model)):
        return _run_baseline(Path(model), items, options)
    tasks = [(items[start : start + BATCH], dict(options)) for start in range(0, len(items), BATCH)]
    progress = Progress("decoding", len(items), "inputs")
    summaries: list[Summary] = []
    with Crew(partial(_load, model), min(workers, len(tasks))) as crew:
        begin = time.monotonic()
        for batch in crew.map(_summarize, tasks):
            summaries += batch
            progress.advance(len(batch))
    progress.close()
    return summaries, time.monotonic() - begin


def _run_baseline(
    folder: Path, items: Sequence[EvaluationItem], options: Mapping[str, Any]
) -> tuple[list[Summary], float]:
    """The same with a fitted baseline."""
    refused = [name for name in ("exact_words", "chars") if options.get(name)]
    if refused:
        raise UserError(f"{folder} is a baseline, which takes bytes and words as limits, not {refused[0]}")
    system = open_baseline(folder)
    begin = time.monotonic()
    texts = system.headlines(items, Limit(options.get("bytes"), options.get("words")))
    return [Summary(text, tokens=tuple(text.split())) for text in texts], time.monotonic() - begin


@contextmanager
def decoded_files(systems: Sequence[Path], references: Sequence[Path], preset: str) -> Iterator[list[Path]]:
    """Files of outputs for `compare`: a file as it is, a folder (model or baseline) run over the references' set."""
    with TemporaryDirectory() as temporary:
        files = []
        for number, system in enumerate(systems):
            if system.is_dir():
                items = read_evaluation_set(references[0])
                summaries, _ = decode_set(str(system), items, measured_options(preset, {}), os.cpu_count() or 1)
                files.append(Path(temporary) / str(number) / f"{system.name}.jsonl")
                write_outputs(files[-1], summaries, items)
            else:
                files.append(system)
        yield files


def evaluate_outputs(
    name: str, headlines: Sequence[str], items: Sequence[EvaluationItem], preset: str = "gigaword"
) -> dict[str, Any]:
    """A system's headlines against the references, beside PREFIX (75 bytes) and the human headlines, as plain JSON."""
    chosen = find_preset(preset)
    leads = [item.lead for item in items]
    prefix = run_prefix(leads, bytes=75)
    ours = System(name, _scores(headlines, items, chosen), measure_extractiveness(headlines, leads))
    theirs = System("PREFIX", _scores(prefix, items, chosen), measure_extractiveness(prefix, leads))
    human = System("human", None, measure_extractiveness([item.references[0] for item in items], leads))
    scorer = chosen.scorer()
    assert ours.scores is not None
    assert theirs.scores is not None
    tests = compare(ours.scores, theirs.scores)
    return {
        "inputs": len(items),
        "preset": chosen.name,
        "score": SCORE_NAMES[chosen.column],
        "signature": signature(scorer, [len(item.references) for item in items]),
        "systems": [system.to_json(scorer.names) for system in (ours, theirs, human)],
        "against_prefix": {
            metric: {
                "relative": float(100 * difference / max(base, 1e-12)),
                "p": float(p),
            }
            for metric, difference, base, p in zip(
                scorer.names, tests.difference, theirs.scores.mean(axis=0), tests.p_randomization, strict=True
            )
        },
    }


def write_outputs(path: Path, summaries: Sequence[Summary], items: Sequence[EvaluationItem]) -> None:
    """The headlines as JSONL, one record an input (see the interface), whole or not at all."""
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8") as file:
        for summary, item in zip(summaries, items, strict=True):
            file.write(json.dumps(summary.to_json(item.id, item.lead), ensure_ascii=False) + "\n")


def describe(result: Mapping[str, Any]) -> str:
    """The table for people."""
    metrics = list(result["against_prefix"])
    lines = [
        f"{result['inputs']:,} inputs, ROUGE {SCORE_WORDS[result['score']]} with 95 % intervals",
        _heading(metrics),
    ]
    lines += [_row(system, metrics) for system in result["systems"]]
    gains = ", ".join(
        f"{metric} {test['relative']:+.1f} % (p {test['p']:.4f})" for metric, test in result["against_prefix"].items()
    )
    lines.append(f"against PREFIX: {gains}")
    if "seconds" in result:
        lines.append(
            f"decoded in {result['seconds']:.1f} s, {result['inputs'] / max(result['seconds'], 1e-9):.1f} a second"
        )
    return "\n".join([*lines, result["signature"]])


def _heading(metrics: Sequence[str]) -> str:
    scores = "".join(f"{metric:>22}" for metric in metrics)
    return f"{'system':<12}{scores}{'Ext. %':>8}{'words':>7}{'bytes':>7}{'new':>6}{'numbers':>9}{'names':>7}"


def _row(system: Mapping[str, Any], metrics: Sequence[str]) -> str:
    cells = [
        f"{system[m]['value']:.2f} [{system[m]['low']:.2f}, {system[m]['high']:.2f}]" if m in system else ""
        for m in metrics
    ]
    scores = "".join(f"{cell:>22}" for cell in cells)
    counts = f"{system['ext']:8.1f}{system['words']:7.2f}{system['bytes']:7.1f}{system['novel_words']:6.2f}"
    return f"{system['name'][:11]:<12}{scores}{counts}{system['bad_numbers']:8.1f}%{system['bad_names']:6.1f}%"


def _scores(headlines: Sequence[str], items: Sequence[EvaluationItem], preset: Preset) -> Doubles:
    scores = preset.scorer().score_all(headlines, [item.references for item in items])
    return np.asarray(scores[:, :, preset.column])


def _load(model: str) -> Any:
    from hedline.api import load

    return load(model)


def _summarize(summarizer: Any, task: tuple[Sequence[EvaluationItem], dict[str, Any]]) -> list[Summary]:
    items, options = task
    found: list[Summary] = summarizer.summarize([item.lead for item in items], **options)
    return found


def read_leads(file: Path, limit: int | None = None) -> list[EvaluationItem]:
    """The inputs of an evaluation set or pairs file, or of a plain text file (one per line, no references)."""
    if str(file) == "-":
        # Not splitlines: a line separator inside a lead (U+2028) would make it two, as it does not in a file.
        lines = [line.removesuffix("\n") for line in sys.stdin][:limit]
    elif bare_suffix(file) in {".txt", ""}:
        lines = _text_lines(file)[:limit]
    else:
        return read_evaluation_set(file, limit)
    return [EvaluationItem(str(number), line, ()) for number, line in enumerate(lines, start=1)]


def _text_lines(file: Path) -> list[str]:
    if not file.exists():
        raise UserError(f"{file} does not exist; check the name")
    lines = []
    for line in read_lines(file):
        if isinstance(line, BadLine):
            raise UserError(str(line))
        lines.append(line[1].decode("utf-8", "replace"))
    return lines
