"""The hint how to install what is missing."""

from __future__ import annotations

from pathlib import Path

from hedline.errors import install_hint

ROOT = Path(__file__).resolve().parents[1]


def test_hints_name_an_installation_that_works_from_a_checkout() -> None:
    assert install_hint("train") == f"pip install '{ROOT}[train]'"
    assert "\ntrain = [" in (ROOT / "pyproject.toml").read_text("utf-8")
