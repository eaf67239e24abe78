"""Progress lines: what they say, when they are written, and that iterating changes nothing."""

from __future__ import annotations

import pytest

from hedline import progress
from hedline.progress import Progress, duration, track


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """A clock that tests turn by hand."""
    now = [100.0]
    monkeypatch.setattr(progress.time, "monotonic", lambda: now[0])
    return now


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, "0.0s"), (4.24, "4.2s"), (60, "1m00s"), (185.4, "3m05s"), (3600, "1h00m"), (3725, "1h02m"), (-1, "0.0s")],
)
def test_durations(seconds: float, text: str) -> None:
    assert duration(seconds) == text


def test_a_line_says_how_far_how_fast_and_how_long_still(clock: list[float]) -> None:
    counter = Progress("reading", total=400, unit="pairs")
    clock[0] += 10
    counter.advance(100, note="loss 3.1")
    assert counter.line() == "reading: 100 of 400 pairs, 10/s, 30.0s left, loss 3.1"


def test_off_a_terminal_lines_are_rare(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    counter = Progress("reading", every=15)
    for _ in range(40):
        clock[0] += 1
        counter.advance()
    assert capsys.readouterr().err.splitlines() == [
        "reading: 15 items, 1.00/s",
        "reading: 30 items, 1.00/s",
    ]


def test_tracking_gives_every_item_and_one_last_line(clock: list[float], capsys: pytest.CaptureFixture[str]) -> None:
    assert list(track("abc", "spelling", 3, "letters")) == ["a", "b", "c"]
    assert capsys.readouterr().err.startswith("spelling: 3 of 3 letters")
    assert list(track("abc", "spelling", least=3)) == ["a", "b", "c"]  # not more than three: no line
    assert capsys.readouterr().err == ""
