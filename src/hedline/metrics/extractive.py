"""How much of a headline stands in its input, what does not, and how long it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass

from hedline.errors import UserError
from hedline.metrics.lengths import Lengths, lengths_text, measure_lengths
from hedline.metrics.names import unsupported_names
from hedline.metrics.numbers import unsupported_numbers
from hedline.text.tokenize import words

__all__ = [
    "Extractiveness",
    "copied_tokens",
    "measure_extractiveness",
    "novel_words",
    "unsupported_names",
    "unsupported_numbers",
]


def copied_tokens(headline: str, lead: str) -> tuple[int, int]:
    """(tokens of the headline that stand in the input in any case, all its tokens): the two halves of Ext. %."""
    tokens = [token.lower() for token in words(headline)]
    known = {token.lower() for token in words(lead)}
    return sum(token in known for token in tokens), len(tokens)


def novel_words(headline: str, lead: str) -> list[str]:
    """The headline's words, lower-cased and in order, that the input does not hold; punctuation is not a word."""
    known = {token.lower() for token in words(lead)}
    tokens = (token.lower() for token in words(headline))
    return [token for token in tokens if token not in known and any(map(str.isalnum, token))]


@dataclass(frozen=True)
class Extractiveness:
    """Means over a set of headlines.

    ext: per cent of all headline tokens that stand in their input (the paper's Ext. %); novel_words: new words a
    headline; bad_numbers, bad_names: per cent of headlines with at least one unsupported number, name; words, bytes:
    mean length (words split at white space, bytes of UTF-8); empty: how many headlines are empty.
    """

    ext: float
    novel_words: float
    bad_numbers: float
    bad_names: float
    words: float
    bytes: float
    empty: int

    def to_json(self) -> dict[str, float]:
        """Plain numbers by name."""
        return asdict(self)

    def to_text(self) -> str:
        """Two lines for people."""
        return (
            f"Ext. {self.ext:.1f} %, {self.novel_words:.2f} new words a headline; headlines with an unsupported "
            f"number {self.bad_numbers:.1f} %, name {self.bad_names:.1f} %\n"
            + lengths_text(Lengths(self.words, self.bytes, self.empty))
        )


def measure_extractiveness(
    headlines: Sequence[str], leads: Sequence[str], casing: Mapping[str, str] | None = None
) -> Extractiveness:
    """The report of a set of headlines and their inputs; casing as in `unsupported_names`."""
    if len(headlines) != len(leads):
        raise UserError(f"{len(headlines):,} headlines but {len(leads):,} inputs")
    lengths = measure_lengths(headlines)
    pairs = list(zip(headlines, leads, strict=True))
    counts = [copied_tokens(*pair) for pair in pairs]
    tokens = sum(total for _, total in counts)
    share = 100.0 / len(pairs)
    return Extractiveness(
        ext=100.0 * sum(copied for copied, _ in counts) / max(tokens, 1),
        novel_words=sum(len(novel_words(*pair)) for pair in pairs) / len(pairs),
        bad_numbers=share * sum(bool(unsupported_numbers(*pair)) for pair in pairs),
        bad_names=share * sum(bool(unsupported_names(*pair, casing)) for pair in pairs),
        words=lengths.words,
        bytes=lengths.bytes,
        empty=lengths.empty,
    )
