"""Table 1: ROUGE of every system, on the sets at hand beside the published numbers on DUC-2004 and Gigaword."""

from __future__ import annotations

from hedline.experiments.decoded import measure_row
from hedline.experiments.grid import MISSING, NOT_BUILT, NOT_MEASURED, Grid, number, triple, with_interval
from hedline.experiments.published import TABLE1, Published
from hedline.experiments.record import Results, Row
from hedline.experiments.request import Request
from hedline.experiments.section import Section
from hedline.experiments.systems import System

NAME = "table1"
PRESET = "gigaword"

SYSTEMS = {
    "PREFIX": System("PREFIX", None),
    "ABS": System("ABS", "attention", tuned=False),
    "ABS+": System("ABS+", "attention"),
    "rnn": System("Recurrent decoder, Elman", "rnn"),
    "lstm": System("Recurrent decoder, LSTM", "lstm"),
    "transformer": System("Transformer", "transformer"),
}
ORDER = ("IR", "PREFIX", "COMPRESS", "W&L", "TOPIARY", "MOSES+", "ABS", "ABS+", "rnn", "lstm", "transformer")
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")


def run(request: Request) -> Results:
    """Decode and score every system that is there, on every set."""
    request.check_models()
    results = request.open(NAME)
    for chosen in request.evaluation_sets("table1"):
        for name, system in SYSTEMS.items():
            measure_row(f"{chosen.name}/{name}", system, chosen, request, results, PRESET)
    return results


def render(rows: dict[str, Row]) -> list[Section]:
    """A table a set; without any results, the published numbers alone."""
    names = sorted({key.partition("/")[0] for key in rows}) or [""]
    return [
        Section(f"Table 1: ROUGE on {name}" if name else "Table 1: ROUGE", _grid(name, rows), notes=_notes(name, rows))
        for name in names
    ]


def _grid(set_name: str, rows: dict[str, Row]) -> Grid:
    grid = [["System", *(f"{name} F1" for name in ROUGE), "Ext. %", "words", "DUC-2004", "Gigaword", "Ext. %"]]
    for name in ORDER:
        row, published = rows.get(f"{set_name}/{name}"), TABLE1.get(name, Published())
        if row:
            cells = [*(with_interval(row[metric]) for metric in ROUGE), number(row["ext"], 1), number(row["words"], 1)]
        else:
            cells = [NOT_MEASURED if name in SYSTEMS else NOT_BUILT, *[MISSING] * 4]
        label = SYSTEMS[name].label if name in SYSTEMS else name
        theirs = [triple(published.duc), triple(published.gigaword), number(published.extractive, 1)]
        grid.append([label, *cells, *theirs])
    people = TABLE1["REFERENCE"]
    grid.append(["People (REFERENCE)", *[MISSING] * 5, triple(people.duc), MISSING, number(people.extractive, 1)])
    return grid


def _notes(set_name: str, rows: dict[str, Row]) -> tuple[str, ...]:
    notes = [
        "The last three columns are the paper's: ROUGE-1 / -2 / -L recall at 75 bytes on DUC-2004, and on Gigaword as "
        "printed there (later papers quote F1 for the same systems: ABS 29.55 / 11.32 / 26.42, ABS+ 29.76 / 11.88 / "
        "26.96). Other data, so only the order of systems compares.",
        "Brackets: 95 % intervals of 1,000 resamples. Ext. %: words of the headline that stand in the input.",
    ]
    measured = [row for key, row in rows.items() if key.startswith(f"{set_name}/")]
    if measured:
        notes.append(f"{measured[0]['items']:,} inputs; `{measured[0]['signature']}`.")
    return tuple(notes)
