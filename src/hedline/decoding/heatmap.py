"""The heat map of Figure 1: which input words each headline word was looking at, as HTML, SVG or terminal blocks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hedline.decoding.summary import Summary
from hedline.plot import PAPER_STYLE

CELL = 18
SHADES = " ░▒▓█"
_STYLE = (
    ".paper{fill:#fff}text{font:12px sans-serif;fill:#222}"
    "@media (prefers-color-scheme:dark){.paper{fill:#161b22}text{fill:#ddd}}"
)
_STYLE = (
    f"{PAPER_STYLE}.title{{font-size:11px;opacity:.8}}.cell{{fill:#123a6b}}.new{{font-style:italic;fill:#9a4a00}}"
    ".bad{font-weight:bold;text-decoration:underline;fill:#b00020}"
    "@media (prefers-color-scheme:dark){.cell{fill:#79b8ff}.new{fill:#f0b46a}.bad{fill:#ff8a94}}"
)
_PAGE_STYLE = (
    ":root{color-scheme:light dark}"
    "body{font:15px/1.5 sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222;background:#fff}"
    "h2{margin:1.6em 0 .2em}p{margin:.2em 0}.lead{color:#666}svg{max-width:100%;height:auto}"
    "@media (prefers-color-scheme:dark){body{color:#ddd;background:#161b22}.lead{color:#aaa}}"
)
ACROSS, DOWN = "words of the text", "words of the headline"
LEGEND_HEIGHT = 40
LEGEND_WIDTH = 520
NOT_IN_TEXT, NO_SUPPORT = "not in the text", "name or number without support"


def svg_map(summary: Summary) -> str:
    """The alignment as one SVG: headline words down, input words across; stronger cells look harder at that word.

    Words that do not stand in the input are in italics, names and numbers without support underlined.
    """
    left = 24 + 7 * max((len(token) for token in summary.tokens), default=0)
    top = 30 + 6 * max((len(word) for word in summary.source), default=0)
    below = top + CELL * len(summary.tokens)
    width = max(left + CELL * len(summary.source) + top // 2 + 8, LEGEND_WIDTH)
    height = max(below, 80) + LEGEND_HEIGHT
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>{escape(_plain(summary.text))}</title><style>{_STYLE}</style>',
        '<rect class="paper" width="100%" height="100%" rx="6"/>',
        f'<text class="title" x="{left}" y="14">{ACROSS} →</text>',
        f'<text class="title" transform="translate(14,{max(below, 116)}) rotate(-90)">{DOWN}</text>',
        *_column_names(summary, left, top),
        *_rows(summary, left, top),
        *_legend(below + 16),
    ]
    return "\n".join([*parts, "</svg>"]) + "\n"


def _column_names(summary: Summary, left: int, top: int) -> Iterable[str]:
    for column, word in enumerate(summary.source):
        x = left + CELL * column + CELL * 0.7
        yield f'<text transform="translate({x:.0f},{top - 5}) rotate(-60)">{escape(_plain(word))}</text>'


def _rows(summary: Summary, left: int, top: int) -> Iterable[str]:
    novel, unsupported = set(summary.novel), set(summary.unsupported)
    for row, token in enumerate(summary.tokens):
        y = top + CELL * row
        kind = ' class="bad"' if token in unsupported else ' class="new"' if token in novel else ""
        yield f'<text x="{left - 6}" y="{y + 13}" text-anchor="end"{kind}>{escape(_plain(token))}</text>'
        for column, weight in enumerate(summary.alignment[row].tolist()):
            tip = f"{_plain(token)} ← {_plain(summary.source[column])}: {weight:.2f}"
            yield _cell(left + CELL * column, y, weight, tip)


def _cell(x: int, y: int, weight: float, tip: str) -> str:
    return (
        f'<rect class="cell" x="{x}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" '
        f'fill-opacity="{max(weight, 0.05):.3f}"><title>{escape(tip)}</title></rect>'
    )


def _legend(y: int) -> Iterable[str]:
    """What shades and letters mean, in one line."""
    yield f'<text class="title" x="24" y="{y + 13}">attention 0</text>'
    for step in range(5):
        yield _cell(90 + CELL * step, y, step / 4, f"{step / 4:.2f}")
    yield f'<text class="title" x="{94 + CELL * 5}" y="{y + 13}">1</text>'
    yield f'<text class="new" x="204" y="{y + 13}">{NOT_IN_TEXT}</text>'
    yield f'<text class="bad" x="294" y="{y + 13}">{NO_SUPPORT}</text>'


def html_page(summaries: Iterable[Summary]) -> str:
    """One self-contained page with a heat map for each summary."""
    parts = [
        "<!doctype html>",
        '<html lang="en"><head><meta charset="utf-8"><title>hedline: alignments</title>',
        f"<style>{_PAGE_STYLE}</style></head><body>",
    ]
    for summary in summaries:
        parts.append(f"<h2>{escape(_plain(summary.text)) or '(empty)'}</h2>")
        parts.append(f'<p class="lead">{escape(_plain(" ".join(summary.source)))}</p>')
        parts += [f'<p class="lead">note: {escape(note)}</p>' for note in summary.notes]
        if summary.tokens:
            parts.append(svg_map(summary))
    parts.append("</body></html>")
    return "\n".join(parts) + "\n"


def terminal_map(summary: Summary) -> str:
    """The alignment in block characters: one line per input word that a headline word looks at, one column per word."""
    if not summary.tokens:
        return "(no alignment)"
    names = [_plain(word) for word in summary.source]
    wide = min(max(map(len, names)), 24)
    lines = [f"{'':{wide}}  {_plain(summary.text)}", _numbers(summary, wide)]
    strongest = summary.alignment.max(axis=0).tolist()
    for column, name in enumerate(names):
        if strongest[column] >= 0.1:
            blocks = [SHADES[min(int(weight * 5 + 0.5), 4)] * 3 for weight in summary.alignment[:, column].tolist()]
            lines.append(f"{name[:wide]:>{wide}}  {''.join(blocks)}".rstrip())
    legend = ", ".join(f"{number} {_plain(token)}" for number, token in enumerate(summary.tokens, 1))
    return "\n".join([*lines, f"{'':{wide}}  {legend}", ""])


def _numbers(summary: Summary, wide: int) -> str:
    return f"{'':{wide}}  " + "".join(f"{number:^3}" for number in range(1, len(summary.tokens) + 1))


def _plain(text: str) -> str:
    """The text without what terminals and XML cannot take."""
    return "".join(letter if letter.isprintable() else "\N{REPLACEMENT CHARACTER}" for letter in text)
