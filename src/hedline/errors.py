"""The one error that reaches a user: a sentence saying what went wrong, where, and what to do."""

from __future__ import annotations

from pathlib import Path


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
