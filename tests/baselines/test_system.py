"""The interface of the baselines: limits, folders, names."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.baselines.prefix import Prefix
from hedline.baselines.system import SYSTEMS, Limit, find_system, is_baseline, open_baseline, read_config, write_config
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError


@given(st.text(max_size=60), st.integers(1, 40), st.integers(1, 8))
def test_a_cut_text_fits_and_is_the_longest_such_beginning(text: str, bytes: int, words: int) -> None:
    limit = Limit(bytes, words)
    cut = limit.cut(text)
    assert limit.fits(cut)
    beginnings = [" ".join(text.split()[:n]) for n in range(len(text.split()) + 1)]
    longest = [each for each in beginnings if limit.fits(each)][-1]
    first = "".join(text.split()[:1]).encode("utf-8", "replace")
    assert cut == longest or (not longest and first.startswith(cut.encode()))


def test_a_limit_of_nothing_is_refused() -> None:
    with pytest.raises(UserError, match="leaves no headline"):
        Limit(bytes=0)


def test_prefix_keeps_both_limits_and_may_end_in_half_a_word() -> None:
    item = EvaluationItem("1", "Zoë’s ferry sank off the coast on Monday.", ())
    assert Prefix.open().headlines([item], Limit(bytes=6)) == ["Zoë"]
    assert Prefix.open().headlines([item], Limit(bytes=13)) == ["Zoë’s ferr"]
    assert Prefix.open().headlines([item], Limit(words=2)) == ["Zoë’s ferry"]


def test_unknown_and_unbuilt_names_are_sentences() -> None:
    with pytest.raises(UserError, match="no baseline is called 'magic'"):
        find_system("magic")
    assert find_system("PREFIX") is Prefix
    assert {"ir", "compress", "topiary", "wl", "moses", "banko"} < set(SYSTEMS)


def test_a_folder_says_what_it_is(tmp_path: Path) -> None:
    assert not is_baseline(tmp_path)
    with pytest.raises(UserError, match="no fitted baseline"):
        open_baseline(tmp_path)
    write_config(tmp_path, "prefix", {"learnt": 3})
    assert is_baseline(tmp_path)
    assert isinstance(open_baseline(tmp_path), Prefix)
    assert read_config(tmp_path)["learnt"] == 3
    with pytest.raises(UserError, match="holds the baseline 'prefix', not 'ir'"):
        read_config(tmp_path, "ir")
