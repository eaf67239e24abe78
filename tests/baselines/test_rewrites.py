"""Rewrite rules from aligned trees: each kind on trees made by hand, and files."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedline.baselines.rewrites import Rewrites, align
from hedline.baselines.trees import NO_HEAD, Tree, Word
from hedline.errors import UserError


def tree(*rows: tuple[str, str, str, str, int, str]) -> Tree:
    """Rows of text, lemma, pos, tag, head and relation."""
    words, at = [], 0
    for text, lemma, pos, tag, head, relation in rows:
        words.append(Word(text, lemma, pos, tag, head, relation, at, at + len(text)))
        at += len(text) + 1
    return Tree(" ".join(row[0] for row in rows), tuple(words))


LEAD = tree(
    ("Police", "police", "NOUN", "NNS", 1, "nsubj"),
    ("said", "say", "VERB", "VBD", NO_HEAD, "ROOT"),
    ("mayor", "mayor", "NOUN", "NN", 6, "nsubj"),
    ("of", "of", "ADP", "IN", 2, "prep"),
    ("Oslo", "Oslo", "PROPN", "NNP", 3, "pobj"),
    ("will", "will", "AUX", "MD", 6, "aux"),
    ("closed", "close", "VERB", "VBD", 1, "ccomp"),
    ("bridges", "bridge", "NOUN", "NNS", 6, "dobj"),
)
HEADLINE = tree(
    ("Oslo", "Oslo", "PROPN", "NNP", 1, "compound"),
    ("mayor", "mayor", "NOUN", "NN", 3, "nsubj"),
    ("to", "to", "PART", "TO", 3, "aux"),
    ("close", "close", "VERB", "VB", NO_HEAD, "ROOT"),
    ("bridges", "bridge", "NOUN", "NNS", 3, "dobj"),
)


def test_words_are_aligned_by_lemmas_that_each_side_has_once() -> None:
    assert align(LEAD, HEADLINE) == {0: 4, 1: 2, 3: 6, 4: 7}


def test_all_four_kinds_of_rule_are_counted() -> None:
    rules = Rewrites.learn([(LEAD, HEADLINE)] * 4)
    assert rules.chance("lift", "ccomp") == 1.0  # close stays, said goes
    assert rules.chance("lift", "dobj") == 0.0  # its verb stays too
    assert rules.outcome("front", "of") == ("bare", 1.0)
    assert rules.outcome("replace", "aux", "will") == ("to", 1.0)
    assert rules.outcome("inflect", "VBD", "closed") == ("close", 1.0)


def test_chances_are_shares_and_rare_rules_are_left_out() -> None:
    rules = Rewrites.learn([(LEAD, HEADLINE)] * 3 + [(LEAD, LEAD)])
    assert rules.chance("lift", "ccomp") == pytest.approx(3 / 4)
    assert rules.outcome("replace", "aux", "will") == ("to", pytest.approx(3 / 4))
    assert Rewrites.learn([(LEAD, HEADLINE)] * 2).chances == {}


def test_rules_are_read_as_they_were_written(tmp_path: Path) -> None:
    rules = Rewrites.learn([(LEAD, HEADLINE)] * 4)
    rules.save(tmp_path)
    assert Rewrites.load(tmp_path) == rules


def test_a_broken_file_is_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "rules.tsv").write_text("lift\tdobj\n")
    with pytest.raises(UserError, match="fit the baseline again"):
        Rewrites.load(tmp_path)
