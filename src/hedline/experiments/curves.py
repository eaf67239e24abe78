"""ROUGE along a setting: the length of the summary (the paper's Figure 4), and `--abstractiveness`.

Figure 4 has the extractive tuning on (ABS+) and off (ABS). Every headline has exactly the number of words that its
point on the axis says, as in the paper's protocol; it is scored by F1 and by recall at 75 bytes. The dial shows the
share of copied words and ROUGE from one end of `--abstractiveness` to the other.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

from hedline.api import find_model
from hedline.experiments.record import EvaluationSet, Request, Results, Row, set_names
from hedline.experiments.report import MISSING, ROUGE, Grid, Section, number
from hedline.experiments.systems import ABS_SYSTEMS, System, decode_row, score_outputs
from hedline.plot import line_chart

FIGURE4 = "figure4"
LENGTHS = (4, 6, 8, 10, 12, 14, 16)
PRESETS = {"gigaword": "F1", "duc": "recall at 75 bytes"}
LENGTH_SYSTEMS = {"ABS+": ABS_SYSTEMS["ABS+ options"], "ABS": ABS_SYSTEMS["ABS options"]}


def run_figure4(request: Request) -> Results:
    """Decode every set with both systems at every length."""
    request.check_models()
    results = request.open(FIGURE4)
    for chosen in request.evaluation_sets(FIGURE4):
        for key, system in LENGTH_SYSTEMS.items():
            folder = system.find(request)
            for words in LENGTHS if folder else ():
                assert folder is not None
                _measure(f"{chosen.name}/{key}/{words}", system, folder, words, chosen, request, results)
    return results


def _measure(
    key: str, system: System, folder: Path, words: int, chosen: EvaluationSet, request: Request, results: Results
) -> None:
    common = {name: value for name, value in request.options.items() if name not in ("words", "bytes")}
    options = {**system.decode_options(common), "exact_words": words}
    name = key.split("/")[1]

    def row(outputs: list[str]) -> Row:
        scores = {preset: score_outputs(outputs, chosen.items, preset) for preset in PRESETS}
        return {"words": words, "system": name, **scores}

    decode_row(key, folder, options, chosen, request, results, row)


def draw_figure4(rows: dict[str, Row]) -> dict[str, str]:
    """`figure4-<set>-<preset>.svg`: a line for each system and metric."""
    return {
        f"{FIGURE4}-{name}-{preset}.svg": line_chart(
            f"Length of the summary, {name}", "words", f"ROUGE {measure}", _series(name, preset, rows)
        )
        for name in set_names(rows)
        for preset, measure in PRESETS.items()
    }


def _series(set_name: str, preset: str, rows: dict[str, Row]) -> dict[str, list[tuple[float, float]]]:
    return {
        f"{system.label}, {metric}": points
        for metric in ROUGE[:2]
        for key, system in LENGTH_SYSTEMS.items()
        if (points := _points(set_name, key, preset, metric, rows))
    }


def _points(set_name: str, system: str, preset: str, metric: str, rows: dict[str, Row]) -> list[tuple[float, float]]:
    found = [(words, rows.get(f"{set_name}/{system}/{words}")) for words in LENGTHS]
    return [(float(words), row[preset][metric]["value"]) for words, row in found if row]


def render_figure4(rows: dict[str, Row]) -> list[Section]:
    """One table for each set and measure, with a row for each length."""
    names = set_names(rows)
    return [_lengths_section(name, preset, rows) for name in names for preset in PRESETS] or [
        Section("Figure 4: ROUGE against the length of the summary", body="Not measured yet.")
    ]


def _lengths_section(name: str, preset: str, rows: dict[str, Row]) -> Section:
    grid: Grid = [["Words", *(f"{system.label}, {metric}" for system in LENGTH_SYSTEMS.values() for metric in ROUGE)]]
    for words in LENGTHS:
        found = [(rows.get(f"{name}/{system}/{words}"), metric) for system in LENGTH_SYSTEMS for metric in ROUGE]
        grid.append([str(words), *(number(row[preset][metric]["value"]) if row else MISSING for row, metric in found)])
    items = next(row[preset]["items"] for key, row in rows.items() if key.startswith(f"{name}/"))
    return Section(
        f"Figure 4: ROUGE against the length of the summary on {name}, {PRESETS[preset]}",
        grid,
        notes=(
            f"{items:,} inputs, each headline with exactly the number of words in the first column; {PRESETS[preset]}.",
        ),
        picture=f"{FIGURE4}-{name}-{preset}.svg",
    )


DIAL = "dial"
TURNS = (-1.0, -0.75, -0.5, -0.25, 0.0, 0.25, 0.5, 0.75, 1.0)
MODELS = ("default", "abs")
PRESET = "gigaword"


def run_dial(request: Request) -> Results:
    """Decode every set with the shipped models at every turn."""
    results = request.open(DIAL)
    for chosen in request.evaluation_sets(DIAL):
        for model in MODELS:
            for turn in TURNS:
                options = {**request.options, "abstractiveness": turn}
                score = partial(score_outputs, items=chosen.items, preset=PRESET)
                key = f"{chosen.name}/{model}/{turn:g}"
                decode_row(key, find_model(model), options, chosen, request, results, score)
    return results


def draw_dial(rows: dict[str, Row]) -> dict[str, str]:
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
        found[f"{DIAL}-{name}.svg"] = line_chart(f"The dial on {name}", "--abstractiveness", "per cent", drawn)
    return found


def render_dial(rows: dict[str, Row]) -> list[Section]:
    """One table for each set: copied words and ROUGE of both models at every turn."""
    names = set_names(rows)
    return [_dial_section(name, rows) for name in names] or [
        Section("The abstractiveness dial", body="Not measured yet.")
    ]


def _dial_section(name: str, rows: dict[str, Row]) -> Section:
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
    return Section(f"The abstractiveness dial on {name}", grid, notes=notes, picture=f"{DIAL}-{name}.svg")
