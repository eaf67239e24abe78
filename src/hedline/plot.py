"""Charts as SVG that is readable on light and on dark pages, without any plotting library.

Each brings its own background, dark where the reader prefers dark pages. Series differ by dashes and place too, not by
colour alone.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

Points = Sequence[tuple[float, float]]

HEIGHT, AREA = 360, 434  # of the whole chart; the width of the part with the data
LEFT, TOP, BOTTOM = 56, 52, 48
LETTER = 6.4  # pixels of a letter of the labels, in the mean
COLOURS = ("#2b7bba", "#d9661f", "#3a9a4b", "#a05bb5", "#b8860b", "#c23b5a")  # middle tones: 3:1 on white and on black
PAPER_STYLE = (
    ".paper{fill:#fff}text{font:12px sans-serif;fill:#222}"
    "@media (prefers-color-scheme:dark){.paper{fill:#161b22}text{fill:#ddd}}"
)
STYLE = (
    f"{PAPER_STYLE}.axis{{stroke:#888;stroke-width:1}}.grid{{stroke:#888;stroke-opacity:.25}}"
    ".mark{stroke:#888;stroke-dasharray:3 3}.whisker{stroke:#888;stroke-width:1.5}.small{font-size:11px}"
)


@dataclass(frozen=True)
class Axes:
    """Where values stand in a chart. across, up: (low, high); log_across, log_up: logarithmic axes."""

    across: tuple[float, float]
    up: tuple[float, float]
    log_across: bool = False
    log_up: bool = False

    def place(self, x: float, y: float) -> tuple[float, float]:
        """Pixels of a point."""
        right, rise = _share(x, self.across, self.log_across), _share(y, self.up, self.log_up)
        return LEFT + AREA * right, HEIGHT - BOTTOM - (HEIGHT - TOP - BOTTOM) * rise

    def grid(self, ticks_across: Sequence[float]) -> list[str]:
        """Lines and numbers of both axes."""
        parts, edge = [], HEIGHT - BOTTOM
        for tick in _ticks(*self.up, self.log_up):
            _, y = self.place(self.across[0], tick)
            parts.append(f'<line class="grid" x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + AREA}" y2="{y:.1f}"/>')
            parts.append(f'<text x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{tick:g}</text>')
        for tick in ticks_across:
            x, _ = self.place(tick, self.up[0])
            parts.append(f'<text x="{x:.1f}" y="{edge + 18}" text-anchor="middle">{tick:g}</text>')
        return [*parts, f'<line class="axis" x1="{LEFT}" y1="{edge}" x2="{LEFT + AREA}" y2="{edge}"/>']


def line_chart(title: str, across: str, up: str, series: Mapping[str, Points], log_up: bool = False) -> str:
    """A chart of named series of (x, y); across, up: what the axes measure."""
    points = [point for each in series.values() for point in each]
    axes = Axes(_range([x for x, _ in points], 0.0), _range([y for _, y in points], 0.05, log_up), log_up=log_up)
    parts = axes.grid(_round_or_all({x for x, _ in points}, axes.across))
    for number, (name, each) in enumerate(series.items()):
        parts += _drawn(name, [axes.place(x, y) for x, y in each], number)
    width = LEFT + AREA + 46 + LETTER * max(map(len, series), default=0)
    return _chart(title, across, up, parts, width, HEIGHT)


CURVES = {"train": "train", "valid": "valid", "valid_known": "valid without unknown words"}


def learning_curves(history: Sequence[Mapping[str, Any]], title: str) -> str:
    """Perplexities (logarithmic axis) by epoch. history: one mapping per epoch with the keys of CURVES."""
    return line_chart(
        title, "epoch", "perplexity", {name: _finite(history, key) for key, name in CURVES.items()}, log_up=True
    )


def _finite(history: Sequence[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    rows = [(float(row["epoch"]), row.get(name)) for row in history]
    return [(epoch, float(value)) for epoch, value in rows if value and math.isfinite(value) and value > 0]


def scatter_chart(
    title: str, across: str, up: str, points: Mapping[str, tuple[float, float]], marks: Mapping[str, float]
) -> str:
    """Named points over a logarithmic axis; marks: named places on that axis without a height (dashed lines)."""
    places = [x for x, _ in points.values()] + list(marks.values())
    axes = Axes(_range(places, 0.08, True), _range([y for _, y in points.values()], 0.12), log_across=True)
    parts = axes.grid(_ticks(*axes.across, True))
    for name, x in marks.items():
        at, _ = axes.place(x, axes.up[0])
        parts.append(f'<line class="mark" x1="{at:.1f}" y1="{TOP}" x2="{at:.1f}" y2="{HEIGHT - BOTTOM}"/>')
        turned = f'transform="translate({at - 4:.1f},{HEIGHT - BOTTOM - 6}) rotate(-90)"'
        parts.append(f'<text class="small" {turned}>{escape(name)}</text>')
    for number, (name, point) in enumerate(points.items()):
        parts.append(_dot(*axes.place(*point), number))
        x, y = LEFT + AREA + 16, TOP + 12 + 20 * number
        parts += [_dot(x, y, number), f'<text x="{x + 12}" y="{y + 4}">{escape(name)}</text>']
    width = LEFT + AREA + 46 + LETTER * max(map(len, points), default=0)
    return _chart(title, across, up, parts, width, HEIGHT)


def _dot(x: float, y: float, number: int) -> str:
    """A circle or a square, in the colour of its number."""
    fill = f'fill="{COLOURS[number % len(COLOURS)]}"'
    if number % 2:
        return f'<rect x="{x - 5:.1f}" y="{y - 5:.1f}" width="10" height="10" {fill}/>'
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="5.5" {fill}/>'


class Bar(NamedTuple):
    """A value with the ends of its interval."""

    value: float
    low: float
    high: float


def bar_chart(title: str, across: str, names: Sequence[str], rows: Mapping[str, Sequence[Bar]]) -> str:
    """Horizontal bars: for each row one bar for each of `names`, its interval as a line, its value beside it."""
    thick, gap = 9, 9
    left = 16 + round(LETTER * max(map(len, rows), default=0))
    most = max((bar.high for bars in rows.values() for bar in bars), default=1.0)
    parts, y = [], TOP
    for name, bars in rows.items():
        middle = y + thick * len(bars) / 2 + 4
        parts.append(f'<text x="{left - 8}" y="{middle:.1f}" text-anchor="end">{escape(name)}</text>')
        for number, bar in enumerate(bars):
            parts += _bar(left, y + thick * number, thick, bar, AREA / most, COLOURS[number])
        y += thick * len(bars) + gap
    x = left
    for number, name in enumerate(names):
        parts.append(f'<rect x="{x}" y="{y + 8}" width="12" height="12" fill="{COLOURS[number]}"/>')
        parts.append(f'<text x="{x + 18}" y="{y + 18}">{escape(name)}</text>')
        x += 44 + round(LETTER * len(name))
    return _chart(title, "", across, parts, left + AREA + 60, y + 34)


def _bar(left: float, y: float, thick: int, bar: Bar, scale: float, colour: str) -> list[str]:
    middle = y + (thick - 1) / 2
    return [
        f'<rect x="{left}" y="{y}" width="{bar.value * scale:.1f}" height="{thick - 1}" fill="{colour}"/>',
        f'<line class="whisker" x1="{left + bar.low * scale:.1f}" y1="{middle}" x2="{left + bar.high * scale:.1f}" '
        f'y2="{middle}"/>',
        f'<text class="small" x="{left + bar.high * scale + 5:.1f}" y="{y + thick}">{bar.value:.1f}</text>',
    ]


def _chart(title: str, across: str, up: str, parts: Sequence[str], width: float, height: float) -> str:
    """The whole SVG: background, title, what the axes measure, and the parts."""
    width = max(width, 32 + 7.4 * len(title))
    return (
        "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" width="{width:.0f}" '
                f'height="{height:.0f}" role="img">',
                f"<title>{escape(title)}</title><style>{STYLE}</style>",
                '<rect class="paper" width="100%" height="100%" rx="6"/>',
                f'<text x="16" y="20" style="font-weight:bold">{escape(title)}</text>',
                f'<text x="{LEFT}" y="{height - 8:.0f}">{escape(across)}</text>',
                f'<text x="16" y="{TOP - 14}">{escape(up)}</text>',
                *parts,
                "</svg>",
            ]
        )
        + "\n"
    )


def _drawn(name: str, places: Points, number: int) -> list[str]:
    """One line with its points and its entry in the legend; dashes tell lines apart without colours."""
    colour, dash = COLOURS[number % len(COLOURS)], "none" if number % 2 == 0 else "6 4"
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    line = f'fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"'
    dots = [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
    x, y = LEFT + AREA + 12, TOP + 12 + 20 * number
    return [
        f'<polyline points="{path}" {line}/>',
        *dots,
        f'<line x1="{x}" y1="{y}" x2="{x + 20}" y2="{y}" {line}/>',
        f'<text x="{x + 26}" y="{y + 4}">{escape(name)}</text>',
    ]


def _share(value: float, ends: tuple[float, float], log: bool) -> float:
    """How far a value lies between two ends, 0 to 1."""
    low, high = map(math.log, ends) if log else ends
    return ((math.log(value) if log else value) - low) / (high - low)


def _range(values: Sequence[float], margin: float, log: bool = False) -> tuple[float, float]:
    """From the lowest to the highest value with a margin on both sides; never empty."""
    low, high = min(values, default=1.0 if log else 0.0), max(values, default=1.0)
    if log:
        extra = (high / low) ** margin if high > low else 1.5
        return low / extra, high * extra
    extra = margin * (high - low) or (0.5 if high == low else 0.0)
    return low - extra, high + extra


def _ticks(low: float, high: float, log: bool = False) -> list[float]:
    """Round numbers between two ends, about four to ten of them."""
    if log:
        powers = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
        found = [lead * 10.0**power for power in powers for lead in (1, 2, 5) if low <= lead * 10.0**power <= high]
        if len(found) > 2:
            return found
    step = next(size for size in (0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 50, 100) if (high - low) / size <= 10 or size == 100)
    first = -(-low // step)
    return [round((first + count) * step, 6) for count in range(int((high - first * step) // step) + 1)]


def _round_or_all(values: set[float], ends: tuple[float, float]) -> list[float]:
    """Ticks where the points are, when they are few and round; else round numbers."""
    few = len(values) <= 12 and all(4 * value == round(4 * value) for value in values)
    return sorted(values) if few else _ticks(*ends)
