"""What reaches a user: errors, a sentence saying what went wrong, where, and what to do, and a note on old files."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from types import ModuleType

_METHOD = re.compile(r'\{"(\w+)", py_')  # an entry of the table of methods


class UserError(Exception):
    """A mistake or a missing thing the user can mend; the command line prints it and exits with code 2."""


def require(package: str, extra: str, purpose: str) -> UserError:
    """The error for an optional dependency that is not installed."""
    return UserError(f"{purpose} needs {package}, which is not installed: {install_hint(extra)}")


def install_hint(extra: str) -> str:
    """A command that installs an extra: from the checkout that this code runs from, if it does."""
    checkout = Path(__file__).resolve().parents[2]
    if (checkout / "pyproject.toml").is_file():
        return f"pip install '{checkout}[{extra}]'"
    return f"pip install 'hedline[{extra}]' (in a checkout of hedline: pip install '.[{extra}]')"


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
