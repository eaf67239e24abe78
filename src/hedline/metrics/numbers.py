"""Numbers in a headline that its input does not support.

A number is a run of digits (with separators) or number words, with its scale ("2.4 billion", "half a million", "2bn"),
its unit ("percent", "$", "kg") and its sign. It is supported when the input has the same value, scale included, and:

- the units agree, where both have one; money and per cent are never made up;
- a whole of which the input takes a part ("41 of 55 drones", "a quarter of 8 million") is not used without the part;
- a minus stays;
- the word beside it belongs to it, where the input has that word beside another number ("11 killed and 34 wounded").

Vague numbers ("dozens", "thousands") need a number that large, or the word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from hedline.text.stems import stem
from hedline.text.tokenize import FUNCTION_WORDS, remembered


def _set(words: str) -> frozenset[str]:
    """The words of a text as a set."""
    return frozenset(words.split())


_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen"
)
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety"
_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth "
    "fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth twentieth"
)
_WORDS = {word: Decimal(value) for value, word in enumerate(_ONES.split())}
_WORDS |= {word: Decimal(10 * value) for value, word in enumerate(_TENS.split(), 2)}
_WORDS |= {word: Decimal(value) for value, word in enumerate(_ORDINALS.split())}
_WORDS |= {"twice": Decimal(2), "thrice": Decimal(3), "half": Decimal("0.5")}
_TEN_WORDS = frozenset(_TENS.split())
_ONE_WORDS = frozenset(_ONES.split()[1:10])
_SCALES = {
    Decimal(12): ["dozen"],
    Decimal(100): ["hundred"],
    Decimal(1000): ["thousand", "k"],
    Decimal(10**5): ["lakh"],
    Decimal(10**6): ["million", "m", "mn", "mln"],
    Decimal(10**7): ["crore", "cr"],
    Decimal(10**9): ["billion", "b", "bn", "bln"],
    Decimal(10**12): ["trillion", "tn", "trn"],
}
_SCALE_OF = {word: scale for scale, words in _SCALES.items() for word in words}
_VAGUE = {
    "dozens": Decimal(13),
    "scores": Decimal(21),
    "hundreds": Decimal(101),
    "thousands": Decimal(1001),
    "millions": Decimal(1_000_001),
    "billions": Decimal(1_000_000_001),
}

# Words that mean a number in the input but seldom claim one in a headline.
_WEAK = frozenset({"zero", "zeroth", "one", "first", "second"})

_UNIT_WORDS = {
    "%": "% percent pct pc",
    "$": "$ dollar dollars usd buck bucks",
    "€": "€ euro euros eur",
    "£": "£ gbp sterling",
    "pound": "pound pounds lb lbs",
    "¥": "¥ yen yuan renminbi",
    "₹": "₹ rupee rupees rs",
    "cent": "cent cents",
    "year": "year years yr yrs",
    "month": "month months",
    "week": "week weeks",
    "day": "day days",
    "hour": "hour hours hr hrs",
    "minute": "minute minutes mins",
    "second": "seconds",
    "km": "km kilometre kilometres kilometer kilometers",
    "mile": "mile miles mph",
    "metre": "metre metres meter meters",
    "foot": "foot feet ft",
    "kg": "kg kilo kilos kilogram kilograms kilogramme kilogrammes",
    "ton": "ton tons tonne tonnes",
    "acre": "acre acres",
    "hectare": "hectare hectares",
    "degree": "degree degrees °",
    "litre": "litre litres liter liters",
    "gallon": "gallon gallons",
    "barrel": "barrel barrels",
}
_UNIT_OF = {word: unit for unit, words in _UNIT_WORDS.items() for word in words.split()}
_CURRENCIES = frozenset("$€£¥₹")
_PROVEN = _CURRENCIES | {"%", "cent"}  # units that the input must have
_SAME = {"die": _set("kill kills killing killed dead died dies die death deaths dying slain toll")}
_SAME |= {"hurt": _set("injured wounded hurt injures injuring injuries wounds wounding injury")}
_SAME_OF = {word: name for name, words in _SAME.items() for word in words}
_PARTS = _set("quarter quarters third thirds half most many some none few part fraction fifth tenth percent %")
_MINUS = _set("minus - − –")
_TAKING = _set("of out from among in")
_JOINING = _set("of out the its their to and or about some")
_BREAKS = frozenset([",", ";", "and", "but", "while"])
_YEARS = range(1900, 2100)
_BESIDE = 3  # content words on either side that belong to a number

Span = tuple[int, int, frozenset[Decimal]]  # where a number begins and ends, its value

_TEAM = re.compile(r"\b\d+ers\b")  # a name: "one of the 76ers" takes no part of 76
_PIECE = re.compile(r"\d+ers\b|\d+(?:[,.:]\d+)*|[$€£¥₹%°,;]|[^\W\d_]+(?:['’][^\W\d_]+)?|(?<![\w])[-−–](?=\d)")


@dataclass(frozen=True)
class Figure:
    """A number of a text: as written, its values, its unit ("" for none) and its surroundings.

    whole: whether the text takes a part of it ("41 of 55": 55); beside: stems of the content
    words around it; near: of those directly before and after it; taken: whether it follows "of", "from" or the like.
    """

    text: str
    values: frozenset[Decimal]
    unit: str
    minus: bool
    whole: bool
    beside: frozenset[str]
    near: tuple[str, ...]
    taken: bool


def unsupported_numbers(headline: str, lead: str) -> list[str]:
    """The headline's numbers, as written, that the input does not have, or has otherwise.

    >>> unsupported_numbers("Fee of $75 million", "A late fee of $75 is due.")
    ['75']
    >>> unsupported_numbers("Army downs 55 drones", "The army downed 41 of 55 drones.")
    ['55']
    """
    claimed = figures(headline)
    vague = [word for word in _words(headline) if word in _VAGUE]
    fractions = _wrong_fractions(headline, lead) + [team for team in _TEAM.findall(headline) if team not in lead]
    fractions += _lost_wholes(headline, lead)
    if not claimed and not vague:
        return fractions
    known = figures(lead)
    wrong = [each.text for each in claimed if not _is_weak(each) and not _is_supported(each, known)]
    if not vague:
        return wrong + fractions
    largest = max((value for each in known for value in each.values), default=Decimal(0))
    said = set(_words(lead))
    return wrong + fractions + [word for word in vague if word not in said and largest < _VAGUE[word]]


def _wrong_fractions(headline: str, lead: str) -> list[str]:
    """Fractions of something else than in the input: "a quarter of a year" for "a quarter of a point".

    >>> _wrong_fractions("Rates rise by quarter of a year", "Rates rose by a quarter of a point.")
    ['quarter']
    """
    claims = [(fraction, words.split()) for fraction, words in _FRACTION.findall(headline.lower())]
    if not claims:
        return []
    whole: dict[str, set[str]] = {}
    for fraction, words in _FRACTION.findall(lead.lower()):
        whole.setdefault(fraction, set()).update(map(stem, words.split()))
    return [
        fraction for fraction, words in claims if fraction in whole and not whole[fraction] & set(map(stem, words[:2]))
    ]


_FRACTION = re.compile(
    r"\b(half|third|thirds|quarter|quarters|fifth|tenth) of (?:a |an |the |its |all )?((?:[\w'’-]+ ?){1,4})"
)


def _lost_wholes(headline: str, lead: str) -> list[str]:
    """Parts whose whole is gone while its "of" is still there.

    >>> _lost_wholes("Dust found in 83 of river samples", "Dust was found in 83 of 90 river samples.")
    ['83']
    """
    parts = [(part, noun) for part, noun in _PART_OF.findall(headline) if not noun[0].isdigit()]
    known = _PART_OF.findall(lead) if parts else []
    kept = {part for part, noun in known if not noun[0].isdigit()}
    return [part for part, _ in parts if part not in kept and any(part == each for each, _ in known)]


_PART_OF = re.compile(r"\b(\d[\d,.]*) (?:out )?of (?:the |its |all )?(\w+)")


def _is_weak(figure: Figure) -> bool:
    return figure.text.lower() in _WEAK and not figure.unit


def _is_supported(claim: Figure, known: Sequence[Figure]) -> bool:
    """Whether any number of the input is this one, used in the same way."""
    same = [each for each in known if each.values & claim.values and _units_agree(claim.unit, each)]
    others = [each for each in known if not each.values & claim.values and not _is_year(each)]
    return any(_is_used_alike(claim, each) for each in same) and not _is_misplaced(claim, same, others)


def _is_year(figure: Figure) -> bool:
    return not figure.unit and any(value in _YEARS for value in figure.values)


def _units_agree(claimed: str, known: Figure) -> bool:
    """Whether a claimed unit is the input's, or the input has neither unit nor word beside the number (money aside)."""
    if not claimed or claimed == known.unit or {claimed, known.unit} == {"£", "pound"}:
        return True
    return not known.unit and claimed not in _PROVEN and not known.near


