"""From the model's words back to what is printed: casing and digits of the input, statistics otherwise.

Every choice keeps a word's length in characters and bytes, so the search knows how long a headline is before
its casing and digits are chosen: `added_length` of detokenize.py holds for the word and for its printed form.
"""

from __future__ import annotations

from collections.abc import Sequence

from hedline.text.detokenize import detokenize, printed
from hedline.text.source import Source
from hedline.text.truecase import BREAKS, Truecaser, same_length, says_casing
from hedline.text.vocab import SPECIALS

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

    >>> from hedline.text.source import read_source
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
