"""requirements-dev.lock: complete, hashed, and what this environment has."""

from __future__ import annotations

import re
import sys
import tomllib
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parents[1]
LOCK = (CHECKOUT / "requirements-dev.lock").read_text(encoding="utf-8")
BLOCKS = re.findall(r"(?m)^(?![#\s]).+(?:\n[ \t].+)*", LOCK)
LOCKED = {plain[0]: plain[1] for plain in (re.match(r"([\w.-]+)==([\w.]+)", block).groups() for block in BLOCKS)}
MACHINE = ("torch", "triton", "nvidia-", "cuda-")  # their wheels depend on the machine


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def test_every_package_has_hashes_and_nothing_else() -> None:
    for block in BLOCKS:
        first, *hashes = (line.strip().removesuffix(" \\").strip() for line in block.splitlines())
        assert re.fullmatch(r"[a-z0-9-]+==[\w.]+( ; .+)?", first), first
        assert hashes and all(re.fullmatch(r"--hash=sha256:[0-9a-f]{64}", each) for each in hashes), first
    assert "://" not in LOCK  # no index is named: pip takes the user's own


def test_the_lock_covers_what_pyproject_asks_for() -> None:
    project = tomllib.loads((CHECKOUT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    named = re.search(r"\[(.+)\]", extras["dev"][0])[1].split(",")
    asked = [*project["dependencies"], *extras["dev"][1:], *(line for name in named for line in extras[name])]
    names = {normal(re.match(r"[\w.-]+", line)[0]) for line in asked}
    assert names - {"torch"} <= LOCKED.keys()


def test_what_is_installed_is_what_is_locked() -> None:
    if sys.prefix == sys.base_prefix or (Path(sys.prefix) / ".unlocked").exists():
        pytest.skip("scripts/setup-dev could not install the lock here, or did not make this environment")
    found = {}
    for name in LOCKED:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    if "ruff" not in found:
        pytest.skip("this environment has no development packages")
    assert found == {name: LOCKED[name] for name in found}


def test_what_locked_packages_need_is_locked() -> None:
    """Without extras and markers, so that the closure is the same everywhere."""
    for name in LOCKED:
        try:
            needed = distribution(name).requires or []
        except PackageNotFoundError:
            continue
        for line in needed:
            other = normal(re.match(r"[\w.-]+", line)[0])
            if ";" not in line and not other.startswith(MACHINE):
                assert other in LOCKED, f"{name} needs {other}"


def test_every_locked_package_has_its_licence_stated() -> None:
    table = (CHECKOUT / "docs" / "licences.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"(?m)^\| ([\w.-]+) \| (\d[\w.]*) \| .+ \|$", table))
    assert rows == LOCKED
