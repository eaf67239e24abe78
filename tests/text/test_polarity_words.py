"""The lists of polarity words: spelt as they are looked up, and saying one thing each."""

from __future__ import annotations

from hedline.text import polarity_words
from hedline.text.polarity_words import EQUIVALENTS, NEGATIVE_PAIRS


def lists() -> dict[str, frozenset]:
    """Every list of the module by name."""
    found = {name: value for name, value in vars(polarity_words).items() if isinstance(value, frozenset)}
    assert found
    return found


def test_every_entry_is_lower_case_and_without_spaces_around() -> None:
    for name, entries in lists().items():
        for entry in entries:
            for word in entry if isinstance(entry, tuple) else (entry,):
                assert word == word.lower().strip(), (name, entry)


def test_every_kind_of_cue_has_equivalents() -> None:
    assert {"negation", "hedging", "condition", "attribution"} <= set(EQUIVALENTS)
    assert all(certain for certain, _ in EQUIVALENTS.values())
    assert all(len(pair) == 2 for pair in NEGATIVE_PAIRS)
