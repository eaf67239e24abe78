"""Figure 1: the alignment of the paper's example sentence with the headline our model writes for it."""

from __future__ import annotations

import time
from typing import Any

import numpy as np

from hedline.api import load
from hedline.decoding.heatmap import svg_map, terminal_map
from hedline.decoding.summary import Summary
from hedline.experiments.published import FIGURE1_HEADLINE, FIGURE1_INPUT
from hedline.experiments.record import Results, Row, identity, model_fingerprint
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
    request.need_models("figure1")
    results = request.open(NAME)
    for key, system in SYSTEMS.items():
        folder = request.model(system.folder or "")
        if folder is None:
            continue
        options = system.decode_options(request.options)
        who = identity({"options": options}, "the paper's sentence", model_fingerprint(folder), request.seed)
        if results.has(key, who) and not request.force:
            continue
        begin = time.monotonic()
        summary = load(folder).summarize([FIGURE1_INPUT], **options)[0]
        write_text(results.path.with_name(f"{NAME}-{key.lower()}.svg"), svg_map(summary))
        results.put(key, _to_row(summary), who, time.monotonic() - begin)
    return results


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
