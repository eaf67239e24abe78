"""Weights tuned on a set: better than the first ones, within bounds, and part of a fit that can be continued."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from made_pairs import write_pairs

from hedline.baselines import tuned
from hedline.baselines.banko import Banko
from hedline.baselines.system import Limit, is_baseline, open_baseline
from hedline.baselines.tuned import Candidate, preset_for, tune_weights
from hedline.corpora.sets import EvaluationItem, read_evaluation_set


def test_a_fit_that_stops_while_tuning_is_unfinished_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*_: object) -> None:
        raise KeyboardInterrupt

    data, out = [write_pairs(tmp_path / "pairs.jsonl", 40)], tmp_path / "banko"
    options = {"tune": data, "tune_limit": 4}
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(tuned, "tune_weights", stop)
        Banko.fit(data, out, options)
    assert not is_baseline(out) and (out / "work" / "encoded-000.json").is_file()
    assert set(open_baseline(Banko.fit(data, out, options)).weights) == {"gigaword", "duc"}


def test_every_set_that_is_named_gives_as_many_leads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tuned_on: list[list[str]] = []

    def note(_: object, items: list[EvaluationItem], *__: object) -> dict[str, float]:
        tuned_on.append([item.lead for item in items])
        return {}

    monkeypatch.setattr(tuned, "tune_weights", note)
    sets = [write_pairs(tmp_path / f"{seed}.jsonl", 40, seed=seed) for seed in (1, 2)]
    Banko.fit(sets[:1], tmp_path / "banko", {"tune": sets, "tune_limit": 4})
    first = [item.lead for path in sets for item in read_evaluation_set(path, 4)]
    assert len(set(first)) == 8 and tuned_on == [first, first]


def test_recall_counts_where_bytes_are_capped() -> None:
    assert [preset_for(limit) for limit in (Limit(bytes=75), Limit(words=8), Limit())] == [
        "duc",
        "gigaword",
        "gigaword",
    ]


def two_candidates(lead: str, weights: Mapping[str, float], limit: Limit) -> list[Candidate]:
    """A headline that says what the reference says, and one that does not, which the first weights prefer."""
    made = [Candidate(lead, np.array([1.0, 0.0])), Candidate("nothing of the kind", np.array([0.0, 1.0]))]
    values = np.array([weights["good"], weights["bad"]])
    return sorted(made, key=lambda each: -float(each.features @ values))


@pytest.mark.parametrize("preset", ["gigaword", "duc"])
def test_tuning_finds_the_weights_that_prefer_the_reference(preset: str) -> None:
    leads = ["storm closes northern ports", "mayor opens new bridge", "crew rejects the offer"]
    items = [EvaluationItem(str(n), lead, (lead,)) for n, lead in enumerate(leads)]
    bounds = {"good": (0.1, 2.0), "bad": (0.1, 2.0)}
    found = tune_weights(two_candidates, items, preset, {"good": 0.2, "bad": 1.0}, bounds, rounds=3)
    assert found["good"] > found["bad"]
    assert [two_candidates(item.lead, found, Limit())[0].text for item in items] == leads
