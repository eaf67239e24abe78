"""Figure 4 and the dial: every point is measured once, drawn, and shown beside the others."""

import json
import re
from pathlib import Path
from xml.etree import ElementTree

import pytest
from small_world import write_model, write_set

from hedline.experiments import dial, figure4, quality
from hedline.experiments.evaluate import decode_set, evaluate_outputs
from hedline.experiments.record import EvaluationSet, Request
from hedline.plot import Bar, bar_chart, line_chart, scatter_chart


@pytest.fixture
def asked(tmp_path: Path) -> Request:
    write_model(tmp_path / "models" / "options", "attention")
    (tmp_path / "models" / "options" / "tuning.json").write_text(json.dumps({"weights": {"log_prob": 1.0}}))
    return Request(tmp_path / "results", tmp_path / "models", sets=(write_set(tmp_path / "tiny.jsonl"),))


def test_figure4_measures_every_length_under_both_scores(asked, monkeypatch):
    monkeypatch.setattr(figure4, "LENGTHS", (2, 4))
    rows = figure4.run(asked).rows
    assert set(rows) == {f"tiny/{system}/{words}" for system in ("ABS", "ABS+") for words in (2, 4)}
    row = rows["tiny/ABS/4"]
    assert (row["gigaword"]["score"], row["duc"]["score"]) == ("F", "R")
    assert row["gigaword"]["words"] == 4
    assert row["provenance"]["configuration"]["options"]["tuned"] is False
    sections = figure4.render(rows)
    assert [section.title.rsplit(", ", 1)[1] for section in sections] == ["F1", "recall at 75 bytes"]
    drawn = figure4.pictures(rows)
    assert [section.picture for section in sections] == list(drawn)
    assert [chart.count("<polyline") for chart in drawn.values()] == [4, 4]


def test_the_dial_is_drawn_for_both_models(asked, monkeypatch):
    monkeypatch.setattr(dial, "TURNS", (-1.0, 0.0, 1.0))
    monkeypatch.setattr(dial, "find_model", lambda name: asked.models / "options")
    rows = dial.run(asked).rows
    copied = [rows[f"tiny/abs/{turn}"]["ext"] for turn in ("-1", "0", "1")]
    assert copied == sorted(copied, reverse=True)
    assert "--abstractiveness" in dial.render(rows)[0].text()
    assert dial.pictures(rows)["dial-tiny.svg"].count("<polyline") == 4


def test_a_chart_places_its_points_and_reads_on_dark_pages():
    chart = line_chart("a < b", "words", "ROUGE", {"one": [(1, 10.0), (3, 20.0)], "two": [(1, 15.0), (3, 12.0)]})
    ElementTree.fromstring(chart)
    assert "prefers-color-scheme:dark" in chart
    assert "a &lt; b" in chart
    dots = [(float(x), float(y)) for x, y in re.findall(r'cx="([\d.]+)" cy="([\d.]+)"', chart)]
    assert dots[0][0] == dots[2][0] < dots[1][0]  # the same x
    assert dots[1][1] < dots[2][1] < dots[3][1] < dots[0][1]  # higher values stand higher


def test_a_chart_of_one_point_is_a_chart():
    ElementTree.fromstring(line_chart("one", "x", "y", {"a": [(1.0, 1.0)]}))


def test_bars_are_as_long_as_their_values_and_carry_them():
    chart = bar_chart("a", "F1", ["R-1", "R-2"], {"x": [Bar(20.0, 19, 21), Bar(10.0, 9, 11)], "y": [Bar(40.0, 39, 41)]})
    ElementTree.fromstring(chart)
    lengths = [float(width) for width in re.findall(r'width="([\d.]+)" height="8"', chart)]
    assert lengths[0] == pytest.approx(2 * lengths[1], abs=0.2) and lengths[2] == pytest.approx(2 * lengths[0], abs=0.2)
    assert all(f">{value}<" in chart for value in ("20.0", "10.0", "40.0", "R-1", "x"))


def test_a_logarithmic_axis_puts_equal_ratios_at_equal_distances():
    chart = scatter_chart("a", "x", "y", {"p": (1, 1), "q": (10, 2), "r": (100, 3)}, {"peer": 10})
    ElementTree.fromstring(chart)
    circles = [float(x) for x in re.findall(r'cx="([\d.]+)"', chart)]
    square = float(re.findall(r'<rect x="([\d.]+)"', chart)[0]) + 5
    assert square - circles[0] == pytest.approx(circles[2] - square, abs=0.2)
    line = float(re.findall(r'class="mark" x1="([\d.]+)"', chart)[0])
    assert line == pytest.approx(square, abs=0.2) and ">peer<" in chart


def test_quality_is_what_evaluate_says_and_its_speed_a_multiple_of_the_peer(asked, monkeypatch):
    folder = asked.models / "options"
    monkeypatch.setattr(quality, "find_model", lambda name: folder)
    rows = quality.run(asked).rows
    assert set(rows) == {f"tiny/{preset}/{model}" for preset in ("gigaword", "duc") for model in ("default", "abs")}
    items = EvaluationSet.read(asked.sets[0]).items
    outputs = [summary.text for summary in decode_set(str(folder), items, {})[0]]
    expected = evaluate_outputs("abs", outputs, items)["systems"][0]["ROUGE-1"]["value"]
    assert quality.systems(rows["tiny/gigaword/abs"])["model"]["ROUGE-1"]["value"] == pytest.approx(expected, abs=1e-3)
    measured = {"hedline abs": 30.0, "hedline abs, beam 5": 20.0, "t5-small": 10.0, "distilbart": 4.0}
    ours = {name: {} for name in measured if name.startswith("hedline")}
    bench = {"decode": {"runs": [{"sentences_per_second": {"1": measured}, "models": ours}]}}
    (asked.results / "bench-decode-abs.json").write_text(json.dumps(bench))
    points, marks = quality.speeds({"test/gigaword/abs": rows["tiny/gigaword/abs"]}, asked.results)
    assert points == {"abs": (3.0, pytest.approx(expected, abs=1e-3))}
    assert marks == {"t5-small": 1.0, "distilbart": 0.4}
