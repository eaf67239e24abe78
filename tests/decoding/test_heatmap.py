"""Heat maps and n-best lines."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from hedline.decoding.heatmap import html_page, svg_map, terminal_map
from hedline.decoding.nbest import zmert_lines
from hedline.decoding.summary import Hypothesis, Summary, make_summary

ALIGNMENT = np.array([[0.9, 0.1, 0.0], [0.0, 0.2, 0.8]], np.float32)
BEST = Hypothesis("Ferry <sinks>", -1.5, ("Ferry", "<sinks>"), {"log_prob": -1.5}, ALIGNMENT, (True, False), -1.0)
SUMMARY = make_summary([BEST], ["A", "ferry", "s\x00nk"], ["a & b"])


def test_svg_is_well_formed_and_has_a_cell_for_each_pair():
    root = ElementTree.fromstring(svg_map(SUMMARY))
    cells = root.findall("{http://www.w3.org/2000/svg}rect")
    assert len(cells) == 6
    assert cells[0].get("fill-opacity") == "0.900"
    assert "Ferry ← A: 0.90" in cells[0].find("{http://www.w3.org/2000/svg}title").text


def test_html_is_self_contained_and_escaped():
    page = html_page([SUMMARY, Summary("")])
    assert "Ferry &lt;sinks&gt;" in page and "a &amp; b" in page and "<sinks>" not in page
    assert "(empty)" in page
    assert "src=" not in page and "href=" not in page


def test_terminal_map_shows_strong_cells_darkest():
    lines = terminal_map(SUMMARY).splitlines()
    assert lines[0].strip() == "Ferry <sinks>"
    assert next(line for line in lines if line.split()[:1] == ["A"]).endswith("███")
    assert terminal_map(Summary("")) == "(no alignment)"


def test_z_mert_lines():
    assert list(zmert_lines(3, [BEST], ("log_prob", "unigram"))) == ["3 ||| Ferry <sinks> ||| -1.500000 0.000000"]
