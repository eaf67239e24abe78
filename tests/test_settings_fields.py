"""Settings classes check their fields: wrong values are one sentence."""

import pytest

from hedline.errors import UserError
from kettle import Kettle


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
