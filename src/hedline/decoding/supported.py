"""The name guard: no name in a headline that nothing in its input supports.

The number guard can forbid a digit as the search writes it; whether a capital makes a name is known only when the
headline is there. So where a headline has an invented name, and only there, the search is repeated for more candidates,
of which the best one without is printed; where all have one, it is repeated with the input's own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hedline.decoding.summary import Hypothesis

CANDIDATES = 12  # how many of the search's best headlines the guard chooses from
Casing = Mapping[str, str] | None


def supported_first(candidates: Sequence[Hypothesis], lead: str, casing: Casing = None) -> list[Hypothesis]:
    """Candidates (best first) by how many of their names the lead does not support; equal ones keep their order.

    One that misses an exact length stays behind those that do not; a headline found twice is there once.
    casing: lower-case word to its usual form, to tell names where every word has a capital.
    """
    from hedline.metrics.names import unsupported_names

    once: dict[str, Hypothesis] = {}
    for each in candidates:
        once.setdefault(each.text, each)
    return sorted(once.values(), key=lambda each: (each.short, len(unsupported_names(each.text, lead, casing))))


def invents(candidates: Sequence[Hypothesis], lead: str, casing: Casing = None) -> bool:
    """Whether even the first of these candidates has a name of its own invention."""
    from hedline.metrics.names import unsupported_names

    return bool(candidates) and bool(unsupported_names(candidates[0].text, lead, casing))