def _is_used_alike(claim: Figure, known: Figure) -> bool:
    if known.minus and not claim.minus:
        return False
    return claim.taken or not known.whole


def _is_misplaced(claim: Figure, same: Sequence[Figure], others: Sequence[Figure]) -> bool:
    """Whether a word directly beside it belongs to another number of the input, and not to this one."""
    own = {word for each in same for word in each.beside}
    foreign = {word for each in others for word in each.beside}
    return any(word in foreign and word not in own for word in claim.near)


@remembered(most=1 << 21)
def figures(text: str) -> tuple[Figure, ...]:
    """Every number of a text, in order."""
    pieces = _PIECE.findall(text)
    lower = [piece.lower() for piece in pieces]
    spans = list(_spans(lower))
    found: list[Figure] = []
    for number, (start, end, _) in enumerate(spans):
        floor = spans[number - 1][1] if number else 0
        ceiling = spans[number + 1][0] if number + 1 < len(spans) else len(lower)
        unit, after = _unit(lower, start, end)
        before = start - 1 if start and lower[start - 1] in _CURRENCIES else start
        part = _part(lower, before, found, spans)
        joined = all(piece in _JOINING for piece in lower[after:ceiling])
        nouns = _content(reversed(lower[floor:before])), _content(lower[after : None if joined else ceiling])
        owned = lower[before - 1 : before] == ["of"]  # a loss of 12
        near = (*(word for word in nouns[0][:1] if owned or word in _SAME), *_counted(lower, after))
        minus = bool(before) and lower[before - 1] in _MINUS
        minus = minus or lower[after : after + 2] in (["below", "zero"], ["below", "freezing"])
        values = _ranged(lower, spans, number)
        beside = frozenset([*nouns[0][:_BESIDE], *nouns[1][:_BESIDE]])
        taken = not _TAKING.isdisjoint(lower[max(before - 4, 0) : before])
        found.append(Figure(pieces[start], values, unit, minus, part is not None, beside, near, taken))
    return tuple(found)


