"""Settings classes check their fields: wrong values are one sentence."""

from dataclasses import dataclass

import pytest

from hedline.decoding.options import check_settings
from hedline.errors import UserError
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


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"cups": 0}, "cups must be a whole number of at least 1, not 0"),
        ({"cups": True}, "cups must be a whole number of at least 1, not True"),
        ({"heat": 101}, "heat must be a number between 0 and 100, not 101"),
        ({"heat": float("nan")}, "heat must be a number between 0 and 100, not nan"),
        ({"tea": "red"}, "tea must be one of green, black, not 'red'"),
    ],
)
def test_wrong_values_are_one_sentence(given, message):
    with pytest.raises(UserError, match=message):
        Kettle(**given)
