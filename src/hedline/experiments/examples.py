"""The paper's example sentences with its headlines and ours."""

from __future__ import annotations

import time

from hedline.experiments.paper_examples import EXAMPLES
from hedline.experiments.record import Results, Row, identity, model_fingerprint
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
    request.need_models("examples")
    results = request.open(NAME)
    for key, system in SYSTEMS.items():
        folder = request.model(system.folder or "")
        if folder is None:
            continue
        options = system.decode_options(request.options)
        who = identity({"options": options}, "the paper's examples", model_fingerprint(folder), request.seed)
        if results.has(key, who) and not request.force:
            continue
        begin = time.monotonic()
        found = headlines(folder, [example.lead for example in EXAMPLES], options)
        results.put(key, {"headlines": found}, who, time.monotonic() - begin)
    return results


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
