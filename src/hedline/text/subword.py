"""Byte-level BPE at run time in plain Python, and control tokens.

Every text can be encoded, and copying a name is copying its pieces. Pieces are byte strings; a piece that starts with a
space starts a new word. On disk a piece is written with the usual byte-to-letter table (space is `Ġ`), so that the
vocabulary file is plain text. Training uses the `tokenizers` package; encoding and decoding need nothing.

Control tokens stand before the input and tell a subword model what the headline should be like. Each training pair is
labelled with how long its headline is, how much of it the lead supports, how it is cased, and whether it keeps the
lead's negations; training sometimes hides a label behind its `any` form. At run time the labels are dials: a length,
a wish for faithfulness, sentence case, no negation lost.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path

from hedline.errors import UserError, require
from hedline.files import read_entries, write_text
from hedline.text.meaning import POLARITY_NAMES, polarity_control
from hedline.text.tokenize import ENTRY, FUNCTION_WORDS, size_of

LENGTHS = (5, 7, 9, 11, 13, 16)  # upper bounds of the length classes in words; the last class is open
BYTES_A_WORD = 6.5
SUPPORTS = (0.4, 0.6, 0.8, 0.999)  # upper bounds of the supported share of content words

LENGTH_NAMES = (*(f"<len:{bound}>" for bound in LENGTHS), "<len:long>", "<len:any>")
SUPPORT_NAMES = (*(f"<sup:{level}>" for level in range(len(SUPPORTS) + 1)), "<sup:any>")
CASE_NAMES = ("<case:sentence>", "<case:title>", "<case:any>")
GROUPS = (LENGTH_NAMES, SUPPORT_NAMES, CASE_NAMES, POLARITY_NAMES)
CONTROLS: tuple[str, ...] = tuple(name for group in GROUPS for name in group)
ANY: tuple[str, ...] = tuple(group[-1] for group in GROUPS)

_WORD = re.compile(r"[^\W_]+")


def pair_controls(lead: str, headline: str) -> list[str]:
    """The four control names of a training pair: length, support, case, polarity."""
    return [
        length_control(len(headline.split())),
        support_control(support(lead, headline)),
        case_control(headline),
        polarity_control(lead, headline),
    ]


def known_groups(vocabulary: Container[str]) -> tuple[tuple[str, ...], ...]:
    """The groups of control tokens that a vocabulary has, by their `any` names: older models know fewer."""
    return tuple(group for group in GROUPS if group[-1] in vocabulary)


def length_control(words: int) -> str:
    """The length class of a headline with this number of words."""
    return LENGTH_NAMES[sum(words > bound for bound in LENGTHS)]


def limit_control(size: int) -> str:
    """The length class of a headline that fills a limit of this many bytes (or characters)."""
    return length_control(max(round(size / BYTES_A_WORD), 1))


def support_control(share: float) -> str:
    """The support class for a share of supported content words."""
    return SUPPORT_NAMES[sum(share >= bound for bound in SUPPORTS)]


def dialed_support(usual: str, abstractiveness: float | None) -> str:
    """The support class for `--abstractiveness`: below 0 the usual class, the next, then the one of all words copied.

    New words are a matter of the search: no class stands for a headline with just some of them.

    >>> [dialed_support("<sup:2>", dial) for dial in (1.0, 0.0, None, -0.5, -1.0)]
    ['<sup:2>', '<sup:2>', '<sup:2>', '<sup:3>', '<sup:4>']
    """
    if abstractiveness is None or abstractiveness > -0.25:
        return usual
    most = len(SUPPORT_NAMES) - 2  # the last name leaves the class open
    place = min(SUPPORT_NAMES.index(usual) + 1, most) if usual in SUPPORT_NAMES[:most] else most
    return SUPPORT_NAMES[place if abstractiveness > -0.75 else most]


def support(lead: str, headline: str) -> float:
    """Share of the headline's content words that stand in the lead (0 when it has none).

    >>> support("The mayor of Lund resigned.", "Lund mayor quits")
    0.6666666666666666
    """
    content = [word for word in _WORD.findall(headline.lower()) if word not in FUNCTION_WORDS]
    known = set(_WORD.findall(lead.lower()))
    return sum(word in known for word in content) / len(content) if content else 0.0


def case_control(headline: str) -> str:
    """Sentence case, Title Case, or neither clearly."""
    inner = [word for word in headline.split()[1:] if len(word) > 3 and word[0].isalpha()]
    if len(inner) < 3 or headline.isupper():
        return CASE_NAMES[-1]
    share = sum(word[0].isupper() for word in inner) / len(inner)
    return "<case:title>" if share >= 0.85 else "<case:sentence>" if share <= 0.6 else CASE_NAMES[-1]


SPECIALS = ("<pad>", "<unk>", "<s>", "</s>")
PAD, UNKNOWN, START, END = range(4)

# A word keeps the space before it; English clitics, numbers and punctuation stand alone.
_PRETOKEN = re.compile(r"'(?:[sdmt]|ll|ve|re)(?![^\W\d_])| ?[^\W\d_]+| ?\d+| ?(?:[^\s\w]|_)+| ")
_SPACES = re.compile(r"\s+")
_MOST_CACHED = 1 << 24  # bytes of pretokens and their pieces; when these are full all are forgotten
_LONGEST_CACHED = 64  # characters; a longer one hardly comes again


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


def from_letters(names: Sequence[str]) -> list[bytes]:
    """The bytes of names written in byte letters; all are turned at once, which is quicker than one by one."""
    whole = "".join(names)
    wrong = set(whole).difference(byte_letters().values())
    if wrong:
        raise UserError(f"the subword vocabulary holds {min(wrong)!r}, which is no byte letter; it is damaged")
    data = whole.translate({ord(letter): byte for byte, letter in byte_letters().items()}).encode("latin-1")
    ends = [0, *accumulate(map(len, names))]
    return [data[start:end] for start, end in pairwise(ends)]


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
        if len(self.ids) != len(self.names):
            raise UserError("the subword vocabulary names a piece twice; it is damaged")
        self.pieces: list[bytes] = [b""] * specials + from_letters(self.names[specials:])
        self._ranks = dict(zip(self.merges, range(len(self.merges)), strict=True))
        self._cache: dict[str, tuple[int, ...]] = {}
        self._cached = 0  # bytes

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
        if len(pretoken) <= _LONGEST_CACHED:
            size = ENTRY + size_of(pretoken) + size_of(ids)
            if self._cached + size > _MOST_CACHED:
                self._cache.clear()
                self._cached = 0
            self._cache[pretoken] = ids
            self._cached += size
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
        cells = " ".join(lines).split(" ")
        merges = list(zip(cells[::2], cells[1::2], strict=False))
        if lines and list(map(" ".join, merges)) != lines:
            raise UserError(f"{folder / 'merges.txt'} has a line that is not two pieces; it is damaged")
        return cls(names, merges, count_specials(names))

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
