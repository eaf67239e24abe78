"""The heat map of Figure 1: which input words each headline word was looking at, as HTML, SVG or terminal blocks."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

from hedline.decoding.summary import Summary

CELL = 18
SHADES = " ░▒▓█"
_STYLE = "text{font:12px sans-serif;fill:#222}.new{font-style:italic;fill:#a33}"
_PAGE_STYLE = (
    "body{font:15px/1.5 sans-serif;margin:2em auto;max-width:70em;padding:0 1em;color:#222}"
    "h2{margin:1.6em 0 .2em}p{margin:.2em 0}.lead{color:#666}svg{max-width:100%;height:auto}"
)


def svg_map(summary: Summary) -> str:
    """The alignment as one SVG: headline words down, input words across; darker is stronger, new words in italics."""
    rows, columns = len(summary.tokens), len(summary.source)
    left = 12 + 7 * max((len(token) for token in summary.tokens), default=0)
    top = 12 + 6 * max((len(word) for word in summary.source), default=0)
    width, height = left + CELL * columns + top // 2 + 8, top + CELL * rows + 8
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        f'role="img"><title>{escape(_plain(summary.text))}</title><style>{_STYLE}</style>'
    ]
    parts += _column_names(summary, left, top)
    parts += _rows(summary, left, top)
    parts.append("</svg>")
    return "\n".join(parts) + "\n"


def _column_names(summary: Summary, left: int, top: int) -> Iterable[str]:
    for column, word in enumerate(summary.source):
        x = left + CELL * column + CELL * 0.7
        yield f'<text transform="translate({x:.0f},{top - 5}) rotate(-60)">{escape(_plain(word))}</text>'


def _rows(summary: Summary, left: int, top: int) -> Iterable[str]:
    novel = set(summary.novel)
    for row, token in enumerate(summary.tokens):
        y = top + CELL * row
        kind = ' class="new"' if token in novel else ""
        yield f'<text x="{left - 6}" y="{y + 13}" text-anchor="end"{kind}>{escape(_plain(token))}</text>'
        for column, weight in enumerate(summary.alignment[row].tolist()):
            tip = f"{_plain(token)} ← {_plain(summary.source[column])}: {weight:.2f}"
            yield (
                f'<rect x="{left + CELL * column}" y="{y}" width="{CELL - 1}" height="{CELL - 1}" fill="#123a6b" '
                f'fill-opacity="{max(weight, 0.03):.3f}"><title>{escape(tip)}</title></rect>'
            )


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
    """The alignment in block characters: one line an input word that some headline word looks at, one column a word."""
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
