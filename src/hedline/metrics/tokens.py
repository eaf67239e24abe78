"""From raw text to the tokens that ROUGE-1.5.5 counts.

Text is bytes to the script: lower-casing touches ASCII only, a non-ASCII character is as many separators as it
has bytes, and a byte limit may cut through a word or a character. A summary may hold several sentences, one a
line; the n-gram metrics see them joined, the LCS metrics one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hedline.metrics.stemmer import STEMMER, stop_words

# Upper case to lower case, digits and lower case as they are, all else (the hyphen too: the script keeps it as a
# token of its own and then drops the token) to a space.
_TABLE = bytes(ord(chr(byte).lower()) if chr(byte).isascii() and chr(byte).isalnum() else 0x20 for byte in range(256))
_TABLE_OF_LINES = _TABLE[:10] + b"\n" + _TABLE[11:]  # the same, but line ends stay


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """The `-m`, `-s`, `-b` and `-l` options: at most one limit, None meaning none."""

    stem: bool = True
    stop: bool = False
    byte_limit: int | None = None
    word_limit: int | None = None

    def pieces(self, text: str) -> list[str]:
        """Tokens of a one-sentence text before stemming."""
        return self._split(self._cut(text.encode("utf-8", "replace")))

    def pieces_of_all(self, texts: Sequence[str]) -> list[list[str]]:
        """`pieces` of many texts without line ends, in one go."""
        if self.byte_limit is None and self.word_limit is None:
            data = "\n".join(texts).encode("utf-8", "replace")
        else:
            data = b"\n".join([self._cut(text.encode("utf-8", "replace")) for text in texts])
        lines = data.translate(_TABLE_OF_LINES).decode("ascii").split("\n") if texts else []
        return [self._kept(line.split()) for line in lines] if self.stop else [line.split() for line in lines]

    def joined(self, text: str) -> list[str]:
        """Tokens for the n-gram metrics: all sentences within the limit as one stream."""
        if "\n" not in text:
            return self._stemmed(self.pieces(text))
        return self._tokens(b" ".join(self._within_limit(_sentences(text), cumulative=True)))

    def sentences(self, text: str) -> list[list[str]]:
        """Tokens for the LCS metrics: a list for each sentence within the limit."""
        return [self._tokens(data) for data in self._within_limit(_sentences(text), cumulative=False)]

    def _tokens(self, data: bytes) -> list[str]:
        return self._stemmed(self._split(data))

    def _cut(self, data: bytes) -> bytes:
        """A one-sentence text within the limit."""
        if self.byte_limit is not None:
            return data[: self.byte_limit]
        return data if self.word_limit is None else first_words(data, self.word_limit)

    def _split(self, data: bytes) -> list[str]:
        return self._kept(data.translate(_TABLE).decode("ascii").split())

    def _kept(self, tokens: list[str]) -> list[str]:
        """The tokens without stop words, if they are to go."""
        if not self.stop:
            return tokens
        removed = stop_words()
        return [token for token in tokens if token not in removed]

    def _stemmed(self, tokens: list[str]) -> list[str]:
        return [STEMMER[token] for token in tokens] if self.stem else tokens

    def _within_limit(self, sentences: list[bytes], cumulative: bool) -> list[bytes]:
        """The sentences up to the limit, the one that reaches it cut.

        Odd but so in the script: in bytes, the LCS reader never adds up what it has taken, so every sentence may
        be as long as the whole limit (`cumulative=False`); in words both readers add up.
        """
        if self.byte_limit is None and self.word_limit is None:
            return sentences
        kept: list[bytes] = []
        used = 0
        for data in sentences:
            if self.byte_limit is not None:
                length, room = len(data), self.byte_limit - used
                cut = data[:room]
            else:
                assert self.word_limit is not None
                length, room = count_words(data), self.word_limit - used
                cut = first_words(data, room)
            if length >= room:
                return [*kept, cut]
            kept.append(data)
            if cumulative or self.byte_limit is None:
                used += length
        return kept


def _sentences(text: str) -> list[bytes]:
    """Lines of a text without the empty ones, as the script's SPL format reads them."""
    return [line for line in text.encode("utf-8", "replace").split(b"\n") if line]


def count_words(data: bytes) -> int:
    """Fields of Perl's `split(/\\s+/)`: white space at the start makes one empty field, at the end none."""
    words = data.split()
    return len(words) + 1 if words and data[:1].isspace() else len(words)


def first_words(data: bytes, limit: int) -> bytes:
    """The first `limit` fields as `-l` takes them: an empty first field (leading white space) counts."""
    words = data.split()
    if data[:1].isspace() and words:
        limit -= 1
    return data if len(words) < limit else b" ".join(words[:limit])
