"""Learning curves as a small SVG, drawn by hand: no plotting library, opens in any browser."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from hedline.files import write_text

WIDTH, HEIGHT, MARGIN = 640, 400, 56
LINES = (("train", "#888888"), ("valid", "#c0392b"), ("valid_known", "#2471a3"))
NAMES = {"train": "train", "valid": "valid", "valid_known": "valid without unknown words"}


def write_curves(path: Path, history: Sequence[Mapping[str, Any]], title: str) -> None:
    """Write perplexities (logarithmic axis) by epoch. history: one mapping an epoch with the keys of LINES."""
    write_text(path, curves_svg(history, title))


def curves_svg(history: Sequence[Mapping[str, Any]], title: str) -> str:
    """The SVG's text."""
    series = {name: _points(history, name) for name, _ in LINES}
    values = [value for points in series.values() for _, value in points] or [1.0]
    low, high = math.log(min(values)) - 0.05, math.log(max(values)) + 0.05
    last = max([1.0, *(float(row["epoch"]) for row in history)])

    def place(epoch: float, value: float) -> str:
        x = MARGIN + (WIDTH - 2 * MARGIN) * epoch / last
        y = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (math.log(value) - low) / (high - low)
        return f"{x:.1f},{y:.1f}"

    body = [_axis(low, high, last), *_ticks(low, high)]
    for row, (name, colour) in enumerate(LINES):
        points = " ".join(place(*point) for point in series[name])
        body.append(f'<polyline fill="none" stroke="{colour}" stroke-width="2" points="{points}"/>')
        body.append(f'<text x="{WIDTH - 230}" y="{40 + 18 * row}" fill="{colour}">{NAMES[name]}</text>')
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
    head += f'font-size="13"><rect width="100%" height="100%" fill="white"/><text x="{MARGIN}" y="24">{title}</text>'
    return head + "".join(body) + "</svg>\n"


def _points(history: Sequence[Mapping[str, Any]], name: str) -> list[tuple[float, float]]:
    rows = [(float(row["epoch"]), row.get(name)) for row in history]
    return [(epoch, float(value)) for epoch, value in rows if value and math.isfinite(value) and value > 0]


def _axis(low: float, high: float, last: float) -> str:
    bottom, right = HEIGHT - MARGIN, WIDTH - MARGIN
    lines = f'<path d="M{MARGIN} {MARGIN}V{bottom}H{right}" fill="none" stroke="black"/>'
    return lines + f'<text x="{right - 60}" y="{bottom + 32}">epoch {last:g}</text>'


def _ticks(low: float, high: float) -> list[str]:
    found = []
    for power in range(math.floor(low / math.log(10)), math.ceil(high / math.log(10)) + 1):
        for lead in (1, 2, 5):
            value = lead * 10.0**power
            if low <= math.log(value) <= high:
                y = HEIGHT - MARGIN - (HEIGHT - 2 * MARGIN) * (math.log(value) - low) / (high - low)
                found.append(f'<text x="{MARGIN - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>')
                right = WIDTH - MARGIN
                found.append(f'<path d="M{MARGIN} {y:.1f}H{right}" stroke="#dddddd" fill="none"/>')
    return found
