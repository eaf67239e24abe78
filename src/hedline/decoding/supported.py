"""The name guard: no name in a headline that nothing in its input supports.

The number guard can forbid a digit as the search writes it; whether a capital makes a name is known only when the
headline is there. So the search returns more candidates than were asked for, and the best one without an invented name
is printed; where all have one, the search is repeated with the input's own words.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from hedline.decoding.summary import Hypothesis

CANDIDATES = 12  # how many of the search's best headlines the guard chooses from
Casing = Mapping[str, str] | None


def supported_first(candidates: Sequence[Hypothesis], lead: str, casing: Casing = None) -> list[Hypothesis]:
    """Candidates (best first) by how many of their names the lead does not support; equal ones keep their order.

    casing: lower-case word to its usual form, to tell names where every word has a capital.
    """
    from hedline.metrics.names import unsupported_names

    return sorted(candidates, key=lambda each: len(unsupported_names(each.text, lead, casing)))


def invents(candidates: Sequence[Hypothesis], lead: str, casing: Casing = None) -> bool:
    """Whether even the first of these candidates has a name of its own invention."""
    from hedline.metrics.names import unsupported_names

    return bool(candidates) and bool(unsupported_names(candidates[0].text, lead, casing))
