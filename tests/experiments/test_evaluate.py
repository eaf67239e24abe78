"""`hedline evaluate`: scores equal to those of the metrics, PREFIX beside them, outputs in the shared format."""

from __future__ import annotations

import pytest

from hedline.baselines.system import prefix
from hedline.corpora.sets import EvaluationItem
from hedline.experiments.evaluate import describe, evaluate_outputs, measured_options
from hedline.metrics.rouge import RougeScorer, find_preset

ITEMS = [
    EvaluationItem(
        "a", "The council closed the old harbour bridge for repairs on Tuesday.", ("Council closes bridge",)
    ),
    EvaluationItem("b", "A storm flooded the coastal road near Port Ellen, police said.", ("Storm floods road",)),
    EvaluationItem("c", "Farmers blocked 3 roads in protest at new water charges.", ("Farmers protest at charges",)),
]


HEADLINES = ["Council closes harbour bridge", "Storm floods 40 roads", "Farmers block roads"]


def test_scores_are_those_of_the_metrics() -> None:
    result = evaluate_outputs("mine", HEADLINES, ITEMS)
    mine, base, human = result["systems"]
    references = [item.references for item in ITEMS]
    expected = 100 * RougeScorer().corpus(HEADLINES, references)[:, 2]
    found = [mine[name]["value"] for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")]
    assert found == pytest.approx(expected.tolist())
    assert mine["ROUGE-1"]["low"] <= mine["ROUGE-1"]["value"] <= mine["ROUGE-1"]["high"]
    theirs = 100 * RougeScorer().corpus([prefix(item.lead, bytes=75) for item in ITEMS], references)[0, 2]
    assert base["ROUGE-1"]["value"] == pytest.approx(theirs)
    assert result["against_prefix"]["ROUGE-1"]["relative"] == pytest.approx(100 * (expected[0] / theirs - 1))
    assert "ROUGE-1" not in human
    assert mine["bad_numbers"] == pytest.approx(100 / 3)


def test_the_duc_preset_is_recall_at_75_bytes() -> None:
    result = evaluate_outputs("mine", HEADLINES, ITEMS, "duc")
    expected = 100 * RougeScorer(bytes=75).corpus(HEADLINES, [item.references for item in ITEMS])[0, 0]
    assert result["systems"][0]["ROUGE-1"]["value"] == pytest.approx(expected)
    assert "limit:75 bytes" in result["signature"]
    assert "recall" in describe(result)


LONG = "Engineers will close the northern harbour bridge of Larkwater for sixteen months of repairs from Monday."


def test_prefix_beside_a_system_has_75_bytes() -> None:
    items = [EvaluationItem("a", LONG, ("Bridge of Larkwater closes for repairs",))]
    base = evaluate_outputs("mine", ["Harbour bridge closes"], items)["systems"][1]
    assert len(LONG) > 85 and base["name"] == "PREFIX" and base["bytes"] == 75
    references = [items[0].references]
    expected = 100 * RougeScorer().corpus([LONG[:75]], references)[:, 2]
    found = [base[name]["value"] for name in ("ROUGE-1", "ROUGE-2", "ROUGE-L")]
    assert found == pytest.approx(expected.tolist())


def test_the_duc_preset_decodes_75_bytes() -> None:
    assert find_preset("duc").limits == {"bytes": 75} and find_preset("gigaword").limits == {}


def test_a_limit_is_measured_without_the_guard_of_meaning() -> None:
    assert measured_options("duc", {}) == {"bytes": 75, "guard_meaning": False}
    assert measured_options("duc", {"bytes": 60, "beam": 8}) == {"bytes": 60, "guard_meaning": False, "beam": 8}
    assert measured_options("gigaword", {"words": 9}) == {"words": 9}
