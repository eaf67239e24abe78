"""N-best lists with features and statistics from a model folder, on several processes.

Inputs travel in batches of a fixed size, so the numbers do not depend on how many processes there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.corpora.evaluation import EvaluationItem
from hedline.progress import Progress
from hedline.tuning.judge import Judge
from hedline.tuning.pool import Hypothesis
from hedline.tuning.workers import Crew

BATCH = 10
LOG_PROB_DIGITS = 3

Floats = npt.NDArray[np.float64]
Lists = list[list[Hypothesis]]
Task = tuple[int, dict[str, float]]


@dataclass(frozen=True)
class Job:
    """What a worker needs: the model's name or path, the inputs, how to decode, which features, and the judge."""

    model: str
    items: Sequence[EvaluationItem]
    options: Mapping[str, Any]
    features: tuple[str, ...]
    judge: Judge


class Worker:
    """A loaded model that decodes batches of a job's inputs."""

    def __init__(self, job: Job) -> None:
        from hedline.api import load

        self.job = job
        self.summarizer = load(job.model)
        self.penalty = float(job.options.get("length_penalty", 0.0))

    def decode(self, task: Task) -> Lists:
        """The lists of the BATCH inputs from task[0] on, under the weights task[1]."""
        start, weights = task
        items = self.job.items[start : start + BATCH]
        options = {**self.job.options, "weights": weights}
        summaries = self.summarizer.summarize([item.lead for item in items], **options)
        pairs = zip(summaries, items, strict=True)
        return [self._judged(summary.nbest, item.references) for summary, item in pairs]

    def _judged(self, nbest: Sequence[Any], references: Sequence[str]) -> list[Hypothesis]:
        """The hypotheses with their statistics; those that miss an asked length more than the first are left out."""
        kept = [each for each in nbest if each.short == nbest[0].short]
        if not kept:
            return []
        statistics = self.job.judge.statistics([each.text for each in kept], references)
        return [
            Hypothesis(each.text, normalized(each, self.job.features, self.penalty), row)
            for each, row in zip(kept, statistics, strict=True)
        ]


def normalized(hypothesis: Any, names: Sequence[str], penalty: float = 0.0) -> Floats:
    """(features,) divided as the search divides the score of a finished headline, by a power of its length.

    What the search ranks by stays a line in the weights: weights · features / norm is weights · (features / norm).
    The last digits of matrix products differ from process to process; rounding keeps them out of the weights.
    """
    values = np.array([hypothesis.features.get(name, 0.0) for name in names], np.float64)
    return np.round(values, LOG_PROB_DIGITS) / _norm(hypothesis, penalty)


def _norm(hypothesis: Any, penalty: float) -> float:
    """((5 + units) / 6)^penalty, from the whole number of units that explains how the key came from the score."""
    if not (penalty and hypothesis.score and hypothesis.key):
        return 1.0
    units = round(6.0 * (hypothesis.score / hypothesis.key) ** (1.0 / penalty) - 5.0)
    return float(((5.0 + units) / 6.0) ** penalty)


class ModelDecoder:
    """The Decoder of a real model; a context manager that ends its processes."""

    def __init__(self, job: Job, workers: int) -> None:
        self.job = job
        self._crew = Crew(partial(Worker, job), min(workers, -(-len(job.items) // BATCH)))

    def nbest(self, weights: Mapping[str, float]) -> Lists:
        """Decode all inputs, in order, with progress."""
        tasks = [(start, dict(weights)) for start in range(0, len(self.job.items), BATCH)]
        progress = Progress("decoding", len(self.job.items), "inputs")
        lists: Lists = []
        for batch in self._crew.map(Worker.decode, tasks):
            lists += batch
            progress.advance(len(batch))
        progress.close()
        return lists

    def __enter__(self) -> ModelDecoder:
        return self

    def __exit__(self, *details: object) -> None:
        self._crew.__exit__(*details)
