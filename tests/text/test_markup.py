"""Marks of HTML and Markdown go, everything else stays."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.text.markup import strip_markup


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("<p>The <b>court</b> ruled &amp; left <a href='x'>Vexo</a>.</p>", "The court ruled & left Vexo."),
        ("First line<br/>second <i>l</i>ine", "First line second line"),
        ("**Breaking:** the [mayor](https://lund.example/mayor) quits", "Breaking: the mayor quits"),
        ("<script>alert(1 < 2)</script>Storm<!-- no --> hits", "Storm hits"),
        ("It&#39;s 5 &lt; 6", "It's 5 < 6"),
    ],
)  # fmt: skip
def test_markup_goes(text, expected):
    assert " ".join(strip_markup(text).split()) == expected


@pytest.mark.parametrize(
    "text", ["<unk> of <s>", "a < b and c > d", "AT&T; R&D", "2 ** 3 ** 4", "see [1] (page 2)", "x__y__z", "<Peter>"]
)
def test_what_only_looks_like_it_stays(text):
    assert strip_markup(text) == text


@pytest.mark.parametrize("mark", ["<script>", "<!--", "**a ", "__a", "<a ", "[x](", "<", "&a"])
def test_a_mark_that_is_only_opened_stays_however_often(mark):
    assert strip_markup(mark * 2000) == mark * 2000


@given(st.text("<>/abp&;#*_[]()x h:", max_size=60))
def test_any_text_gives_a_text_no_longer(text):
    assert len(strip_markup(text)) <= len(text)
