"""Charts as SVG: learning curves, lines, points and bars."""

from __future__ import annotations

import math
import re
import xml.etree.ElementTree as ElementTree

import pytest

from hedline.plot import Bar, bar_chart, learning_curves, line_chart, scatter_chart


def test_curves_are_svg_with_a_point_an_epoch():
    history = [{"epoch": n + 1, "train": 100 / (n + 1), "valid": 90 / (n + 1), "valid_known": None} for n in range(4)]
    root = ElementTree.fromstring(learning_curves(history, "a <b> & c"))
    lines = [node for node in root.iter() if node.tag.endswith("polyline")]
    assert [len(line.get("points").split()) for line in lines] == [4, 4, 0]


def test_curves_of_nothing_and_of_infinity():
    ElementTree.fromstring(learning_curves([], "x"))
    ElementTree.fromstring(learning_curves([{"epoch": 1, "train": math.inf, "valid": None}], "x"))


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
