"""The vocabulary: words to ids and back, specials first, one word per line of a text file."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from hedline.errors import UserError
from hedline.files import read_entries, write_text
from hedline.text.clean import UNFIT

SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
PAD, UNKNOWN, START, END = range(4)


class Vocabulary:
    """Words with ids 0 … n-1; the first four are `<pad>`, `<unk>`, `<s>` and `</s>`."""

    def __init__(self, words: Iterable[str]) -> None:
        """words: all names in id order, the specials first."""
        self.words: list[str] = list(words)
        self.ids: dict[str, int] = {word: index for index, word in enumerate(self.words)}
        if tuple(self.words[:4]) != SPECIALS:
            raise UserError(f"a vocabulary begins with {' '.join(SPECIALS)}, not {' '.join(self.words[:4])[:60]!r}")
        if len(self.ids) != len(self.words):
            raise UserError("a vocabulary names each word once; this one repeats some")
        unfit = UNFIT.search("\n".join(self.words))
        if unfit:
            raise UserError(f"a word of a vocabulary holds {unfit.group()!r}, which no headline may print")

    def __len__(self) -> int:
        return len(self.words)

    def __contains__(self, word: object) -> bool:
        return word in self.ids

    def __iter__(self) -> Iterator[str]:
        return iter(self.words)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Vocabulary) and self.words == other.words

    __hash__ = None  # type: ignore[assignment]

    def id(self, word: str) -> int:
        """The id of a word, `<unk>`'s for one that is not known."""
        return self.ids.get(word, UNKNOWN)

    def word(self, index: int) -> str:
        """The word of an id."""
        return self.words[index]

    def encode(self, words: Iterable[str]) -> list[int]:
        """Ids of words; unknown ones become `<unk>`."""
        get = self.ids.get
        return [get(word, UNKNOWN) for word in words]

    def decode(self, ids: Iterable[int]) -> list[str]:
        """Words of ids, specials included."""
        return [self.words[index] for index in ids]

    def save(self, path: Path) -> None:
        """Write one word per line, in the order of the ids."""
        write_text(path, "".join(f"{word}\n" for word in self.words))

    @classmethod
    def load(cls, path: Path) -> Vocabulary:
        """Read a file written by `save`; a damaged one is a clear sentence."""
        try:
            words = read_entries(path)
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"cannot read the vocabulary {path}: {error}") from None
        try:
            return cls(words)
        except UserError as error:
            raise UserError(f"{path} is damaged: {error}") from None

    @classmethod
    def build(cls, counts: Iterable[tuple[str, int]], min_count: int, limit: int | None = None) -> Vocabulary:
        """Keep words seen at least `min_count` times, most frequent first, equal counts in alphabetical order.

        limit: the most words to keep, specials not counted; None keeps all.
        """
        kept = [(-count, word) for word, count in counts if count >= min_count and word not in SPECIALS]
        kept.sort()
        return cls([*SPECIALS, *(word for _, word in kept[:limit])])

    @classmethod
    def of(cls, words: Sequence[str]) -> Vocabulary:
        """The specials followed by `words` in the order given."""
        return cls([*SPECIALS, *words])
