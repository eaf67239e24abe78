"""Table 1: ROUGE of every system, on the sets at hand beside the published numbers on DUC-2004 and Gigaword."""

from __future__ import annotations

from hedline.experiments.decoded import measure_row
from hedline.experiments.grid import MISSING, NOT_BUILT, NOT_MEASURED, Grid, number, triple, with_interval
from hedline.experiments.published import TABLE1, Published
from hedline.experiments.record import Results, Row
from hedline.experiments.request import EvaluationSet, Request
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
SAME_LENGTH = "PREFIX words"  # not in the paper: PREFIX as long as the set's references
LABELS = {name: system.label for name, system in SYSTEMS.items()} | {SAME_LENGTH: "PREFIX, as long as the references"}
ORDER = (
    "IR",
    "PREFIX",
    SAME_LENGTH,
    "COMPRESS",
    "W&L",
    "TOPIARY",
    "MOSES+",
    "ABS",
    "ABS+",
    "rnn",
    "lstm",
    "transformer",
)
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")


def run(request: Request) -> Results:
    """Decode and score every system that is there, on every set."""
    request.check_models()
    results = request.open(NAME)
    for chosen in request.evaluation_sets("table1"):
        for name, system in (SYSTEMS | {SAME_LENGTH: prefix_words(chosen)}).items():
            measure_row(f"{chosen.name}/{name}", system, chosen, request, results, PRESET)
    return results


def prefix_words(chosen: EvaluationSet) -> System:
    """PREFIX with as many words as the references have in the mean, to the nearest whole word."""
    lengths = [len(reference.split()) for item in chosen.items for reference in item.references]
    return System(LABELS[SAME_LENGTH], None, {"words": max(1, round(sum(lengths) / len(lengths)))})


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
            cells = [NOT_MEASURED if name in LABELS else NOT_BUILT, *[MISSING] * 4]
        theirs = [triple(published.duc), triple(published.gigaword), number(published.extractive, 1)]
        grid.append([LABELS.get(name, name), *cells, *theirs])
    people = TABLE1["REFERENCE"]
    grid.append(["People (REFERENCE)", *[MISSING] * 5, triple(people.duc), MISSING, number(people.extractive, 1)])
    return grid


def _notes(set_name: str, rows: dict[str, Row]) -> tuple[str, ...]:
    notes = [
        "The last three columns are the paper's: ROUGE-1 / -2 / -L recall at 75 bytes on DUC-2004, and on Gigaword as "
        "printed there (later papers quote F1 for the same systems: ABS 29.55 / 11.32 / 26.42, ABS+ 29.76 / 11.88 / "
        "26.96). Other data, so only the order of systems compares.",
        "Brackets: 95 % intervals of 1,000 resamples. Ext. %: words of the headline that stand in the input; "
        "PREFIX stays below 100 because 75 characters may end in half a word.",
    ]
    measured = [row for key, row in rows.items() if key.startswith(f"{set_name}/")]
    if measured:
        notes.append(f"{measured[0]['items']:,} inputs; `{measured[0]['signature']}`.")
    return tuple(notes)
