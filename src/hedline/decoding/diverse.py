"""Candidates that differ: of many, the best ones no two of which are too much alike."""

from __future__ import annotations

from collections.abc import Sequence

from hedline.decoding.consensus import overlaps
from hedline.decoding.summary import Hypothesis


def spread(candidates: Sequence[Hypothesis], count: int, diversity: float) -> list[Hypothesis]:
    """At most `count` candidates, best first, no two with an overlap above 1 - diversity.

    Where that leaves too few, those follow that are least like the ones before them.
    """
    if not candidates:
        return []
    alike = overlaps([each.text for each in candidates])
    chosen = [0]
    for place in range(1, len(candidates)):
        if len(chosen) < count and alike[place, chosen].max() <= 1.0 - diversity:
            chosen.append(place)
    rest = [place for place in range(len(candidates)) if place not in chosen]
    while rest and len(chosen) < count:
        nearest = min(rest, key=lambda place: (round(float(alike[place, chosen].max()), 9), place))
        chosen.append(nearest)
        rest.remove(nearest)
    return [candidates[place] for place in chosen]
