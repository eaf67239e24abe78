"""The traps: well formed, in two halves and batches, and able to fail."""

from __future__ import annotations

from collections import Counter

import pytest

from hedline.experiments.traps import Trap, faults, judge, read_traps, render


def test_there_are_enough_traps_of_every_kind_in_both_halves():
    traps = read_traps()
    assert len(traps) >= 300
    assert len({trap.id for trap in traps}) == len({trap.lead for trap in traps}) == len(traps)
    for half in ("dev", "check"):
        kinds = Counter(trap.kind for trap in traps if trap.half == half)
        assert len(kinds) == 10 and min(kinds.values()) >= 10
    batches = Counter(trap.half for trap in traps if trap.half not in ("dev", "check"))
    sizes = {14: 49, 15: 39, 16: 39, 17: 22, 18: 120, 19: 80, 20: 100, 22: 100}
    sizes |= dict.fromkeys((10, 11, 12, 21, 23, 24, 25), 60)
    assert batches == {f"batch {number}": sizes.get(number, 40) for number in range(1, 27)}


def test_every_sentence_is_a_good_headline_of_itself():
    assert [trap.id for trap in read_traps() if faults(trap, trap.lead)] == []


@pytest.mark.parametrize(
    ("headline", "expected"),
    [
        ("Mayor to resign", ("meaning",)),
        ("Mayor refuses to resign", ()),
        ("Mayor won't resign over 3 leaks", ("number",)),
        ('Mayor: "I am not going to resign"', ("quotation",)),
        ("", ("empty",)),
    ],
)
def test_faults_of_a_headline(headline, expected):
    trap = Trap("a", "negation", "dev", "The mayor will not resign over the leak.", when="resign", then="{neg}|going")
    assert faults(trap, headline) == expected


def test_rates_by_kind_and_half():
    traps = [
        Trap("a", "negation", "dev", "The mayor will not resign.", when="resign", then="{neg}"),
        Trap("b", "negation", "check", "The mayor will not resign.", when="resign", then="{neg}"),
    ]
    row = judge(traps, ["Mayor to resign", "Mayor will not resign"])
    assert (row["failed"], row["kinds"], row["halves"]) == (1, {"negation": [1, 2]}, {"dev": [1, 1], "check": [0, 1]})
    assert row["examples"] == {"a": "Mayor to resign"}
    assert "50.0" in render({"default/with guards": row})[0].text()
