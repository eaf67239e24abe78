"""Table 2: perplexity of the Kneser-Ney 5-gram and of the models with each encoder."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hedline.data.dataset import Dataset
from hedline.errors import UserError
from hedline.experiments.record import Request, Results, Row, identify
from hedline.experiments.report import MISSING, NOT_MEASURED, TABLE2, Section, number
from hedline.files import logged_seconds, read_json
from hedline.text.vocab import UNKNOWN

NAME = "table2"
ORDER = 5
SPLIT = "valid"
ALL = "all pairs"  # a valid split that no filter touched

# key (also the model's folder) -> label, encoder, as in the paper; the recurrent decoders came after it
ROWS = {
    "kn5": ("KN-smoothed 5-gram", "none"),
    "none": ("Feed-forward NNLM", "none"),
    "bow": ("Bag of words", "enc₁"),
    "conv": ("Convolutional (TDNN)", "enc₂"),
    "printed": ("ABS as printed", "enc₃"),
    "paper": ("ABS as printed, trained as printed (`--preset paper`)", "enc₃"),
    "options": ("ABS with our options", "enc₃"),
    "rnn": ("Recurrent decoder, Elman", "attention"),
    "lstm": ("Recurrent decoder, LSTM", "attention"),
}


def run(request: Request) -> Results:
    """Measure every row whose model is there, over the valid split of the data folder.

    Rows are kept by how that split was filtered: a second run on a folder with all of valid makes a second table.
    """
    if request.data is None:
        raise UserError("table2 needs --data, a folder made by `hedline prepare`")
    request.check_models()
    dataset, results = Dataset.open(request.data), request.open(NAME)
    for key in ROWS:
        _measure(key, request, dataset, results)
    return results


def valid_filter(dataset: Dataset) -> str:
    """Which pairs the valid split of a data folder holds, in words."""
    subset = dataset.settings.get("subset", {})
    if subset.get("every_split") and subset.get("min_support"):
        return f"pairs whose lead has {100 * subset['min_support']:.0f} % of the headline's content words"
    if dataset.settings["settings"].get("filter_valid"):
        names = dataset.settings["settings"].get("filters", {}).get("names", [])
        return f"pairs that pass {' '.join(names) or 'no filter'}"
    return ALL


def _measure(name: str, request: Request, dataset: Dataset, results: Results) -> None:
    folder = None if name == "kn5" else _model(name, request, dataset)
    if name != "kn5" and folder is None:
        return
    key = f"{valid_filter(dataset)}/{name}"
    configuration: dict[str, Any] = {"split": SPLIT, "filter": valid_filter(dataset)}
    if folder is None:
        configuration["order"] = ORDER
    who = identify(configuration, dataset.fingerprint, folder, request)
    results.measure(key, who, lambda: _perplexity(folder, dataset), lambda row: row)


def _perplexity(folder: Path | None, dataset: Dataset) -> Row:
    """The row of a model, or without one of the n-gram model."""
    if folder is None:
        from hedline.ngram.estimate import NgramSettings, measure_ngram

        ngram = measure_ngram(dataset.folder, NgramSettings(ORDER, SPLIT)).perplexity
        return _row(ngram.closed, ngram.known, ngram.targets, ngram.unknown)
    from hedline.training.options import PerplexitySettings
    from hedline.training.perplexity import perplexity_of_folder

    logged = recorded(folder, dataset)
    neural = logged or perplexity_of_folder(folder, dataset.folder, PerplexitySettings(SPLIT))
    row = _row(neural.closed, neural.known, neural.words, neural.unknown)
    base = read_json(folder / "config.json").get("training", {}).get("base")
    row |= {"base": base["model"]} if base else {}
    return {**row, "provenance": training_place(folder)} if logged else row


def _row(closed: float, known: float, words: int, unknown: int) -> Row:
    return {"closed": round(closed, 3), "known": round(known, 3), "words": words, "unknown": unknown}


def _model(name: str, request: Request, dataset: Dataset) -> Path | None:
    """A row's model folder; a shipped one only where the data was encoded with its vocabularies."""
    folder = request.model(name)
    if folder is None or folder.parent == request.models:
        return folder
    names = ("vocab.input.txt", "vocab.output.txt")
    same = all((folder / each).read_bytes() == (dataset.folder / each).read_bytes() for each in names)
    return folder if same else None


def training_place(folder: Path) -> dict[str, Any]:
    """Where a number of the training's own log was measured, for a row that only copies it."""
    training = read_json(folder / "config.json")["training"]
    return {
        "measured_by": "hedline train, its log",
        "hardware": training.get("device"),
        "torch": training.get("torch"),
        "seconds": logged_seconds(folder, "epoch") or training["history"][-1].get("seconds"),
        "numpy": None,
        "python": None,
    }


