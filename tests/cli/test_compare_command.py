"""`hedline compare`: which of two systems is better, and how sure that is."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedline.cli.main import run


def lines(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def call(capsys, *arguments: object) -> str:
    with pytest.raises(SystemExit) as ended:
        run([str(argument) for argument in arguments])
    assert ended.value.code in (0, None)
    return capsys.readouterr().out


def test_compare_names_a_better_system(tmp_path, capsys):
    texts = [
        f"{word} of the old harbour bridge" for word in ["repair", "closure", "sale", "end", "opening", "painting"]
    ] * 5
    references = lines(tmp_path / "ref.txt", texts)
    good = lines(tmp_path / "good.txt", texts)
    bad = lines(tmp_path / "bad.txt", ["bridge news"] * 30)
    text = call(capsys, "compare", bad, good, "--references", references, "--trials", "300")
    assert "p bootstrap" in text
    found = json.loads(call(capsys, "compare", bad, good, "-r", references, "--trials", "300", "--json"))
    cell = found["systems"]["good"]["ROUGE-1"]
    assert cell["difference"] > 50
    assert max(cell["p_bootstrap"], cell["p_randomization"]) < 0.01
    assert "difference" not in found["systems"]["bad"]["ROUGE-1"]
