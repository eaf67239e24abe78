"""What the forms of a word share."""

from __future__ import annotations

from hedline.text.stems import stem


def test_forms_of_a_word_share_a_stem() -> None:
    assert len({stem(word) for word in ("reject", "rejects", "rejected", "rejecting", "rejection")}) == 1
    assert stem("won") == stem("wins") == stem("winning")
