"""A finished run as a Z-MERT folder, and a Z-MERT folder as a problem for our optimiser."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path

import numpy as np

from hedline.corpora.evaluation import read_evaluation_set
from hedline.errors import UserError
from hedline.tuning import zmert
from hedline.tuning.bounds import Bounds, make_bounds
from hedline.tuning.judge import Judge
from hedline.tuning.linesearch import Problem
from hedline.tuning.pool import Array, Hypothesis, Pool
from hedline.tuning.rounds import Tuning, make_problem
from hedline.tuning.tune import Settings
from hedline.tuning.zmert import Candidate, Parameter


def export_zmert(folder: Path, tuning: Tuning, settings: Settings, path: Path) -> None:
    """Write params.txt, decoder.txt, nbest.out, ref.0 …, and ZMERT_cfg.txt for all lists of a run."""
    bounds = make_bounds(settings.features, settings.bounds)
    weights = tuning.weights
    zmert.write_params(folder / "params.txt", _parameters(bounds, weights))
    zmert.write_decoder_config(folder / "decoder.txt", weights)
    zmert.write_nbest(folder / "nbest.out", _candidates(tuning.pool, np.array(list(weights.values()))))
    items = read_evaluation_set(path, settings.limit)
    count = zmert.write_references(folder / "ref", [item.references for item in items])
    zmert.write_config(
        folder / "ZMERT_cfg.txt",
        {
            "r": "ref", "rps": count, "p": "params.txt", "m": "BLEU 4 closest", "ipi": settings.restarts,
            "decOut": "nbest.out", "dcfg": "decoder.txt", "N": settings.beam, "seed": settings.seed,
        },
    )  # fmt: skip


def read_zmert(folder: Path, judge: Judge) -> tuple[Problem, Array]:
    """The problem in a Z-MERT folder (params.txt, nbest.out, ref.*) for any objective, and its first weights (k,)."""
    parameters, _ = zmert.read_params(folder / "params.txt")
    names = tuple(parameter.name for parameter in parameters)
    references = zmert.read_references(folder / "ref")
    pool = Pool(len(references))
    candidates = zmert.read_nbest(folder / "nbest.out", len(names))
    for index, group in groupby(candidates, key=lambda candidate: candidate.index):
        if index >= len(references):
            raise UserError(f"{folder / 'nbest.out'} has input {index}, but there are {len(references)} references")
        members = list(group)
        statistics = judge.statistics([member.text for member in members], references[index])
        pool.add(index, [Hypothesis(m.text, m.features, row) for m, row in zip(members, statistics, strict=True)])
    ranges = np.array([parameter.bounds() for parameter in parameters])
    start = np.array([parameter.value for parameter in parameters])
    return make_problem(pool, judge.objective, Bounds(names, ranges[:, 0], ranges[:, 1])), start


def _parameters(bounds: Bounds, weights: dict[str, float]) -> list[Parameter]:
    return [
        Parameter(name, weights[name], low < high, low, high, (max(low, -1.0), min(high, 1.0)))
        for name, (low, high) in bounds.named().items()
    ]


def _candidates(pool: Pool, weights: Array) -> Iterator[Candidate]:
    for index, hypotheses in enumerate(pool.hypotheses()):
        for each in hypotheses:
            yield Candidate(index, each.text, each.features, float(each.features @ weights))
