"""What both lexicons must offer the search."""

from __future__ import annotations

import inspect

import pytest

from hedline.decoding import Lexicon
from hedline.decoding.piece_lexicon import SubwordLexicon
from hedline.decoding.word_lexicon import WordLexicon


@pytest.mark.parametrize("kind", [WordLexicon, SubwordLexicon])
def test_both_answer_the_searchs_questions_alike(kind: type) -> None:
    for name, asked in inspect.getmembers(Lexicon, inspect.isfunction):
        if name.startswith("_"):
            continue
        wanted, given_ = (len(inspect.signature(each).parameters) for each in (asked, getattr(kind, name)))
        assert wanted == given_, name
