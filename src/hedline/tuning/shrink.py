"""How far to go toward the tuned weights: decided on inputs the tuning has not seen.

MERT fits its inputs a little too well, and it is run with a wide beam. So weights on the line from the model alone
(share 1) to the tuned ones (share 0) decode held-out inputs with the product's beam, and the best share is kept.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from hedline.decoding.features import dial
from hedline.tuning.decoder import Job, ModelDecoder
from hedline.tuning.rounds import score_top

SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)  # 1: a model that tuning only harms stays alone
BEAM = 5
FEWEST = 50  # with fewer inputs the choice would be noise


@dataclass(frozen=True)
class Trial:
    """One share: the objective and R-1, R-2, R-L of the held-out headlines."""

    share: float
    objective: float
    rouge: dict[str, float]


@dataclass(frozen=True)
class Shrunk:
    """The kept weights, the share of the model alone in them, and all trials."""

    weights: dict[str, float]
    share: float
    inputs: int
    trials: tuple[Trial, ...]

    def table(self) -> dict[str, Any]:
        """For tuning.json."""
        return {
            "share": self.share,
            "inputs": self.inputs,
            "beam": BEAM,
            "trials": [asdict(each) for each in self.trials],
        }


def shrink(job: Job, weights: Mapping[str, float], measure: str, workers: int) -> Shrunk | None:
    """Try the shares on the job's (held-out) inputs; None where there are too few of them."""
    if len(job.items) < FEWEST:
        return None
    narrow = Job(job.model, job.items, {**job.options, "beam": BEAM, "nbest": 1}, job.features, job.judge)
    with ModelDecoder(narrow, workers) as decoder:
        trials = [_try(decoder, share, weights, job, measure) for share in SHARES]
    best = max(trials, key=lambda trial: (trial.objective, -trial.share))
    return Shrunk(dial(dict(weights), best.share), best.share, len(job.items), tuple(trials))


def _try(decoder: ModelDecoder, share: float, weights: Mapping[str, float], job: Job, measure: str) -> Trial:
    lists = decoder.nbest(dial(dict(weights), share))
    objective, rouge = score_top(lists, job.judge.objective, measure)
    return Trial(share, objective, rouge)
