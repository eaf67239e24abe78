"""The shortlist: what it must hold, what it learns, and what it refuses."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from random_folders import feedforward_architecture, random_folder

from hedline.data.dataset import Pairs
from hedline.errors import UserError
from hedline.runtime.shortlist import Shortlist, ShortlistOptions, learn_shortlist, load_shortlist, same_words


def make_pairs(pairs: list[tuple[list[int], list[int]]]) -> Pairs:
    flat = [np.array([i for pair in pairs for i in pair[side]], np.int64) for side in (0, 1)]
    offsets = [np.cumsum([0, *(len(pair[side]) for pair in pairs)]) for side in (0, 1)]
    return Pairs(flat[0], offsets[0], flat[1], offsets[1])


def open_shortlist(tensors, vocab_out: int) -> Shortlist:
    return Shortlist(tensors["frequent"], tensors["offsets"], tensors["companions"], tensors.get("same"), vocab_out)


def planted_pairs(count: int = 600, seed: int = 0) -> Pairs:
    """Input word 10+i calls up output word 40+i; 5 and 6 fill every lead, 20 is in every headline."""
    generator = np.random.default_rng(seed)
    pairs = []
    for _ in range(count):
        topics = generator.choice(8, 2, replace=False)
        lead = [5, 6, *(10 + topics), *generator.integers(20, 30, 3)]
        pairs.append((lead, [20, *(40 + topics), lead[-1]]))
    return make_pairs(pairs)


OPTIONS = ShortlistOptions(frequent=1, companions=3, minimum=1.0, ignored=2)


def test_companions_are_found_and_credited_to_the_right_word():
    tensors = learn_shortlist(planted_pairs(), 60, 60, None, OPTIONS)
    shortlist = open_shortlist(tensors, 60)
    for topic in range(8):
        start, end = tensors["offsets"][10 + topic], tensors["offsets"][11 + topic]
        assert tensors["companions"][start:end].tolist() == [40 + topic]
        assert 40 + topic in shortlist(np.array([5, 10 + topic, 25]))
        assert 41 + topic not in shortlist(np.array([5, 10 + topic, 25]))


def test_frequent_and_special_words_are_always_there():
    shortlist = open_shortlist(learn_shortlist(planted_pairs(), 60, 60, None, OPTIONS), 60)
    for ids in ([], [5], [11, 12]):
        assert {1, 3, 20} <= set(shortlist(np.array(ids, np.int64)).tolist())


def test_own_words_through_two_vocabularies():
    same = same_words(["<pad>", "<unk>", "<s>", "</s>", "rain", "sun"], ["<pad>", "<unk>", "<s>", "</s>", "sun"])
    assert same.tolist() == [0, 1, 2, 3, -1, 4]
    tensors = learn_shortlist(make_pairs([([4, 5], [4])]), 6, 5, same, OPTIONS)
    shortlist = open_shortlist(tensors, 5)
    assert 4 in shortlist(np.array([5])) and 4 not in shortlist(np.array([4]))


@settings(max_examples=40, deadline=None)
@given(
    st.lists(st.tuples(st.lists(st.integers(1, 19), max_size=6), st.lists(st.integers(1, 19), max_size=4)), max_size=12)
)
def test_any_corpus_gives_a_valid_shortlist(pairs):
    """Empty sides, repeated words, no pairs at all: valid ids, own words in, ascending and distinct."""
    tensors = learn_shortlist(make_pairs(pairs), 20, 20, None, OPTIONS)
    assert len(tensors["offsets"]) == 21 and tensors["offsets"][-1] == len(tensors["companions"])
    shortlist = open_shortlist(tensors, 20)
    for lead, _ in pairs:
        found = shortlist(np.array(lead, np.int64))
        assert set(lead) <= set(found.tolist())
        assert (np.diff(found) > 0).all()


def folder_with(tmp_path, tensors):
    return random_folder(tmp_path / "model", "feedforward", feedforward_architecture("bow"), 30, 40, shortlist=tensors)


def test_model_folder_round_trip(tmp_path):
    tensors = learn_shortlist(make_pairs([([4, 5, 6], [7, 8])] * 5), 30, 40, np.arange(30), OPTIONS)
    folder = folder_with(tmp_path, tensors)
    loaded = load_shortlist(folder)
    assert loaded is not None
    np.testing.assert_array_equal(loaded(np.array([4])), open_shortlist(tensors, 40)(np.array([4])))
    assert load_shortlist(random_folder(tmp_path / "x", "feedforward", feedforward_architecture("bow"), 9, 9)) is None


GOOD = {
    "frequent": np.array([3, 9], np.int32),
    "offsets": np.arange(31, dtype=np.int32),
    "companions": np.full(30, 7, np.uint16),
    "same": np.arange(30, dtype=np.int32),
}


@pytest.mark.parametrize(
    "damage",
    [
        {"frequent": np.array([40], np.int32)},
        {"frequent": np.array([0.5], np.float32)},
        {"companions": np.full(30, 40, np.uint16)},
        {"companions": np.full(29, 4, np.uint16)},
        {"companions": np.full((30, 1), 4, np.uint16)},
        {"offsets": np.arange(30, dtype=np.int32)},
        {"offsets": np.arange(31, dtype=np.int32)[::-1].copy()},
        {"offsets": np.arange(31, dtype=np.int32) + 1},
        {"same": np.arange(31, dtype=np.int32)},
        {"same": np.full(30, 40, np.int32)},
    ],
)
def test_damaged_shortlists_are_refused(tmp_path, damage):
    folder = folder_with(tmp_path, GOOD | damage)
    with pytest.raises(UserError, match=r"shortlist\.safetensors"):
        load_shortlist(folder)


def test_missing_list(tmp_path):
    folder = folder_with(tmp_path, {"frequent": GOOD["frequent"]})
    with pytest.raises(UserError, match="lacks"):
        load_shortlist(folder)
