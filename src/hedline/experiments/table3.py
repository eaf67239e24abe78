"""Table 3: what the search, the encoder and the free vocabulary contribute."""

from __future__ import annotations

from typing import NamedTuple

from hedline.experiments.record import EvaluationSet, Request, Results, Row
from hedline.experiments.report import (
    MISSING,
    NOT_MEASURED,
    ROUGE,
    TABLE3,
    Grid,
    Section,
    by_set,
    triple,
    with_interval,
)
from hedline.experiments.systems import ABS_SYSTEMS, System, measure_row, tuned_on

NAME = "table3"
PRESETS = {"gigaword": "F1", "duc": "recall"}  # how a table is measured


class Ablation(NamedTuple):
    """A row: decoder, words and system; best: the row it is compared with; published: its row in the paper, if any."""

    decoder: str
    words: str
    system: System
    best: str
    published: str = ""


def _ablations(which: str) -> dict[str, Ablation]:
    """The paper's rows for one of the two models called ABS; the last, not in the paper, shows what tuning adds."""
    plus, alone = ABS_SYSTEMS[f"ABS+ {which}"], ABS_SYSTEMS[f"ABS {which}"]
    best, shown = f"beam ABS+ {which}", which == "printed"
    greedy = System(plus.label, plus.folder, {"decoder": "greedy"}, plus=True)
    extractive = System(plus.label, plus.folder, {"mode": "extractive"}, plus=True)
    return {
        f"greedy ABS+ {which}": Ablation("Greedy", "Abs", greedy, best, "greedy ABS+" if shown else ""),
        f"beam ABS+ {which} extractive": Ablation("Beam", "Ext", extractive, best, "beam ABS+ extractive" * shown),
        best: Ablation("Beam", "Abs", plus, best, "beam ABS+" if shown else ""),
        f"beam ABS {which}": Ablation("Beam", "Abs", alone, best),
    }


ROWS = {
    "beam BoW": Ablation("Beam", "Abs", System("BoW", "bow", tuned=False), "beam ABS+ printed", "beam BoW"),
    **_ablations("printed"),
    **_ablations("options"),
}


def run(request: Request) -> Results:
    """Decode and score every row whose model is there, on every set."""
    request.check_models()
    results = request.open(NAME)
    for chosen in request.evaluation_sets("table3"):
        for key, row in ROWS.items():
            for preset in PRESETS:
                _measure(f"{chosen.name}{_mark(preset)}/{key}", row.system, chosen, request, results, preset)
    return results


def _measure(key: str, system: System, chosen: EvaluationSet, request: Request, results: Results, preset: str) -> None:
    """A row that also says on which file its weights were tuned."""
    folder = system.find(request)
    extra = {"tuned_on": tuned_on(folder, preset)} if folder and system.tuned else {}
    measure_row(key, system, chosen, request, results, preset, extra)


def _mark(preset: str) -> str:
    """What tells a set's rows under this measure apart: nothing for F1, which came first."""
    return "" if preset == "gigaword" else f" ({preset})"


def render(rows: dict[str, Row]) -> list[Section]:
    """One table for each set, with the gap of each row to its model's own beam search (beam, ABS+, abstractive)."""
    return by_set("Table 3: ablations", rows, _grid, _notes)


def _grid(set_name: str, rows: dict[str, Row]) -> Grid:
    measure = PRESETS["duc" if set_name.endswith(_mark("duc")) else "gigaword"]
    grid = [["Decoder", "Model", "Words", *(f"{name} {measure}" for name in ROUGE), "gap", "Published", "gap"]]
    for key, each in ROWS.items():
        row, best, published = rows.get(f"{set_name}/{key}"), rows.get(f"{set_name}/{each.best}"), each.published
        cells = [with_interval(row[name]) for name in ROUGE] if row else [NOT_MEASURED, MISSING, MISSING]
        ours = [row[name]["value"] - best[name]["value"] for name in ROUGE] if row and best else None
        theirs = TABLE3[published] if published else None
        gap = [a - b for a, b in zip(theirs, TABLE3["beam ABS+"], strict=True)] if theirs else None
        grid.append([each.decoder, each.system.label, each.words, *cells, _gap(ours), triple(theirs), _gap(gap)])
    return grid


def _gap(values: list[float] | None) -> str:
    return MISSING if values is None else " / ".join(f"{value:+.2f}" for value in values)


def _notes(set_name: str, rows: dict[str, Row]) -> tuple[str, ...]:
    notes = [
        "gap: ROUGE-1 / -2 / -L against the same model's row beam, ABS+, abstractive (bag of words: against ABS+ as "
        "printed). The published scores are recalls at 75 bytes on DUC-2003; plain ABS is not in the paper's table.",
    ]
    measured = [row for key, row in rows.items() if key.startswith(f"{set_name}/")]
    if measured:
        notes.append(f"{measured[0]['items']:,} inputs; `{measured[0]['signature']}`.")
    files = sorted({row["tuned_on"]["file"] for row in measured if row.get("tuned_on")})
    name = set_name.removesuffix(_mark("duc"))
    for row in measured:
        found = row.get("tuned_on")
        if found and found["file"] == name and found["first"] < row["items"]:
            notes.append("The weights of ABS+ were tuned on inputs of this very table: its rows flatter ABS+.")
            return tuple(notes)
    if files:
        notes.append(f"The weights of ABS+ were tuned on other inputs (of {', '.join(files)}).")
    return tuple(notes)