def recorded(folder: Path, dataset: Dataset) -> Any:
    """The perplexity `hedline train` measured and wrote into config.json, for a folder whose weights are elsewhere.

    None where the weights are there. The best epoch of a training on exactly this data folder counts.
    """
    from hedline.training.perplexity import Perplexity

    if (folder / "model.safetensors").is_file():
        return None
    training = read_json(folder / "config.json").get("training", {})
    history = [row for row in training.get("history", []) if row.get("valid")]
    if training.get("data") != dataset.fingerprint or not history:
        raise UserError(f"{folder} has no weights and no training record on {dataset.folder}; copy model.safetensors")
    best = min(history, key=lambda row: float(row["valid"]))
    outputs = dataset.split(SPLIT).outputs
    unknown = int((np.asarray(outputs) == UNKNOWN).sum())
    return Perplexity(
        float(best["valid"]), float(best["valid_known"]), len(outputs) + len(dataset.split(SPLIT)), unknown
    )


def render(rows: dict[str, Row]) -> list[Section]:
    """A table for each way the valid split was filtered, beside the published numbers."""
    filters = sorted({key.rpartition("/")[0] for key in rows}) or [""]
    return [_section(each, {key: rows[f"{each}/{key}"] for key in ROWS if f"{each}/{key}" in rows}) for each in filters]


def _section(filtered: str, rows: dict[str, Row]) -> Section:
    """Each row with its ratio to the row above it."""
    grid = [["Model", "Encoder", "Perplexity", "vs row above", "without `<unk>`", "Published", "vs row above"]]
    ours: float | None = None
    theirs: float | None = None
    for key, (label, encoder) in ROWS.items():
        row, published = rows.get(key), TABLE2.get(key)
        closed = row["closed"] if row else None
        cells = (
            [number(closed, 1), _change(closed, ours), number(row["known"], 1)]
            if row
            else [NOT_MEASURED, MISSING, MISSING]
        )
        grid.append([label, encoder, *cells, number(published, 1), _change(published, theirs)])
        ours, theirs = closed, published
    which = f" ({filtered})" if filtered else ""
    return Section(f"Table 2: perplexity on the validation headlines{which}", grid, notes=_notes(filtered, rows))


def _change(value: float | None, before: float | None) -> str:
    """How far below (or above) the row above, in per cent."""
    if value is None or before is None:
        return MISSING
    return f"{100 * (value / before - 1):+.0f} %"


def _gaps(rows: dict[str, Row]) -> list[str]:
    """The two gaps the paper's argument rests on and whether the order is the paper's, for each ABS there is."""
    if not all(key in rows for key in TABLE2):
        return []
    lines = [_gap("bow", "none", rows, TABLE2["bow"] / TABLE2["none"])]
    for last in ("printed", "options"):
        if last not in rows:
            continue
        ours = [rows[last if key == "printed" else key]["closed"] for key in TABLE2]
        falling = all(after < before for before, after in pairwise(ours))
        lines.append(f"With {ROWS[last][0]} last, the order of the rows is {'' if falling else 'not '}the paper's.")
        lines.append(_gap(last, "bow", rows, TABLE2["printed"] / TABLE2["bow"]))
    return lines


def _gap(lower: str, upper: str, rows: dict[str, Row], published: float) -> str:
    found = _change(rows[lower]["closed"], rows[upper]["closed"])
    return f"{ROWS[lower][0]} against {ROWS[upper][0]}: {found} (published {_change(published, 1.0)})."


def _notes(filtered: str, rows: dict[str, Row]) -> tuple[str, ...]:
    notes = ["Closed vocabulary, as the paper counts: `<unk>` is a word like any other and `</s>` is predicted."]
    if filtered:
        paper = "The paper measures on pairs that went through the filters of its training pairs."
        notes.append(f"Valid split: {filtered}. {paper}")
    measured = list(rows.values())
    if measured:
        words, unknown = measured[0]["words"], measured[0]["unknown"]
        notes.append(f"{words:,} predicted words, {100 * unknown / words:.1f} % of them `<unk>`.")
    notes += _gaps(rows)
    for key, row in rows.items():
        if "base" in row:
            notes.append(
                f"{ROWS[key][0]}: trained further (`--from {row['base']}`) on other headlines than the rows "
                "above; people's may surprise it more since."
            )
    if len({row["provenance"]["data"] for row in measured}) > 1:
        notes.append("Warning: the rows were measured on different data folders and do not compare.")
    return tuple(notes)
