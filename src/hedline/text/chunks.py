r"""How one whitespace-delimited chunk splits into tokens: the Treebank's rules, and ours for news.

Treebank tokenisation never looks across white space, except that the last period of a text is split off. So a
text is cut at white space and each chunk is split by one compiled pattern, once: chunks follow Zipf's law, and a
bounded cache turns almost all of the work into look-ups.

*treebank* is NLTK's `TreebankWordTokenizer` (the Penn `tokenizer.sed`). *news* is what models see. It differs on
purpose, so that spacing can be restored from two neighbouring tokens alone and tokenised text stays as it is:

- every sentence's period is split off, not only the last one; that of an acronym (`U.S.`) never is;
- an opening single quote is a token of its own, a backtick; a lone `''` stays a closing quote;
- `AT&T`, `#MeToo`, `me@example.org`, `US$` and web addresses stay whole;
- numbers whose digits are already `#` stay whole.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise
from typing import Generic, NamedTuple, TypeVar

T = TypeVar("T")

CACHE_SIZE = 1 << 17  # chunks; the caches of a full pass over millions of leads stay under 100 MB
LONGEST_CACHED = 40  # characters; longer chunks are addresses and accidents, seldom seen twice


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

# "it's", "dogs'" first, then "they'll", "don't": both can be on one word ("who'll's").
_CLITICS = re.compile(r"(?s)(.*?[^'])(n't|N'T|'ll|'LL|'re|'RE|'ve|'VE)?('[sSmMdD]|')?\Z")
_CONTRACTIONS = re.compile(
    r"(?i)\b(?:(can)(not)|(d)('ye)|(gim)(me)|(gon)(na)|(got)(ta)|(lem)(me)|(more)('n)|(wan)(na)(?!\S))\b"
    r"|\A(?:('t)(is|was))\b"
)
_ACRONYM = re.compile(r"(?:[^\W\d_]\.){2,}[\])}>\"']*\Z")
# Words that begin with an apostrophe of their own; any other leading apostrophe opens a quotation.
_ELISION = re.compile(
    r"(?i)'(?:[\d#]{2}s?|s|m|d|t|n|ll|re|ve|em|im|til|till|tis|twas|cause|cuz|cos|bout|round|neath|ere|burbs|n')?\Z"
)
_OPENERS = "([{<"


def split_treebank(chunk: str, final: bool = False) -> tuple[Token, ...]:
    """The chunk's tokens as NLTK's `TreebankWordTokenizer` gives them; final: the chunk ends the text."""
    if chunk.isalpha() and len(chunk) not in (5, 6):  # the contractions without an apostrophe are that long
        return (Token(chunk, 0, len(chunk)),)
    pieces: list[Token] = []
    for match in _TREEBANK[final].finditer(chunk):
        text, start, end = match[0], match.start(), match.end()
        if text in {'"', "''"}:
            opens = start == 0 or chunk[start - 1] in _OPENERS
            pieces.append(Token("``" if opens else "''", start, end))
        else:
            pieces.extend(_split_word(text, start))
    return tuple(pieces)


def split_news(chunk: str, final: bool = False) -> tuple[Token, ...]:
    """The chunk's tokens as models see them; final: the chunk ends a sentence."""
    if chunk.isalpha() and len(chunk) not in (5, 6):
        return (Token(chunk, 0, len(chunk)),)
    pieces: list[Token] = []
    for match in _NEWS[final and not _ACRONYM.search(chunk)].finditer(chunk):
        text, start, end = match[0], match.start(), match.end()
        if text in {'"', "''"}:
            pieces.append(Token("``" if _opens_quotation(chunk, start, end) else "''", start, end))
        elif text[0] == "'" and len(text) > 1 and not _ELISION.match(text):
            pieces.append(Token("`", start, start + 1))
            pieces.extend(_split_word(text[1:], start + 1))
        else:
            pieces.extend(_split_word(text, start))
    return tuple(pieces)


def _opens_quotation(chunk: str, start: int, end: int) -> bool:
    """Whether the double quote at `chunk[start:end]` opens: at the front, or between a break and a word."""
    if start == 0:
        return chunk != "''"
    if chunk[start - 1] in _OPENERS:
        return True
    return chunk[start - 1] in "-/'`" and chunk[end : end + 1].isalnum()


def _split_word(word: str, offset: int) -> Iterable[Token]:
    """A word without its clitics and contractions: `don't` is `do`, `n't`; `cannot` is `can`, `not`."""
    if "'" not in word and not _CONTRACTIONS.search(word):
        return (Token(word, offset, offset + len(word)),)
    cuts = {0, len(word)}
    clitics = _CLITICS.match(word)
    if clitics:
        cuts.update(clitics.span(group)[0] for group in (2, 3) if clitics[group])
    for found in _CONTRACTIONS.finditer(word):
        cuts.update((found.start(), found.end()))
        cuts.update(found.end(group) for group in range(1, found.re.groups + 1) if found[group])
    edges = sorted(cuts)
    return [Token(word[a:b], offset + a, offset + b) for a, b in pairwise(edges)]


class ChunkCache(dict[str, T], Generic[T]):
    """Remembers what a function of a chunk gave; forgets everything when full, so memory stays bounded."""

    def __init__(self, function: Callable[[str], T]) -> None:
        super().__init__()
        self.function = function

    def __missing__(self, chunk: str) -> T:
        value = self.function(chunk)
        if len(chunk) <= LONGEST_CACHED:
            if len(self) >= CACHE_SIZE:
                self.clear()
            self[chunk] = value
        return value


def place(text: str, chunks: Sequence[str], split: Iterable[Sequence[Token]]) -> list[Token]:
    """The tokens of each chunk, moved from positions in the chunk to positions in the text.

    chunks: `text.split()`; split: for each chunk its tokens.
    """
    placed: list[Token] = []
    end = 0
    for chunk, tokens in zip(chunks, split, strict=True):
        start = text.index(chunk, end)
        end = start + len(chunk)
        if len(tokens) == 1:
            placed.append(Token(tokens[0][0], start, end))
        else:
            placed += [Token(word, start + a, start + b) for word, a, b in tokens]
    return placed
