"""Results that say how they came about: JSON files of rows, each with its own provenance.

A row is kept, not measured again, as long as its configuration, its data and its model are the same; an
interrupted reproduction therefore continues where it stopped.
"""

from __future__ import annotations

import hashlib
import os
import platform
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np

import hedline
from hedline.errors import UserError
from hedline.files import read_json, write_json

Row = dict[str, Any]
IDENTITY = ("configuration", "data", "model", "seed")


class Results:
    """The rows of one experiment, read from and written to `<folder>/<name>.json`."""

    def __init__(self, folder: Path, name: str) -> None:
        self.path = folder / f"{name}.json"
        stored = read_json(self.path) if self.path.is_file() else {"name": name, "rows": {}}
        if not isinstance(stored, dict) or not isinstance(stored.get("rows"), dict):
            raise UserError(f"{self.path} does not hold results of `hedline reproduce`; move it away")
        self.name, self.rows = name, dict(stored["rows"])

    def has(self, key: str, identity: dict[str, Any]) -> bool:
        """Whether a row was already measured under exactly these conditions."""
        known = self.rows.get(key, {}).get("provenance", {})
        return key in self.rows and all(known.get(name) == identity.get(name) for name in IDENTITY)

    def put(self, key: str, values: Row, identity: dict[str, Any], seconds: float) -> None:
        """Add or replace a row and save at once."""
        self.rows[key] = {**values, "provenance": {**identity, **circumstances(seconds)}}
        write_json(self.path, {"name": self.name, "rows": self.rows})


def identity(
    configuration: dict[str, Any], data: str, model: str | None = None, seed: int | None = None
) -> dict[str, Any]:
    """What decides a row's numbers; two rows with equal identities are the same measurement."""
    return {"configuration": configuration, "data": data, "model": model, "seed": seed}


def circumstances(seconds: float) -> dict[str, Any]:
    """When, where and with what a row was measured."""
    return {
        "seconds": round(seconds, 2),
        "date": datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC"),
        "hardware": hardware(),
        "hedline": hedline.__version__,
        "commit": commit(),
        "python": platform.python_version(),
        "numpy": np.__version__,
    }


def hardware() -> str:
    """Processor, cores and memory in one line; the GPU too where torch has been loaded and sees one."""
    parts = [_processor(), f"{os.cpu_count()} cores"]
    if hasattr(os, "sysconf") and "SC_PHYS_PAGES" in os.sysconf_names:
        parts.append(f"{os.sysconf('SC_PHYS_PAGES') * os.sysconf('SC_PAGE_SIZE') / 2**30:.0f} GiB")
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_available():
        parts.append(torch.cuda.get_device_name())
    return ", ".join(parts)


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def commit() -> str | None:
    """The commit of the checkout this package runs from, `+` when it has changes; None outside a checkout."""
    folder = Path(__file__).resolve().parents[3]
    if not (folder / ".git").exists():
        return None
    revision = _git(folder, "rev-parse", "--short=12", "HEAD")
    changed = _git(folder, "status", "--porcelain", "--untracked-files=no", "--", "src")
    return None if revision is None else revision + ("+" if changed else "")


def _git(folder: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(["git", "-C", str(folder), *arguments], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return None
    return done.stdout.strip()


def file_fingerprint(*paths: Path) -> str:
    """Sixteen hexadecimal digits of the SHA-256 of the files that exist among `paths`, in this order."""
    digest = hashlib.sha256()
    for path in paths:
        if path.is_file():
            digest.update(path.name.encode())
            with path.open("rb") as stream:
                while block := stream.read(1 << 20):
                    digest.update(block)
    return digest.hexdigest()[:16]


def model_fingerprint(folder: Path) -> str:
    """The fingerprint of what decides a model's headlines: configuration, weights, tuning."""
    if not (folder / "config.json").is_file():
        raise UserError(f"{folder} is no model folder (it has no config.json)")
    return file_fingerprint(folder / "config.json", folder / "model.safetensors", folder / "tuning.json")
