"""Meaning: how many traps the shipped models fall into, with the guards and without."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from hedline.api import shipped_models
from hedline.corpora.sets import EvaluationItem
from hedline.experiments.record import Request, Results, Row, file_fingerprint, identify
from hedline.experiments.report import NOT_MEASURED, Grid, Section, number
from hedline.experiments.systems import headlines
from hedline.experiments.traps import TRAPS, Trap, faults, read_traps

NAME = "meaning"
GUARDS = {
    "without guards": {"guard_numbers": False, "guard_names": False, "guard_meaning": False},
    "with guards": {"guard_numbers": True, "guard_names": True, "guard_meaning": True},
}


def run(request: Request) -> Results:
    """Measure the models inside the package on the traps inside the package."""
    results, traps = request.open(NAME), read_traps()
    items = [EvaluationItem(trap.id, trap.lead, ()) for trap in traps]
    for folder in shipped_models():
        for label, guards in GUARDS.items():
            options = {**request.options, **guards}
            who = identify({"options": options}, file_fingerprint(TRAPS), folder, request)
            decode = partial(headlines, folder, items, options, request.workers)
            results.measure(f"{folder.name}/{label}", who, decode, partial(judge, traps))
    return results


def judge(traps: Sequence[Trap], outputs: Sequence[str]) -> Row:
    """Counts of traps and of failures, by kind and by half; of altered quotations and numbers; what failed."""
    found = [faults(trap, output) for trap, output in zip(traps, outputs, strict=True)]
    failed = [trap for trap, wrong in zip(traps, found, strict=True) if wrong]
    kinds, wrong_kinds = Counter(trap.kind for trap in traps), Counter(trap.kind for trap in failed)
    halves, wrong_halves = Counter(trap.half for trap in traps), Counter(trap.half for trap in failed)
    return {
        "traps": len(traps),
        "failed": len(failed),
        "kinds": {kind: [wrong_kinds[kind], total] for kind, total in kinds.items()},
        "halves": {half: [wrong_halves[half], total] for half, total in halves.items()},
        "quotations": sum("quotation" in wrong for wrong in found),
        "numbers": sum("number" in wrong for wrong in found),
        "examples": {trap.id: output for trap, output, wrong in zip(traps, outputs, found, strict=True) if wrong},
    }


def render(rows: dict[str, Row]) -> list[Section]:
    """One table: a row per kind of trap, a column per model and guard setting."""
    if not rows:
        return [Section("Meaning", body=NOT_MEASURED)]
    return [Section("Meaning: traps failed, %", _grid(rows), notes=NOTES)]


NOTES = (
    "Sentences written to be misread (`traps.jsonl`), each with what its headline must or must not say; a headline "
    "that alters a quotation or a number fails too. Every failure was read and rules were made from it, so these rates "
    "are in-sample: docs/guide-headlines.md has the rates of each batch before its failures were read.",
)


def _grid(rows: dict[str, Row]) -> Grid:
    first = next(iter(rows.values()))
    grid = [["Traps", "number", *rows]]
    for kind, (_, total) in first["kinds"].items():
        grid.append([kind, str(total), *(_share(*row["kinds"].get(kind, (0, 0))) for row in rows.values())])
    for half, (_, total) in first["halves"].items():
        grid.append([_part(half), str(total), *(_share(*row["halves"].get(half, (0, 0))) for row in rows.values())])
    grid.append(["all", str(first["traps"]), *(_share(row["failed"], row["traps"]) for row in rows.values())])
    for name in ("quotations", "numbers"):
        grid.append([f"altered {name}", "", *(str(row[name]) for row in rows.values())])
    return grid


def _part(half: str) -> str:
    return half if half.startswith("batch") else f"first set, {half}"


def _share(part: int, whole: int) -> str:
    return number(100 * part / whole if whole else None, 1)
