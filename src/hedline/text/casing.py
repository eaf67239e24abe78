"""Capitals: how each word is usually written, and how texts and headlines are given these capitals.

`CaseCounts` learns from a corpus which words are names, acronyms or `iPhone`, where nothing else capitalises them; a
`Truecaser` looks the usual spelling up, and `UsualForms` does so in the table's text while few words are asked for.
`usually_cased` and `calm` mend a text in small letters or in capitals; `recased` gives a headline the case asked for.
Every change of case keeps the number of characters, so that limits still hold.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Any

from hedline.errors import UserError
from hedline.files import MOST_LIST, read_bounded, write_text
from hedline.text.tokenize import FUNCTION_WORDS, news_words, normalize_word

CASES = ("sentence", "title", "as-trained")
FEW_LOOKUPS = 100  # words looked up one by one; with more, reading the whole table is quicker
MOST_FORMS = 2_000_000  # spellings held while counting, about 250 MB; rarer ones go when there are more
SHOUTED = 20  # capitals
_LETTERS = re.compile(r"[^\W\d_]+")
LOWER_MINIMUM = 20  # a lower-case word is kept, as proof that a capital was only a sentence's, from this count on
# What follows these is capitalised for its position: a new sentence, a quotation, a dateline's dash.
BREAKS = frozenset([".", "?", "!", ":", "...", "``", "`", "''", "(", "[", "-", "--", "*", "|", "•"])
FEW_WORDS = 5  # a shorter text in small letters may be a note that somebody wrote so

_WORD = re.compile(r"[^\W\d_]+(?:['’.&-][^\W\d_]+)*(?:(?<=[.&-][^\W\d_])\.)?")
_SENTENCE = re.compile(r"(?:^|(?<![.][^\W\d_])[.?!]\s+)[\"'(\[]*([^\W\d_])")
_SURNAME = re.compile(r"\b([A-Z][a-z]+ )([a-z]{4,})\b")
_AFTER_POINT = re.compile(r"(\b(?:(?:[A-Z]\.){2,}|(?:Inc|Corp|Co|Ltd|Bros|Jr|Sr)\.) )([A-Z][a-z]+)\b")
_OPENING = re.compile(r"(?:^|[:.?!]\s+|\s[-–—|]+\s+)[\"'“‘(\[]*$")
# Forms of a table that a text in small letters hardly means.
_EVERYDAY = frozenset(
    ["us", "it", "who", "may", "march", "will", "mark", "bill", "sun", "apple", "turkey", "polish", "lol"]
)
_CAPITALIZED = re.compile(r"(?!I$)[A-Z][a-z]*")
_ARTICLES = frozenset(["a", "an", "the"])
_SMALL = frozenset(
    re.findall(r"\w+", "a an and as at but by for from in nor of on or per so the to up via vs with yet")
)


def same_length(form: str, word: str) -> bool:
    """Whether printing `form` for `word` changes neither the number of characters nor that of UTF-8 bytes."""
    return len(form) == len(word) and len(form.encode("utf-8", "replace")) == len(word.encode("utf-8", "replace"))


def is_plain(word: str) -> bool:
    """Whether a word has letters and no capital, also in scripts that have no capitals at all.

    >>> is_plain("storm"), is_plain("Storm"), is_plain("وزير"), is_plain("2026")
    (True, False, True, False)
    """
    return word == word.lower() and any(map(str.isalpha, word))


def says_casing(tokens: Sequence[str]) -> bool:
    """Whether capitals mean something in a text: not if it is all lower-case, nor if nearly all is capitalised."""
    cased = [token for token in tokens if token.lower() != token.upper()]
    lower = sum(token == token.lower() for token in cased)
    return lower < len(cased) and (lower >= 0.25 * len(cased) or len(cased) < 4)


class CaseCounts:
    """How often each spelling stands inside a sentence. Counts of parts of a corpus add up.

    Counting the same parts and merging them in the same order gives the same result, by however many workers
    the parts were counted.
    """

    def __init__(self, most: int = MOST_FORMS) -> None:
        self.forms: Counter[str] = Counter()
        self.most = most

    def add(self, text: str) -> None:
        """Count the words of a raw text."""
        self.add_tokens(news_words(text))

    def add_tokens(self, tokens: Sequence[str]) -> None:
        """Count the cased tokens of a text; one whose casing says nothing is passed over."""
        if says_casing(tokens):
            self.forms.update([right for left, right in pairwise(tokens) if left not in BREAKS])
            if len(self.forms) > self.most:
                self._prune()

    def merge(self, other: CaseCounts) -> None:
        """Add another part's counts to these."""
        self.forms.update(other.forms)
        if len(self.forms) > self.most:
            self._prune()

    def _prune(self) -> None:
        """Forget the rarest spellings, a count at a time, until half the room is free."""
        rarest = 1
        while len(self.forms) > self.most // 2:
            self.forms = Counter({form: count for form, count in self.forms.items() if count > rarest})
            rarest += 1

    def truecaser(self, minimum: int = 2, vocabulary: Container[str] | None = None) -> Truecaser:
        """The most frequent spelling of each word seen at least `minimum` times (of `vocabulary`, where given).

        Words mostly in lower case are kept from a count of 20 on: they tell a sentence's capital from a name's.
        """
        best: dict[str, tuple[int, str]] = {}
        totals: Counter[str] = Counter()
        for form, count in self.forms.items():
            word = normalize_word(form)
            if "#" in word or word == word.upper() or not same_length(form, word):
                continue
            totals[word] += count
            best[word] = max(best.get(word, (0, "")), (count, form))
        return Truecaser(
            {
                word: form
                for word, (_, form) in sorted(best.items())
                if totals[word] >= (LOWER_MINIMUM if form == word else minimum)
                and (vocabulary is None or word in vocabulary)
            }
        )


