from typing import ClassVar

import numpy as np
import pytest

from hedline.corpora.evaluation import EvaluationItem
from hedline.tuning import shrink as module
from hedline.tuning.decoder import Job
from hedline.tuning.judge import Judge
from hedline.tuning.objective import parse_objective
from hedline.tuning.pool import Hypothesis

REFERENCE = "old bridge closes for repairs"
TUNED = {"log_prob": 1.0, "unigram": 4.0}
# What a made-up model writes under each unigram weight: best in the middle of the line.
HEADLINES = {4.0: "the council", 3.0: "bridge", 2.0: "old bridge closes", 1.0: "old bridge", 0.0: "a lead"}


class FakeDecoder:
    seen: ClassVar[list[dict[str, float]]] = []

    def __init__(self, job, workers):
        self.job = job

    def __enter__(self):
        return self

    def __exit__(self, *details):
        return None

    def nbest(self, weights):
        self.seen.append(dict(self.job.options))
        text = HEADLINES[round(weights["unigram"], 3)]
        row = self.job.judge.statistics([text], [REFERENCE])[0]
        return [[Hypothesis(text, np.zeros(2), row)] for _ in self.job.items]


def job(inputs):
    items = [EvaluationItem(str(i), "a lead", (REFERENCE,)) for i in range(inputs)]
    judge = Judge(parse_objective("R-1 + R-2 + R-L", "f"))
    return Job("model", items, {"beam": 50, "nbest": 50}, ("log_prob", "unigram"), judge)


def test_the_best_share_on_held_out_inputs_is_kept(monkeypatch):
    monkeypatch.setattr(module, "ModelDecoder", FakeDecoder)
    shrunk = module.shrink(job(60), TUNED, "f", 1)
    assert shrunk.share == 0.5
    assert shrunk.weights["unigram"] == pytest.approx(2.0)
    assert shrunk.weights["log_prob"] == 1.0
    assert [trial.share for trial in shrunk.trials] == [0.0, 0.25, 0.5, 0.75, 1.0]
    assert max(shrunk.trials, key=lambda trial: trial.objective).share == 0.5


def test_held_out_inputs_are_decoded_as_the_product_does(monkeypatch):
    monkeypatch.setattr(module, "ModelDecoder", FakeDecoder)
    FakeDecoder.seen.clear()
    module.shrink(job(60), TUNED, "f", 1)
    assert all(options["beam"] == 5 and options["nbest"] == 1 for options in FakeDecoder.seen)


def test_too_few_inputs_decide_nothing():
    assert module.shrink(job(10), TUNED, "f", 1) is None


def test_a_model_that_tuning_only_harms_stays_alone(monkeypatch):
    monkeypatch.setattr(module, "ModelDecoder", FakeDecoder)
    monkeypatch.setitem(HEADLINES, 0.0, REFERENCE)
    assert module.shrink(job(60), TUNED, "f", 1).weights == {"log_prob": 1.0, "unigram": 0.0}