def _spans(lower: Sequence[str]) -> Iterator[Span]:
    """Where each number begins and ends (after its scale), and its value."""
    place = 0
    while place < len(lower):
        end, value = _number(lower, place)
        if value is not None:
            yield place, end, frozenset([value])
        place = max(end, place + 1)


def _number(lower: Sequence[str], place: int) -> tuple[int, Decimal | None]:
    """The number that begins at a place: (where it ends, its value or None)."""
    piece = lower[place]
    value = _decimal(piece) if piece[0].isdigit() else _WORDS.get(piece)
    end = place + 1
    if value is None:
        if piece not in ("a", "an") or end == len(lower) or len(lower[end]) < 4 or lower[end] not in _SCALE_OF:
            return place, None
        value = Decimal(1)
    elif piece in _TEN_WORDS and lower[end : end + 1] and lower[end] in _ONE_WORDS:
        value, end = value + _WORDS[lower[end]], end + 1
    if piece == "half" and lower[end : end + 1] in (["a"], ["an"]) and lower[end + 1 : end + 2]:
        end += lower[end + 1] in _SCALE_OF
    while end < len(lower) and lower[end] in _SCALE_OF:
        value, end = value * _SCALE_OF[lower[end]], end + 1
    return end, value.normalize()


def _unit(lower: Sequence[str], start: int, end: int) -> tuple[str, int]:
    """A number's unit and where the words after it begin."""
    if start and lower[start - 1] in _CURRENCIES:
        return lower[start - 1], end
    if lower[end : end + 2] == ["per", "cent"]:
        return "%", end + 2
    unit = _UNIT_OF.get(lower[end], "") if end < len(lower) else ""
    return unit, end + bool(unit)


