"""N-best lists: what MERT optimises over, how they are scored, and how several processes make them.

A hypothesis is a text, its feature values (the model's score is weights · features) and its sufficient statistics
against the references. `Pool` holds the hypotheses of all rounds, `Lists` the same as arrays.

An `Objective` is what is maximised: any ROUGE, BLEU, or a weighted sum of several. A ROUGE score of a corpus is the
mean over its inputs, so each hypothesis contributes one number; BLEU is a ratio of sums, so each contributes its
counts. Both are additive *columns* (n, m) and a *scale* from sums to scores; a weighted sum of objectives lays their
columns side by side. The line search needs nothing else. `Judge` computes the statistics.

`ModelDecoder` makes the lists with a model folder on several processes. Inputs travel in batches of a fixed size, so
the numbers do not depend on how many processes there are.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import numpy as np

from hedline.arrays import Doubles, Ints
from hedline.corpora.sets import EvaluationItem
from hedline.decoding.search import length_reward
from hedline.errors import UserError
from hedline.files import digest
from hedline.metrics.measures import (
    F_SCORE,
    PRECISION,
    RECALL,
    bleu,
    bleu_statistics,
    parse_measure,
    scores_from,
)
from hedline.metrics.measures import WIDTH as BLEU_WIDTH
from hedline.metrics.rouge import Prepared, RougeScorer, signature
from hedline.pool import Crew
from hedline.progress import Progress
from hedline.text.tokenize import words

SAME_FEATURES = 1e-3
BATCH = 10
LOG_PROB_DIGITS = 3
PENALTY = "length_penalty"  # tuned like a weight: what the search adds for length is linear in it
Scale = Callable[[Doubles], Doubles]
"""Sums of columns (intervals, m) to corpus scores (intervals,)."""

OBJECTIVE = "R-1 + R-2 + R-L"
MEASURES = {"r": RECALL, "p": PRECISION, "f": F_SCORE}
REPORTED = ("1", "2", "L")
_TERM = re.compile(
    r"(?:(?P<weight>[0-9.]+)\s*\*\s*)?(?:R(?:OUGE)?-?)?(?P<metric>\S+?)(?:[.:](?P<measure>[rpf])1?)?", re.IGNORECASE
)


@dataclass(frozen=True)
class Hypothesis:
    """One summary: its text, features (k,) and statistics (metrics, 3) or any other fixed shape."""

    text: str
    features: Doubles
    statistics: Doubles


@dataclass(frozen=True)
class Lists:
    """N-best lists one after the other.

    features: (n, k); statistics: (n, …); starts: (inputs,) the first row of each input's list. No list is empty.
    """

    features: Doubles
    statistics: Doubles
    starts: Ints

    @property
    def inputs(self) -> int:
        """How many lists there are."""
        return len(self.starts)

    @cached_property
    def owners(self) -> Ints:
        """(n,) the input that each row belongs to."""
        lengths = np.diff(self.starts, append=len(self.features))
        return np.repeat(np.arange(self.inputs), lengths)

    def best(self, weights: Doubles) -> Ints:
        """(inputs,) the row each list's top hypothesis has under `weights`; the earliest row wins a tie."""
        scores = self.features @ weights
        top = np.maximum.reduceat(scores, self.starts)
        rows = np.flatnonzero(scores == top[self.owners])
        return rows[np.searchsorted(rows, self.starts)]