class Truecaser:
    """From a lower-case word to its usual spelling."""

    def __init__(self, forms: Mapping[str, str] | None = None) -> None:
        self.forms = dict(forms or {})

    def __len__(self) -> int:
        """How many words are known."""
        return len(self.forms)

    def form(self, word: str) -> str | None:
        """The usual spelling (the word itself if that is lower-case), None for a word seldom seen.

        A compound unknown as a whole is spelt part by part.

        >>> Truecaser({"nato": "NATO", "led": "led"}).form("nato-led")
        'NATO-led'
        """
        known = self.forms.get(word)
        if known is None and "-" in word and not word.startswith("-"):
            parts = [self.forms.get(part) for part in word.split("-")]
            if any(parts):
                known = "-".join(form or part for form, part in zip(parts, word.split("-"), strict=True))
        return known

    def save(self, path: Path) -> None:
        """Write `truecase.tsv`: word, tab, spelling; sorted by word."""
        write_text(path, "".join(f"{word}\t{form}\n" for word, form in sorted(self.forms.items())))

    @classmethod
    def load(cls, path: Path) -> Truecaser:
        """Read `truecase.tsv`; a line that is not two spellings of one word is an error with its number."""
        return cls(dict(_entries(path, _read_table(path))))


class UsualForms(Mapping[str, str]):
    """`truecase.tsv` as a mapping that looks words up in the text while few are asked for: one headline needs no
    dictionary of all words. Every entry is checked before it is given out.
    """

    def __init__(self, path: Path) -> None:
        self._path, self._text, self._asked = path, "\n" + _read_table(path), 0

    @cached_property
    def _forms(self) -> dict[str, str]:
        return dict(_entries(self._path, self._text[1:]))

    def get(self, word: str, default: Any = None) -> Any:
        """The usual form of a lower-case word."""
        if self._asked >= FEW_LOOKUPS:
            return self._forms.get(word, default)
        self._asked += 1
        start = self._text.find(f"\n{word}\t") + 1
        if not start:
            return default
        line = self._text[start : self._text.find("\n", start) + 1]
        return dict(_entries(self._path, line, self._text.count("\n", 0, start))).get(word, default)

    def __getitem__(self, word: str) -> str:
        return self._forms[word]

    def __iter__(self) -> Iterator[str]:
        return iter(self._forms)

    def __len__(self) -> int:
        return self._text.count("\n") - 1

    def __bool__(self) -> bool:
        return len(self._text) > 1


