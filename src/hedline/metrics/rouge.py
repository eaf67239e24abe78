"""ROUGE as the Perl script ROUGE-1.5.5 computes it, from sufficient statistics.

`RougeScorer().statistics(candidate, references)` is one pass over a summary; single scores, corpus means, bootstrap
intervals, paired tests and MERT's error surface are all computed from what it returns. Every oddity of the script is
kept; the places are marked "odd but so in the script". A preset is how the field scores: which limit, and which of
R, P and F is the number in the table. The signature says how a score was computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

import hedline
from hedline.arrays import Doubles
from hedline.errors import UserError
from hedline.metrics.bulk import Corpus
from hedline.metrics.measures import (
    SCORE_NAMES,
    LongestSubsequence,
    Measure,
    NGram,
    Reading,
    parse_measure,
    round5,
    scores_from,
)
from hedline.metrics.tokens import Tokenizer, spell_out
from hedline.settings import setting

# How several references become one score. `pool` is the script's `-f A` (hits and counts summed over the references),
# `best` its `-f B` (the reference of highest recall, for each metric); `mean` averages the references' own scores,
# which the script never does.
MULTI = {"A": "pool", "B": "best", "pool": "pool", "best": "best", "mean": "mean"}

Prepared = tuple[Reading, ...]
References = Sequence[str] | Prepared


class RougeScorer:
    """ROUGE with one set of options; immutable, safe to share between threads.

    metrics: names as in parse_measure ("1" … "9", "L", "W1.2", "S4", "SU4", "S*", "SU*").
    bytes, words: `-b`, `-l`: both summary and references are cut before tokenising. alpha: `-p`.
    jackknife: mean over the leave-one-out sets of references (release note of version 1.4), which the script
    leaves to its configuration file; with one reference it changes nothing. unicode: words of every script count,
    where the script sees nothing but ASCII letters and digits.
    """

    def __init__(
        self,
        metrics: Sequence[str] = ("1", "2", "L"),
        *,
        stem: bool = True,
        stop: bool = False,
        bytes: int | None = None,
        words: int | None = None,
        multi: str = "pool",
        alpha: float = 0.5,
        jackknife: bool = False,
        unicode: bool = False,
    ) -> None:
        if multi not in MULTI:
            raise UserError(f"unknown way to join references {multi!r}: use pool, best or mean")
        if bytes is not None and words is not None:
            raise UserError("limit the length in bytes or in words, not both")
        if any(limit is not None and limit < 1 for limit in (bytes, words)):
            raise UserError("a length limit is a positive number of bytes or words")
        if not 0 <= alpha <= 1:
            raise UserError(f"alpha is {alpha}: the weight of precision lies between 0 and 1")
        if unicode and bytes is not None:
            raise UserError(
                "a limit in bytes is the Perl script's, which knows no other scripts; limit the words instead"
            )
        self.unicode = unicode
        self.measures: tuple[Measure, ...] = tuple(parse_measure(name) for name in metrics)
        if not self.measures:
            raise UserError("no metric named: for example 1, 2 and L")
        self.tokenizer = Tokenizer(stem=stem, stop=stop, byte_limit=bytes, word_limit=words)
        self.multi, self.alpha, self.jackknife = MULTI[multi], alpha, jackknife
        self.exponents: Doubles = np.array([measure.exponent for measure in self.measures])

    @property
    def names(self) -> tuple[str, ...]:
        """The metrics' full names: ROUGE-1, ROUGE-W-1.2, ROUGE-SU4…"""
        return tuple(measure.name for measure in self.measures)

    def read(self, text: str) -> Reading:
        """A text cut, tokenised and stemmed; what the metrics count in it is computed once, when first asked."""
        return Reading(spell_out(text) if self.unicode else text, self.tokenizer)

    def prepare(self, references: Sequence[str]) -> Prepared:
        """References read once, for scoring many candidates against them."""
        if isinstance(references, str):
            raise UserError("references are a list of texts, not one text")
        if not references:
            raise UserError("a summary without any reference cannot be scored")
        return tuple(self.read(reference) for reference in references)

    def statistics(self, candidate: str | Reading, references: References) -> Doubles:
        """(metrics, 3): hits, candidate count, reference count, over all references (pool) or of the best one."""
        if self.multi == "mean" or self.jackknife:
            raise UserError("mean and jackknife scores are not ratios of pooled counts: use score()")
        reading, prepared = self._reading(candidate), self._prepared(references)
        return np.array([self._joined(measure, reading, prepared) for measure in self.measures])

    def score(self, candidate: str | Reading, references: References) -> Doubles:
        """(metrics, 3): recall, precision and F of one summary, in 0..1, five decimals."""
        reading, prepared = self._reading(candidate), self._prepared(references)
        sets = leave_one_out(prepared) if self.jackknife else [prepared]
        if self.multi == "mean":
            sets = [(reference,) for subset in sets for reference in subset]
        counts = [[self._joined(measure, reading, each) for measure in self.measures] for each in sets]
        scores = self.scores_from(np.array(counts))
        return scores[0] if len(sets) == 1 else round5(scores.mean(axis=0))

    def scores_from(self, statistics: Doubles) -> Doubles:
        """Recall, precision, F (…, metrics, 3) of statistics (…, metrics, 3)."""
        return scores_from(statistics, self.exponents, self.alpha)

    def score_all(self, candidates: Sequence[str], references: Sequence[References]) -> Doubles:
        """Scores (n, metrics, 3) of n summaries, each against its own references."""
        if len(candidates) != len(references):
            raise UserError(f"{len(candidates):,} summaries but {len(references):,} sets of references")
        if not candidates:
            raise UserError("nothing to score: the set is empty")
        if self.multi == "mean" or self.jackknife:
            return np.array([self.score(*pair) for pair in zip(candidates, references, strict=True)])
        return self.scores_from(self.statistics_all(candidates, references))

    def statistics_all(self, candidates: Sequence[str], references: Sequence[References]) -> Doubles:
        """(n, metrics, 3): `statistics` of n summaries, each with its own references; in bulk where possible."""
        if self._bulk_fits(candidates, references):
            corpus = Corpus(candidates, references, self.tokenizer)  # type: ignore[arg-type]
            parts = [corpus.pooled(bulk_counts(corpus, measure)) for measure in self.measures]
            return np.stack(parts, axis=1)
        return np.array([self.counts(*pair) for pair in zip(candidates, references, strict=True)])

    def _bulk_fits(self, candidates: Sequence[str], references: Sequence[References]) -> bool:
        """Bulk counting knows n-grams and LCS, pooled references, texts of one line and the script's own tokens."""
        if (
            self.unicode
            or self.multi != "pool"
            or not all(isinstance(each, NGram | LongestSubsequence) for each in self.measures)
        ):
            return False
        for each in references:
            if isinstance(each, str) or not each or any(type(text) is not str or "\n" in text for text in each):
                return False
        return not any("\n" in candidate for candidate in candidates)

    def counts(self, candidate: str | Reading, references: References) -> list[tuple[float, float, float]]:
        """`statistics` as plain tuples, for callers that build one array from many."""
        reading, prepared = self._reading(candidate), self._prepared(references)
        return [self._joined(measure, reading, prepared) for measure in self.measures]

    def corpus(self, candidates: Sequence[str], references: Sequence[References]) -> Doubles:
        """Mean scores (metrics, 3) over summaries: the exact mean, where the script prints that of resamples."""
        return np.asarray(self.score_all(candidates, references).mean(axis=0))

    def _reading(self, candidate: str | Reading) -> Reading:
        return candidate if isinstance(candidate, Reading) else self.read(candidate)

    def _prepared(self, references: References) -> Prepared:
        if isinstance(references, tuple) and references and isinstance(references[0], Reading):
            return references
        return self.prepare(references)  # type: ignore[arg-type]

    def _joined(self, measure: Measure, reading: Reading, references: Prepared) -> tuple[float, float, float]:
        """Hits and counts summed over references, or those of the first best one."""
        counts = [measure.count(reading, reference) for reference in references]
        if len(counts) == 1:
            return counts[0]
        if self.multi == "best":
            preferences = list(map(measure.preference, counts, references))
            return counts[preferences.index(max(preferences))]
        hits, candidate, reference = zip(*counts, strict=True)
        return sum(hits), sum(candidate), sum(reference)


