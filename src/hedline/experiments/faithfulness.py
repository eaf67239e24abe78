"""Faithfulness: the share of headlines with a number or a capitalised name that the input does not support."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from hedline.experiments.grid import NOT_MEASURED, Grid, number
from hedline.experiments.record import Results, Row, file_fingerprint, identity, model_fingerprint
from hedline.experiments.request import EvaluationSet, Request
from hedline.experiments.section import Section
from hedline.experiments.systems import System, headlines
from hedline.metrics.extractive import copied_tokens
from hedline.metrics.names import unsupported_names
from hedline.metrics.numbers import unsupported_numbers
from hedline.text.truecase import Truecaser

NAME = "faithfulness"
GUARD_OFF, GUARD_ON = ({"guard_numbers": on, "guard_names": False} for on in (False, True))
BOTH_ON = {"guard_numbers": True, "guard_names": True}

SYSTEMS = {
    "ABS": System("ABS", "attention", GUARD_OFF, tuned=False),
    "ABS+": System("ABS+", "attention", GUARD_OFF),
    "ABS+ guarded": System("ABS+, number guard", "attention", GUARD_ON),
    "transformer": System("Transformer", "transformer", GUARD_OFF),
    "transformer guarded": System("Transformer, number guard", "transformer", GUARD_ON),
    "transformer named": System("Transformer, number and name guard", "transformer", BOTH_ON),
}
PEOPLE = "people"


def run(request: Request) -> Results:
    """Measure every system that is there, and the human headlines, on every set."""
    request.check_models()
    results = request.open(NAME)
    casing = casing_table(request)
    for chosen in request.evaluation_sets("faithfulness"):
        for key, system in SYSTEMS.items():
            _measure(f"{chosen.name}/{key}", system, chosen, request, results, casing)
        _measure(f"{chosen.name}/{PEOPLE}", None, chosen, request, results, casing)
    return results


def casing_table(request: Request) -> Path | None:
    """One table of usual casings for all rows, so that they are judged alike: the first model's that has one."""
    for name in ("attention", "transformer"):
        folder = request.model(name)
        if folder and (folder / "truecase.tsv").is_file():
            return folder / "truecase.tsv"
    return None


def _measure(
    key: str, system: System | None, chosen: EvaluationSet, request: Request, results: Results, casing: Path | None
) -> None:
    folder = request.model(system.folder) if system and system.folder else None
    if system and folder is None:
        return
    options = system.decode_options(request.options) if system else {}
    table = file_fingerprint(casing) if casing else None
    configuration = {"set": chosen.name, "items": len(chosen.items), "options": options, "casing": table}
    who = identity(configuration, chosen.fingerprint, model_fingerprint(folder) if folder else None, request.seed)
    if results.has(key, who) and not request.force:
        return
    begin = time.monotonic()
    outputs = (
        headlines(folder, chosen.leads, options, request.workers)
        if system
        else [item.references[0] for item in chosen.items]
    )
    seconds = time.monotonic() - begin
    forms = Truecaser.load(casing).forms if casing else None
    results.put(key, support(outputs, chosen.leads, forms), who, seconds)


def support(outputs: Sequence[str], leads: Sequence[str], casing: Mapping[str, str] | None) -> Row:
    """Per cent of headlines with an unsupported number, name, either; Ext. %."""
    pairs = list(zip(outputs, leads, strict=True))
    numbers = [bool(unsupported_numbers(*pair)) for pair in pairs]
    names = [bool(unsupported_names(*pair, casing)) for pair in pairs]
    copied = [copied_tokens(*pair) for pair in pairs]
    share = 100 / len(pairs)
    either = sum(a or b for a, b in zip(numbers, names, strict=True))
    return {
        "items": len(pairs),
        "numbers": round(share * sum(numbers), 2),
        "names": round(share * sum(names), 2),
        "either": round(share * either, 2),
        "ext": round(100 * sum(known for known, _ in copied) / max(sum(all_ for _, all_ in copied), 1), 2),
    }


def render(rows: dict[str, Row]) -> list[Section]:
    """A table a set."""
    names = sorted({key.partition("/")[0] for key in rows}) or [""]
    return [
        Section(f"Faithfulness on {name}" if name else "Faithfulness", _grid(name, rows), notes=NOTES) for name in names
    ]


NOTES = (
    "Per cent of headlines with at least one number, or capitalised name, that nothing in the input supports. "
    "Names are found by capitals, and by a table of usual casings where capitals mean nothing (title case).",
    "The last row is the headlines people wrote: they knew the whole article, the systems only its first sentence.",
)


def _grid(set_name: str, rows: dict[str, Row]) -> Grid:
    grid = [["System", "number, %", "name, %", "either, %", "Ext. %"]]
    labels = {key: system.label for key, system in SYSTEMS.items()} | {PEOPLE: "People"}
    for key, label in labels.items():
        row = rows.get(f"{set_name}/{key}")
        cells = [number(row[name], 1) for name in ("numbers", "names", "either", "ext")] if row else None
        grid.append([label, *(cells or [NOT_MEASURED, "–", "–", "–"])])
    return grid
