"""Rows that decode an evaluation set with a system and score the headlines."""

from __future__ import annotations

import time

from hedline.experiments.record import Results, identity, model_fingerprint
from hedline.experiments.request import EvaluationSet, Request
from hedline.experiments.scoring import score_outputs
from hedline.experiments.systems import System, headlines


def measure_row(
    key: str, system: System, chosen: EvaluationSet, request: Request, results: Results, preset: str
) -> None:
    """Decode and score one row unless it is there already or its model is not.

    key: the row's name in the results; preset: which ROUGE counts.
    """
    folder = request.model(system.folder) if system.folder else None
    if system.folder and folder is None:
        return
    options = system.decode_options(request.options)
    configuration = {"preset": preset, "set": chosen.name, "items": len(chosen.items), "options": options}
    who = identity(configuration, chosen.fingerprint, model_fingerprint(folder) if folder else None, request.seed)
    if results.has(key, who) and not request.force:
        return
    begin = time.monotonic()
    outputs = headlines(folder, chosen.leads, options, request.workers)
    seconds = time.monotonic() - begin
    results.put(key, score_outputs(outputs, chosen.items, preset), who, seconds)
