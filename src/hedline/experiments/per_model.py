"""Experiments that do one thing with each model that is there, and keep what is measured already."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from hedline.experiments.record import Results, Row, identity, model_fingerprint
from hedline.experiments.request import Request
from hedline.experiments.systems import System

Measure = Callable[[str, Path, dict[str, Any]], Row]


def measure_systems(
    name: str, systems: Mapping[str, System], inputs: str, request: Request, measure: Measure
) -> Results:
    """The results of experiment `name`: a row for each system whose model was built.

    inputs: what is decoded, in words (part of a row's identity); measure: from a row's key, its model folder and its
    decoding options to the row.
    """
    request.need_models(name)
    results = request.open(name)
    for key, system in systems.items():
        folder = request.model(system.folder or "")
        if folder is None:
            continue
        options = system.decode_options(request.options)
        who = identity({"options": options}, inputs, model_fingerprint(folder), request.seed)
        if results.has(key, who) and not request.force:
            continue
        begin = time.monotonic()
        results.put(key, measure(key, folder, options), who, time.monotonic() - begin)
    return results
