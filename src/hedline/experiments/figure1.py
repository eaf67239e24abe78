"""Figure 1: the alignment of the paper's example sentence with the headline our model writes for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from hedline.api import load
from hedline.decoding.heatmap import svg_map, terminal_map
from hedline.decoding.summary import Summary
from hedline.experiments.record import Request, Results, Row
from hedline.experiments.report import FIGURE1_HEADLINE, FIGURE1_INPUT, Section
from hedline.experiments.systems import ABS_SYSTEMS, measure_systems

NAME = "figure1"


def run(request: Request) -> Results:
    """Decode the sentence and keep the alignment."""

    def measure(_: str, folder: Path, options: dict[str, Any]) -> Row:
        return _to_row(load(folder).summarize([FIGURE1_INPUT], **options)[0])

    return measure_systems(NAME, ABS_SYSTEMS, "the paper's sentence", request, measure)


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


def pictures(rows: dict[str, Row]) -> dict[str, str]:
    """`figure1-<row>.svg`: each alignment as a heat map."""
    return {_picture(key): svg_map(_from_row(row)) for key, row in rows.items()}


def _picture(key: str) -> str:
    return f"{NAME}-{key.lower().replace(' ', '-')}.svg"


def render(rows: dict[str, Row]) -> list[Section]:
    """The sentence, the paper's headline and ours, and each alignment, drawn and in block characters."""
    lines = [f"Input: {FIGURE1_INPUT}", "", f"- paper: {FIGURE1_HEADLINE}"]
    lines += [f"- ours, {system.label}: {rows[key]['headline']}" for key, system in ABS_SYSTEMS.items() if key in rows]
    sections = [Section("Figure 1: alignment", body="\n".join(lines))]
    for key, system in ABS_SYSTEMS.items():
        if key in rows:
            drawn = terminal_map(_from_row(rows[key])).rstrip("\n").splitlines()
            body = "\n".join(f"    {line}".rstrip() for line in drawn)
            sections.append(Section(f"Figure 1: {system.label}", body=body, picture=_picture(key)))
    return sections
