"""Objectives and the values that rank, against their definitions."""

from __future__ import annotations

import numpy as np
import pytest

from hedline.decoding.search import length_reward
from hedline.decoding.summary import Hypothesis
from hedline.errors import UserError
from hedline.metrics.rouge import RougeScorer
from hedline.tuning.nbest import Judge, parse_objective, values

SUMMARIES = ["harbour bridge closed for repairs", "council votes to close bridge", "storm", ""]
REFERENCES = [
    ("old harbour bridge to close for repairs", "city closes bridge"),
    ("council closes harbour bridge",),
    ("storm floods coastal road", "flood after storm"),
    ("minister resigns",),
]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("R-1", "1*R-1.f"),
        ("rouge-1.r, rouge-2.r", "0.5*R-1.r + 0.5*R-2.r"),
        ("3*R-1 + 1*bleu", "0.75*R-1.f + 0.25*BLEU"),
        ("rl:p", "1*R-L.p"),
        ("SU4 + W1.2.r", "0.5*R-SU4.f + 0.5*R-W-1.2.r"),
        ("R1.F1+R2.F1", "0.5*R-1.f + 0.5*R-2.f"),
    ],
)
def test_objectives_are_read(text: str, shown: str) -> None:
    assert str(parse_objective(text)) == shown


@pytest.mark.parametrize("text", ["", "R-1 +", "rouge", "R-1.x", "meteor", "1.2.3*R-1", "0*R-1", "R-Wx"])
def test_unreadable_objectives_are_one_sentence(text: str) -> None:
    with pytest.raises(UserError, match="objective"):
        parse_objective(text)


def test_the_measure_of_a_preset_is_used_where_none_is_named() -> None:
    assert str(parse_objective("R-1 + R-2.f", measure="r")) == "0.5*R-1.r + 0.5*R-2.f"


@pytest.mark.parametrize(("text", "column"), [("R-1.r", (0, 0)), ("R-2.p", (1, 1)), ("R-L.f", (2, 2))])
def test_rouge_objectives_equal_the_corpus_score(text: str, column: tuple[int, int]) -> None:
    objective, scorer = parse_objective(text), RougeScorer()
    statistics = np.array([scorer.statistics(s, r).ravel() for s, r in zip(SUMMARIES, REFERENCES, strict=True)])
    sums = objective.columns(statistics, len(SUMMARIES)).sum(axis=0, keepdims=True)
    assert objective.scale(sums)[0] == pytest.approx(scorer.corpus(SUMMARIES, REFERENCES)[column], abs=1e-12)


def test_weighted_sums_are_weighted_means_of_their_terms() -> None:
    scorer = RougeScorer()
    statistics = np.array([scorer.statistics(s, r).ravel() for s, r in zip(SUMMARIES, REFERENCES, strict=True)])

    def value(text: str) -> float:
        objective = parse_objective(text)
        return float(objective.scale(objective.columns(statistics, 4).sum(axis=0, keepdims=True))[0])

    assert value("3*R-1 + 1*R-2") == pytest.approx(0.75 * value("R-1") + 0.25 * value("R-2"))


def test_bleu_of_a_corpus_is_the_ratio_of_sums() -> None:
    # 9 of 10 words, 7 of 9 bigrams, 5 of 8 trigrams, 3 of 7 four-grams; 10 words against 12; in two halves.
    counts = np.array([[9, 7, 5, 3, 10, 9, 8, 7, 10, 12]], dtype=float)
    statistics = np.concatenate([np.zeros((1, 9)), counts], axis=1).repeat(2, axis=0) / 2
    objective = parse_objective("bleu")
    precision = (9 / 10 * 7 / 9 * 5 / 8 * 3 / 7) ** 0.25
    sums = objective.columns(statistics, 2).sum(axis=0, keepdims=True)
    assert objective.scale(sums)[0] == pytest.approx(precision * np.exp(1 - 12 / 10))


def test_the_judge_gives_what_the_objective_reads() -> None:
    judge = Judge(parse_objective("R-SU4 + bleu"), bytes=75)
    texts = ["harbour bridge closed for repairs", "storm", "harbour bridge closed for repairs"]
    statistics = judge.statistics(texts, ["old harbour bridge closed for repairs", "bridge closed"])
    assert statistics.shape == (3, judge.objective.width)
    assert np.array_equal(statistics[0], statistics[2])
    expected = RougeScorer(("1", "2", "L", "SU4"), bytes=75).score(
        texts[0], ["old harbour bridge closed for repairs", "bridge closed"]
    )
    np.testing.assert_allclose(judge.objective.rouge(statistics)[0], expected)
    assert statistics[0, -10:].tolist() == [5, 4, 3, 2, 5, 4, 3, 2, 5, 6]
    assert "limit:75 bytes" in judge.signature([2])


def hypothesis(features, units=8):
    return Hypothesis("a b", 0.0, ("a", "b"), features, np.zeros((2, 3)), (True, True), 0.0, units=units)


def test_weights_times_values_is_what_the_search_ranks_by():
    features = {"log_prob": -12.0, "unigram": 6.0, "length": 7.0, "coverage": 0.5}
    names = ("log_prob", "unigram", "length", "coverage", "length_penalty")
    weights = np.array([1.0, 0.5, 0.25, 2.0, 1.4])
    key = -12.0 + 0.5 * 6 + 0.25 * 7 + 2.0 * 0.5 + 14.0 * np.log((5 + 8) / 6)
    assert values(hypothesis(features), names) @ weights == pytest.approx(key, abs=1e-2)


def test_the_penalty_pays_nothing_for_one_unit_and_less_for_each_further_one():
    rewards = [length_reward(1.0, units) for units in range(1, 30)]
    assert rewards[0] == 0.0
    steps = np.diff(rewards)
    assert (steps > 0).all()
    assert (np.diff(steps) < 0).all()
    assert length_reward(-2.0, 9) == -2.0 * length_reward(1.0, 9)


def test_features_stay_as_they_are():
    assert values(hypothesis({"log_prob": -2.0}), ("log_prob", "bigram")).tolist() == [-2.0, 0.0]


def test_the_last_digits_of_a_process_do_not_reach_the_weights():
    names = ("log_prob", "unigram")
    near = [
        values(hypothesis({"log_prob": -12.3456 + noise, "unigram": 3.0}), names).tolist() for noise in (1e-6, -1e-6)
    ]
    assert near[0] == near[1]