class Pool:
    """Accumulates hypotheses over the rounds; a hypothesis seen before is not added again.

    The same text with the same features (to 1e-3: batches of other sizes round differently) is the same hypothesis;
    with other features it is another derivation, which wins under other weights. Texts that share their features
    exactly cannot be told apart by any weights: the first, which the decoder ranked higher, stays.
    """

    def __init__(self, inputs: int) -> None:
        self._lists: list[list[Hypothesis]] = [[] for _ in range(inputs)]
        self._texts: list[dict[str, list[Doubles]]] = [{} for _ in range(inputs)]
        self._features: list[set[bytes]] = [set() for _ in range(inputs)]

    def __len__(self) -> int:
        return sum(len(hypotheses) for hypotheses in self._lists)

    def add(self, index: int, hypotheses: Sequence[Hypothesis]) -> int:
        """Merge one input's hypotheses, best first; returns how many were new."""
        before = len(self._lists[index])
        for hypothesis in hypotheses:
            if not self._known(index, hypothesis):
                self._texts[index].setdefault(hypothesis.text, []).append(hypothesis.features)
                self._features[index].add(hypothesis.features.tobytes())
                self._lists[index].append(hypothesis)
        return len(self._lists[index]) - before

    def _known(self, index: int, hypothesis: Hypothesis) -> bool:
        if hypothesis.features.tobytes() in self._features[index]:
            return True
        twins = self._texts[index].get(hypothesis.text, ())
        return any(float(np.abs(twin - hypothesis.features).max()) < SAME_FEATURES for twin in twins)

    def hypotheses(self) -> list[list[Hypothesis]]:
        """Every input's hypotheses in the order they were added."""
        return self._lists

    def lists(self) -> Lists:
        """All hypotheses as arrays, in the order they were added; inputs without any are left out."""
        filled = [hypotheses for hypotheses in self._lists if hypotheses]
        rows = [hypothesis for hypotheses in filled for hypothesis in hypotheses]
        lengths = [len(hypotheses) for hypotheses in filled]
        return Lists(
            features=np.array([row.features for row in rows], dtype=np.float64),
            statistics=np.array([row.statistics for row in rows], dtype=np.float64),
            starts=np.cumsum([0, *lengths[:-1]], dtype=np.int64),
        )


def fingerprint(items: Sequence[EvaluationItem]) -> str:
    """SHA-256 of the inputs and references in order: the same set gives the same one from any file format."""
    return digest(json.dumps([item.lead, *item.references], ensure_ascii=False) + "\n" for item in items)


@dataclass(frozen=True)
class Term:
    """One summand: metric `1`, `2`, `L`, … or `bleu`; measure `r`, `p` or `f` (empty for BLEU); its share."""

    metric: str
    measure: str
    weight: float

    def __str__(self) -> str:
        name = "BLEU" if self.metric == "bleu" else f"R-{self.metric}.{self.measure}"
        return f"{self.weight:.3g}*{name}"


@dataclass(frozen=True)
class Objective:
    """A weighted sum of metrics; the weights sum to 1, scores are between 0 and 1."""

    terms: tuple[Term, ...]

    def __str__(self) -> str:
        return " + ".join(map(str, self.terms))

    @property
    def metrics(self) -> tuple[str, ...]:
        """The ROUGE metrics whose statistics are needed, those of the report first."""
        used = [term.metric for term in self.terms if term.metric != "bleu" and term.metric not in REPORTED]
        return (*REPORTED, *dict.fromkeys(used))

    @property
    def uses_bleu(self) -> bool:
        """Whether BLEU's counts are needed."""
        return any(term.metric == "bleu" for term in self.terms)

    @property
    def width(self) -> int:
        """How many numbers a hypothesis's statistics are."""
        return 3 * len(self.metrics) + (BLEU_WIDTH if self.uses_bleu else 0)

    def rouge(self, statistics: Doubles) -> Doubles:
        """R, P and F (n, metrics, 3) of hypotheses' statistics (n, width)."""
        counts = statistics[:, : 3 * len(self.metrics)].reshape(len(statistics), -1, 3)
        return scores_from(counts, np.array([parse_measure(name).exponent for name in self.metrics]))

    def columns(self, statistics: Doubles, inputs: int) -> Doubles:
        """Additive columns (n, m) of hypotheses' statistics (n, width) for a corpus of `inputs` inputs."""
        scores = self.rouge(statistics)
        gain = np.zeros(len(statistics))
        for term in self.terms:
            if term.metric != "bleu":
                gain += term.weight * scores[:, self.metrics.index(term.metric), MEASURES[term.measure]]
        parts = [gain[:, None] / inputs]
        if self.uses_bleu:
            parts.append(statistics[:, -BLEU_WIDTH:])
        return np.concatenate(parts, axis=1)

    def scale(self, sums: Doubles) -> Doubles:
        """Corpus scores (intervals,) of sums of columns (intervals, m)."""
        total: Doubles = sums[:, 0]
        for term in self.terms:
            if term.metric == "bleu":
                total = total + term.weight * bleu(sums[:, 1:])
        return total


def parse_objective(text: str, measure: str = "f") -> Objective:
    """Read `R-1 + R-2 + R-L`, `0.3*R-1.r + 0.7*R-2.r` or `bleu`; `measure` where a term names none."""
    terms = [_term(part.strip(), measure) for part in re.split(r"\+|,", text)]
    total = sum(term.weight for term in terms)
    if not total > 0:
        raise UserError(f"the objective {text!r} has no positive weight")
    return Objective(tuple(Term(term.metric, term.measure, term.weight / total) for term in terms))


