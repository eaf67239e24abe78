"""Table 3: what the search, the encoder and the free vocabulary contribute."""

from __future__ import annotations

from hedline.experiments.decoded import measure_row
from hedline.experiments.grid import MISSING, NOT_MEASURED, Grid, triple, with_interval
from hedline.experiments.published import TABLE3
from hedline.experiments.record import Results, Row
from hedline.experiments.request import Request
from hedline.experiments.section import Section
from hedline.experiments.systems import System

NAME = "table3"
PRESET = "gigaword"
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")

# key -> decoder, model, vocabulary as the paper prints them, and how to get there
ROWS = {
    "greedy ABS+": ("Greedy", "ABS+", "Abs", System("ABS+", "attention", {"decoder": "greedy"})),
    "beam BoW": ("Beam", "BoW", "Abs", System("BoW", "bow", tuned=False)),
    "beam ABS+ extractive": ("Beam", "ABS+", "Ext", System("ABS+", "attention", {"mode": "extractive"})),
    "beam ABS+": ("Beam", "ABS+", "Abs", System("ABS+", "attention")),
    # not in the paper: separates the encoder's share from the tuning's
    "beam ABS": ("Beam", "ABS", "Abs", System("ABS", "attention", tuned=False)),
}


def run(request: Request) -> Results:
    """Decode and score every row whose model is there, on every set."""
    request.need_models("table3")
    results = request.open(NAME)
    for chosen in request.evaluation_sets("table3"):
        for key, (*_, system) in ROWS.items():
            measure_row(f"{chosen.name}/{key}", system, chosen, request, results, PRESET)
    return results


def render(rows: dict[str, Row]) -> list[Section]:
    """A table a set, with the gap of each row to the last of the paper's (beam, ABS+, abstractive)."""
    names = sorted({key.partition("/")[0] for key in rows}) or [""]
    return [
        Section(
            f"Table 3: ablations on {name}" if name else "Table 3: ablations",
            _grid(name, rows),
            notes=_notes(name, rows),
        )
        for name in names
    ]


def _grid(set_name: str, rows: dict[str, Row]) -> Grid:
    grid = [["Decoder", "Model", "Words", *(f"{name} F1" for name in ROUGE), "gap", "Published", "gap"]]
    best = rows.get(f"{set_name}/beam ABS+")
    for key, (decoder, model, vocabulary, _) in ROWS.items():
        row, published = rows.get(f"{set_name}/{key}"), TABLE3.get(key)
        cells = [with_interval(row[name]) for name in ROUGE] if row else [NOT_MEASURED, MISSING, MISSING]
        ours = [row[name]["value"] - best[name]["value"] for name in ROUGE] if row and best else None
        theirs = [a - b for a, b in zip(published, TABLE3["beam ABS+"], strict=True)] if published else None
        grid.append([decoder, model, vocabulary, *cells, _gap(ours), triple(published), _gap(theirs)])
    return grid


def _gap(values: list[float] | None) -> str:
    return MISSING if values is None else " / ".join(f"{value:+.2f}" for value in values)


def _notes(set_name: str, rows: dict[str, Row]) -> tuple[str, ...]:
    notes = [
        "gap: ROUGE-1 / -2 / -L against the row beam, ABS+, abstractive. The published scores are recalls at 75 bytes "
        "on DUC-2003; the last row is not in the paper.",
    ]
    measured = [row for key, row in rows.items() if key.startswith(f"{set_name}/")]
    if measured:
        notes.append(f"{measured[0]['items']:,} inputs; `{measured[0]['signature']}`.")
    return tuple(notes)
