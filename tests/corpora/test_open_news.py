"""The open data itself, where it is at hand: sizes as documented, and no line that cannot be read."""

from collections import Counter
from pathlib import Path

import pytest

from hedline.corpora.filters import PRESETS, Candidate, first_reason
from hedline.corpora.pairs import BadLine
from hedline.corpora.sets import read_evaluation_set
from hedline.corpora.tables import read_pairs
from hedline.text.tokenize import normalize

pytestmark = pytest.mark.shared


@pytest.mark.parametrize(("name", "size"), [("valid", 4000), ("test", 2000), ("wire2004", 5940), ("wire1987", 14069)])
def test_documented_sizes(open_news: Path, name: str, size: int) -> None:
    assert len(read_evaluation_set(open_news / f"{name}.jsonl.xz")) == size


def test_the_release_loses_japan_and_the_paper_keeps_it(open_news: Path) -> None:
    """The substring defect of the released filter, on real headlines."""
    losses: Counter[tuple[str, str]] = Counter()
    for pair in read_pairs(open_news / "valid.jsonl.xz"):
        assert not isinstance(pair, BadLine)
        if "japan" in pair.headline.lower().split():
            candidate = Candidate(pair, normalize(pair.lead), normalize(pair.headline))
            for preset in ("paper", "namas"):
                losses[preset, first_reason(candidate, PRESETS[preset].filters) or "kept"] += 1
    assert losses["namas", "kept"] == 0
    assert losses["paper", "kept"] > 0 and losses["paper", "editing-marks"] == 0