def _term(text: str, measure: str) -> Term:
    match = _TERM.fullmatch(text)
    try:
        weight = float(match["weight"] or 1) if match else 0.0
        if match and match["metric"].lower() == "bleu":
            return Term("bleu", "", weight)
        name = parse_measure(match["metric"] if match else text).name.removeprefix("ROUGE-")
    except (UserError, ValueError):
        raise UserError(
            f"cannot read the objective {text!r}: write e.g. 'R-1 + R-2 + R-L', '0.3*R-1.f + 0.7*R-2.f', 'R-1.r' "
            "(r, p or f after the dot) or 'bleu'"
        ) from None
    return Term(name, ((match and match["measure"]) or measure).lower(), weight)


@dataclass(frozen=True)
class Judge:
    """Scores texts for an objective; bytes: where ROUGE cuts both sides; stem: Porter stemming, as always here."""

    objective: Objective
    bytes: int | None = None
    stem: bool = True

    @cached_property
    def scorer(self) -> RougeScorer:
        """ROUGE for the objective's metrics and those of the report."""
        return RougeScorer(self.objective.metrics, stem=self.stem, bytes=self.bytes)

    def statistics(self, texts: Sequence[str], references: Sequence[str]) -> Doubles:
        """(texts, width) the statistics of several hypotheses of one input; equal texts are read once."""
        prepared: Prepared = self.scorer.prepare(references)
        unique = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        rows = np.array([self._one(text, prepared, references) for text in unique])
        return np.asarray(rows[[unique[text] for text in texts]])

    def signature(self, reference_counts: Sequence[int]) -> str:
        """How the scores were computed."""
        bleu = "; BLEU-4, lower-cased Treebank words, closest reference" if self.objective.uses_bleu else ""
        return signature(self.scorer, reference_counts) + bleu

    def _one(self, text: str, prepared: Prepared, references: Sequence[str]) -> Doubles:
        rouge = np.asarray(self.scorer.counts(text, prepared), dtype=np.float64).ravel()
        if not self.objective.uses_bleu:
            return rouge
        counts = bleu_statistics(words(text.lower()), [words(reference.lower()) for reference in references])
        return np.concatenate([rouge, counts])


NbestLists = list[list[Hypothesis]]
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

    def decode(self, task: Task) -> NbestLists:
        """The lists of the BATCH inputs from task[0] on, under the weights task[1]."""
        start, weights = task
        items = self.job.items[start : start + BATCH]
        features = {name: value for name, value in weights.items() if name != PENALTY}
        options = {**self.job.options, "weights": features, PENALTY: weights.get(PENALTY, 0.0)}
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
            Hypothesis(each.text, values(each, self.job.features), row)
            for each, row in zip(kept, statistics, strict=True)
        ]


def values(hypothesis: Any, names: Sequence[str]) -> Doubles:
    """(names,) the features of a finished headline; `length_penalty` stands for what a penalty of 1 adds.

    Weights times these is what the search ranks by, the penalty being the weight of that name. The last digits of
    matrix products differ from process to process; rounding keeps them out of the weights.
    """
    found = {**hypothesis.features, PENALTY: length_reward(1.0, hypothesis.units)}
    row = np.array([found.get(name, 0.0) for name in names], np.float64)
    return np.asarray(np.round(row, LOG_PROB_DIGITS), np.float64)


class ModelDecoder:
    """The Decoder of a real model; a context manager that ends its processes."""

    def __init__(self, job: Job, workers: int) -> None:
        self.job = job
        self._crew = Crew(partial(Worker, job), min(workers, -(-len(job.items) // BATCH)))

    def nbest(self, weights: Mapping[str, float]) -> NbestLists:
        """Decode all inputs, in order, with progress."""
        tasks = [(start, dict(weights)) for start in range(0, len(self.job.items), BATCH)]
        progress = Progress("decoding", len(self.job.items), "inputs")
        lists: NbestLists = []
        for batch in self._crew.map(Worker.decode, tasks):
            lists += batch
            progress.advance(len(batch))
        progress.close()
        return lists

    def __enter__(self) -> ModelDecoder:
        return self

    def __exit__(self, *details: object) -> None:
        self._crew.__exit__(*details)
