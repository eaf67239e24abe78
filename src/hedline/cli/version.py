"""`hedline --version`: the package and the models inside it."""

from __future__ import annotations

from pathlib import Path

import hedline


def version_text() -> str:
    """Version of the package, then the shipped models' names."""
    shipped = Path(hedline.__file__).parent / "shipped"
    names = sorted(path.parent.name for path in shipped.glob("*/config.json"))
    return f"hedline {hedline.__version__} (models: {', '.join(names) or 'none'})"
