"""What a caller may ask of the search: one frozen record, checked once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from numbers import Real
from typing import Any

from hedline.errors import UserError

MODES = ("abstractive", "extractive", "compressive")
DECODERS = ("beam", "greedy", "exact")
VARIANTS = ("paper", "namas")
RERANKS = ("none", "mbr")
NO_LIMIT = 1 << 30
MOST_PENALTY = 100  # an exponent beyond it overflows
POOL = 10  # times as many candidates are found as are returned, where those must differ


@dataclass(frozen=True)
class DecodeOptions:
    """How to write a headline.

    words, bytes, chars: at most so many, on the final text (a word is what white space separates; bytes are UTF-8);
    exact_words: so many exactly. None of them: the model's own length, at most `max_words`.
    fill: share of the given limit that a headline should use if any does (0 lets the model end where it likes).
    mode: which words may be used; decoder, beam, nbest: how hard to look, how many to return.
    weights: feature name to weight; None takes the model's (tuned) ones. abstractiveness: 1 is the model alone (ABS),
    0 the tuned weights (ABS+), down to -1 further toward copying; None leaves the weights as they are.
    variant: feature definitions, `paper` or the shifted `namas` tables.
    length_penalty: exponent a of ((5 + units) / 6)^a, which divides the score of a finished headline; None takes the
    model's default. recombine: merge hypotheses that no future can tell apart.
    block_repeats: no content word, and no pair of words, twice. guard_numbers: no number the input does not have.
    guard_names: of the best candidates the first without a name that the input does not support (supported.py); None
    takes the model's default.
    copy_unknown: input words outside the vocabulary may be copied. full_vocabulary: no shortlist.
    capitalize: the first letter in upper case (word models; the copied words of subword models).
    rerank: `mbr` puts the candidate first that the beam's others agree with most (consensus.py), `none` the best
    scored one; None takes the model's default. Greedy and exact searches have nothing to rerank.
    diversity: of an n-best list no two share more than 1 - diversity of their words and pairs of words (diverse.py).
    """

    words: int | None = None
    exact_words: int | None = None
    bytes: int | None = None
    chars: int | None = None
    fill: float = 0.0
    mode: str = "abstractive"
    decoder: str = "beam"
    beam: int = 5
    nbest: int = 1
    weights: Mapping[str, float] | None = None
    abstractiveness: float | None = None
    variant: str = "paper"
    length_penalty: float | None = None
    recombine: bool = True
    block_repeats: bool = True
    guard_numbers: bool = True
    guard_names: bool | None = None
    copy_unknown: bool = True
    full_vocabulary: bool = False
    capitalize: bool = True
    max_words: int = 24
    rerank: str | None = None
    diversity: float = 0.0

    def __post_init__(self) -> None:
        for name in ("words", "exact_words", "bytes", "chars", "beam", "nbest", "max_words"):
            value = getattr(self, name)
            if value is not None and (not isinstance(value, int) or isinstance(value, bool) or value < 1):
                raise UserError(f"{name} must be a whole number of at least 1, not {value!r}")
        if self.words is not None and self.exact_words is not None:
            raise UserError("give words (at most) or exact_words, not both")
        for name, known in (("mode", MODES), ("decoder", DECODERS), ("variant", VARIANTS)):
            if getattr(self, name) not in known:
                raise UserError(f"{name} must be one of {', '.join(known)}, not {getattr(self, name)!r}")
        if self.rerank is not None and self.rerank not in RERANKS:
            raise UserError(f"rerank must be one of {', '.join(RERANKS)}, not {self.rerank!r}")
        for name in ("fill", "diversity"):
            if not _between(getattr(self, name), 0.0, 1.0):
                raise UserError(f"{name} is a share between 0 and 1, not {getattr(self, name)!r}")
        if self.abstractiveness is not None and not _between(self.abstractiveness, -1.0, 1.0):
            raise UserError(
                f"abstractiveness lies between -1 (copy) and 1 (the model alone), not {self.abstractiveness!r}"
            )
        if self.length_penalty is not None and not _between(self.length_penalty, -MOST_PENALTY, MOST_PENALTY):
            raise UserError(
                f"length_penalty is an exponent between -{MOST_PENALTY} and {MOST_PENALTY}, not {self.length_penalty!r}"
            )

    def but(self, **changes: Any) -> DecodeOptions:
        """The same options with some changed; an unknown name is the user's mistake."""
        known = {field.name for field in fields(self)}
        for name in changes:
            if name not in known:
                raise UserError(f"no option is called {name!r}; there are {', '.join(sorted(known))}")
        return replace(self, **changes)

    @property
    def width(self) -> int:
        """Hypotheses kept at each step: n-best lists need at least as many as they return."""
        return 1 if self.decoder == "greedy" and self.nbest == 1 else max(self.beam, self.candidates)

    @property
    def candidates(self) -> int:
        """Headlines to find: as many as are returned, more where they must differ."""
        return POOL * self.nbest if self.diversity and self.nbest > 1 else self.nbest

    @property
    def word_limit(self) -> int:
        """Most words a headline may have."""
        asked = self.words or self.exact_words
        if asked is None and (self.bytes or self.chars):
            return NO_LIMIT
        return asked or self.max_words

    @property
    def byte_limit(self) -> int:
        """Most UTF-8 bytes of the final text."""
        return self.bytes or NO_LIMIT

    @property
    def char_limit(self) -> int:
        """Most characters of the final text."""
        return self.chars or NO_LIMIT


def _between(value: object, low: float, high: float) -> bool:
    """Whether a value is a number within bounds; not-a-number and other types are not."""
    return isinstance(value, Real) and not isinstance(value, bool) and low <= float(value) <= high
