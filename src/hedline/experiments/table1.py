"""Table 1: ROUGE of every system, on the sets at hand beside the published numbers on DUC-2004 and Gigaword.

Then its baselines on the first inputs of a set, beside what quick prototypes of them reached there: the least that a
system should reach. COMPRESS takes a second for each headline, so that its prototype was tried on fewer inputs; PREFIX
is measured on both numbers of inputs.
"""

from __future__ import annotations

from hedline.errors import UserError
from hedline.experiments.record import EvaluationSet, Request, Results, Row, set_names
from hedline.experiments.report import (
    MISSING,
    NOT_MEASURED,
    ROUGE,
    TABLE1,
    Grid,
    Published,
    Section,
    Triple,
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


PROTOTYPES = "prototypes"
INPUTS, FEW = 500, 200  # of a set, and of COMPRESS and the PREFIX beside it

# F1 of the prototypes by system and set.
PROTOTYPE_SCORES: dict[str, dict[str, Triple]] = {
    "IR": {"test": (18.74, 5.31, 16.02), "wire2004": (11.92, 1.66, 10.85)},
    "COMPRESS": {"test": (25.18, 8.17, 22.02), "wire2004": (25.38, 6.60, 23.02)},
    "W&L": {"test": (27.00, 9.58, 23.77), "wire2004": (28.52, 7.93, 25.68)},
    "TOPIARY": {"test": (28.69, 9.05, 23.06), "wire2004": (29.86, 7.40, 24.91)},
    "Trimmer": {"test": (25.24, 9.26, 22.71), "wire2004": (27.50, 7.94, 25.19)},
    "MOSES+": {"test": (32.52, 10.72, 26.84), "wire2004": (29.57, 7.39, 24.97)},
    "Banko": {"test": (31.13, 8.05, 22.63), "wire2004": (25.90, 4.79, 20.37)},
}
GROUPS = {INPUTS: ("PREFIX", *(name for name in PROTOTYPE_SCORES if name != "COMPRESS")), FEW: ("PREFIX", "COMPRESS")}


def run_prototypes(request: Request) -> Results:
    """Score the systems that are there on the first inputs of every set; rows are `<set>, first <n>/<system>`."""
    request.check_models()
    results = request.open(PROTOTYPES)
    systems = asked_for({name: SYSTEMS[name] for name in ("PREFIX", *PROTOTYPE_SCORES)}, request)
    for path in request.set_files(PROTOTYPES):
        for inputs, names in GROUPS.items():
            chosen = EvaluationSet.read(path, min(inputs, request.limit or inputs))
            for name in (name for name in names if name in systems):
                key = f"{chosen.name}, first {inputs}/{name}"
                measure_row(key, systems[name], chosen, request, results, "gigaword")
    return results


def render_prototypes(rows: dict[str, Row]) -> list[Section]:
    """One table for each set; without any results, the prototypes' numbers alone."""
    measured = {key.partition(",")[0] for key in rows}
    return [
        Section(
            f"The baselines beside their prototypes: F1 on {name}", _prototypes_grid(name, rows), notes=PROTOTYPE_NOTES
        )
        for name in sorted(measured | {name for scores in PROTOTYPE_SCORES.values() for name in scores})
    ]


PROTOTYPE_NOTES = (
    "Prototype: what a quick trial of the same system reached on these inputs (R-1 / R-2 / R-L), the least that ours "
    "should. Reached: for every measure, or which ones fall short and by how much.",
    "Brackets: 95 % intervals of 1,000 resamples; between two systems a difference inside them is no difference.",
)


def _prototypes_grid(set_name: str, rows: dict[str, Row]) -> Grid:
    grid = [["System", *(f"{metric} F1" for metric in ROUGE), "Ext. %", "prototype", "reached"]]
    for inputs, names in GROUPS.items():
        for name in names:
            row, prototype = (
                rows.get(f"{set_name}, first {inputs}/{name}"),
                PROTOTYPE_SCORES.get(name, {}).get(set_name),
            )
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
