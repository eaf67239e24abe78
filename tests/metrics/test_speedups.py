"""The compiled inner loops of ROUGE do exactly what their Python forms do."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rouge_cases import SUFFIXES, awkward_words

from hedline.metrics import resampling as bootstrap
from hedline.metrics.tokens import compiled, find_rules, porter

compiled_only = pytest.mark.skipif(compiled is None, reason="the compiled parts are not built here")
syllables = st.text(alphabet="aeiouybcdlnrstwxz09", max_size=8)
words = st.builds("{}{}{}".format, syllables, st.sampled_from(["", *SUFFIXES]), st.sampled_from(["", *SUFFIXES]))


@compiled_only
def test_compiled_stems_are_pythons():
    listed = sorted(awkward_words())
    assert [(word, compiled.porter(word)) for word in listed] == [(word, porter(word)) for word in listed]


@compiled_only
@given(words)
@example("")
@example("yy")
@example("ies")
@example("y" * 70)
@example("ab" * 300 + "ational")
def test_compiled_stem_of_any_word_is_pythons(word):
    assert compiled.porter(word) == porter(word)


@compiled_only
@pytest.mark.parametrize("word", ["café", b"word", None])
def test_the_compiled_stemmer_takes_ascii_text_only(word):
    with pytest.raises(ValueError, match="ASCII"):
        compiled.porter(word)


@compiled_only
@pytest.mark.parametrize(("count", "resamples", "first"), [(1, 3, 0), (7, 40, 5), (2000, 20, 990), (70_001, 2, 1)])
def test_compiled_draws_are_numpys(count, resamples, first):
    drawn = bootstrap._draw_compiled(count, resamples, first)
    assert (drawn == bootstrap._draw(count, resamples, first)).all()
    assert drawn.sum(axis=1).tolist() == [count] * resamples


@compiled_only
@pytest.mark.parametrize("items", [0, -1, 4])
def test_draws_need_whole_rows(items):
    with pytest.raises(ValueError, match="rows"):
        compiled.draw(np.zeros((2, 3)), items, 0)


@compiled_only
def test_draws_need_memory_they_may_write():
    with pytest.raises(TypeError, match="read-write"):
        compiled.draw(np.broadcast_to(np.zeros(3), (2, 3)), 3, 0)


def test_without_the_compiled_parts_python_does_the_work():
    program = (
        "from hedline.metrics.resampling import Draws\n"
        "from hedline.metrics.score import evaluate_outputs\n"
        "from hedline.metrics.tokens import compiled\n"
        "outputs = ['Governments agreed', 'Rolling hills', 'geese flying']\n"
        "references = [['Government agreement'], ['The hill rolls', 'hills'], ['A goose flew']]\n"
        "print(compiled is None, evaluate_outputs(outputs, references, draws=Draws(resamples=50)).to_json())"
    )
    printed = [
        subprocess.run(
            [sys.executable, "-c", program],
            env=os.environ | {"HEDLINE_KERNELS": wanted},
            capture_output=True,
            text=True,
            check=True,
        ).stdout.split(" ", 1)
        for wanted in ("0", "1")
    ]
    assert printed[0][0] == "True"
    assert printed[0][1] == printed[1][1]


def test_the_rules_found_are_the_compiled_ones_where_they_are_built(monkeypatch):
    assert find_rules() is (porter if compiled is None else compiled.porter)
    monkeypatch.setattr("hedline.metrics.tokens.compiled", None)
    assert find_rules() is porter
