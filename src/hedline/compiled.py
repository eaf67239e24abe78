"""Whether a compiled module is as new as its source; after `git pull` in an editable install it may not be."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

_METHOD = re.compile(r'\{"(\w+)", py_')  # an entry of the table of methods


def as_new_as(module: ModuleType, source: Path) -> ModuleType | None:
    """The module, or None (and a note) where its source, beside it, has a function that it lacks.

    Without a source there is nothing newer. The Python forms of the same functions are used instead.
    """
    try:
        names = _METHOD.findall(source.read_text(encoding="utf-8"))
    except OSError:
        return module
    if all(hasattr(module, name) for name in names):
        return module
    print(
        f"hedline: {module.__name__} was compiled from an older source, so the slower Python is used; rebuild it with"
        " `pip install -e .`",
        file=sys.stderr,
    )
    return None
