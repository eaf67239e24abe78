"""Figure 4: ROUGE against the length of the summary, with the extractive tuning on (ABS+) and off (ABS).

Every headline has exactly the number of words that its point on the axis says, as in the paper's protocol. It is scored
by F1 and by recall at 75 bytes.
"""

from __future__ import annotations

from pathlib import Path

from hedline.experiments.record import EvaluationSet, Request, Results, Row, set_names
from hedline.experiments.report import MISSING, Grid, Section, number
from hedline.experiments.systems import ABS_SYSTEMS, System, decode_row, score_outputs
from hedline.plot import line_chart

NAME = "figure4"
LENGTHS = (4, 6, 8, 10, 12, 14, 16)
PRESETS = {"gigaword": "F1", "duc": "recall at 75 bytes"}
SYSTEMS = {"ABS+": ABS_SYSTEMS["ABS+ options"], "ABS": ABS_SYSTEMS["ABS options"]}
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")


def run(request: Request) -> Results:
    """Decode every set with both systems at every length."""
    request.check_models()
    results = request.open(NAME)
    for chosen in request.evaluation_sets(NAME):
        for key, system in SYSTEMS.items():
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


def pictures(rows: dict[str, Row]) -> dict[str, str]:
    """`figure4-<set>-<preset>.svg`: a line for each system and metric."""
    return {
        f"{NAME}-{name}-{preset}.svg": line_chart(
            f"Length of the summary, {name}", "words", f"ROUGE {measure}", _series(name, preset, rows)
        )
        for name in set_names(rows)
        for preset, measure in PRESETS.items()
    }


def _series(set_name: str, preset: str, rows: dict[str, Row]) -> dict[str, list[tuple[float, float]]]:
    return {
        f"{system.label}, {metric}": points
        for metric in ROUGE[:2]
        for key, system in SYSTEMS.items()
        if (points := _points(set_name, key, preset, metric, rows))
    }


def _points(set_name: str, system: str, preset: str, metric: str, rows: dict[str, Row]) -> list[tuple[float, float]]:
    found = [(words, rows.get(f"{set_name}/{system}/{words}")) for words in LENGTHS]
    return [(float(words), row[preset][metric]["value"]) for words, row in found if row]


def render(rows: dict[str, Row]) -> list[Section]:
    """One table for each set and measure, with a row for each length."""
    names = set_names(rows)
    return [_section(name, preset, rows) for name in names for preset in PRESETS] or [
        Section("Figure 4: ROUGE against the length of the summary", body="Not measured yet.")
    ]


def _section(name: str, preset: str, rows: dict[str, Row]) -> Section:
    grid: Grid = [["Words", *(f"{system.label}, {metric}" for system in SYSTEMS.values() for metric in ROUGE)]]
    for words in LENGTHS:
        found = [(rows.get(f"{name}/{system}/{words}"), metric) for system in SYSTEMS for metric in ROUGE]
        grid.append([str(words), *(number(row[preset][metric]["value"]) if row else MISSING for row, metric in found)])
    items = next(row[preset]["items"] for key, row in rows.items() if key.startswith(f"{name}/"))
    return Section(
        f"Figure 4: ROUGE against the length of the summary on {name}, {PRESETS[preset]}",
        grid,
        notes=(
            f"{items:,} inputs, each headline with exactly the number of words in the first column; {PRESETS[preset]}.",
        ),
        picture=f"{NAME}-{name}-{preset}.svg",
    )
