"""From the models' words back to what is printed: casing and digits of the input, statistics otherwise, and spaces.

Every choice of casing and digits keeps a word's length in characters and bytes, so the search knows how long a headline
is before they are chosen: `added_length` holds for the word and for its printed form.

The space between two tokens depends on those two alone. Opening and closing quotes are different tokens, so no quotes
need counting, and the search knows a headline's exact length while it grows. `needs_space` looks at few properties of
the two: every token has a left class (how it behaves before another) and a right class (after another), and a small
table over classes holds the answer, so that lengths of final texts are known without building them.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np

from hedline.text.casing import BREAKS, Truecaser, same_length, says_casing
from hedline.text.tokenize import BRACKETS, Source
from hedline.text.vocab import SPECIALS

_PRINTED = {"``": '"', "''": '"', "`": "'", **{name: bracket for bracket, name in BRACKETS.items()}}
_PRINTED |= {name.upper(): bracket for name, bracket in _PRINTED.items() if name.startswith("-")}

_OPENING = frozenset(["``", "`", "(", "[", "{", "-lrb-", "-lsb-", "-lcb-"])
_CLITICS = ("'s", "'m", "'d", "'ll", "'re", "'ve", "n't")
_CLOSING = frozenset([".", ",", ";", ":", "?", "!", "%", "...", "''", "'", ")", "]", "}", *_CLITICS])
_CLOSING |= {"-rrb-", "-rsb-", "-rcb-"}
# Contractions that the Treebank takes apart.
_JOINED = {"can": {"not"}, "d": {"'ye"}, "gim": {"me"}, "gon": {"na"}, "got": {"ta"}, "lem": {"me"}}
_JOINED |= {"more": {"'n"}, "wan": {"na"}, "'t": {"is", "was"}}


def printed(token: str) -> str:
    """What a token looks like in running text: itself, but for quotes and named brackets.

    >>> printed("``"), printed("-lrb-"), printed("n't")
    ('"', '(', "n't")
    """
    return _PRINTED.get(token, token)


def needs_space(left: str, right: str) -> bool:
    """Whether a space stands between two neighbouring tokens; an empty `left` is the beginning of the text.

    The casing of the tokens does not matter.

    >>> needs_space("do", "n't"), needs_space("``", "Hello"), needs_space("a", "b"), needs_space("", "a")
    (False, False, True, False)
    """
    left, right = left.lower(), right.lower()
    if not left or left in _OPENING or right in _CLOSING or left[-1] == "$":
        return False
    return right not in _JOINED.get(left, ())


def added_length(left: str, token: str) -> tuple[int, int]:
    """Characters and UTF-8 bytes that a token adds to a text ending in the token `left` ("" at the beginning).

    >>> added_length("café", "fermé"), added_length("ca", "n't")
    ((6, 7), (3, 3))
    """
    text = printed(token)
    space = int(needs_space(left, token))
    return space + len(text), space + len(text.encode("utf-8", "replace"))


def detokenize(tokens: Iterable[str]) -> str:
    """Running text from tokens; empty ones leave no trace.

    >>> detokenize(["He", "ca", "n't", "pay", "$", "5", "-lrb-", "``", "yet", "''", "-rrb-", "."])
    'He can\\'t pay $5 ("yet").'
    """
    parts: list[str] = []
    left = ""
    for token in filter(None, tokens):
        if needs_space(left, token):
            parts.append(" ")
        parts.append(printed(token))
        left = token
    return "".join(parts)


Weights = Sequence[float]
_ENDS = frozenset([".", "?", "!"])

# Months that are everyday words: where the input does not have the month, a headline means the word.
MONTHS_AND_VERBS = frozenset({"march", "may"})


def shapes(source: Source) -> dict[str, list[int]]:
    """The numbers that can be printed: from a word with `#` to the positions of the input's tokens of that shape."""
    found: dict[str, list[int]] = {}
    for position, (token, word) in enumerate(zip(source.tokens, source.words, strict=True)):
        if "#" in word and same_length(token.text, word):
            found.setdefault(word, []).append(position)
    return found


