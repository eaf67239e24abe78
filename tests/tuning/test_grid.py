"""Choosing decoding settings: the coordinate search on made-up scores, and the command on a small model."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import hedline
from hedline.corpora.sets import read_evaluation_set
from hedline.metrics.rouge import find_preset
from hedline.tuning.grid import DecodingSettings, GridSearch, Setting, Trial, choose_decoding

NOISE = np.random.default_rng(1).normal(0, 0.02, 200)


KNOWN = {"support": ("<sup:3>", "<sup:4>"), "case": ("<case:title>",)}


def measured(score: Callable[[Setting], float]) -> Callable[[Setting], Trial]:
    """Settings to trials of 200 inputs whose paired differences are those of `score` exactly."""
    return lambda setting: Trial(setting, (score(setting) + NOISE,))


def test_the_peak_is_found_from_either_side():
    for first in (0.4, 1.4, 2.6):
        search = GridSearch(measured(lambda setting: -abs(setting.length_penalty - 1.4)), {})
        assert search.run(Setting(first)).setting.length_penalty == pytest.approx(1.4)
    flat = GridSearch(measured(lambda _: 0.5), KNOWN)
    assert flat.run(Setting(1.0)).setting == Setting(1.0)
    edge = GridSearch(measured(lambda setting: -setting.length_penalty), {})
    assert edge.run(Setting(0.4)).setting.length_penalty == 0.0


def test_controls_and_reranking_are_kept_where_they_win_and_nothing_is_tried_twice():
    worth = {"<sup:3>": 0.01, "<sup:4>": 0.03, "<case:title>": -0.05}

    def score(setting: Setting) -> float:
        controls = sum(worth[name] for _, name in setting.controls)
        return controls + 0.02 * (setting.rerank == "mbr") - 0.1 * abs(setting.length_penalty - 1.2)

    told: list[Trial] = []
    search = GridSearch(measured(score), KNOWN, told.append)
    best = search.run(Setting(1.0))
    assert best.setting == Setting(1.2, (("support", "<sup:4>"),), "mbr")
    assert len({trial.setting for trial in told}) == len(told) == len(search.trials)
    assert best.score == max(trial.score for trial in told)


def test_the_length_penalty_is_climbed_again_under_the_new_settings():
    def score(setting: Setting) -> float:
        peak = 2.2 if setting.rerank == "mbr" else 1.8
        return 0.5 * (setting.rerank == "mbr") - abs(setting.length_penalty - peak)

    best = GridSearch(measured(lambda setting: round(score(setting), 3)), {}).run(Setting(1.8))
    assert (best.setting.rerank, best.setting.length_penalty) == ("mbr", 2.2)


def test_a_gain_within_its_standard_error_is_not_taken():
    generator = np.random.default_rng(2)
    swing = generator.normal(0, 0.1, 100)
    swing -= swing.mean()
    plain = Trial(Setting(), (np.full(100, 0.3),))
    assert not Trial(Setting(), (plain.gains[0] + swing + 0.5 * swing.std() / 10,)).clearly_above(plain)
    assert Trial(Setting(), (plain.gains[0] + swing + 2 * swing.std() / 10,)).clearly_above(plain)
    assert not plain.clearly_above(plain)


def test_sets_count_the_same_whatever_their_size():
    trial = Trial(Setting(), (np.full(10, 0.2), np.full(1000, 0.4)))
    assert trial.score == pytest.approx(0.3)


@pytest.mark.parametrize("kept", [{}, {"beam": 2, "slack": 1.5, "doubt": 0.2, "most_doubt": 0.7}])
def test_the_chosen_settings_are_written_and_used(home: Path, kept: dict[str, float]) -> None:
    weights = {"log_prob": 1.0, "unigram": 0.7}
    before = {"format": 1, "weights": weights, "stopped": "never", "decoding": {"guard_names": True, **kept}}
    (home / "model" / "tuning.json").write_text(json.dumps(before))
    paths = [home / "set.jsonl", home / "other.jsonl"]
    result, best = choose_decoding(home / "model", paths, DecodingSettings(limit=20))
    assert json.loads((home / "model" / "tuning.json").read_text()) == result
    assert (result["weights"], result["stopped"]) == (weights, "never")
    kept = {name: kept[name] for name in ("doubt", "most_doubt") if name in kept}  # beam and slack are the trials'
    assert result["decoding"] == kept | best.setting.table() | {"guard_names": True}
    assert [each["inputs"] for each in result["decoding_choice"]["sets"]] == [20, 20]
    trials = result["decoding_choice"]["trials"]
    assert best.score == max(trial["score"] for trial in trials if trial["decoding"]["rerank"] == best.setting.rerank)
    items = read_evaluation_set(paths[0], 20)
    texts = [each.text for each in hedline.load(home / "model").summarize([item.lead for item in items])]
    scores = (
        find_preset("gigaword").scorer().score_all(texts, [item.references for item in items])[:, :, 2].mean(axis=0)
    )
    assert list(best.rouge[0].values()) == pytest.approx(scores.tolist(), abs=1e-6)
    assert best.words[0] == pytest.approx(sum(len(text.split()) for text in texts) / 20)
