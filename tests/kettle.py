"""A settings class of our own, for tests of settings and of the options made from them."""

from __future__ import annotations

from dataclasses import dataclass

from hedline.decoding.options import check_settings
from hedline.settings import setting


@dataclass(frozen=True)
class Kettle:
    cups: int = setting(2, "So many cups.", least=1)
    heat: float | None = setting(None, "How hot.", least=0, most=100)
    tea: str = setting("green", "Which tea.", choices=("green", "black"))
    leaves: tuple[str, ...] = setting((), "Leaves.", read=lambda text: tuple(text.split(",")))
    secret: int = 0

    def __post_init__(self):
        check_settings(self)