def leave_one_out(references: Prepared) -> list[Prepared]:
    """All sets with one reference left out; the only reference stays."""
    if len(references) == 1:
        return [references]
    return [references[:index] + references[index + 1 :] for index in range(len(references))]


def bulk_counts(corpus: Corpus, measure: Measure) -> Doubles:
    """(references, 3): what an n-gram or LCS measure counts in a whole corpus."""
    return corpus.ngram_counts(measure.n) if isinstance(measure, NGram) else corpus.lcs_counts()


@dataclass(frozen=True)
class Preset:
    """Options of the scorer (those of `hedline score`), and headline, the score that counts (R, P or F)."""

    name: str
    headline: str
    metrics: tuple[str, ...] = setting(
        ("1", "2", "L"), "1 … 9, L, W1.2, S4, SU4, S*, SU*; repeat for several; else 1, 2, L.", names=("--metric",)
    )
    bytes: int | None = setting(None, "Cut both sides to N bytes, as -b; 0: no limit.")
    words: int | None = setting(None, "Cut both sides to N words, as -l; 0: no limit.")
    stem: bool = setting(True, "WordNet exceptions and Porter, as the script's -m.")
    stop: bool = setting(False, "Remove SMART's common words, as -s.", names=("--remove-stop-words",))
    multi: str = setting(
        "pool", "Several references: pool hits and counts (-f A), best recall (-f B), or mean of scores."
    )
    alpha: float = setting(0.5, "Weight of precision in F, between 0 and 1, as -p.")
    jackknife: bool = setting(False, "Mean over the sets that leave one reference out.")
    unicode: bool = setting(False, "Count words of every script; has a signature of its own.", names=("--unicode",))

    @property
    def column(self) -> int:
        """Position of the score that counts among R, P, F."""
        return SCORE_NAMES.index(self.headline)

    @property
    def limits(self) -> dict[str, int]:
        """The limits to ask of a system that is measured by this preset: text beyond them does not count."""
        given = {"bytes": self.bytes, "words": self.words}
        return {name: value for name, value in given.items() if value is not None}

    def scorer(self) -> RougeScorer:
        """The scorer of these options."""
        return RougeScorer(
            self.metrics,
            stem=self.stem,
            stop=self.stop,
            bytes=self.bytes,
            words=self.words,
            multi=self.multi,
            alpha=self.alpha,
            jackknife=self.jackknife,
            unicode=self.unicode,
        )


