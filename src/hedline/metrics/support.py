"""How much of a headline stands in its input, and which of its names nothing in the input supports.

What counts as a name errs towards silence, since a capital proves little in a headline:

- A word with two capitals or more ("NATO", "McKinsey", "U.N.") is a name, unless the whole headline is in capitals.
- In a sentence-case headline, a capitalised word is a name unless it opens the headline or a part of it (after a
  colon, a full stop, a dash or an opening quote), where any word is capitalised.
- In a title-case headline, and at an opening, capitals mean nothing by themselves: the word is a name only if a
  casing table is given and it says that the word is usually capitalised inside sentences.
- The pronoun "I", function words ("Is", "An"), digits and words of one letter are never names.

What counts as support errs towards kindness. The input supports a name when it holds

- the word in any case, with or without a possessive, a plural s, or points ("U.S." and "US");
- a word of which it is a short derivation, or the other way round ("Russia" and "Russian", "Ukraine" and "Ukrainian");
- a capitalised word that it clips ("Democrats" supports "Dems");
- consecutive words whose initials it spells, small words counted or not ("European Union" supports "EU", "general
  manager" GM, "Department of Justice" DOJ, "PlayStation 5" PS5, "US Agency for International Development" USAID),
  where states and unions want capitals ("use such" does not support "US");
- what says the same in other words, by a short table ("quarterback" supports QB, "French" France, "Ark." Arkansas);
- another form of the word, where the casing table does not say that it is a name ("acquired" supports "Acquires").

A compound is supported when each of its parts is; prefixes ("Ex-NFL") and small letters ("NATO-led") need no support.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache, cached_property

from hedline.errors import UserError
from hedline.metrics.numbers import unsupported_numbers
from hedline.text.stems import stem
from hedline.text.tokenize import FUNCTION_WORDS, remembered, words

_OPENERS = frozenset({":", ".", "!", "?", "-", "--", "–", "—", "``", '"', "“", "‘", "'", "|", ";", "..."})
_INITIALS_SKIP = frozenset({"of", "the", "and", "for", "in", "on", "de"})
_SHORT_CAPITALS = 3  # letters of "US" and "UAE", which an acronym may take whole
TOKEN_BYTES = 2000  # that the support of a lead takes for each token, its acronyms included
_MIN_STEM = 4
_MAX_ENDING = 3
_PEOPLES = frozenset({"a", "e", "y", "o", "i", "n", "ey", "ia", "an", "ian", "ean", "ese", "ish", "ic"})
# What a lead's word may have more than the headline's, where that is no piece of it: Europe in "European".
_LONGER = _PEOPLES | {"s", "es", "ns", "ans", "is", "er", "ers", "al", "ed", "ing"}
_CLIP = range(3, 6)  # letters of Dem, Phil and Calif; longer beginnings ("Murfrees") are words cut off
_LONGEST_ACRONYM = 6
_STATES = frozenset({"us", "uk", "eu", "un", "uae", "usa"})
_QUOTES = "\"'`“”‘’"
_GARBLED = re.compile(r"\.[^\W\d_]{2}")  # U.S.DA
_DASHES = re.compile(r"[-–—/]")
_PREFIXES = frozenset(["all", "anti", "co", "ex", "mid", "non", "post", "pre", "pro", "re", "then"])
# Groups of names that mean the same; each line is one group, and the lead must have one of its forms, with a capital
# where the table has one. After "<": seats of a government, which stand for it unless something happens there.
_EQUAL = """
US, USA, America, American, United States
UK, Britain, British, Brit, Briton, United Kingdom
EU, European Union; UN, United Nations; USSR, Soviet Union; UAE, United Arab Emirates, Emirati
GOP, Republican; Tory, Tories, Conservative; Fed, Federal Reserve; Feds, federal; SCOTUS, Supreme Court
DOJ, Justice Department; USDA, Agriculture Department; PM, prime minister; CEO, chief executive; TV, television
QB, quarterback; CB, cornerback; RB, running back; WR, wide receiver; CPU, processor; Oscar, Academy Award
TD, touchdown; Sixers, 76ers; Niners, 49ers; Utd, United; Spurs, Tottenham
Afcon, Africa Cup of Nations; WWII, World War II, Second World War; Xmas, Christmas
NYC, New York City, New York; LA, Los Angeles; Philly, Philadelphia; Aussie, Australia, Australian
Bill, William; Bob, Robert; Mike, Michael; Jim, James; Joe, Joseph; Dave, David; Tony, Anthony
Afghanistan, Afghan < Kabul; Belgium, Belgian; China, Chinese < Beijing; Congo, Congolese; Cyprus, Cypriot
Denmark, Danish, Dane; Egypt, Egyptian < Cairo; England, English; Finland, Finnish, Finn; France, French, Frenchman
Greece, Greek; India, Indian < New Delhi; Iran, Iranian < Tehran; Iraq, Iraqi < Baghdad; Ireland, Irish
Japan, Japanese < Tokyo; Kazakhstan, Kazakh; Lebanon, Lebanese < Beirut; Myanmar, Burma, Burmese
Netherlands, Dutch, Holland; Norway, Norwegian; North Korea, North Korean < Pyongyang
Pakistan, Pakistani < Islamabad; Panama, Panamanian; Peru, Peruvian; Philippines, Filipino, Philippine < Manila
Poland, Polish, Pole; Portugal, Portuguese; Russia, Russian < Moscow, Kremlin; Saudi Arabia, Saudi < Riyadh
Scotland, Scottish, Scot; South Korea, South Korean < Seoul; Spain, Spanish, Spaniard; Sweden, Swedish, Swede
Switzerland, Swiss; Syria, Syrian < Damascus; Taiwan, Taiwanese < Taipei; Thailand, Thai; Turkey, Turkish < Ankara
Ukraine, Ukrainian < Kyiv, Kiev; Uzbekistan, Uzbek; Vietnam, Vietnamese < Hanoi; Wales, Welsh
Alabama, Ala.; Arizona, Ariz.; Arkansas, Ark.; California, Calif.; Colorado, Colo.; Connecticut, Conn.; Delaware, Del.
Florida, Fla.; Georgia, Ga.; Illinois, Ill.; Indiana, Ind.; Kansas, Kan.; Kentucky, Ky.; Louisiana, La.; Maryland, Md.
Massachusetts, Mass.; Michigan, Mich.; Minnesota, Minn.; Mississippi, Miss.; Missouri, Mo.; Montana, Mont.
Nebraska, Neb.; Nevada, Nev.; Oklahoma, Okla.; Oregon, Ore.; Pennsylvania, Pa.; Tennessee, Tenn.; Vermont, Vt.
Virginia, Va.; Washington, Wash.; Wisconsin, Wis.; Wyoming, Wyo.; Alberta, Alta.; Ontario, Ont.; Saskatchewan, Sask.
New Hampshire, NH; New Jersey, NJ; New Mexico, NM; New York, NY; North Carolina, NC; North Dakota, ND
Rhode Island, RI; South Carolina, SC; South Dakota, SD; West Virginia, W.Va.; British Columbia, BC
"""
_THERE = frozenset(["in", "at", "near", "outside", "inside", "around", "from", "to", "into", "via", "for"])
_ANOTHER = frozenset(["north", "south", "east", "west", "central", "latin", "northern", "southern", "new", "pan"])


def unsupported_names(headline: str, lead: str, casing: Mapping[str, str] | None = None) -> list[str]:
    """The headline's names, as written, without support in the input.

    casing: lower-case word -> its usual form inside sentences (a `Truecaser`'s table), to recognise names in
    title-case headlines and at the start; without it those are passed over.
    """
    names = find_names(headline, casing)
    if not names:
        return []
    support = _support_of(lead)
    missing = [name for name in names if not support.has(name)]
    return [name for name in missing if not support.has_otherwise(name, headline, casing)]


def find_names(headline: str, casing: Mapping[str, str] | None = None) -> list[str]:
    """The words of a headline that are names by the rules above, in order, with repeats."""
    tokens = words(headline)
    if _all_capitals(tokens):
        return [token for token in tokens if _usually_capitalised(token, casing)]
    title_case = is_title_case(tokens)
    names, opening = [], True
    for token in tokens:
        if token[:1].isalpha() and len(token) > 1:
            if _capitals(token) >= 2 or (
                token[0].isupper()
                and token.lower() not in FUNCTION_WORDS
                and (_usually_capitalised(token, casing) if title_case or opening else token not in _ALWAYS)
            ):
                names.append(token)
            opening = False
        elif token in _OPENERS:
            opening = True
        else:
            opening = opening and not token[:1].isalnum()
    return names


_ALWAYS = frozenset({"I'm", "I've", "I'll"})


def is_title_case(tokens: list[str]) -> bool:
    """Whether nearly all content words after the first are capitalised (at least two of them, 70 %)."""
    content = [t for t in tokens[1:] if t[:1].isalpha() and len(t) > 3 and t.lower() not in FUNCTION_WORDS]
    capitalised = sum(token[0].isupper() for token in content)
    return len(content) >= 2 and capitalised >= 0.7 * len(content)


def _all_capitals(tokens: list[str]) -> bool:
    letters = "".join(token for token in tokens if token[:1].isalpha())
    return len(letters) > 5 and letters.isupper()


def _capitals(token: str) -> int:
    return sum(character.isupper() for character in token)


def _usually_capitalised(token: str, casing: Mapping[str, str] | None) -> bool:
    form = casing.get(token.lower(), "") if casing is not None else ""
    return form[:1].isupper()


def _is_verb_form(token: str, casing: Mapping[str, str] | None) -> bool:
    """Whether a word has the ending of a verb and a casing table does not say that it is usually capitalised."""
    verb = token.endswith(("s", "ed", "ing")) and _capitals(token) == 1
    return casing is not None and verb and not _usually_capitalised(token, casing)


def is_known_name(token: str, casing: Mapping[str, str] | None) -> bool:
    """Whether a word is surely a name: by its capitals, or by the casing table."""
    return _capitals(token) >= 2 or _usually_capitalised(token, casing)


def _parts(token: str) -> list[str]:
    """Parts of a compound, points and quotation marks removed: `Franco-German` -> franco, german; `U.S.` -> us."""
    bare = token.strip(_QUOTES).replace(".", "").replace("’", "'").lower()
    return [part for part in _DASHES.split(bare) if part]


def _name_parts(name: str) -> list[str]:
    """Parts of a compound that want support: not "ex", nor "led" and other words in small letters."""
    parts = _DASHES.split(name)
    wanted = [part for part in parts if not part.islower() and part.lower() not in _PREFIXES]
    return [each for part in wanted or parts for each in _parts(part)]


def _forms(word: str) -> set[str]:
    """A word without possessive and plural endings, and as it is."""
    forms = {word}
    for ending in ("'s", "’s", "'", "’", "s", "es"):
        if word.endswith(ending) and len(word) > len(ending) + 1:
            forms.add(word[: -len(ending)])
    return forms


def _acronyms(tokens: list[str]) -> set[str]:
    """What the words of an input may be shortened to, in small letters."""
    tokens = [
        part for token in tokens if token != "&" for part in (token.split("-") if token[:1].isalpha() else [token])
    ]
    capitalised = [token if token[:1].isupper() or token.lower() in _INITIALS_SKIP else "," for token in tokens]
    return _initials(capitalised) | _initials(capitalised, whole=True) | (_initials(tokens) - _STATES)


def _initials(tokens: list[str], whole: bool = False) -> set[str]:
    """Initials of every run of two to six words, with the small words in it and without; numbers stay whole.

    whole: so do short words in capitals ("US Agency for International Development" is USAID).
    """
    found: set[str] = set()
    for skipped in (frozenset[str](), _INITIALS_SKIP):
        run: list[str] = []
        for token in tokens:
            if token in ("'s", "’s"):
                continue
            if not token[:1].isalnum():
                run = []
            elif token.lower() not in skipped:
                short = whole and token.isupper() and len(token.replace(".", "")) <= _SHORT_CAPITALS
                initial = token.replace(".", "").lower() if short else _initial(token)
                run = [*run, initial][-_LONGEST_ACRONYM:]
                found.update("".join(run[start:]) for start in range(len(run) - 1))
    return found


def _initial(token: str) -> str:
    """What a word gives to an acronym: its first letter, all capitals of `PlayStation`, or the whole number."""
    if token.isdigit():
        return token
    inner = "".join(character for character in token if character.isupper())
    return (inner if len(inner) > 1 and not token.isupper() else token[0]).lower()


class _Support:
    """What a lead supports. known: forms of its words; proper: its capitalised words; acronyms, when first asked."""

    def __init__(self, lead: str) -> None:
        self.tokens = words(lead)
        self.known = {form for token in self.tokens for part in _parts(token) for form in _forms(part)}
        bare = (token.lstrip(_QUOTES) for token in self.tokens)
        self.proper = [token.lower() for token in bare if token[:1].isupper()]

    @cached_property
    def acronyms(self) -> set[str]:
        """What its words may be shortened to."""
        return _acronyms(self.tokens)

    def has(self, name: str) -> bool:
        """Whether every part of a name is supported."""
        return all(self._has_part(part, _forms(part)) for part in _name_parts(name))

    def has_otherwise(self, name: str, headline: str, casing: Mapping[str, str] | None) -> bool:
        """Whether every part is supported by words that mean the same, or the name is a form of an ordinary word."""
        if _is_verb_form(name, casing) and stem(name.lower()) in self.stems and f". {name}" not in headline:
            return True
        parts = [part for part in _name_parts(name) if not self._has_part(part, _forms(part))]
        return not _GARBLED.search(name) and all(self._has_equal(part, _plain(headline).lower()) for part in parts)

    def _has_equal(self, part: str, headline: str) -> bool:
        """Whether the lead has another form of what a part of the headline means, alone or with the words around it."""
        return any(
            (" " not in form or f" {form.lower()} " in headline) and any(map(self._tells, evidence))
            for each in _forms(part)
            for form, evidence in _equals().get(each, ())
        )

    def _tells(self, form: str) -> bool:
        """Whether the lead has a form of the table; a seat of government ("<") where nothing happens in it."""
        barred = _ANOTHER | _THERE if form[0] == "<" else _ANOTHER
        text = self.plain.lower() if form.islower() else self.plain
        after = "(?!,)" if form[0] == "<" else "(?![A-Z])" if form == "American" else ""  # Cairo, Ga.; American Express
        before = re.findall(rf"(\S+) (?={re.escape(form.lstrip('<'))}s? {after})", text)
        return any(word.lower() not in barred for word in before)

    @cached_property
    def plain(self) -> str:
        """The lead's words in one line."""
        return _plain(" ".join(self.tokens))

    @cached_property
    def stems(self) -> set[str]:
        """Stems of its words."""
        return {stem(word) for word in self.known}

    def _has_part(self, part: str, forms: set[str]) -> bool:
        return (
            not forms.isdisjoint(self.known)
            or not forms.isdisjoint(self.acronyms)
            or any(_derived(part, word) for word in self.known)
            or any(_clips(form, word) for form in forms for word in self.proper)
        )


def _plain(text: str) -> str:
    """A text's words with a blank before and after each; points stay in `Ill.` and go from `U.S.`."""
    chunks = _DASHES.sub(" ", re.sub(r"['’]s\b", " ", text)).split()
    bare = (chunk.strip(_QUOTES + "()[],:;!?") or "," for chunk in chunks)
    return " ".join([".", *(word.replace(".", "") if word.count(".") > 1 else word for word in bare), "."])


@cache
def _equals() -> dict[str, list[tuple[str, list[str]]]]:
    """The table by each word of its forms, in small letters: the form, and what supports it."""
    found: dict[str, list[tuple[str, list[str]]]] = {}
    for group in re.split(r"[;\n]", _EQUAL.strip()):
        equal, _, seats = group.partition("<")
        forms = [form.strip() for form in equal.split(",")]
        evidence = forms + ["<" + seat.strip() for seat in seats.split(",") if seat.strip()]
        for form in forms:
            for word in form.lower().replace(".", "").split():
                found.setdefault(word, []).append((form, evidence))
    return found


@remembered(most=1 << 23, weigh=lambda support: TOKEN_BYTES * len(support.tokens))
def _support_of(lead: str) -> _Support:
    """A lead's support, read once for all its candidates."""
    return _Support(lead)


def _clips(short: str, word: str) -> bool:
    """Whether a form of three to five letters is how the word begins."""
    return len(short) in _CLIP and word.startswith(short)


def _derived(left: str, right: str) -> bool:
    """Whether one word is the other and an ending more, or both differ in the ending of a people's name.

    left: the headline's, which may have any three letters more.

    >>> _derived("russia", "russian"), _derived("ukraine", "ukrainian"), _derived("johnson", "johnston")
    (True, True, False)
    """
    shared = next((i for i, (a, b) in enumerate(zip(left, right, strict=False)) if a != b), min(len(left), len(right)))
    endings = {left[shared:], right[shared:]}
    if right[shared:] and not left[shared:]:
        return shared >= _MIN_STEM and right[shared:] in _LONGER
    if "" in endings:
        return shared >= _MIN_STEM and max(map(len, endings)) <= _MAX_ENDING
    return shared >= _MIN_STEM and endings <= _PEOPLES


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
        from hedline.metrics.score import Lengths, lengths_text  # here: the guard of names needs no scorer

        return (
            f"Ext. {self.ext:.1f} %, {self.novel_words:.2f} new words per headline; headlines with an unsupported "
            f"number {self.bad_numbers:.1f} %, name {self.bad_names:.1f} %\n"
            + lengths_text(Lengths(self.words, self.bytes, self.empty))
        )


def measure_extractiveness(
    headlines: Sequence[str], leads: Sequence[str], casing: Mapping[str, str] | None = None
) -> Extractiveness:
    """The report of a set of headlines and their inputs; casing as in `unsupported_names`."""
    if len(headlines) != len(leads):
        raise UserError(f"{len(headlines):,} headlines but {len(leads):,} inputs")
    from hedline.metrics.score import measure_lengths

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
