"""Table 2: perplexity of the Kneser-Ney 5-gram and of the models with each encoder."""

from __future__ import annotations

import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from hedline.data.dataset import Dataset
from hedline.errors import UserError
from hedline.experiments.grid import MISSING, NOT_MEASURED, number
from hedline.experiments.published import TABLE2
from hedline.experiments.record import Results, Row, identity, model_fingerprint
from hedline.experiments.request import Request
from hedline.experiments.section import Section
from hedline.files import read_json
from hedline.text.vocab import UNKNOWN

NAME = "table2"
ORDER = 5
SPLIT = "valid"

# key (also the model's folder) -> label, encoder, as in the paper; the recurrent decoders came after it
ROWS = {
    "kn5": ("KN-smoothed 5-gram", "none"),
    "none": ("Feed-forward NNLM", "none"),
    "bow": ("Bag of words", "enc₁"),
    "conv": ("Convolutional (TDNN)", "enc₂"),
    "attention": ("Attention-based (ABS)", "enc₃"),
    "best": ("ABS with our options", "enc₃"),
    "rnn": ("Recurrent decoder, Elman", "attention"),
    "lstm": ("Recurrent decoder, LSTM", "attention"),
}


def run(request: Request) -> Results:
    """Measure every row whose model is there, over the valid split of the data folder."""
    if request.data is None:
        raise UserError("table2 needs --data, a folder made by `hedline prepare`")
    request.check_models()
    dataset, results = Dataset.open(request.data), request.open(NAME)
    for key in ROWS:
        _measure(key, request, dataset, results)
    return results


def _measure(key: str, request: Request, dataset: Dataset, results: Results) -> None:
    folder = request.model(key)
    if key != "kn5" and folder is None:
        return
    configuration: dict[str, Any] = {"split": SPLIT, **({"order": ORDER} if folder is None else {})}
    fingerprint = model_fingerprint(folder) if folder else None
    who = identity(configuration, dataset.fingerprint, fingerprint, request.seed)
    if results.has(key, who) and not request.force:
        return
    begin = time.monotonic()
    if folder is None:
        from hedline.ngram.report import measure_ngram

        ngram = measure_ngram(dataset.folder, ORDER, SPLIT).perplexity
        closed, known, words, unknown = ngram.closed, ngram.known, ngram.targets, ngram.unknown
    else:
        from hedline.training.perplexity import perplexity_of_folder

        neural = recorded(folder, dataset) or perplexity_of_folder(folder, dataset.folder, SPLIT)
        closed, known, words, unknown = neural.closed, neural.known, neural.words, neural.unknown
    values = {"closed": round(closed, 3), "known": round(known, 3), "words": words, "unknown": unknown}
    results.put(key, values, who, time.monotonic() - begin)


def recorded(folder: Path, dataset: Dataset) -> Any:
    """The perplexity `hedline train` measured and wrote into config.json, for a folder whose weights are elsewhere.

    None where the weights are there. The best epoch of a training on exactly this data folder counts.
    """
    from hedline.training.evaluate import Perplexity

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
    """The table beside the published numbers, each with its ratio to the row above it."""
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
    return [Section("Table 2: perplexity on the validation headlines", grid, notes=_notes(rows))]


def _change(value: float | None, before: float | None) -> str:
    """How far below (or above) the row above, in per cent."""
    if value is None or before is None:
        return MISSING
    return f"{100 * (value / before - 1):+.0f} %"


def _gaps(rows: dict[str, Row]) -> list[str]:
    """The two gaps the paper's argument rests on and whether the order is the paper's, for each attention there is."""
    if not all(key in rows for key in TABLE2):
        return []
    lines = [_gap("bow", "none", rows, TABLE2["bow"] / TABLE2["none"])]
    for attention in ("attention", "best"):
        if attention not in rows:
            continue
        ours = [rows[attention if key == "attention" else key]["closed"] for key in TABLE2]
        falling = all(after < before for before, after in pairwise(ours))
        lines.append(
            f"With {ROWS[attention][0]} last, the order of the rows is {'' if falling else 'not '}the paper's."
        )
        lines.append(_gap(attention, "bow", rows, TABLE2["attention"] / TABLE2["bow"]))
    return lines


def _gap(lower: str, upper: str, rows: dict[str, Row], published: float) -> str:
    found = _change(rows[lower]["closed"], rows[upper]["closed"])
    return f"{ROWS[lower][0]} against {ROWS[upper][0]}: {found} (published {_change(published, 1.0)})."


def _notes(rows: dict[str, Row]) -> tuple[str, ...]:
    notes = ["Closed vocabulary, as the paper counts: `<unk>` is a word like any other and `</s>` is predicted."]
    measured = [rows[key] for key in ROWS if key in rows]
    if measured:
        words, unknown = measured[0]["words"], measured[0]["unknown"]
        notes.append(f"{words:,} predicted words, {100 * unknown / words:.1f} % of them `<unk>`.")
    notes += _gaps(rows)
    if len({row["provenance"]["data"] for row in measured}) > 1:
        notes.append("Warning: the rows were measured on different data folders and do not compare.")
    return tuple(notes)
