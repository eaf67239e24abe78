"""Texts as tokens: the Penn Treebank's, those of news that the models read, and the models' words.

Treebank tokenisation never looks across white space, except that the last period of a text is split off. So a text is
cut at white space and each chunk is split by one compiled pattern, once: chunks follow Zipf's law, and a bounded cache
turns almost all of the work into look-ups.

`tokenize` and `words` give the tokens of NLTK's `TreebankWordTokenizer` (the Penn `tokenizer.sed`), faster. The models
read other tokens, so that spacing can be restored from two neighbouring tokens alone and tokenised text stays as it is:

- every sentence's period is split off, not only the last one; that of an acronym (`U.S.`) never is;
- an opening single quote is a token of its own, a backtick; a lone `''` stays a closing quote;
- `AT&T`, `#MeToo`, `me@example.org`, `US$` and web addresses stay whole;
- numbers whose digits are already `#` stay whole.

`normalize` gives the models' words, as in the paper: lower-case, every digit `#`, brackets by their Treebank names.
`read_source` keeps the raw text, its tokens and its words together, for the way back to readable text.
`is_content` tells words that say something from function words, clitics and brackets.

Two memories keep answers: `ChunkCache` counts them, for short chunks; `remembered` weighs them, for texts of strangers.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import update_wrapper
from itertools import pairwise
from threading import Lock
from typing import TYPE_CHECKING, Any, ClassVar, Generic, NamedTuple, TypeVar

from hedline.text.clean import clean, clean_with_offsets, ending_chunks

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")
T = TypeVar("T")

CACHE_SIZE = 1 << 17  # chunks; the caches of a full pass over millions of leads stay under 100 MB
LONGEST_CACHED = 40  # characters; longer chunks are addresses and accidents, seldom seen twice
ENTRY = 200  # bytes of a place in the table, which is up to two thirds empty
SHARE = 2  # an answer that takes more than this part of the whole is not kept


class Token(NamedTuple):
    """A token and the characters it stands for: `raw[start:end]` of the text (or chunk) it was found in.

    text is those characters, except that a double quote is `` (opening) or '' (closing).
    """

    text: str
    start: int
    end: int


def _pattern(singles: str, digit: str, first: str = "", final: bool = False) -> re.Pattern[str]:
    """The pattern whose successive matches are a chunk's tokens, before clitics are split off.

    singles: characters that always stand alone; digit: what keeps a comma or colon inside a word when it
    follows; first: alternatives tried before all others; final: split off the period that ends the chunk.
    """
    period = r"(?<!\.)\.(?=[\])}>\"']*\Z)" if final else r"(?!)"
    word = rf"""(?:[^\s"'`:,.\-{singles}]+|[:,](?={digit})|(?!{period})\.(?!\.\.)|-(?!-)|'(?!')|`(?!`))+"""
    return re.compile(rf"""{first}``|''|"|\.\.\.|--|[{singles}]|[:,](?!{digit})|{period}|{word}""")


_TREEBANK_SINGLES = r";@#$%&?!\[\](){}<>"
_NEWS_SINGLES = r";$%?!\[\](){}<>"
_NEWS_FIRST = r"""(?i:https?://|www\.)[^\s"'<>]*[^\s"'<>.,;:!?)\]}]|(?<![^\W\d_])[A-Za-z]{1,3}\$|"""

_TREEBANK = {final: _pattern(_TREEBANK_SINGLES, r"\d", final=final) for final in (False, True)}
_NEWS = {final: _pattern(_NEWS_SINGLES, r"[\d#]", _NEWS_FIRST, final) for final in (False, True)}

# "it's", "dogs'" first, then "they'll", "don't": several can be on one word ("'No, he won't'").
_CLITICS = re.compile(r"(?s)(.*?[^'])(n't|N'T|'ll|'LL|'re|'RE|'ve|'VE)?('[sSmMdD])?(')?\Z")
_CONTRACTIONS = re.compile(
    r"(?i)\b(?:(can)(not)|(d)('ye)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(more)('n)|(wan)(na)(?!\S))\b"
    r"|\A(?:('t)(is|was))\b"
)
_ACRONYM = re.compile(r"(?:[^\W\d_]\.){2,}[\])}>\"']*\Z")
# Words that begin with an apostrophe of their own; any other leading apostrophe opens a quotation.
_ELISION = re.compile(
    r"(?i)'(?:[\d#]{2}s?|s|m|d|t|n|ll|re|ve|em|im|til|till|tis|twas|cause|cuz|cos|bout|round|neath|ere|burbs|n')?\Z"
)
_CONTRACTION_LENGTHS = (5, 6)  # of those without an apostrophe: the only letters-only chunks that are split
_OPENERS = ("(", "[", "{", "<")


def split_treebank(chunk: str, final: bool = False) -> tuple[str, ...]:
    """The chunk's tokens as NLTK's `TreebankWordTokenizer` gives them; final: the chunk ends the text."""
    if chunk.isalpha() and len(chunk) not in _CONTRACTION_LENGTHS:
        return (chunk,)
    pieces: list[str] = _TREEBANK[final].findall(chunk)
    if '"' in chunk or "''" in chunk:
        pieces = [_named_quote(piece, i == 0 or pieces[i - 1] in _OPENERS) for i, piece in enumerate(pieces)]
    return tuple(_split_words(pieces, chunk))


def split_news(chunk: str, final: bool = False) -> tuple[str, ...]:
    """The chunk's tokens as models see them; final: the chunk ends a sentence."""
    if chunk.isalpha() and len(chunk) not in _CONTRACTION_LENGTHS:
        return (chunk,)
    pieces: list[str] = _NEWS[final and not _ACRONYM.search(chunk)].findall(chunk)
    if '"' in chunk or "''" in chunk:
        pieces = [_named_quote(piece, _opens_quotation(pieces, i)) for i, piece in enumerate(pieces)]
    if "'" in chunk:
        pieces = [part for piece in pieces for part in _split_opening_quote(piece)]
    return tuple(_split_words(pieces, chunk))


def _named_quote(piece: str, opens: bool) -> str:
    """A double quote by its Treebank name; any other piece as it is."""
    if piece in {'"', "''"}:
        return "``" if opens else "''"
    return piece


def _opens_quotation(pieces: Sequence[str], i: int) -> bool:
    """Whether a double quote, piece i of a chunk, opens: at the front, or between a break and a word."""
    if i == 0:
        return len(pieces) > 1 or pieces[0] == '"'
    left, right = pieces[i - 1], pieces[i + 1] if i + 1 < len(pieces) else ""
    return left in _OPENERS or (left[-1] in "-/'`" and right[:1].isalnum())


def _split_opening_quote(piece: str) -> Sequence[str]:
    """A leading apostrophe apart, as a backtick, unless it belongs to the word (`'90s`, `'em`)."""
    if piece[0] == "'" and len(piece) > 1 and piece != "''" and not _ELISION.match(piece):
        return ("`", piece[1:])
    return (piece,)


def _split_words(pieces: list[str], chunk: str) -> list[str]:
    """Pieces with clitics and contractions taken apart: `don't` is `do`, `n't`; `cannot` is `can`, `not`."""
    if "'" not in chunk and not any(map(_CONTRACTIONS.search, pieces)):
        return pieces
    return [part for piece in pieces for part in _split_word(piece)]


def _split_word(word: str) -> list[str]:
    cuts = {0, len(word)}
    clitics = _CLITICS.match(word)
    if clitics and word != "''":
        cuts.update(clitics.start(group) for group in (2, 3, 4) if clitics[group])
    for found in _CONTRACTIONS.finditer(word):
        cuts.update((found.start(), found.end()))
        cuts.update(found.end(group) for group in range(1, found.re.groups + 1) if found[group])
    return [word[start:end] for start, end in pairwise(sorted(cuts))]


class ChunkCache(dict[str, T], Generic[T]):
    """Remembers what a function of a chunk gave; forgets everything when full, so memory stays bounded."""

    all: ClassVar[list[ChunkCache[Any]]] = []

    def __init__(self, function: Callable[[str], T]) -> None:
        super().__init__()
        self.function = function
        self.all.append(self)

    def __missing__(self, chunk: str) -> T:
        value = self.function(chunk)
        if len(chunk) <= LONGEST_CACHED:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[chunk] = value
        return value


class Remembered(dict[K, V], Generic[K, V]):
    """A function of one value with its answers so far; when they would pass `most` bytes all are forgotten.

    Forgetting all costs less than keeping an order of use, and a call that finds its answer is one look into a dict.
    weigh: the bytes of an answer, together with what it will hold later; the question is added to it.
    """

    def __init__(self, function: Callable[[K], V], most: int, weigh: Callable[[V], int]) -> None:
        super().__init__()
        self.function, self.most, self.weigh = function, most, weigh
        self.bytes = 0
        self._lock = Lock()
        update_wrapper(self, function)

    if TYPE_CHECKING:

        def __call__(self, key: K, /) -> V:
            """The answer, kept or new."""
    else:
        __call__ = dict.__getitem__

    def __missing__(self, key: K) -> V:
        """Ask the function, and keep the answer where there is room for it."""
        value = self.function(key)
        size = ENTRY + size_of(key) + self.weigh(value)
        if size * SHARE > self.most:
            return value
        with self._lock:
            if self.bytes + size > self.most:
                self.clear()
                self.bytes = 0
            self[key] = value
            self.bytes += size
        return value


def remembered(most: int, weigh: Callable[[Any], int] | None = None) -> Callable[[Callable[[K], V]], Remembered[K, V]]:
    """Let a function of one value keep its answers; most: the bytes they may take."""

    def wrap(function: Callable[[K], V]) -> Remembered[K, V]:
        return Remembered(function, most, weigh or size_of)

    return wrap


def size_of(value: Any) -> int:
    """The bytes of a value and of all that it holds: plain values, collections of them, and records."""
    size = sys.getsizeof(value)
    if isinstance(value, (str, bytes, int, float)):
        return size
    if isinstance(value, Mapping):
        return size + _sizes(value.keys()) + _sizes(value.values())
    if isinstance(value, (tuple, list, set, frozenset)):
        return size + _sizes(value)
    held = getattr(value, "__dict__", None)
    return size if held is None else size + sys.getsizeof(held) + _sizes(held.values())


def _sizes(values: Iterable[Any]) -> int:
    return sum(map(size_of, values))


def clear_caches() -> None:
    """Forget everything, as in a new process: benchmarks begin with this."""
    for cache in ChunkCache.all:
        cache.clear()


def place(text: str, chunks: Sequence[str], split: Iterable[Sequence[str]]) -> list[Token]:
    """The tokens of a text with their positions in it; those of a chunk follow each other without gaps.

    chunks: `text.split()`; split: for each chunk its tokens.
    """
    new = tuple.__new__  # what Token(...) calls in the end; this is the hot loop of reading
    placed: list[Token] = []
    add = placed.append
    end = 0
    for chunk, tokens in zip(chunks, split, strict=True):
        start = text.index(chunk, end)
        end = start + len(chunk)
        if len(tokens) == 1:
            add(new(Token, (tokens[0], start, end)))
            continue
        for token in tokens:
            after = start + (1 if text[start] == '"' else len(token))  # `` and '' may stand for one character
            add(new(Token, (token, start, after)))
            start = after
    return placed


_inner = ChunkCache(split_treebank)
_last = ChunkCache(lambda chunk: split_treebank(chunk, final=True))


def words(text: str) -> list[str]:
    """The text's Treebank tokens, strings only: the fastest way.

    >>> words("They'll pay $3.88, \\"or more\\", in the U.K. today.")
    ['They', "'ll", 'pay', '$', '3.88', ',', '``', 'or', 'more', "''", ',', 'in', 'the', 'U.K.', 'today', '.']
    """
    chunks = text.split()
    if not chunks:
        return []
    last = chunks.pop()
    tokens = [word for chunk in chunks for word in _inner[chunk]]
    tokens += _last[last]
    return tokens


def tokenize(text: str) -> list[Token]:
    """The text's Treebank tokens with character offsets into it.

    >>> tokenize("I can't.")[1:3]
    [Token(text='ca', start=2, end=4), Token(text="n't", start=4, end=7)]
    """
    chunks = text.split()
    if not chunks:
        return []
    split = [_inner[chunk] for chunk in chunks[:-1]]
    split.append(_last[chunks[-1]])
    return place(text, chunks, split)


BRACKETS = {"(": "-lrb-", ")": "-rrb-", "[": "-lsb-", "]": "-rsb-", "{": "-lcb-", "}": "-rcb-"}
_DIGIT = re.compile(r"\d")


def normalize_word(token: str) -> str:
    """A token as the model's vocabulary spells it.

    >>> normalize_word("U.S."), normalize_word("1,200th"), normalize_word("(")
    ('u.s.', '#,###th', '-lrb-')
    """
    if token in BRACKETS:
        return BRACKETS[token]
    return _DIGIT.sub("#", token.lower())


# A chunk's tokens, and its normalised words: inside a sentence, and at its end.
inner_tokens = ChunkCache(split_news)
last_tokens = ChunkCache(lambda chunk: split_news(chunk, final=True))
_inner_words = ChunkCache(lambda chunk: tuple(map(normalize_word, split_news(chunk))))
_last_words = ChunkCache(lambda chunk: tuple(map(normalize_word, split_news(chunk, final=True))))


def normalize(text: str) -> list[str]:
    """The model's words of a raw text: the same as `read_source(text).words`, without positions.

    >>> normalize("Prices rose 3.5% in the U.S. (again).")
    ['prices', 'rose', '#.#', '%', 'in', 'the', 'u.s.', '-lrb-', 'again', '-rrb-', '.']
    """
    return _read(text, _inner_words, _last_words)


def news_words(text: str) -> list[str]:
    """The same words, cased and with their digits: `normalize` is `normalize_word` of each.

    >>> news_words("Prices rose 3.5% in the U.S. (again).")
    ['Prices', 'rose', '3.5', '%', 'in', 'the', 'U.S.', '(', 'again', ')', '.']
    """
    return _read(text, inner_tokens, last_tokens)


def _read(text: str, inner: ChunkCache[tuple[str, ...]], last: ChunkCache[tuple[str, ...]]) -> list[str]:
    """What the caches give for each chunk; `last` for those that end a sentence."""
    chunks = clean(text).split()
    found: list[str] = []
    start = 0
    for end in ending_chunks(chunks):
        found += [word for chunk in chunks[start:end] for word in inner[chunk]]
        found += last[chunks[end]]
        start = end + 1
    return found


@dataclass(frozen=True)
class Source:
    """A raw text, its tokens (cleaned, cased, with offsets into `raw`) and the model's words; one word per token."""

    raw: str
    tokens: list[Token]
    words: list[str]

    def __len__(self) -> int:
        """How many words."""
        return len(self.words)


def read_source(text: str) -> Source:
    """Any string as a Source; an empty or blank one has no words.

    >>> source = read_source("It’s 5—6.")
    >>> source.words
    ['it', "'s", '#', '--', '#', '.']
    >>> source.tokens[3]
    Token(text='--', start=6, end=7)
    """
    cleaned = clean_with_offsets(text)
    chunks = cleaned.text.split()
    ends = set(ending_chunks(chunks))
    split = [(last_tokens if i in ends else inner_tokens)[chunk] for i, chunk in enumerate(chunks)]
    tokens = place(cleaned.text, chunks, split)
    if cleaned.starts is not None:
        tokens = [Token(word, *cleaned.raw_span(start, end)) for word, start, end in tokens]
    return Source(text, tokens, [normalize_word(token.text) for token in tokens])


_LISTING = """
a an the and or but nor of to in on at by for from with without into onto over under after before as is are
was were be been being has have had do does did will would can could may might shall should must not no it
its he she they them his her their this that these those who whom which what when where why how than then so
if up down out off about against between during while s t re ve ll d m i you we our your my me us
"""

# What overlap, repeat blocking and support do not count as content.
FUNCTION_WORDS: frozenset[str] = frozenset(_LISTING.split())
_AROUND = "'’\"`.,:;!?()-"
_NO_CONTENT = frozenset([*BRACKETS.values(), "n't"])


@remembered(most=1 << 22)
def is_content(word: str) -> bool:
    """Whether a lower-case word carries content: a letter or a number (`#` for a digit), no function word or clitic.

    >>> [is_content(word) for word in ("storm", "the", "'s", "-lrb-", "##")]
    [True, False, False, False, True]
    """
    return is_content_word(word) or (word not in _NO_CONTENT and any(map(_is_digit, word.strip(_AROUND))))


@remembered(most=1 << 22)
def is_content_word(word: str) -> bool:
    """Whether a lower-case word carries content and is not a mere number.

    >>> [is_content_word(word) for word in ("storm", "the", "a-1", "##")]
    [True, False, True, False]
    """
    bare = word.strip(_AROUND)
    return word not in _NO_CONTENT and bare not in FUNCTION_WORDS and any(map(str.isalpha, bare))


def _is_digit(letter: str) -> bool:
    return letter == "#" or (letter.isalnum() and not letter.isalpha())
