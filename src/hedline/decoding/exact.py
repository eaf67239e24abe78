"""Exact search: Viterbi over everything a hypothesis' future depends on.

With a finite context the hypotheses that share their last C words (and what is left of limits, places and repeats)
are one state, and only the best of each is kept: the paper's O(N · V^C) dynamic program. It is the beam search with
nothing dropped but what provably cannot win: a beam search first finds a headline to beat, and a hypothesis whose
score could not reach it even if all units to come were certain is left out. A search that grows too large is refused
with an estimate.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedline.decoding.lexicon import Lexicon
from hedline.decoding.scorer import Scorer
from hedline.decoding.search import Endings, Plan, TooLargeError, beam_search
from hedline.errors import UserError

MOST_TOTALS = 40_000_000  # scores held at once, about 160 MB
FIRST_WIDTH = 20
EVERYTHING = 1 << 40


def exact_search(scorer: Scorer, lexicon: Lexicon, plan: Plan) -> list[Endings]:
    """Every input's finished headlines, the best ones certainly among them; refuses what would not finish."""
    found = beam_search(scorer, lexicon, replace(plan, width=max(plan.width, FIRST_WIDTH)))
    to_beat = tuple(_to_beat(endings, plan.nbest) for endings in found)
    try:
        return beam_search(scorer, lexicon, replace(plan, width=EVERYTHING, most=MOST_TOTALS, to_beat=to_beat))
    except TooLargeError as error:
        raise UserError(
            f"an exact search here would have to follow {_estimate(error, lexicon.max_steps)} hypotheses; use the beam "
            "decoder, fewer words, extractive or compressive mode, or a shorter input"
        ) from None


def _to_beat(endings: Endings, nbest: int) -> float:
    """The key that the last wanted headline must reach; nothing while some miss what was asked."""
    if len(endings) < nbest or endings.short(nbest - 1):
        return -np.inf
    return endings[nbest - 1].key


def _estimate(error: TooLargeError, steps: int) -> str:
    """How many hypotheses there would be at the last step if they went on growing as they did."""
    power = np.log10(max(error.now, 1)) + np.log10(max(error.growth, 1.0)) * max(steps - error.step, 0)
    return f"about 10^{round(power)}" if power >= 6 else f"more than {error.now:,}"
