"""Score and compare files of headlines: what `hedline score` and `hedline compare` do."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from hedline.errors import UserError
from hedline.metrics.outputs import align, read_outputs, read_references
from hedline.metrics.presets import Preset
from hedline.metrics.report import Report, evaluate_outputs

if TYPE_CHECKING:
    from hedline.metrics.comparison import ComparisonTable


def score_files(
    outputs: Path, references: Sequence[Path], preset: Preset, *, confidence: float = 95.0, resamples: int = 1000
) -> Report:
    """Score a file of outputs; support in the inputs is measured where every reference carries its lead."""
    expected = read_references(references)
    found = align(read_outputs(outputs), expected)
    leads = [row.lead for row in expected]
    return evaluate_outputs(
        [row.texts[0] for row in found],
        [row.texts for row in expected],
        preset,
        leads=leads if all(leads) else None,
        confidence=confidence,
        resamples=resamples,
    )


def compare_files(
    systems: Sequence[Path],
    references: Sequence[Path],
    preset: Preset,
    *,
    resamples: int = 1000,
    trials: int = 10_000,
    seed: int = 12345,
) -> ComparisonTable:
    """Compare files of outputs; systems are named by their files, with folders where names repeat."""
    from hedline.metrics.comparison import compare_outputs  # `hedline score` starts without it

    if len(systems) < 2:
        raise UserError("comparing needs at least two files of outputs")
    expected = read_references(references)
    plain = [path.name.split(".")[0] for path in systems]
    names = plain if len(set(plain)) == len(plain) else [str(path) for path in systems]
    if len(set(names)) != len(names):
        raise UserError("the same file of outputs is named twice: there is nothing to compare")
    outputs = {
        name: [row.texts[0] for row in align(read_outputs(path), expected)]
        for name, path in zip(names, systems, strict=True)
    }
    texts = [row.texts for row in expected]
    return compare_outputs(outputs, texts, preset, resamples=resamples, trials=trials, seed=seed)
