"""The one error that reaches a user: a sentence saying what went wrong, where, and what to do."""

from __future__ import annotations


class UserError(Exception):
    """A mistake or a missing thing the user can mend; the command line prints it and exits with code 2."""


def require(package: str, extra: str, purpose: str) -> UserError:
    """The error for an optional dependency that is not installed."""
    return UserError(f"{purpose} needs {package}, which is not installed: pip install 'hedline[{extra}]'")
