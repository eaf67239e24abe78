"""The paper's example sentences with its headlines and ours."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedline.experiments.paper_examples import EXAMPLES
from hedline.experiments.per_model import measure_systems
from hedline.experiments.record import Results, Row
from hedline.experiments.request import Request
from hedline.experiments.section import Section
from hedline.experiments.systems import System, headlines

NAME = "examples"

SYSTEMS = {
    "ABS": System("ABS", "attention", tuned=False),
    "ABS+": System("ABS+", "attention"),
    "transformer": System("Transformer", "transformer"),
}


def run(request: Request) -> Results:
    """Headlines of every system that is there for the paper's inputs, exactly as printed in it."""
    leads = [example.lead for example in EXAMPLES]

    def measure(_: str, folder: Path, options: dict[str, Any]) -> Row:
        return {"headlines": headlines(folder, leads, options)}

    return measure_systems(NAME, SYSTEMS, "the paper's examples", request, measure)


def render(rows: dict[str, Row]) -> list[Section]:
    """Each input with all its headlines."""
    blocks = []
    for index, example in enumerate(EXAMPLES):
        lines = [f"**I({index + 1}):** {example.lead}", ""]
        printed = {"people": example.headline, "paper, ABS": example.abs, "paper, ABS+": example.abs_plus}
        ours = {f"ours, {SYSTEMS[key].label}": rows[key]["headlines"][index] for key in SYSTEMS if key in rows}
        lines += [f"- {who}: {headline}" for who, headline in (printed | ours).items()]
        blocks.append("\n".join(lines))
    notes = (
        "The inputs are the paper's: lower-cased, tokenised, digits as `#`. Models that read ordinary text are at a "
        "disadvantage on them, above all the transformer.",
    )
    return [Section("The paper's examples", body="\n\n".join(blocks), notes=notes)]
