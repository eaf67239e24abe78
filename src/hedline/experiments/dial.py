"""What `--abstractiveness` does: the share of copied words and ROUGE from one end of the dial to the other."""

from __future__ import annotations

from functools import partial

from hedline.api import find_model
from hedline.experiments.record import Request, Results, Row, set_names
from hedline.experiments.report import MISSING, Grid, Section, number
from hedline.experiments.systems import decode_row, score_outputs
from hedline.plot import line_chart

NAME = "dial"
TURNS = (-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0)
MODELS = ("default", "abs")
PRESET = "gigaword"
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")


def run(request: Request) -> Results:
    """Decode every set with the shipped models at every turn."""
    results = request.open(NAME)
    for chosen in request.evaluation_sets(NAME):
        for model in MODELS:
            for turn in TURNS:
                options = {**request.options, "abstractiveness": turn}
                score = partial(score_outputs, items=chosen.items, preset=PRESET)
                key = f"{chosen.name}/{model}/{turn:g}"
                decode_row(key, find_model(model), options, chosen, request, results, score)
    return results


def pictures(rows: dict[str, Row]) -> dict[str, str]:
    """`dial-<set>.svg`: the share of copied words and ROUGE-1 of each model."""
    found = {}
    for name in set_names(rows):
        series: dict[str, list[tuple[float, float]]] = {}
        for model in MODELS:
            turns = [(turn, rows.get(f"{name}/{model}/{turn:g}")) for turn in TURNS]
            measured = [(turn, row) for turn, row in turns if row]
            series[f"{model}: copied words"] = [(turn, row["ext"]) for turn, row in measured]
            series[f"{model}: ROUGE-1"] = [(turn, row["ROUGE-1"]["value"]) for turn, row in measured]
        drawn = {label: points for label, points in series.items() if points}
        found[f"{NAME}-{name}.svg"] = line_chart(f"The dial on {name}", "--abstractiveness", "per cent", drawn)
    return found


def render(rows: dict[str, Row]) -> list[Section]:
    """One table for each set: copied words and ROUGE of both models at every turn."""
    names = set_names(rows)
    return [_section(name, rows) for name in names] or [Section("The abstractiveness dial", body="Not measured yet.")]


def _section(name: str, rows: dict[str, Row]) -> Section:
    heads = [f"{model} {what}" for model in MODELS for what in ("copied %", *ROUGE)]
    grid: Grid = [["--abstractiveness", *heads]]
    for turn in TURNS:
        cells = []
        for model in MODELS:
            row = rows.get(f"{name}/{model}/{turn:g}")
            values = [row["ext"], *(row[metric]["value"] for metric in ROUGE)] if row else []
            cells += [number(value) for value in values] or [MISSING] * 4
        grid.append([f"{turn:g}", *cells])
    items = next(row["items"] for key, row in rows.items() if key.startswith(f"{name}/"))
    notes = (f"{items:,} inputs, F1.",)
    return Section(f"The abstractiveness dial on {name}", grid, notes=notes, picture=f"{NAME}-{name}.svg")
