from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import Hypothesis, Summary, make_summary
from hedline.errors import UserError
from hedline.server.batching import answer_job, write_job

SOURCE = ("Mills", "won", "in", "Oslo", ".")


def hypothesis(text: str) -> Hypothesis:
    tokens = tuple(text.split())
    alignment = np.full((len(tokens), len(SOURCE)), 0.2, np.float32)
    return Hypothesis(text, -1.0, tokens, {"log_prob": -1.0}, alignment, tuple(t in SOURCE for t in tokens), -1.0)


class Stub:
    """Answers texts; `wrong`, `broken` in a text are a user's mistake and a failure."""

    casing = None

    def summarize(self, texts: list[str], options: DecodeOptions) -> list[Summary]:
        if any("wrong" in text for text in texts):
            raise UserError("weights name no such feature")
        if any("broken" in text for text in texts):
            raise ZeroDivisionError("secret text")
        return [make_summary([hypothesis("Mills wins 7 in Oslo"), hypothesis("Mills won")], SOURCE, ()) for _ in texts]


def answers(*items: tuple[str, str, str]) -> list[bytes]:
    job = write_job("m", '{"beam": 3}', items)
    return answer_job(job, {"m": Stub()}).split(b"\n")  # type: ignore[dict-item]


def fine(line: bytes) -> Any:
    assert line[:1] == b"+"
    return json.loads(line[1:])


def test_a_record_is_the_contracts() -> None:
    (line,) = answers(("record", "7", "lead\nwith a break"))
    value = fine(line)
    assert list(value)[:9] == ["id", "lead", "headline", "score", "tokens", "alignment", "copied", "novel", "nbest"]
    assert value["id"] == "7" and value["lead"] == "lead\nwith a break" and value["novel"] == ["wins", "7"]


def test_details_are_a_record_and_all_candidates_words() -> None:
    (plain,), (line,) = answers(("record", "1", "x")), answers(("detail", "1", "x"))
    value = fine(line)
    assert value["source"] == list(SOURCE)
    first, second = value["nbest"]
    assert first["known"] == [True, False, False, True, True] and first["unsupported"] == ["7"]
    assert second["tokens"] == ["Mills", "won"] and np.shape(second["alignment"]) == (2, 5)
    for name, given in fine(plain).items():
        assert name == "nbest" or value[name] == given


def test_hugging_faces_shape() -> None:
    assert fine(answers(("summary_text", "1", "x"))[0]) == {"summary_text": "Mills wins 7 in Oslo"}


def test_one_broken_text_does_not_spoil_the_others_and_is_not_told() -> None:
    lines = answers(("record", "1", "a"), ("record", "2", "broken"), ("record", "3", "c"))
    assert [line[:1] for line in lines] == [b"+", b"!", b"+"]
    assert b"secret" not in lines[1] and b"ZeroDivisionError" in lines[1]


def test_a_users_mistake_is_passed_on() -> None:
    assert answers(("record", "1", "wrong")) == [b"?weights name no such feature"]


def test_an_unknown_kind_is_a_failure_not_a_crash() -> None:
    assert answers(("poem", "1", "a"))[0][:1] == b"!"


@pytest.mark.parametrize("lead", ["\u2028", "\u0085", "\r", "tab\t"])
def test_no_character_breaks_a_line(lead: str) -> None:
    lines = answers(("record", "1", lead), ("record", "2", "b"))
    assert len(lines) == 2 and fine(lines[0])["lead"] == lead
