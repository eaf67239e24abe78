"""Exact search: Viterbi over everything a hypothesis' future depends on.

With a finite context the hypotheses that share their last C words (and what is left of limits, places and repeats)
are one state, and only the best of each is kept: the paper's O(N · V^C) dynamic program. It is the beam search with
nothing dropped, one input at a time, with a check beforehand of how many states there can be.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from hedline.decoding.lexicon import Lexicon
from hedline.decoding.scorer import Scorer
from hedline.decoding.search import Endings, Plan, beam_search
from hedline.errors import UserError

MOST_STATES = 200_000
EVERYTHING = 1 << 40


def exact_search(scorer: Scorer, lexicon: Lexicon, plan: Plan, most: int = MOST_STATES) -> list[Endings]:
    """Every input's finished headlines, the best one certainly first; refuses what would not finish."""
    needed = max(estimate_states(lexicon, owner, getattr(scorer, "C", None)) for owner in range(len(lexicon.inputs)))
    if needed > most:
        raise UserError(
            f"an exact search here may have to keep {_rounded(needed)} hypotheses at once (limit {most:,}); use the "
            "beam decoder, fewer words, extractive or compressive mode, a shorter input, or switch repeat blocking off"
        )
    return beam_search(scorer, lexicon, replace(plan, width=EVERYTHING))


def estimate_states(lexicon: Lexicon, owner: int, context: int | None) -> float:
    """How many hypotheses may be alive at once, at most: V^steps, or V^C times the states of the limits."""
    units, steps = lexicon.choices(owner), lexicon.max_steps
    unmerged = float(units) ** min(steps, 60)
    orders = lexicon.orders(owner)
    if orders is not None:
        unmerged = min(unmerged, orders)
    if context is None or not lexicon.merges:
        return unmerged
    return min(unmerged, float(units) ** min(max(context, 2), 60) * lexicon.limit_states(owner))


def _rounded(count: float) -> str:
    if count < 1e6:
        return f"{int(count):,}"
    return f"about 10^{int(np.log10(count))}" if np.isfinite(count) else "countless"
