"""Table 2: perplexities of the n-gram model and of the encoders."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from small_world import WORDS

from hedline.experiments import table2
from hedline.experiments.record import Request
from hedline.experiments.report import TABLE2

pytestmark = pytest.mark.usefixtures("committed")


def test_table2_measures_ngram_and_models(request_: Request) -> None:
    pytest.importorskip("torch")
    rows = table2.run(request_).rows
    assert set(rows) == {"all pairs/kn5", "all pairs/bow", "all pairs/printed"}
    ngram = rows["all pairs/kn5"]
    assert ngram["words"] == rows["all pairs/bow"]["words"] == 16 * 4
    assert 1 < ngram["closed"] < len(WORDS)
    assert ngram["provenance"]["data"] == "0123456789abcdef"


def test_table2_names_the_filter_of_its_valid_split(request_: Request) -> None:
    """Rows on filtered and on all pairs are two tables, each with its filter in the title."""
    table2.run(replace(request_, models=None))
    path = request_.data / "settings.json"
    settings = json.loads(path.read_text())
    path.write_text(json.dumps({**settings, "subset": {"every_split": True, "min_support": 0.4}}))
    rows = table2.run(replace(request_, models=None)).rows
    half = "pairs whose lead has 40 % of the headline's content words"
    assert set(rows) == {"all pairs/kn5", f"{half}/kn5"}
    titles = [section.title for section in table2.render(rows)]
    assert [title.partition("(")[2].rstrip(")") for title in titles] == ["all pairs", half]


def test_table2_says_whether_the_order_is_the_papers() -> None:
    how = {"data": "d"}
    rows = {
        f"all pairs/{key}": {"closed": value, "known": value, "words": 9, "unknown": 1, "provenance": how}
        for key, value in TABLE2.items()
    }
    text = table2.render(rows)[0].text()
    assert "With ABS as printed last, the order of the rows is the paper's." in text and "trained further" not in text
    rows["all pairs/options"] = {**rows["all pairs/printed"], "base": "abs"}
    assert "ABS with our options: trained further (`--from abs`)" in table2.render(rows)[0].text()
    assert "ABS as printed against Bag of words: -38 % (published -38 %)" in text
    rows["all pairs/conv"] = {**rows["all pairs/conv"], "closed": 99.0, "provenance": {"data": "other"}}
    text = table2.render(rows)[0].text()
    assert "not the paper's" in text and "do not compare" in text


def test_table2_judges_our_options_beside_the_papers_attention() -> None:
    values = {"kn5": 190.0, "none": 150.0, "bow": 40.0, "conv": 34.0, "printed": 36.0, "options": 28.0}
    rows = {
        f"all pairs/{key}": {"closed": value, "known": value, "words": 9, "unknown": 1, "provenance": {"data": "d"}}
        for key, value in values.items()
    }
    text = table2.render(rows)[0].text()
    assert "With ABS as printed last, the order of the rows is not the paper's." in text
    assert "With ABS with our options last, the order of the rows is the paper's." in text
    assert "ABS with our options against Bag of words: -30 % (published -38 %)" in text


def test_a_number_from_a_training_log_names_the_machine_of_the_training(request_: Request) -> None:
    pytest.importorskip("torch")
    folder = request_.models / "bow"
    config = json.loads((folder / "config.json").read_text())
    history = [{"epoch": 1, "valid": 9.0, "valid_known": 8.0, "seconds": 3.5}]
    training = {"data": "0123456789abcdef", "device": "Some GPU", "torch": "2.0", "history": history}
    (folder / "config.json").write_text(json.dumps({**config, "training": training}))
    (folder / "model.safetensors").unlink()
    row = table2.run(request_).rows["all pairs/bow"]
    assert row["closed"] == 9.0
    assert (row["provenance"]["hardware"], row["provenance"]["seconds"]) == ("Some GPU", 3.5)
    assert "log" in row["provenance"]["measured_by"]
