"""Byte-level BPE at run time in plain Python: every text can be encoded, and copying a name is copying its pieces.

Pieces are byte strings; a piece that starts with a space starts a new word. On disk a piece is written with the
usual byte-to-letter table (space is `Ġ`), so that the vocabulary file is plain text. Training uses the `tokenizers`
package; encoding and decoding need nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from hedline.errors import UserError, require
from hedline.files import read_entries, write_text

SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
PAD, UNKNOWN, START, END = range(4)

# A word keeps the space before it; English clitics, numbers and punctuation stand alone.
_PRETOKEN = re.compile(r"'(?:[sdmt]|ll|ve|re)(?![^\W\d_])| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+| ")
_SPACES = re.compile(r"\s+")
_CACHE_LIMIT = 200_000


@lru_cache(maxsize=1)
def byte_letters() -> dict[int, str]:
    """A printable letter for every byte (the table of GPT-2's vocabulary files)."""
    plain = [*range(ord("!"), ord("~") + 1), *range(ord("¡"), ord("¬") + 1), *range(ord("®"), ord("ÿ") + 1)]
    letters = {byte: chr(byte) for byte in plain}
    for byte in range(256):
        if byte not in letters:
            letters[byte] = chr(256 + len(letters) - len(plain))
    return letters


def pretokens(text: str) -> list[str]:
    """The stretches inside which pieces are merged; white space is folded, and the first word gets its space."""
    return _PRETOKEN.findall(" " + _SPACES.sub(" ", text).strip()) if text.strip() else []


def to_letters(text: str) -> str:
    """UTF-8 bytes of `text`, one printable letter each; lone surrogates become `?`."""
    letters = byte_letters()
    return "".join(letters[byte] for byte in text.encode("utf-8", "replace"))


class Subwords:
    """A piece vocabulary with its merges.

    names: written form of each id (specials and control tokens first); pieces: the bytes of each id (empty for
    specials, which are never printed).
    """

    def __init__(self, names: Sequence[str], merges: Sequence[tuple[str, str]], specials: int) -> None:
        self.names = list(names)
        self.merges = list(merges)
        self.specials = specials
        self.ids = {name: index for index, name in enumerate(self.names)}
        bytes_of = {letter: byte for byte, letter in byte_letters().items()}
        try:
            plain = [bytes(bytes_of[letter] for letter in name) for name in self.names[specials:]]
        except KeyError as error:
            raise UserError(f"the subword vocabulary holds {error}, which is no byte letter; it is damaged") from None
        self.pieces: list[bytes] = [b""] * specials + plain
        self._ranks = {pair: rank for rank, pair in enumerate(self.merges)}
        self._cache: dict[str, tuple[int, ...]] = {}

    def __len__(self) -> int:
        return len(self.names)

    def encode(self, text: str) -> list[int]:
        """Piece ids of a text."""
        ids: list[int] = []
        cache = self._cache
        for pretoken in pretokens(text):
            found = cache.get(pretoken)
            ids.extend(self._merge(pretoken) if found is None else found)
        return ids

    def decode(self, ids: Iterable[int]) -> str:
        """The text of piece ids; bytes that are no UTF-8 are dropped."""
        return b"".join(self.pieces[index] for index in ids).decode("utf-8", "ignore").strip()

    def _merge(self, pretoken: str) -> tuple[int, ...]:
        """Apply merges in order of rank to one pretoken, and remember the result."""
        parts = list(to_letters(pretoken))
        while len(parts) > 1:
            ranked = [
                (rank, i)
                for i in range(len(parts) - 1)
                if (rank := self._ranks.get((parts[i], parts[i + 1]))) is not None
            ]
            if not ranked:
                break
            parts = _join(parts, self.merges[min(ranked)[0]])
        ids = tuple(self.ids.get(part, UNKNOWN) for part in parts)
        if len(self._cache) < _CACHE_LIMIT:
            self._cache[pretoken] = ids
        return ids

    def save(self, folder: Path) -> None:
        """Write `vocab.input.txt`, `vocab.output.txt` (the same) and `merges.txt`."""
        listing = "\n".join(self.names) + "\n"
        write_text(folder / "vocab.input.txt", listing)
        write_text(folder / "vocab.output.txt", listing)
        write_text(folder / "merges.txt", "".join(f"{left} {right}\n" for left, right in self.merges))

    @classmethod
    def load(cls, folder: Path) -> Subwords:
        """Read a folder written by `save`; specials are the leading names in angle brackets."""
        try:
            names, lines = read_entries(folder / "vocab.input.txt"), read_entries(folder / "merges.txt")
        except (OSError, UnicodeDecodeError) as error:
            raise UserError(f"{folder} holds no readable subword vocabulary ({error})") from None
        if tuple(names[:4]) != SPECIALS:
            raise UserError(f"{folder / 'vocab.input.txt'} does not begin with {' '.join(SPECIALS)}; it is damaged")
        merges = [tuple(line.split(" ")) for line in lines]
        if any(len(pair) != 2 for pair in merges):
            raise UserError(f"{folder / 'merges.txt'} has a line that is not two pieces; it is damaged")
        return cls(names, [(left, right) for left, right in merges], count_specials(names))

    @classmethod
    def train(cls, texts: Iterable[str], size: int, controls: Sequence[str] = ()) -> Subwords:
        """Learn a vocabulary of `size` names (specials, controls, the 256 bytes, merges) from texts."""
        try:
            from tokenizers import Tokenizer, pre_tokenizers, trainers
            from tokenizers.models import BPE
        except ImportError:
            raise require("tokenizers", "train", "training a subword vocabulary") from None
        import json

        specials = [*SPECIALS, *controls]
        tokenizer = Tokenizer(BPE())
        # Pretokens arrive already split and spelt in byte letters, so the split here is exact by construction.
        tokenizer.pre_tokenizer = pre_tokenizers.Split("\n", "removed")
        trainer = trainers.BpeTrainer(
            vocab_size=size - len(specials),
            initial_alphabet=sorted(byte_letters().values()),
            min_frequency=2,
            show_progress=False,
        )
        tokenizer.train_from_iterator(_spelt(texts), trainer)
        model = json.loads(tokenizer.to_str())["model"]
        names = sorted(model["vocab"], key=model["vocab"].__getitem__)
        merges = [(left, right) for left, right in model["merges"]]
        return cls([*specials, *names], merges, len(specials))


def count_specials(names: Sequence[str]) -> int:
    """How many leading names are specials or controls such as `<pad>` and `<len:8>`."""
    for index, name in enumerate(names):
        if not (len(name) > 2 and name.startswith("<") and name.endswith(">")):
            return index
    return len(names)


def _spelt(texts: Iterable[str]) -> Iterator[str]:
    for text in texts:
        yield "\n".join(to_letters(pretoken) for pretoken in pretokens(text))


def _join(parts: list[str], pair: tuple[str, str]) -> list[str]:
    """Replace every left-to-right occurrence of `pair` by its concatenation."""
    joined: list[str] = []
    index = 0
    while index < len(parts):
        if index + 1 < len(parts) and (parts[index], parts[index + 1]) == pair:
            joined.append(parts[index] + parts[index + 1])
            index += 2
        else:
            joined.append(parts[index])
            index += 1
    return joined
