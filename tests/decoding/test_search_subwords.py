"""The search over pieces against brute force: limits, modes, guards and features hold on the final text."""

from __future__ import annotations

import math
import re
from itertools import pairwise

import numpy as np
import pytest
from decoding_fakes import TableScorer
from hypothesis import given, settings
from hypothesis import strategies as st

from hedline.api import Summarizer
from hedline.decoding.choice import Guards
from hedline.decoding.options import DecodeOptions, Defaults
from hedline.decoding.piece_columns import SubwordInput, core, word_key
from hedline.decoding.reading import SubwordReader
from hedline.decoding.summary import ABS_WEIGHTS, feature_values, read_ngrams
from hedline.text.subword import SPECIALS, Subwords, byte_letters
from hedline.text.tokenize import is_content


@pytest.fixture(scope="module", autouse=True)
def _search_alone():
    """Here the search itself is tested; what the guards make of its results is tested in test_choice.py."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Guards, "faults", lambda *_: ())
        yield


LETTERS = byte_letters()
PIECES = [b" ", b" a", b"b", b"1", b" 2", b",", b"\xc3", b"\xa9"]
NAMES = [*SPECIALS, *("".join(LETTERS[byte] for byte in piece) for piece in PIECES)]
SUBWORDS = Subwords(NAMES, [], len(SPECIALS))
TEXTS = ("a 1,2 b ab é a", "Ab, 12 é b 2", "2 b b 21 a, é")
NUMBER = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*")
EVERYTHING = 100_000


class Oracle:
    """Every piece sequence within the limits, judged by its final text alone."""

    def __init__(self, scorer, reader, text, options, weights, penalty):
        self.scorer, self.options, self.weights, self.penalty = scorer, options, weights, penalty
        self.input = reader.open([reader.read(text, 100)[0]], options.but(weights=weights)).sources[0]
        scorer.start([self.input.ids], None)
        self.words = self.input.words
        self.ngrams = read_ngrams([word_key(word) for word in self.words])

    def all(self):
        found = {}
        self.walk((), 0.0, found)
        return sorted(found.values(), key=lambda each: -each[2])

    def walk(self, ids, log_prob, found):
        log_probs = self.scorer.scores(0, (2, *ids))[0]
        data = b"".join(SUBWORDS.pieces[index] for index in ids)
        if len(data.removeprefix(b" ")) > self.options.byte_limit or len(ids) > min(
            self.options.byte_limit, self.options.char_limit
        ):
            return
        if ids and self.legal(data):
            text = data.decode().removeprefix(" ")
            values = feature_values([word_key(word) for word in text.split(" ")], self.ngrams)
            values["log_prob"] = log_prob + float(log_probs[3])
            score = sum(self.weights.get(name, 0.0) * value for name, value in values.items())
            key = score + 10 * self.penalty * math.log((5 + len(ids) + 1) / 6)
            if text not in found or found[text][2] < key:
                found[text] = (text, score, key)
        if b"  " not in data:
            for index in range(len(SPECIALS), len(SUBWORDS)):
                self.walk((*ids, index), log_prob + float(log_probs[index]), found)

    def legal(self, data):
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return False
        text, options = text.removeprefix(" "), self.options
        words = text.split(" ")
        if "" in words or len(words) > options.word_limit or len(text) > options.char_limit:
            return False
        if options.exact_words and len(words) != options.exact_words:
            return False
        if options.guard_numbers and not set(NUMBER.findall(text)) <= set(NUMBER.findall(self.input.text)):
            return False
        keys = [word_key(word) for word in words]
        content = [key for key in keys if is_content(key)]
        pairs = list(pairwise(keys))
        if options.block_repeats and (len(set(content)) < len(content) or len(set(pairs)) < len(pairs)):
            return False
        if options.mode == "compressive":
            rest = iter(self.words)
            return all(any(word in (other, core(other)) for other in rest) for word in words)
        return options.mode == "abstractive" or all(
            any(word in (other, core(other)) for other in self.words) for word in words
        )


@settings(max_examples=30, deadline=None)
@given(
    seed=st.integers(0, 10_000),
    context=st.sampled_from([2, None]),
    text=st.sampled_from(TEXTS),
    limit=st.sampled_from(
        [{"bytes": 3, "fill": 0.0}, {"chars": 2, "bytes": 3}, {"bytes": 3, "words": 1}, {"bytes": 3, "exact_words": 2}]
    ),
    mode=st.sampled_from(["abstractive", "extractive", "compressive"]),
    weights=st.sampled_from(
        [ABS_WEIGHTS, {"log_prob": 1.0, "unigram": 1.5, "bigram": 1.0, "reorder": -1.0, "length": 0.4, "repeat": -1.0}]
    ),
    penalty=st.sampled_from([0.0, 0.8]),
    switches=st.fixed_dictionaries({"block_repeats": st.booleans(), "guard_numbers": st.booleans()}),
)
def test_a_beam_that_drops_nothing_equals_brute_force(seed, context, text, limit, mode, weights, penalty, switches):
    scorer = TableScorer(len(SUBWORDS), context, seed, spread=1.0)
    reader = SubwordReader(SUBWORDS)
    settings = {"mode": mode, "length_penalty": penalty, "capitalize": False, **limit, **switches}
    options = DecodeOptions(beam=EVERYTHING, nbest=5, guard_meaning=False, **settings)
    expected = Oracle(scorer, reader, text, options, weights, penalty).all()
    found = Summarizer(scorer, reader, Defaults(weights, penalty)).summarize([text], options)[0]
    if not expected:
        assert found.text == "" or found.nbest[0].short
        return
    assert found.nbest[0].key == pytest.approx(expected[0][2], abs=1e-4)
    assert found.nbest[0].score == pytest.approx({each[0]: each[1] for each in expected}[found.text], abs=1e-4)
    if context is None:  # recombination leaves only the best of what no future can tell apart
        keys = [hypothesis.key for hypothesis in found.nbest]
        np.testing.assert_allclose(keys, [each[2] for each in expected[: len(keys)]], atol=1e-4)


def test_alignment_is_over_words():
    found = Summarizer(TableScorer(len(SUBWORDS), None, 3), SubwordReader(SUBWORDS)).summarize(
        [TEXTS[0]], words=3, guard_meaning=False
    )[0]
    assert found.alignment.shape == (len(found.tokens), len(found.source)) == (len(found.tokens), 6)
    np.testing.assert_allclose(found.alignment.sum(axis=1), 1.0, atol=1e-5)


def test_a_copied_number_keeps_its_minus():
    """Extractive modes must not warm -8C to 8C; a dash that is punctuation still goes."""
    words = ("-8C,", "(-$5m)", "--12", "re-5", "'-Storm-'", "-")
    source = SubwordInput(np.zeros(0, np.int64), " ".join(words), words, (0,) * 7, None, "paper")
    bare = [form.decode() for form in source.copyable if form.decode() not in words]
    assert bare == ["-8C", "-$5m", "12", "Storm"]