class Surfacer:
    """Chooses printed forms for one input. Alignments are rows of weights over the input's positions."""

    def __init__(self, source: Source, truecaser: Truecaser | None = None) -> None:
        self.source = source
        self.truecaser = truecaser or Truecaser()
        self.shapes = shapes(source)
        self.says_casing = says_casing([token.text for token in source.tokens])
        self.positions: dict[str, list[int]] = {}
        for position, word in enumerate(source.words):
            if same_length(source.tokens[position].text, word):
                self.positions.setdefault(word, []).append(position)

    def printable(self, word: str) -> bool:
        """Whether the word can be printed: no special, and a number only if the input has one of its shape."""
        return word not in SPECIALS and ("#" not in word or word in self.shapes)

    def headline(self, words: Sequence[str], alignment: Sequence[Weights] | None = None) -> str:
        """The finished text of a headline; its first word begins with a capital."""
        return detokenize(capitalized(self.forms(words, alignment)))

    def forms(self, words: Sequence[str], alignment: Sequence[Weights] | None = None) -> list[str]:
        """A printed form for each word.

        alignment: (words, input positions), or None. A word that cannot be printed becomes a copy of the input
        word it is most aligned to, or an empty string; the search never asks for that.
        """
        rows: Sequence[Weights] = [()] * len(words) if alignment is None else alignment
        numbers = self._assign_numbers(words, rows)
        forms = []
        for i, (word, row) in enumerate(zip(words, rows, strict=True)):
            if i in numbers:
                forms.append(self.source.tokens[numbers[i]].text)
            elif self.printable(word):
                forms.append(self._cased(word, row))
            else:
                forms.append(self._copy(row))
        return forms

    def _assign_numbers(self, words: Sequence[str], rows: Sequence[Weights]) -> dict[int, int]:
        """From output position to input position, for words with digits: strongest alignment first.

        An input number is used twice only when all of its shape are in use.
        """
        wanted = [i for i, word in enumerate(words) if word in self.shapes]
        pairs = [(-_weight(rows[i], p), i, p) for i in wanted for p in self.shapes[words[i]]]
        assigned: dict[int, int] = {}
        used: set[int] = set()
        for _, i, position in sorted(pairs):
            if i not in assigned and position not in used:
                assigned[i] = position
                used.add(position)
        for _, i, position in sorted(pairs):
            assigned.setdefault(i, position)
        return assigned

    def _cased(self, word: str, row: Weights) -> str:
        """The word in the input's casing where the input has it, else as the corpus usually spells it."""
        usual = self.truecaser.form(word)
        positions = self.positions.get(word, [])
        if not positions:
            return novel_form(word, self.truecaser)
        if word == word.upper():
            return usual or word
        if not self.says_casing:
            return usual or _guess(self.source.tokens[positions[0]].text, word)
        inner = [p for p in positions if not self._begins(p)]
        best = max(inner or positions, key=lambda p: (_weight(row, p), -p))
        form = self.source.tokens[best].text
        if inner or form != form.capitalize():
            return form
        return usual or form  # its capital may be the sentence's only

    def _begins(self, position: int) -> bool:
        """Whether the token may be capitalised for its position alone."""
        return position == 0 or self.source.tokens[position - 1].text in BREAKS

    def _copy(self, row: Weights) -> str:
        if not len(row) or not self.source.words:
            return ""
        return self.source.tokens[max(range(len(self.source)), key=lambda p: _weight(row, p))].text


def surface(word: str, source: Source, truecaser: Truecaser | None = None, weights: Weights | None = None) -> str:
    """The printed form of one word; weights: its alignment over the input's positions.

    >>> from hedline.text.tokenize import read_source
    >>> surface("#,###", read_source("Some 1,200 people fled.")), surface("nato", read_source("A NATO ship sank."))
    ('1,200', 'NATO')
    """
    form = Surfacer(source, truecaser).forms([word], None if weights is None else [weights])[0]
    return printed(form)


def novel_form(word: str, truecaser: Truecaser) -> str:
    """The printed form of a word that the input does not have: as the corpus usually spells it."""
    return word if word in MONTHS_AND_VERBS else truecaser.form(word) or word


def capitalized(forms: Sequence[str]) -> list[str]:
    """The forms with a capital where a sentence begins, if that keeps the word's length and it has none yet."""
    result, begins = list(forms), True
    for i, form in enumerate(forms):
        if form in _ENDS:
            begins = True
        elif begins and any(map(str.isalnum, printed(form))):
            result[i] = _capital(form)
            begins = False
    return result


def begins_with_capital(text: str) -> bool:
    """Whether the first letter of a text, behind quotes and brackets, is a capital.

    >>> begins_with_capital("[Wire] Prices rise"), begins_with_capital("iPhone sales fall")
    (True, False)
    """
    return text.lstrip("[(\"'“‘")[:1].isupper()


def _capital(form: str) -> str:
    capital = form[0].upper() + form[1:]
    fits = form == form.lower() and same_length(capital, form) and not form.startswith(("www.", "http"))
    return capital if fits else form


def _weight(row: Weights, position: int) -> float:
    """The alignment weight of a position; 0 beyond the row's end (inputs may be cut for the model)."""
    return float(row[position]) if position < len(row) else 0.0


def _guess(form: str, word: str) -> str:
    """An unusual word of an input whose casing says nothing: likely a name, unless the input is lower-case."""
    if form == word:
        return word
    capital = word.capitalize()
    return capital if same_length(capital, word) else word


BEGIN = 0  # left class of the empty text
CLOSING = 1  # right class of what joins any word before it
_PLAIN, _JOINING = 1, 2
_FIRSTS = {word: 3 + number for number, word in enumerate(_JOINED)}
_SECONDS = {
    word: 2 + number
    for number, word in enumerate(sorted({s for v in _JOINED.values() for s in ([v] if isinstance(v, str) else v)}))
}


def left_class(token: str) -> int:
    """How a token behaves at the end of a text."""
    first = _FIRSTS.get(token.lower())
    if first is not None:
        return first
    return _PLAIN if needs_space(token, "x") else _JOINING


def right_class(token: str) -> int:
    """How a token behaves when it is added to a text."""
    second = _SECONDS.get(token.lower())
    if second is not None:
        return second
    return 0 if needs_space("x", token) else CLOSING


def _table() -> np.ndarray[tuple[int, int], np.dtype[np.int64]]:
    lefts, rights = ["", "x", "(", *_FIRSTS], ["x", ",", *_SECONDS]
    rows = [[int(needs_space(left, right)) for right in rights] for left in lefts]
    return np.array(rows, np.int64)


SPACE = _table()  # (left classes, right classes): 1 where a space stands between
BEGINS = SPACE.copy()  # 1 where a new white-space word begins
BEGINS[BEGIN] = 1
