"""Numbers and names without support, by our rules and by a tagger's."""

from __future__ import annotations

import pytest

from hedline.errors import UserError
from hedline.experiments import faithfulness
from hedline.experiments.record import Request

pytestmark = pytest.mark.usefixtures("committed")


def test_faithfulness_counts_by_hand() -> None:
    leads = ["Police in Oslo arrested two men on Monday."] * 4
    outputs = [
        "Police arrest 7 men in Oslo",
        "Police arrest men in Bergen",
        "Police arrest 7 in Bergen",
        "Police arrest two",
    ]
    row = faithfulness.support(outputs, leads)
    assert (row["numbers"], row["names"], row["either"]) == (50, 50, 75)


def test_a_tagger_judges_names_beside_our_own_rules(monkeypatch: pytest.MonkeyPatch) -> None:
    found = {"a": ["New Zealandander"], "b": ["U.S."], "c": ["Oslo"], "d": []}
    monkeypatch.setattr(faithfulness, "names_by_tagger", found.__getitem__)
    leads = ["Ministers of New Zealand met.", "The US army left.", "Police in Bergen said so.", "Rain fell."]
    assert faithfulness.tagged(list(found), leads) == 50.0  # a and c

    def missing(text: str) -> list[str]:
        raise UserError("no parser")

    monkeypatch.setattr(faithfulness, "names_by_tagger", missing)
    assert faithfulness.tagged(list(found), leads) is None


def test_faithfulness_rows(request_: Request) -> None:
    rows = faithfulness.run(request_).rows
    assert set(rows) == {f"tiny/{name}" for name in ("ABS printed", "ABS+ printed", "people")}
    assert rows["tiny/people"]["either"] == 0 and rows["tiny/people"]["ext"] == 100
