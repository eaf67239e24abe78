"""Random cases for comparing our ROUGE with the Perl script: words, layouts and options that find differences."""

from __future__ import annotations

import random
from dataclasses import dataclass, field
from typing import Any

from hedline.metrics.tokens import exceptions

_LISTING = """
the of a to in on for and is was has after with police killed kills killing killer government governments governmental
agreement agreed running ran runs yesterday happily city cities council councils nation nations national nationalize
nationalization relational conditional operator feudalism decisiveness hopefulness callousness formality sensitivity
sensibility triplicate formative formalize electricity electrical hopeful goodness revival allowance inference airliner
adjustable defensible irritant replacement adjustment dependent adoption homologous communism activate angular effective
bowdlerize probate rate cease controlled rolling sky flies dying lying yes yellow syzygy boy say enjoyed toys feed
plastered bled motoring sing conflated troubled sized hopping tanned falling hissing fizzed failing filing better best
geese mice children went gone women leaves wolves data criteria lying U.S. U.N. 1,200 1200 $45 $5m 3.5 7th 2004 2004-05
90s 1/2 50% well-known co-operation state-of-the-art x-ray mother-in-law don't it's O'Brien Müller état café naïve 東京
ﬁne İstanbul news: (AP) "quoted" end. a.m. #1 @home under_score CAPITALS MixedCase oil prices fell Monday stock-market
"""
_SUFFIX_LISTING = """
s es ies sses ss ed eed ing y e ll at bl iz ational tional enci anci izer bli alli entli eli ousli
ization ation ator alism iveness fulness ousness aliti iviti biliti logi icate ative alize iciti ical ful ness al
ance ence er ic able ible ant ement ment ent ou ism ate iti ous ive ize sion tion ion
"""
_BASE_LISTING = "b tr yz hop sky toy ye aeri syzyg prob contr goo x90 2 roll tann oat eye queu adjus govern"
WORDS = _LISTING.split()
SUFFIXES = _SUFFIX_LISTING.split()
BASES = _BASE_LISTING.split()
NOISE = ["-", "--", "...", "“", "”", "—", "&amp;", "\t", "\r", "\x0b", "\xa0", "é", "\u2028", "'", "$", "£5"]
ODD_TEXTS = ["", " ", "...", "- -", "é", "\n", "\n\n", " \n ", "the", "a", "?!", "of the and"]


@dataclass
class Options:
    """One set of options, for the script and for us."""

    perl: list[str] = field(default_factory=list)
    ours: dict[str, Any] = field(default_factory=dict)
    metrics: list[str] = field(default_factory=list)


def awkward_words() -> set[str]:
    """Irregular English words and bases of every shape, with every suffix the rules know, twice over."""
    words = {base + first + second for base in BASES for first in ["", *SUFFIXES] for second in ["", *SUFFIXES]}
    return {word for word in words | set(exceptions()) if len(word) > 3}


def random_options(rng: random.Random) -> Options:
    """Every option the script shares with us, in random combination."""
    found = Options(ours={"stem": False})
    if rng.random() < 0.6:
        found.perl, found.ours["stem"] = ["-m"], True
    if rng.random() < 0.25:
        found.perl.append("-s")
        found.ours["stop"] = True
    limit = rng.choice([None, None, "-b", "-b", "-l"])
    if limit:
        size = rng.choice([1, 5, 10, 30, 75, 200]) if limit == "-b" else rng.choice([1, 3, 8, 20])
        found.perl += [limit, str(size)]
        found.ours["bytes" if limit == "-b" else "words"] = size
    if rng.random() < 0.3:
        found.perl += ["-f", "B"]
        found.ours["multi"] = "B"
    if rng.random() < 0.3:
        found.ours["alpha"] = rng.choice([0.0, 0.25, 0.9, 1.0])
        found.perl += ["-p", str(found.ours["alpha"])]
    return _with_metrics(found, rng)


def _with_metrics(options: Options, rng: random.Random) -> Options:
    order = rng.choice([2, 2, 3, 4, 9])
    gap = rng.choice(["4", "4", "0", "1", "-1"])
    name = "*" if gap == "-1" else gap
    options.perl += ["-n", str(order), "-2", gap, "-U"]
    options.metrics = [*map(str, range(1, order + 1)), "L", f"S{name}", f"SU{name}"]
    return options


def random_texts(rng: random.Random, count: int) -> list[str]:
    """Texts of one topic: they share words and phrases, so that there is something to hit."""
    phrase = [rng.choice(WORDS) for _ in range(8)]
    return [_text(rng, phrase) for _ in range(count)]


def _text(rng: random.Random, phrase: list[str]) -> str:
    kind = rng.random()
    if kind < 0.04:
        return rng.choice(ODD_TEXTS)
    text = _line(rng, phrase, rng.randint(1, 14))
    if kind < 0.12:
        text = rng.choice([" ", "  ", "\t"]) + text
    elif kind < 0.2:
        text += rng.choice([" ", "\r", " \t"])
    if kind > 0.8:
        lines = [_line(rng, phrase, rng.randint(0, 8)) for _ in range(rng.randint(1, 3))]
        text = rng.choice(["", "\n"]) + "\n".join([text, *lines]) + rng.choice(["", "\n"])
    return text


def _line(rng: random.Random, phrase: list[str], length: int) -> str:
    words: list[str] = []
    while len(words) < length:
        kind = rng.random()
        if kind < 0.25:
            start = rng.randrange(len(phrase))
            words += phrase[start : start + rng.randint(1, 4)]
        elif kind < 0.5:
            words.append(rng.choice(phrase))
        elif kind < 0.57:
            words.append(rng.choice(NOISE))
        elif kind < 0.64 and words:
            words.append(words[-1])
        else:
            words.append(rng.choice(WORDS))
    return " ".join(word.upper() if rng.random() < 0.05 else word for word in words[:length])


def random_cases(rng: random.Random, count: int) -> list[tuple[str, tuple[str, ...]]]:
    """Cases of one to four references, ten cases drawn from each topic's eight texts."""
    cases: list[tuple[str, tuple[str, ...]]] = []
    while len(cases) < count:
        texts = random_texts(rng, 8)
        for _ in range(10):
            candidate, *references = rng.sample(texts, rng.randint(2, 5))
            cases.append((candidate, tuple(references)))
    return cases[:count]


def long_line(rng: random.Random, length: int) -> str:
    """One line of many words."""
    return " ".join(rng.choice(WORDS) for _ in range(length))