def _read_table(path: Path) -> str:
    try:
        return read_bounded(path, MOST_LIST).decode("utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"cannot read {path}: {error}") from None


def _entries(path: Path, text: str, first: int = 1) -> Iterator[tuple[str, str]]:
    for number, line in enumerate(text.split("\n")[:-1], first):
        word, tab, form = line.partition("\t")
        if form.lower() != word or not tab or not (form.isascii() or same_length(form, word)):
            raise UserError(f"{path}, line {number}: expected a lower-case word, a tab and its spelling")
        yield word, form


def calm(text: str, forms: Mapping[str, str]) -> str:
    """A text in capitals as it is usually written; forms: lower-case word to its usual form inside sentences.

    >>> calm("THE MAYOR OF LUND RESIGNED, SHE SAID.", {"lund": "Lund"})
    'The mayor of Lund resigned, she said.'
    """
    calmed = _LETTERS.sub(lambda word: forms.get(word[0].lower(), word[0].lower()), text)
    return calmed[:1].upper() + calmed[1:]


def is_shouted(text: str) -> bool:
    """Whether a text has capitals alone, and more of them than an acronym or two."""
    return text == text.upper() and sum(map(str.isupper, text)) >= SHOUTED


def is_lower_cased(text: str) -> bool:
    """Whether a text of some length has no capital at all, although its script has them."""
    return text == text.lower() and text != text.upper() and len(text.split()) >= FEW_WORDS


def usually_cased(text: str, forms: Mapping[str, str]) -> str:
    """A text in small letters as it is usually written; forms: lower-case word to its usual form inside sentences.

    >>> usually_cased("the mayor of lund met u.s. officials. she left on sunday.", {"lund": "Lund", "u.s.": "U.S."})
    'The mayor of Lund met U.S. officials. She left on sunday.'
    """
    cased = _WORD.sub(lambda match: _usual(match[0], forms), text)
    cased = _SURNAME.sub(lambda match: match[1] + _name(match[2], forms), cased)
    return _SENTENCE.sub(lambda match: match[0][:-1] + match[1].upper(), cased)


def _usual(word: str, forms: Mapping[str, str]) -> str:
    if word in _EVERYDAY:
        return word
    form = forms.get(word)
    if form is None and re.search(r"['’.&-]", word):
        parts = re.split(r"(['’.&-])", word)
        form = "".join(forms.get(part, part) if len(part) > 2 else part for part in parts)
    return form if form is not None and same_length(form, word) else word


def _name(word: str, forms: Mapping[str, str]) -> str:
    """A word that no table knows, after a name: its second half."""
    return word if word in forms or word in FUNCTION_WORDS else word.capitalize()


def recased(text: str, case: str, lead: Sequence[str], forms: Mapping[str, str]) -> str:
    """A headline in the case that was asked for, its first letter a capital.

    lead: the input's words, whose casing is trusted where it says something; forms: usual forms of other words.

    >>> recased("Mayor Of Lund To Sell Old Tram", "sentence", ["The", "mayor", "of", "Lund", "sells"], {})
    'Mayor of Lund to sell old tram'
    >>> recased("mayor of lund quits", "title", [], {})
    'Mayor of Lund Quits'
    >>> recased("Lund Inc. Says it will sell", "sentence", ["Lund", "Inc", "sells"], {"says": "says"})
    'Lund Inc. says it will sell'
    """
    if case == "title":
        words = text.split(" ")
        text = " ".join(_titled(word, place in (0, len(words) - 1)) for place, word in enumerate(words))
    elif case == "sentence" and _is_title_case(text):
        text = _calmed(text, _forms_of(lead), forms)
    elif case == "sentence":
        if forms and "." in text:
            text = _AFTER_POINT.sub(lambda match: match[1] + _after_point(match[2], lead, forms), text)
        text = _without_stray_capitals(text, lead, forms)
    return with_capital(text)


def _without_stray_capitals(text: str, lead: Sequence[str], forms: Mapping[str, str]) -> str:
    """A headline without the capital of a lone word that the input writes small, or had at its beginning only.

    A word beside another capital, numbers aside, may be a part of a name, most small words excepted.
    """
    words, inside = text.split(" "), set(lead[1:])
    if all(word in inside or not word[:1].isupper() for word in words[1:]):
        return text
    own, names = _forms_of(lead), {each.lower() for each in inside if each[:1].isupper()}

    def is_small(word: str) -> bool:
        lower = word.lower()
        usual = (lower in FUNCTION_WORDS or [*lead[:1]] == [word]) and lower not in own and forms.get(lower) == lower
        return lower not in names and (own.get(lower) == lower or usual)

    def may_name(word: str) -> bool:
        return word[:1].isupper() and not word.endswith(("'s", "’s")) and not is_small(word)

    for place in range(1, len(words)):
        word, opening = words[place], _OPENING.search(" ".join([*words[:place], ""]))
        if opening or not _CAPITALIZED.fullmatch(word) or not is_small(word):
            continue
        after = next((each for each in words[place + 1 :] if not each[:1].isdigit()), "")
        joined = may_name(after) or may_name(words[place - 1].lstrip("0123456789"))
        if not joined or word.lower() in FUNCTION_WORDS - _ARTICLES:
            words[place] = word.lower()
    return " ".join(words)


def _after_point(word: str, lead: Sequence[str], forms: Mapping[str, str]) -> str:
    """A word after a short form, as in "U.S. Trade": its capital, if nobody else writes one, came from the point."""
    lower = word.lower()
    return lower if forms.get(lower) == lower and not any(each.startswith(word) for each in lead) else word


def with_capital(text: str) -> str:
    """The text with its first letter a capital, unless the word is written like "iPhone".

    >>> with_capital("'striker' out"), with_capital("iPhone sales rise"), with_capital("3 die")
    ("'Striker' out", 'iPhone sales rise', '3 die')
    """
    match = re.match(r"(?!['’](?:s|t|m|d|ll|re|ve)\b)[^\w]*([^\W\d_])(\w*)", text)
    if match is None or not match[1].islower() or any(letter.isupper() for letter in match[2][:2]):
        return text
    upper = match[1].upper()
    return text if not same_length(upper, match[1]) else text[: match.start(1)] + upper + text[match.end(1) :]


def _is_title_case(text: str) -> bool:
    """Whether nearly all content words after the first are capitalised."""
    inner = [w for w in re.findall(r"[^\W\d_][\w'’-]*", text)[1:] if len(w) > 3 and w.lower() not in FUNCTION_WORDS]
    capitals = sum(word[0].isupper() for word in inner)
    return len(inner) >= 2 and capitals >= 0.7 * len(inner)


def _forms_of(lead: Sequence[str]) -> dict[str, str]:
    """How the input writes its words inside sentences; a capital after a full stop says nothing."""
    if not says_casing(lead):
        return {}
    found: dict[str, str] = {}
    opening = True
    for word in lead:
        bare = word.strip("\"'“”‘’.,;:!?()[]")
        if bare and not opening:
            form = found.get(bare.lower())
            found[bare.lower()] = bare if form is None or bare.islower() else form
        opening = word[-1:] in ".!?:" and len(bare) > 2
    return found


def _calmed(text: str, own: Mapping[str, str], forms: Mapping[str, str]) -> str:
    """Title Case undone, word by word: as the input has it, as it is usually written, else in small letters.

    Where a table is there, a word that nobody knows keeps its capital, but for another form of a word of the input.
    """
    from hedline.text.stems import stem  # here: no other change of case needs it

    told = {stem(each) for each, form in own.items() if form.islower()}

    def calm(match: re.Match[str]) -> str:
        word, lower = match[0], match[0].lower()
        if _OPENING.search(text[: match.start()]):
            return word
        form = own.get(lower) or forms.get(lower)
        if form is None and "-" in word:
            form = "-".join(own.get(part) or forms.get(part, part) for part in lower.split("-"))
        if form is None and lower.endswith(("'s", "’s")):
            owner = own.get(lower[:-2]) or forms.get(lower[:-2])
            form = owner + lower[-2:] if owner else None
        if form is None and lower.endswith(("n't", "n’t")):
            form = lower
        if form is None and lower.endswith(("s", "ed", "ing")) and stem(lower) in told:
            form = lower
        if form is None:
            form = word if sum(map(str.isupper, word)) > 1 or (forms and lower not in FUNCTION_WORDS) else lower
        return form if same_length(form, word) else word

    return re.sub(r"(?<![\w'’])[^\W\d_][\w'’.&-]*(?<=\w)", calm, text)


def _titled(word: str, at_an_end: bool) -> str:
    bare = word.lower().strip("\"'“”‘’.,;:!?()[]")
    if (bare in _SMALL and not at_an_end) or any(letter.isupper() for letter in word):
        return word
    return "-".join(with_capital(part) for part in word.split("-"))
