"""hedline turns a sentence into a headline.

    import hedline
    summarizer = hedline.load()
    print(summarizer("The city council voted on Tuesday to close the old harbour bridge for repairs."))

Names are imported when first used, so `import hedline` is quick and never imports torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from hedline.api import Summarizer, load
    from hedline.decoding.summary import Summary
    from hedline.errors import UserError

__version__ = "0.1.0"
__all__ = ["Summarizer", "Summary", "UserError", "__version__", "load"]

_HOMES = {
    "load": "hedline.api",
    "Summarizer": "hedline.api",
    "Summary": "hedline.decoding.summary",
    "UserError": "hedline.errors",
}


def __getattr__(name: str) -> Any:
    """Import a public name on first use."""
    if name not in _HOMES:
        raise AttributeError(f"module 'hedline' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)
