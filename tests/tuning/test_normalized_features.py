import numpy as np
import pytest

from hedline.decoding.summary import Hypothesis
from hedline.tuning.decoder import normalized


def test_weights_times_normalised_features_is_what_the_search_ranks_by():
    features = {"log_prob": -12.0, "unigram": 6.0, "length": 7.0}
    weights = np.array([1.0, 0.5, 0.25])
    score = -12.0 + 0.5 * 6 + 0.25 * 7
    key = score / ((5 + 8) / 6) ** 1.4
    hypothesis = Hypothesis("a b", score, ("a", "b"), features, np.zeros((2, 3)), (True, True), key)
    assert normalized(hypothesis, ("log_prob", "unigram", "length"), 1.4) @ weights == pytest.approx(key)


def test_features_stay_as_they_are_where_nothing_is_normalised():
    hypothesis = Hypothesis("a", -2.0, ("a",), {"log_prob": -2.0}, np.zeros((1, 3)), (True,), -2.0)
    assert normalized(hypothesis, ("log_prob", "bigram")).tolist() == [-2.0, 0.0]


def test_the_last_digits_of_a_process_do_not_reach_the_weights():
    def one(noise):
        log_prob = -12.3456 + noise
        key = log_prob / ((5 + 8) / 6) ** 1.8
        return Hypothesis("a", log_prob, ("a",), {"log_prob": log_prob, "unigram": 3.0}, np.zeros((1, 3)), (True,), key)

    names = ("log_prob", "unigram")
    assert normalized(one(1e-6), names, 1.8).tolist() == normalized(one(-1e-6), names, 1.8).tolist()
