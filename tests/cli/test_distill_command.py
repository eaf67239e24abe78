"""`hedline distill`: mistakes are named before anything heavy is loaded (tests/training/test_distill.py runs it)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hedline.cli.main import run
from hedline.errors import UserError
from hedline.training import distill


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["default"], "at least one teacher and then a data folder"),
        (["nobody", "data"], "there is no model 'nobody'"),
        (["default", "data", "--method", "nucleus"], "--method cannot be 'nucleus'"),
        (["default", "data", "--workers", "0"], "--workers 1 or more"),
    ],
)
def test_mistakes_are_sentences(arguments: list[str], message: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=message):
        run(["distill", *arguments, "--out", str(tmp_path / "out")])


def test_every_option_reaches_the_request(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seen = []
    monkeypatch.setattr(distill, "distill", lambda request: seen.append(request) or {})
    monkeypatch.setattr(distill, "report_text", lambda report: "")
    settings = [
        "--method",
        "mbr",
        "--samples",
        "3",
        "--temperature",
        "0.5",
        "--pieces",
        "9",
        "--beam",
        "2",
        "--seed",
        "7",
    ]
    request = ["--limit", "5", "--batch", "2", "--device", "cpu", "--workers", "2", "--controls", "usual"]
    with pytest.raises(SystemExit) as left:
        run(["distill", "default", "data", "-o", str(tmp_path / "out"), *settings, *request])
    assert not left.value.code
    (found,) = seen
    assert (found.limit, found.batch, found.device, found.workers, found.engine) == (5, 2, "cpu", 2, "local")
    wanted = {"method": "mbr", "beam": 2, "samples": 3, "temperature": 0.5, "pieces": 9, "controls": "usual", "seed": 7}
    assert wanted.items() <= found.settings.table().items()
