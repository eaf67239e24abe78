"""Table 1: ROUGE of every system, on the sets at hand beside the published numbers on DUC-2004 and Gigaword."""

from __future__ import annotations

from hedline.errors import UserError
from hedline.experiments.record import EvaluationSet, Request, Results, Row, set_names
from hedline.experiments.report import (
    MISSING,
    NOT_MEASURED,
    TABLE1,
    Grid,
    Published,
    Section,
    by_set,
    number,
    triple,
    with_interval,
)
from hedline.experiments.systems import ABS_SYSTEMS, System, measure_row
from hedline.plot import Bar, bar_chart

NAME = "table1"
PRESETS = {"gigaword": "", "duc": " (duc)"}  # how a set's rows are scored: what tells their keys apart
MEASURES = {"R": "recall", "P": "precision", "F": "F1"}

SYSTEMS = {
    "IR": System("IR", "ir"),
    "PREFIX": System("PREFIX", None),
    "COMPRESS": System("COMPRESS", "compress"),
    "W&L": System("W&L", "wl"),
    "TOPIARY": System("TOPIARY", "topiary"),
    "Trimmer": System("Trimmer, without topic words", None, unfitted="trimmer"),
    "MOSES+": System("MOSES+", "moses"),
    "Banko": System("Banko et al. 2000", "banko"),
    **ABS_SYSTEMS,
    "rnn": System("Recurrent decoder, Elman", "rnn"),
    "lstm": System("Recurrent decoder, LSTM", "lstm"),
    "transformer": System("Transformer", "transformer"),
}
SAME_LENGTH = "PREFIX words"  # not in the paper: PREFIX as long as the set's references
PUBLISHED = {"ABS printed": "ABS", "ABS+ printed": "ABS+"}  # rows the paper has under another name
LABELS = {name: system.label for name, system in SYSTEMS.items()} | {SAME_LENGTH: "PREFIX, as long as the references"}
ORDER = [name for system in SYSTEMS for name in ((system, SAME_LENGTH) if system == "PREFIX" else (system,))]
ROUGE = ("ROUGE-1", "ROUGE-2", "ROUGE-L")
BARS = ("ROUGE-1", "ROUGE-L", "ROUGE-2")  # the longest first, so that no number stands on a bar


def run(request: Request) -> Results:
    """Decode and score every system that is there, on every set."""
    request.check_models()
    results = request.open(NAME)
    for chosen in request.evaluation_sets("table1"):
        for name, system in asked_for(SYSTEMS | {SAME_LENGTH: prefix_words(chosen)}, request).items():
            measure_row(
                f"{chosen.name}{PRESETS[request.preset]}/{name}", system, chosen, request, results, request.preset
            )
    return results


def asked_for(systems: dict[str, System], request: Request) -> dict[str, System]:
    """The systems that the request names, all where it names none."""
    if unknown := sorted(set(request.systems) - set(systems)):
        raise UserError(f"Table 1 has no system {unknown[0]!r}; there are {', '.join(systems)}")
    return {name: system for name, system in systems.items() if not request.systems or name in request.systems}


def prefix_words(chosen: EvaluationSet) -> System:
    """PREFIX with as many words as the references have in the mean, to the nearest whole word."""
    lengths = [len(reference.split()) for item in chosen.items for reference in item.references]
    return System(LABELS[SAME_LENGTH], None, {"words": max(1, round(sum(lengths) / len(lengths)))})


def render(rows: dict[str, Row]) -> list[Section]:
    """One table for each set; without any results, the published numbers alone."""
    return by_set("Table 1: ROUGE", rows, _grid, _notes, _picture)


def pictures(rows: dict[str, Row]) -> dict[str, str]:
    """`table1-<set>.svg`: a bar chart a set, the systems from the best to the worst."""
    found = {}
    for set_name in set_names(rows):
        measured = {name: rows[f"{set_name}/{name}"] for name in ORDER if f"{set_name}/{name}" in rows}
        score = next(iter(measured.values()))["score"]
        best_first = sorted(measured, key=lambda name: -measured[name]["ROUGE-1"]["value"])
        bars = {
            LABELS[name]: [Bar(**{end: measured[name][metric][end] for end in Bar._fields}) for metric in BARS]
            for name in best_first
        }
        found[_picture(set_name)] = bar_chart(
            f"Table 1: ROUGE on {set_name}", f"{MEASURES[score]} in per cent, 95 % intervals", BARS, bars
        )
    return found


def _picture(set_name: str) -> str:
    return f"{NAME}-{set_name.replace(' (', '-').rstrip(')')}.svg"


def _grid(set_name: str, rows: dict[str, Row]) -> Grid:
    measured = [row for key, row in rows.items() if key.startswith(f"{set_name}/")]
    measure = MEASURES[measured[0]["score"]] if measured else "F1"
    most = max((row["items"] for row in measured), default=0)
    grid = [["System", *(f"{name} {measure}" for name in ROUGE), "Ext. %", "words", "DUC-2004", "Gigaword", "Ext. %"]]
    for name in ORDER:
        row, published = rows.get(f"{set_name}/{name}"), TABLE1.get(PUBLISHED.get(name, name), Published())
        if row:
            cells = [*(with_interval(row[metric]) for metric in ROUGE), number(row["ext"], 1), number(row["words"], 1)]
        else:
            cells = [NOT_MEASURED, *[MISSING] * 4]
        theirs = [triple(published.duc), triple(published.gigaword), number(published.extractive, 1)]
        fewer = f", first {row['items']:,}" if row and row["items"] < most else ""
        grid.append([LABELS.get(name, name) + fewer, *cells, *theirs])
    people = TABLE1["REFERENCE"]
    grid.append(["People (REFERENCE)", *[MISSING] * 5, triple(people.duc), MISSING, number(people.extractive, 1)])
    return grid


def _notes(set_name: str, rows: dict[str, Row]) -> tuple[str, ...]:
    notes = [
        "The last three columns are the paper's: ROUGE-1 / -2 / -L recall at 75 bytes on DUC-2004, and on Gigaword as "
        "printed there (later papers quote F1 for the same systems: ABS 29.55 / 11.32 / 26.42, ABS+ 29.76 / 11.88 / "
        "26.96). Other data, so only the order of systems compares.",
        "Brackets: 95 % intervals of 1,000 resamples. Ext. %: words of the headline that stand in the input; "
        "PREFIX stays below 100 because 75 bytes may end in half a word.",
        "As printed: the paper's attention exactly. Our options: learnt windows, positions and shared vectors; the "
        "shipped `abs` has them.",
    ]
    measured = [row for key, row in rows.items() if key.startswith(f"{set_name}/")]
    if measured:
        longest = max(measured, key=lambda row: int(row["items"]))
        notes.append(f"{longest['items']:,} inputs, unless a row says fewer; `{longest['signature']}`.")
    return tuple(notes)
