"""Heat maps and n-best lines."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np

from hedline.decoding.heatmap import ACROSS, DOWN, NO_SUPPORT, NOT_IN_TEXT, html_page, svg_map, terminal_map
from hedline.decoding.summary import Hypothesis, Summary, make_summary

SVG = "{http://www.w3.org/2000/svg}"


ALIGNMENT = np.array([[0.9, 0.1, 0.0], [0.0, 0.2, 0.8]], np.float32)


BEST = Hypothesis("Ferry <sinks>", -1.5, ("Ferry", "<sinks>"), {"log_prob": -1.5}, ALIGNMENT, (True, False), -1.0)


SUMMARY = make_summary([BEST], ["A", "ferry", "s\x00nk"], ["a & b"])


def test_svg_is_well_formed_and_has_a_cell_for_each_pair():
    root = ElementTree.fromstring(svg_map(SUMMARY))
    cells = [cell for cell in root.iter(f"{SVG}rect") if " ← " in (cell.findtext(f"{SVG}title") or "")]
    assert len(cells) == 6
    assert cells[0].get("fill-opacity") == "0.900"
    assert "Ferry ← A: 0.90" in cells[0].findtext(f"{SVG}title")


def drawn_texts(summary: Summary) -> dict[str, str | None]:
    root = ElementTree.fromstring(svg_map(summary))
    return {text.text or "": text.get("class") for text in root.iter(f"{SVG}text")}


def test_svg_says_what_its_axes_and_shades_are():
    assert {f"{ACROSS} →", DOWN, "attention 0", NOT_IN_TEXT, NO_SUPPORT} <= set(drawn_texts(SUMMARY))


def test_svg_marks_new_words_and_names_without_support():
    source = ("A", "ferry", "sank", "near", "Oslo", "on", "Monday")
    tokens = ("Ferry", "sinks", "near", "Bergen")
    alignment = np.full((4, 7), 1 / 7, np.float32)
    summary = Summary(" ".join(tokens), tokens=tokens, alignment=alignment, source=source, novel=("sinks", "Bergen"))
    kinds = drawn_texts(summary)
    assert (kinds["Ferry"], kinds["sinks"], kinds["near"], kinds["Bergen"]) == (None, "new", None, "bad")


def test_svg_has_its_own_background_for_light_and_dark_pages():
    drawn = svg_map(SUMMARY)
    first = ElementTree.fromstring(drawn).find(f"{SVG}rect")
    assert first is not None and first.get("class") == "paper" and first.get("width") == "100%"
    light, _, dark = drawn.partition("@media (prefers-color-scheme:dark)")
    assert ".paper{fill:#fff}" in light and ".paper{fill:#161b22}" in dark


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
