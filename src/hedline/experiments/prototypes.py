"""The baselines of Table 1 on the first inputs of a set, beside what quick prototypes of them reached there.

A prototype's score is the least that a system should reach. COMPRESS takes a second for each headline, so that its
prototype was run on fewer inputs; PREFIX is measured on both numbers of inputs.
"""

from __future__ import annotations

from hedline.experiments.record import EvaluationSet, Request, Results, Row
from hedline.experiments.report import MISSING, NOT_MEASURED, Grid, Section, Triple, number, triple, with_interval
from hedline.experiments.systems import measure_row
from hedline.experiments.table1 import ROUGE, SYSTEMS, asked_for

NAME = "prototypes"
INPUTS, FEW = 500, 200  # of a set, and of COMPRESS and the PREFIX beside it

# F1 of the prototypes by system and set.
SCORES: dict[str, dict[str, Triple]] = {
    "IR": {"test": (18.74, 5.31, 16.02), "wire2004": (11.92, 1.66, 10.85)},
    "COMPRESS": {"test": (25.18, 8.17, 22.02), "wire2004": (25.38, 6.60, 23.02)},
    "W&L": {"test": (27.00, 9.58, 23.77), "wire2004": (28.52, 7.93, 25.68)},
    "TOPIARY": {"test": (28.69, 9.05, 23.06), "wire2004": (29.86, 7.40, 24.91)},
    "Trimmer": {"test": (25.24, 9.26, 22.71), "wire2004": (27.50, 7.94, 25.19)},
    "MOSES+": {"test": (32.52, 10.72, 26.84), "wire2004": (29.57, 7.39, 24.97)},
    "Banko": {"test": (31.13, 8.05, 22.63), "wire2004": (25.90, 4.79, 20.37)},
}
GROUPS = {INPUTS: ("PREFIX", *(name for name in SCORES if name != "COMPRESS")), FEW: ("PREFIX", "COMPRESS")}


def run(request: Request) -> Results:
    """Score the systems that are there on the first inputs of every set; rows are `<set>, first <n>/<system>`."""
    request.check_models()
    results = request.open(NAME)
    systems = asked_for({name: SYSTEMS[name] for name in ("PREFIX", *SCORES)}, request)
    for path in request.set_files(NAME):
        for inputs, names in GROUPS.items():
            chosen = EvaluationSet.read(path, min(inputs, request.limit or inputs))
            for name in (name for name in names if name in systems):
                key = f"{chosen.name}, first {inputs}/{name}"
                measure_row(key, systems[name], chosen, request, results, "gigaword")
    return results


def render(rows: dict[str, Row]) -> list[Section]:
    """One table for each set; without any results, the prototypes' numbers alone."""
    measured = {key.partition(",")[0] for key in rows}
    return [
        Section(f"The baselines beside their prototypes: F1 on {name}", _grid(name, rows), notes=NOTES)
        for name in sorted(measured | {name for scores in SCORES.values() for name in scores})
    ]


NOTES = (
    "Prototype: what a quick trial of the same system reached on these inputs (R-1 / R-2 / R-L), the least that ours "
    "should. Reached: for every measure, or which ones fall short and by how much.",
    "Brackets: 95 % intervals of 1,000 resamples; between two systems a difference inside them is no difference.",
)


def _grid(set_name: str, rows: dict[str, Row]) -> Grid:
    grid = [["System", *(f"{metric} F1" for metric in ROUGE), "Ext. %", "prototype", "reached"]]
    for inputs, names in GROUPS.items():
        for name in names:
            row, prototype = rows.get(f"{set_name}, first {inputs}/{name}"), SCORES.get(name, {}).get(set_name)
            ours = [*(with_interval(row[metric]) for metric in ROUGE), number(row["ext"], 1)] if row else None
            reached = verdict(row, prototype) if row and prototype else MISSING
            cells = ours or [NOT_MEASURED, *[MISSING] * 3]
            grid.append([f"{SYSTEMS[name].label}, first {inputs}", *cells, triple(prototype), reached])
    return grid


def verdict(row: Row, prototype: Triple) -> str:
    """`yes`, or what falls short: `R-1 by 0.18, inside the interval`. Scores are compared as printed, to 0.01."""
    short = []
    for metric, least in zip(ROUGE, prototype, strict=True):
        missing = round(least - round(row[metric]["value"], 2), 2)
        if missing > 0:
            inside = ", inside the interval" if row[metric]["high"] >= least else ""
            short.append(f"{metric.replace('ROUGE', 'R')} by {missing:.2f}{inside}")
    return "; ".join(short) or "yes"
