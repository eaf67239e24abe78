"""Merging hypotheses with equal futures: one stays for each future, and the best headline is never lost."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from decoding_fakes import FakeState, TableScorer

from hedline.api import Summarizer
from hedline.arrays import Ints
from hedline.decoding.choice import Guards
from hedline.decoding.options import DecodeOptions, Defaults
from hedline.decoding.reading import WordReader
from hedline.decoding.search import merge_equal_futures
from hedline.decoding.summary import ABS_WEIGHTS
from hedline.runtime import Step
from hedline.text.casing import Truecaser
from hedline.text.vocab import Vocabulary

VOCABULARY = Vocabulary.of(["the", "mayor", "quits", "bridge", "storm", "harbour"])
TEXT = "The mayor quits the bridge"
CONTENT = "Mayor quits bridge storm harbour"
EVERYTHING = 10_000


@pytest.fixture(scope="module", autouse=True)
def _search_alone():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Guards, "faults", lambda *_: ())
        yield


def best_key(scorer: TableScorer, options: DecodeOptions, beam: int, text: str = CONTENT) -> float:
    model = Summarizer(scorer, WordReader(VOCABULARY, VOCABULARY, Truecaser()), Defaults(dict(ABS_WEIGHTS), 0.0))
    return model.summarize([text], options, beam=beam)[0].nbest[0].key


def test_merging_leaves_one_hypothesis_for_each_future() -> None:
    """A model that sees two words cannot tell more than 4 · 4 futures of 4 words apart, however long the headline."""
    rows = {}
    for merging in (True, False):
        scorer = CountingScorer(len(VOCABULARY), 2, seed=3)
        options = DecodeOptions(exact_words=5, mode="extractive", block_repeats=False, recombine=merging)
        best_key(scorer, options, EVERYTHING, TEXT)
        rows[merging] = scorer.most
    assert rows == {True: 16, False: 4**5}


class CountingScorer(TableScorer):
    """Remembers how many hypotheses were scored at once."""

    most = 0

    def step(self, state: FakeState, last: Ints) -> Step:
        self.most = max(self.most, len(last))
        return super().step(state, last)


@pytest.mark.parametrize("context", [1, 2, 3, 4])
@pytest.mark.parametrize("blocked", [False, True], ids=["free", "repeats blocked"])
def test_merging_never_loses_the_best(context: int, blocked: bool) -> None:
    """A key that is one word short, or forgets the words used up, merges what the future can still tell apart."""
    for seed in range(24):
        scorer = TableScorer(len(VOCABULARY), context, seed, spread=0.3)
        options = DecodeOptions(exact_words=5, mode="extractive", block_repeats=blocked, length_penalty=0.0)
        merged, plain = (best_key(scorer, options.but(recombine=merging), EVERYTHING) for merging in (True, False))
        assert merged == pytest.approx(plain, abs=1e-4)


def test_the_best_of_each_column_stays_and_inputs_do_not_compete() -> None:
    totals = np.array([[1.0, 5.0], [2.0, 4.0], [9.0, 9.0]], np.float32)
    merge_equal_futures(totals, np.array([0, 0, 1]), np.array([[7], [7], [7]]))
    assert totals.tolist() == [[-np.inf, 5.0], [2.0, -np.inf], [9.0, 9.0]]


class Favourite:
    """A model that would write one word for ever."""

    start_id, end_id, unknown_id, C = 2, 3, 1, 2

    def __init__(self, word: int) -> None:
        self.log_probs = np.full(len(VOCABULARY), -5.0, np.float32)
        self.log_probs[word] = -0.1

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> FakeState:
        self.lengths = [len(ids) for ids in inputs]
        return FakeState(np.arange(len(inputs)), ((),) * len(inputs))

    def step(self, state: FakeState, last: Ints) -> Step:
        attention = np.full((len(last), max(self.lengths)), 1 / max(self.lengths), np.float32)
        return Step(np.tile(self.log_probs, (len(last), 1)), attention, state)

    def select(self, state: FakeState, rows: Ints) -> FakeState:
        return FakeState(state.owner[rows], tuple(state.history[int(row)] for row in rows))


def test_a_compression_uses_each_place_once() -> None:
    model = Summarizer(
        Favourite(VOCABULARY.id("mayor")),
        WordReader(VOCABULARY, VOCABULARY, Truecaser()),
        Defaults(dict(ABS_WEIGHTS), 0.0),
    )
    options = DecodeOptions(exact_words=3, mode="compressive", block_repeats=False, length_penalty=0.0)
    words = model.summarize([TEXT], options)[0].text.lower().split()
    rest = iter(TEXT.lower().split())
    assert len(words) == 3 and all(word in rest for word in words)
    twice = model.summarize(["The mayor quits the mayor"], options)[0].text.lower().split()
    assert twice.count("mayor") == 2
