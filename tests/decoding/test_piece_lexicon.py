"""The lexicon of pieces: repeated words, alignments of words."""

from __future__ import annotations

import numpy as np
import pytest

from hedline.api import load
from hedline.decoding.options import DecodeOptions
from hedline.decoding.piece_lexicon import Detail, SubwordLexicon, repeats, word_alignment
from hedline.runtime import Step, kernels


@pytest.mark.parametrize(
    ("keys", "key", "again"),
    [
        (("mayor", "of", "lund"), "mayor", True),
        (("mayor", "of", "lund"), "of", False),
        (("of", "the", "of"), "the", True),
        (("of", "lund"), "rome", False),
    ],
)
def test_repeats_of_pieces(keys: tuple[str, ...], key: str, again: bool) -> None:
    assert repeats(keys, key) is again


def test_alignments_of_pieces_become_alignments_of_words() -> None:
    attention = np.array([[0.5, 0.25, 0.25], [0.1, 0.1, 0.8], [0.0, 1.0, 0.0]], np.float32)
    rows = word_alignment(attention, [b"Lu", b"nd", b" wins"], (0, 2, 3), 2)  # input words: pieces 0-1, piece 2
    np.testing.assert_allclose(rows, [[(0.75 + 0.2) / 2, (0.25 + 0.8) / 2], [1.0, 0.0]], atol=1e-6)


def opened(**options: object) -> SubwordLexicon:
    """The lexicon of one input of the shipped small model."""
    summarizer = load("tiny")
    settled = summarizer.defaults.settle(DecodeOptions(**options))  # type: ignore[arg-type]
    source, _ = summarizer.reader.read("The mayor of Lund bought 1,200 trees, and Zoë's café sold 35 cakes.", 200)
    lexicon = summarizer.reader.open([source], settled)
    assert isinstance(lexicon, SubwordLexicon)
    return lexicon


needs_kernels = pytest.mark.skipif(not kernels.available(), reason="needs the compiled kernels")


@needs_kernels
@pytest.mark.parametrize("options", [{}, {"guard_numbers": False}, {"block_repeats": False}])
def test_the_compiled_loop_follows_pieces_as_python_does(options: dict[str, object]) -> None:
    lexicon, generator = opened(**options), np.random.default_rng(7)
    ids = np.array([*lexicon.columns.ids[0], *np.flatnonzero(lexicon.tables.numeric)])
    details: tuple[Detail, ...] = (Detail(b"", (), -1, "", b"", -np.inf),) * 40
    for _ in range(30):
        rows, chosen = np.sort(generator.integers(0, 40, 40)), generator.choice(ids, 40)
        slow = tuple(lexicon._follow(0, details[row], index) for row, index in zip(rows, chosen.tolist(), strict=True))
        assert lexicon._followed(details, rows, np.zeros(40, np.int64), chosen) == slow
        details = slow
    assert any(detail.tail or detail.pending for detail in details) or options


@needs_kernels
def test_the_compiled_loop_refuses_pieces_and_details_of_other_kinds() -> None:
    lexicon = opened()
    detail, one = Detail(b"", (), -1, "", b"", -np.inf), np.zeros(1, np.int64)
    with pytest.raises(IndexError):
        lexicon._followed((detail,), one, one, one + len(lexicon.tables.pieces))
    with pytest.raises(IndexError):
        lexicon._followed((detail,), one + 1, one, one)
    with pytest.raises(TypeError):
        lexicon._followed((detail._replace(keys=[]),), one, one, one + 100)  # type: ignore[arg-type]


def test_keys_of_words_are_kept_only_up_to_a_number(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedline.decoding.piece_lexicon.MOST_KNOWN", 3)
    lexicon = opened()
    lexicon._plain = True
    for word in (b"one", b"two", b"three", b"Four!", b"long" * 100):
        lexicon._word(0, word)
    assert lexicon.tables.known == {b"Four!": "four"}


@pytest.mark.parametrize(("guarded", "worth"), [(True, -np.inf), (False, 0.0)])
def test_a_headline_of_exactly_two_words_does_not_end_in_a_word_that_wants_another(guarded: bool, worth: float) -> None:
    lexicon = opened(exact_words=2, guard_meaning=guarded)
    index, width = lexicon.tables.index, lexicon.width
    flat = Step(np.zeros((1, width), np.float32), np.zeros((1, 1), np.float32), None)
    begun = lexicon.advance(lexicon.start(), np.zeros(1, np.int64), lexicon.columns.places(0, [index[b" mayor"]]))
    totals = lexicon.gains(begun, flat).words[0]
    of, comma, trees = (int(lexicon.columns.places(0, [index[piece]])[0]) for piece in (b" of", b",", b" trees"))
    assert (totals[of], totals[trees], totals[comma]) == (worth, 0.0, 0.0)
    whole = lexicon.advance(begun, np.zeros(1, np.int64), np.array([trees]))
    assert lexicon.gains(whole, flat).words[0][comma] == worth