PRESETS = {
    # DUC-2004 task 1: recall of the first 75 bytes (`-m -n 2 -b 75`).
    "duc": Preset("duc", headline="R", bytes=75),
    # Gigaword test sets since 2015: F1 of the whole headline (`-m -n 2`).
    "gigaword": Preset("gigaword", headline="F"),
}


@dataclass(frozen=True)
class Measured:
    """By which preset headlines are measured."""

    preset: str = setting("gigaword", "gigaword: F1, own length; duc: recall at 75 bytes.", choices=tuple(PRESETS))


def find_preset(name: str) -> Preset:
    """A preset by name."""
    if name not in PRESETS:
        raise UserError(f"unknown preset {name!r}: use {' or '.join(PRESETS)}")
    return PRESETS[name]


def with_limits(preset: Preset, bytes: int | None, words: int | None) -> Preset:
    """The preset with another length limit: None keeps its own, 0 takes it away, a limit in words replaces bytes."""
    if bytes is None and words is None:
        return preset
    return replace(preset, bytes=bytes or None, words=words or None)


def limit_text(scorer: RougeScorer) -> str:
    """`75 bytes`, `10 words` or `none`."""
    tokenizer = scorer.tokenizer
    if tokenizer.byte_limit is not None:
        return f"{tokenizer.byte_limit} bytes"
    return "none" if tokenizer.word_limit is None else f"{tokenizer.word_limit} words"


def references_text(counts: Sequence[int]) -> str:
    """Number of references, `1-4` when it differs between summaries."""
    low, high = min(counts), max(counts)
    return str(low) if low == high else f"{low}-{high}"


def signature(scorer: RougeScorer, reference_counts: Sequence[int]) -> str:
    """The line that says how a score was computed, as sacreBLEU prints one: two scores compare if their lines agree.

    It names metric, stemming, stop words, limit, references, how they are joined, alpha and version.
    """
    multi = scorer.multi + ("+jackknife" if scorer.jackknife else "")
    fields = {
        "metric": ",".join(name.removeprefix("ROUGE-") for name in scorer.names),
        "stem": "yes" if scorer.tokenizer.stem else "no",
        "stop": "removed" if scorer.tokenizer.stop else "kept",
        "limit": limit_text(scorer),
        "refs": references_text(reference_counts),
        "multi": multi,
        "alpha": f"{scorer.alpha:g}",
        **({"tokens": "unicode"} if scorer.unicode else {}),
        "equals": "ROUGE-1.5.5" if scorer.multi != "mean" and not scorer.unicode else "nothing",
        "hedline": hedline.__version__,
    }
    return "ROUGE|" + "|".join(f"{key}:{value}" for key, value in fields.items())
