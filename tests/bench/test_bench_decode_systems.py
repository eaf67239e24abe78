"""The systems that are measured: each asks our models for what its name says."""

from __future__ import annotations

from hedline.api import find_model
from hedline.bench.decode import our_systems
from hedline.bench.peers import BEAM, WORDS

TEXTS = ["The city council voted on Tuesday to close the old harbour bridge for repairs after engineers found rust."]


def test_our_systems_write_twelve_words_or_their_own_length() -> None:
    systems, about = our_systems(str(find_model("abs")))
    assert set(systems) == set(about) and "hedline abs, no shortlist" in systems
    for name, system in systems.items():
        (summary,) = system(TEXTS)
        assert (len(summary.text.split()) == WORDS) == (name != "hedline abs, own length"), name
        assert about[name]["family"] == "feedforward"
    beams = {facts["beam"] for name, facts in about.items() if f"beam {BEAM}" in name}
    assert beams <= {BEAM}
