"""Sufficient statistics of hypotheses against references: what an objective is computed from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hedline.metrics.bleu import bleu_statistics
from hedline.metrics.rouge import Prepared, RougeScorer
from hedline.metrics.signature import signature
from hedline.text.tokenize import words
from hedline.tuning.objective import Objective
from hedline.tuning.pool import Array


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

    def statistics(self, texts: Sequence[str], references: Sequence[str]) -> Array:
        """(texts, width) the statistics of several hypotheses of one input; equal texts are read once."""
        prepared: Prepared = self.scorer.prepare(references)
        unique = {text: index for index, text in enumerate(dict.fromkeys(texts))}
        rows = np.array([self._one(text, prepared, references) for text in unique])
        return np.asarray(rows[[unique[text] for text in texts]])

    def signature(self, reference_counts: Sequence[int]) -> str:
        """How the scores were computed."""
        bleu = "; BLEU-4, lower-cased Treebank words, closest reference" if self.objective.uses_bleu else ""
        return signature(self.scorer, reference_counts) + bleu

    def _one(self, text: str, prepared: Prepared, references: Sequence[str]) -> Array:
        rouge = np.asarray(self.scorer.counts(text, prepared), dtype=np.float64).ravel()
        if not self.objective.uses_bleu:
            return rouge
        counts = bleu_statistics(words(text.lower()), [words(reference.lower()) for reference in references])
        return np.concatenate([rouge, counts])