def _part(
    lower: Sequence[str], start: int, found: Sequence[Figure], spans: Sequence[Span]
) -> frozenset[Decimal] | None:
    """Where a number is a whole that the text takes a part of: the part's values (none for "most of"); else None."""
    for of in range(start - 1, max(start - 5, 0), -1):
        if lower[of] in ("of", "in"):
            if lower[of - 1] in _PARTS and lower[of] == "of":
                return frozenset()
            before = of - 2 if lower[of - 1] == "out" else of - 1
            part = next((values for begin, end, values in spans if begin <= before < end), None)
            return part if lower[of] == "of" or of == start - 1 else None
        if lower[of][0].isdigit():
            return None
    return None


def _ranged(lower: Sequence[str], spans: Sequence[Span], number: int) -> frozenset[Decimal]:
    """A number's values, the scale of "2 to 3 million" included."""
    values = spans[number][2]
    if number + 1 < len(spans):
        end, (start, stop, _) = spans[number][1], spans[number + 1]
        if lower[end:start] in (["to"], ["and"], ["or"], ["-"], ["–"], []) and lower[stop - 1] in _SCALE_OF:
            return values | {(value * _SCALE_OF[lower[stop - 1]]).normalize() for value in values}
    return values


def _counted(lower: Sequence[str], after: int) -> list[str]:
    """The noun directly after a number: in the plural, or a word for deaths or injuries."""
    word = lower[after] if after < len(lower) else ""
    plural = word.endswith("s") and len(word) > 3 and word not in FUNCTION_WORDS
    return [_SAME_OF.get(word) or stem(word)] if plural or word in _SAME_OF else []


def _content(pieces: Iterable[str]) -> list[str]:
    """Stems of the words that say what a number counts, up to three; "killed" and "dead" are one word here."""
    found: list[str] = []
    for piece in pieces:
        if piece in _BREAKS:
            break
        if piece[0].isalpha() and piece not in FUNCTION_WORDS and piece not in _UNIT_OF:
            found.append(_SAME_OF.get(piece) or stem(piece))
        if len(found) == _BESIDE:
            break
    return found


def _words(text: str) -> list[str]:
    return re.findall(r"[a-z]+", text.lower())


def _decimal(digits: str) -> Decimal | None:
    """`1,200`, `1.200.000` and `3.50` as numbers: groups of three after a comma, or after two points, are thousands."""
    if re.fullmatch(r"\d{1,3}(?:,\d{3})+(?:\.\d+)?", digits):
        digits = digits.replace(",", "")
    elif digits.count(".") > 1 or "," in digits or ":" in digits:
        digits = re.sub(r"[,.:]", "", digits)
    try:
        return Decimal(digits).normalize()
    except ArithmeticError:  # digits of another script that Decimal does not read
        return None
