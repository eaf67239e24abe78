"""`hedline reproduce`, end to end on small random models: rows, provenance, resuming, the report."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from hedline.errors import UserError
from hedline.experiments import quality, table1
from hedline.experiments.record import Request, Results
from hedline.experiments.report import TABLE1, TABLE2, TABLE3
from hedline.experiments.reproduce import report, reproduce, write_pictures, write_report

pytestmark = pytest.mark.usefixtures("committed")


def test_figure_and_examples(request_: Request) -> None:
    sections = reproduce("figure1", request_) + reproduce("examples", request_)
    text = "\n".join(section.text() for section in sections)
    assert "russia calls for joint front against terrorism" in text
    assert "ours, ABS+ as printed" in text and "**I(11):**" in text
    write_pictures(request_.results)
    assert (request_.results / "figure1-abs+-printed.svg").read_text().startswith("<svg")
    row = Results(request_.results, "figure1").rows["ABS printed"]
    alignment = np.array(row["alignment"])
    assert alignment.shape == (len(row["tokens"]), len(row["source"]))


def test_all_passes_over_what_cannot_run(request_: Request, capsys: pytest.CaptureFixture[str]) -> None:
    sections = reproduce("all", replace(request_, data=None))
    assert "table2: passed over" in capsys.readouterr().err
    assert any("ROUGE on tiny" in section.title for section in sections)


def test_report_is_checked_for_staleness(request_: Request, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "reproduction.md"
    with pytest.raises(UserError, match="run `hedline reproduce report`"):
        write_report(request_.results, page, check=True)
    write_report(request_.results, page)
    write_report(request_.results, page, check=True)
    table1.run(request_)
    with pytest.raises(UserError, match="is not what"):
        write_report(request_.results, page, check=True)
    write_report(request_.results, page)
    assert "table1, tiny/ABS+ printed" in page.read_text() and "| PREFIX |" in page.read_text()


def test_report_without_results_shows_the_published_numbers(tmp_path: Path) -> None:
    text = report(tmp_path)
    for row in TABLE1.values():
        assert row.duc is None or f"{row.duc[0]:.2f}" in text
    assert all(f"{value:.1f}" in text for value in TABLE2.values())
    assert all(f"{values[1]:.2f}" in text for values in TABLE3.values())
    assert "not measured yet" in text and "Nothing has been measured yet." in text


def test_committed_report_is_what_the_committed_results_give() -> None:
    checkout = Path(__file__).resolve().parents[2]
    write_report(checkout / "results", checkout / "docs" / "reproduction.md", check=True)


def test_a_stale_picture_makes_the_report_stale(request_: Request, tmp_path: Path) -> None:
    page = tmp_path / "docs" / "reproduction.md"
    table1.run(request_)
    write_report(request_.results, page)
    assert "![Table 1: ROUGE on tiny](../results/table1-tiny.svg)" in page.read_text()
    write_report(request_.results, page, check=True)
    (request_.results / "table1-tiny.svg").write_text("<svg/>")
    with pytest.raises(UserError, match=r"table1-tiny\.svg is not what"):
        write_report(request_.results, page, check=True)


def test_the_report_shows_no_picture_that_is_not_drawn(
    request_: Request, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Quality without a stored benchmark has no picture of speed."""
    monkeypatch.setattr(quality, "MODELS", ("abs",))
    monkeypatch.setattr(quality, "find_model", lambda name: request_.models / "printed")
    monkeypatch.setattr(quality, "history", lambda model: [])
    reproduce("quality", request_)
    page = tmp_path / "docs" / "reproduction.md"
    write_report(request_.results, page)
    assert "The shipped models on tiny, F1" in page.read_text()
    assert quality.SPEED_PICTURE not in page.read_text()
