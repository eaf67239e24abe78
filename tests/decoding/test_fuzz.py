"""Ten thousand strange inputs: no crash, every limit kept, nothing invented where nothing may be."""

from __future__ import annotations

import random
import re

import pytest
from small_models import LEADS, WORDS, MarkovScorer, small_subwords

from hedline.api import Summarizer
from hedline.decoding.reading import SubwordReader, WordReader
from hedline.text.casing import Truecaser
from hedline.text.clean import clean
from hedline.text.tokenize import normalize
from hedline.text.vocab import Vocabulary

STRETCHES = (
    "🚢🔥👩‍👩‍👧",
    "北京市政府星期二宣布",
    "<p class='x'>",
    "</p>&nbsp;&amp;",
    "\x00\x07\x1b[31m",
    "Mr. O'Neil's",
    "¥1,200.50",
    "﷽",
    "e\u0301",
    "\u202eabc\u202c",
    "ＡＢＣ１２３",
    "١٢٣",
    "don't",
    "(see [1])",
    "``quoted''",
    "#hash",
    "@you",
    "http://x.org/a?b=1",
    "\ud800",
    "ß",
    "İstanbul",
    "ŉ",
    "$5",
    "...",
    "—",
    "’",
    "a",
    "I",
    "12",
    "2021",
    "the",
    "storm",
    "Council",
    "\u2028",
    "\u00a0",
    "\t",
    "\r",
)
CASES = (
    {},
    {"bytes": 75},
    {"bytes": 1},
    {"bytes": 9, "fill": 0.8},
    {"chars": 30},
    {"chars": 3},
    {"words": 4},
    {"exact_words": 3},
    {"mode": "extractive", "bytes": 40, "fill": 0.0},
    {"mode": "compressive", "words": 5},
    {"mode": "extractive", "exact_words": 2},
    {"decoder": "greedy", "chars": 20},
    {"block_repeats": False, "words": 6},
    {"nbest": 4, "bytes": 25},
    {"weights": {"log_prob": 1.0, "unigram": 1.0, "bigram": 1.0, "reorder": -1.0, "coverage": 0.5}, "bytes": 50},
)
DIGITS = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*")


def strange_text(pick: random.Random) -> str:
    kind = pick.random()
    if kind < 0.03:
        return pick.choice(["", " ", "\n", "\x00", "\u200b", "\ufeff"])
    if kind < 0.1:
        return pick.choice([*STRETCHES, "word"])
    if kind < 0.105:
        return " ".join(pick.choice(STRETCHES) for _ in range(10_000))
    if kind < 0.4:
        lead = list(pick.choice(LEADS))
        for _ in range(pick.randrange(6)):
            lead.insert(pick.randrange(len(lead)), pick.choice(STRETCHES))
        return "".join(lead)
    if kind < 0.5:
        return "".join(chr(pick.randrange(0x110000)) for _ in range(pick.randrange(1, 60)))
    return pick.choice([" ", "", "\n"]).join(pick.choice(STRETCHES) for _ in range(pick.randrange(1, 40)))


def check(text: str, summary, options: dict, subwords: bool) -> None:
    for headline in [summary.text, *(hypothesis.text for hypothesis in summary.nbest)]:
        assert len(headline.encode("utf-8")) <= options.get("bytes", 10**9)
        assert len(headline) <= options.get("chars", 10**9)
        limit = options.get("words") or options.get("exact_words") or (10**9 if len(options) else 24)
        assert len(headline.split()) <= limit
        assert "\n" not in headline and headline == headline.strip() and "<unk>" not in headline
    if not summary.text:
        assert summary.notes
    if subwords and summary.nbest:
        assert set(DIGITS.findall(summary.text)) <= set(DIGITS.findall(clean(text)))
    elif summary.nbest and options.get("mode", "abstractive") != "abstractive":
        allowed = set(normalize(text[:20_000]))
        joined = "".join("".join(summary.source).lower().split())  # the text's own words are printed without its gaps
        assert set(normalize(summary.text)) <= allowed or all(word in joined for word in summary.text.lower().split())


def fuzz(model: Summarizer, count: int, subwords: bool, seed: int) -> None:
    pick = random.Random(seed)
    for start in range(0, count, 100):
        options = CASES[start // 100 % len(CASES)]
        texts = [strange_text(pick) for _ in range(100)]
        for text, summary in zip(texts, model.summarize(texts, **options), strict=True):
            check(text, summary, options, subwords)


def word_model(seed: int) -> Summarizer:
    vocabulary = Vocabulary.of(WORDS)
    return Summarizer(
        MarkovScorer(len(vocabulary), seed), WordReader(vocabulary, vocabulary, Truecaser({"may": "May"}))
    )


def subword_model(seed: int) -> Summarizer:
    subwords = small_subwords()
    return Summarizer(MarkovScorer(len(subwords), seed), SubwordReader(subwords))


def test_a_few_hundred_strange_inputs():
    fuzz(word_model(1), 300, subwords=False, seed=11)
    fuzz(subword_model(1), 200, subwords=True, seed=12)


@pytest.mark.slow
def test_ten_thousand_strange_inputs_over_words():
    fuzz(word_model(2), 10_000, subwords=False, seed=1)


@pytest.mark.slow
def test_ten_thousand_strange_inputs_over_pieces():
    fuzz(subword_model(2), 10_000, subwords=True, seed=2)
