"""`hedline ngram` on a small data folder written here."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from hedline.cli.main import run
from hedline.errors import UserError
from hedline.ngram.estimate import NgramSettings, measure_ngram
from small_data import write_counted


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_counted(tmp_path / "data")


def finish(arguments: list[str]) -> int:
    with pytest.raises(SystemExit) as caught:
        run(arguments)
    return int(caught.value.code or 0)


EXPECTED = np.exp(-np.log([0.6, 0.05, 0.3, 0.6, 0.35, 0.65]).mean())


def test_prints_both_perplexities(data: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert finish(["ngram", str(data), "--order", "2"]) == 0
    out = capsys.readouterr().out
    assert f"{EXPECTED:.2f} with unknown words" in out and "16.7 % unknown" in out
    assert "too little text" in out


def test_json_and_arpa_and_back(data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arpa = tmp_path / "out.arpa"
    assert finish(["ngram", str(data), "--order", "2", "--arpa", str(arpa), "--json"]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["perplexity"]["closed"] == pytest.approx(EXPECTED, rel=1e-6)
    again = measure_ngram(data, NgramSettings(from_arpa=arpa))
    assert again.perplexity.closed == pytest.approx(EXPECTED, rel=1e-5)
    assert "as in the file" in again.text()


def test_arpa_with_another_vocabulary(data: Path, tmp_path: Path) -> None:
    arpa = tmp_path / "out.arpa"
    arpa.write_text("\\data\\\nngram 1=4\n\n\\1-grams:\n-1\tb\n-0.5\ta\n-0.25\t</s>\n-2\t<unk>\n\n\\end\\\n")
    # a <unk> </s> a b </s>
    logs = [-0.5, -2, -0.25, -0.5, -1, -0.25]
    assert measure_ngram(data, NgramSettings(from_arpa=arpa)).perplexity.closed == pytest.approx(
        10 ** -np.mean(logs), rel=1e-6
    )


def test_what_is_missing_is_said(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no test split"):
        measure_ngram(data, NgramSettings(split="test"))
    with pytest.raises(UserError, match="no data folder"):
        measure_ngram(tmp_path)
