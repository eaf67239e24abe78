"""Figure 1: the alignment of the paper's example sentence with the headline our model writes for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hedline.api import load
from hedline.decoding.heatmap import svg_map, terminal_map
from hedline.decoding.summary import Summary
from hedline.experiments.per_model import measure_systems
from hedline.experiments.published import FIGURE1_HEADLINE, FIGURE1_INPUT
from hedline.experiments.record import Results, Row
from hedline.experiments.request import Request
from hedline.experiments.section import Section
from hedline.experiments.systems import System
from hedline.files import write_text

NAME = "figure1"
SYSTEMS = {
    "ABS": System("ABS", "attention", tuned=False),
    "ABS+": System("ABS+", "attention"),
}


def run(request: Request) -> Results:
    """Decode the sentence, keep the alignment, and draw `figure1-<row>.svg` beside the results."""
    place = request.open(NAME).path

    def measure(key: str, folder: Path, options: dict[str, Any]) -> Row:
        summary = load(folder).summarize([FIGURE1_INPUT], **options)[0]
        write_text(place.with_name(f"{NAME}-{key.lower()}.svg"), svg_map(summary))
        return _to_row(summary)

    return measure_systems(NAME, SYSTEMS, "the paper's sentence", request, measure)


def _to_row(summary: Summary) -> Row:
    alignment = [[round(float(weight), 4) for weight in line] for line in summary.alignment]
    return {
        "headline": summary.text,
        "tokens": list(summary.tokens),
        "source": list(summary.source),
        "novel": list(summary.novel),
        "alignment": alignment,
    }


def _from_row(row: dict[str, Any]) -> Summary:
    alignment = np.array(row["alignment"], dtype=np.float32).reshape(len(row["tokens"]), -1)
    return Summary(
        row["headline"],
        tokens=tuple(row["tokens"]),
        alignment=alignment,
        source=tuple(row["source"]),
        novel=tuple(row["novel"]),
    )


def render(rows: dict[str, Row]) -> list[Section]:
    """The sentence, the paper's headline and ours, and each alignment in block characters."""
    lines = [f"Input: {FIGURE1_INPUT}", "", f"- paper: {FIGURE1_HEADLINE}"]
    lines += [f"- ours, {SYSTEMS[key].label}: {rows[key]['headline']}" for key in SYSTEMS if key in rows]
    for key, system in SYSTEMS.items():
        if key in rows:
            drawn = terminal_map(_from_row(rows[key])).rstrip("\n").splitlines()
            lines += ["", f"{system.label} (`results/{NAME}-{key.lower()}.svg`):", ""]
            lines += [f"    {line}".rstrip() for line in drawn]
    notes = ("Darker: the headline's word looked harder at that word of the input.",) if rows else ()
    return [Section("Figure 1: alignment", body="\n".join(lines), notes=notes)]
