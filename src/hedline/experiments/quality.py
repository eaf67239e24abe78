"""How good the shipped models are, how fast beside their peers, and how they were trained: the README's own numbers.

Every row is what `hedline evaluate` prints for a shipped model, all guards on, and says how much above PREFIX it is.
Speeds come from `hedline bench decode --json > results/bench-decode-<model>.json`: its peers run shapes with random
weights, so they have a speed and no quality.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from hedline.api import find_model
from hedline.experiments.evaluate import evaluate_outputs, measured_options
from hedline.experiments.record import EvaluationSet, Request, Results, Row
from hedline.experiments.report import NOT_MEASURED, ROUGE, Grid, Section, number, with_interval
from hedline.experiments.systems import decode_row
from hedline.files import read_json
from hedline.plot import learning_curves, scatter_chart

NAME = "quality"
MODELS = ("default", "tiny", "abs")
LABELS = {
    "default": "`default`: transformer",
    "tiny": "`tiny`: small transformer",
    "abs": "`abs`: ABS+ with our options",
}
PRESETS = {"gigaword": "F1", "duc": "recall at 75 bytes"}
SPEED_PICTURE = "quality-speed.svg"
REFERENCE_PEER = "t5-small"


def run(request: Request) -> Results:
    """Decode every set with the shipped models, as they come, under both measures."""
    results = request.open(NAME)
    for chosen in request.evaluation_sets(NAME):
        for model in MODELS:
            for preset in PRESETS:
                _measure(f"{chosen.name}/{preset}/{model}", model, chosen, request, results, preset)
    return results


def _measure(key: str, model: str, chosen: EvaluationSet, request: Request, results: Results, preset: str) -> None:
    def row(outputs: list[str]) -> Any:
        return _rounded(evaluate_outputs(model, outputs, chosen.items, preset))

    options = measured_options(preset, request.options)
    decode_row(key, find_model(model), options, chosen, request, results, row, preset=preset)


def _rounded(value: Any) -> Any:
    """Three digits behind the point: more than any document prints."""
    if isinstance(value, dict):
        return {key: _rounded(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_rounded(each) for each in value]
    return round(value, 3) if isinstance(value, float) else value


def systems(row: Row) -> dict[str, Row]:
    """A row's three systems by what they are: model, PREFIX, human."""
    ours, prefix, human = row["systems"]
    return {"model": ours, "PREFIX": prefix, "human": human}


def render(rows: dict[str, Row]) -> list[Section]:
    """One table for each set and measure, then the pictures of speed and training."""
    groups = sorted({key.rpartition("/")[0] for key in rows})
    sections = [_section(group, rows) for group in groups] or [Section("The shipped models", body=NOT_MEASURED)]
    if rows:
        sections.append(Section("The shipped models: quality against speed", body=SPEED_NOTE, picture=SPEED_PICTURE))
    return [*sections, *(Section(f"Training of {model}", picture=_curves(model)) for model in drawable())]


SPEED_NOTE = (
    "ROUGE-1 on test against headlines a second (one thread, one text at a time), as a multiple of CTranslate2 int8 on "
    "t5-small's shape in the same run. Dashed lines: peers with random weights, whose headlines have no quality. "
    "Without the shortlist only the speed was measured: the point has the shipped form's ROUGE."
)


def _section(group: str, rows: dict[str, Row]) -> Section:
    set_name, _, preset = group.partition("/")
    found = {model: rows[f"{group}/{model}"] for model in MODELS if f"{group}/{model}" in rows}
    first = next(iter(found.values()))
    grid: Grid = [["System", *ROUGE, "above PREFIX, %", "Ext. %", "words", "number, %", "name, %"]]
    grid.append(["PREFIX (first 75 bytes)", *_cells(systems(first)["PREFIX"], None)])
    for model, row in found.items():
        grid.append([LABELS[model], *_cells(systems(row)["model"], row["against_prefix"])])
    grid.append(["people", *_cells(systems(first)["human"], None)])
    notes = (
        f"{first['inputs']:,} inputs; `{first['signature']}`.",
        "number, name: headlines with one that the text does not support. People had read the whole article.",
    )
    return Section(f"The shipped models on {set_name}, {PRESETS[preset]}", grid, notes=notes)


def _cells(system: Row, gains: Row | None) -> list[str]:
    above = " / ".join(f"{gains[metric]['relative']:.1f}" for metric in ROUGE) if gains else "–"
    counts = [number(system["ext"], 1), number(system["words"]), number(system["bad_numbers"], 1)]
    return [*(with_interval(system.get(metric)) for metric in ROUGE), above, *counts, number(system["bad_names"], 1)]


def pictures(rows: dict[str, Row], folder: Path) -> dict[str, str]:
    """ROUGE against speed (with the benchmarks stored in `folder`), and each shipped model's learning curves."""
    found = {_curves(model): learning_curves(history(model), f"Training of {model}") for model in drawable()}
    points, marks = speeds(rows, folder)
    if points:
        found[SPEED_PICTURE] = scatter_chart(
            "Quality against speed", f"times the speed of {REFERENCE_PEER}'s shape", "ROUGE-1 F1 on test", points, marks
        )
    return found


def _curves(model: str) -> str:
    return f"training-{model}.svg"


def drawable() -> list[str]:
    """The shipped models whose last training has a curve: three epochs at least."""
    return [model for model in MODELS if len(history(model)) > 2]


def history(model: str) -> list[dict[str, Any]]:
    """What the last training of a shipped model logged, an epoch each."""
    rows: list[dict[str, Any]] = read_json(find_model(model) / "config.json")["training"]["history"]
    return rows


def speeds(rows: dict[str, Row], folder: Path) -> tuple[dict[str, tuple[float, float]], dict[str, float]]:
    """Points (speed, ROUGE-1) of our systems and speeds of the peers, from the benchmarks that are stored."""
    points: dict[str, tuple[float, float]] = {}
    marks: dict[str, float] = {}
    for model in MODELS:
        path, row = folder / f"bench-decode-{model}.json", rows.get(f"test/gigaword/{model}")
        if row is None or not path.is_file():
            continue
        measured = read_json(path)["decode"]["runs"][0]
        speed, ours = measured["sentences_per_second"]["1"], measured["models"]
        unit = speed[REFERENCE_PEER]
        quality = systems(row)["model"]["ROUGE-1"]["value"]
        points |= {name.removeprefix("hedline "): (speed[name] / unit, quality) for name in ours if _shown(name)}
        marks = marks or {name: value / unit for name, value in speed.items() if name not in ours}
    return points, marks


def _shown(name: str) -> bool:
    """As shipped and without the shortlist; not with another beam or length, whose quality is another."""
    return "beam" not in name and "own length" not in name
