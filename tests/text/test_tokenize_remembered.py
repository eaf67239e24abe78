"""Kept answers are bounded in bytes, whatever strangers write, and no other cache of texts exists."""

from __future__ import annotations

import ast
import gc
import importlib
import pkgutil
import random
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import hedline
from hedline.metrics.numbers import figures
from hedline.text.subword import SPECIALS, Subwords, byte_letters
from hedline.text.tokenize import Remembered, remembered, size_of

MOST_OF_ALL = 64 << 20  # bytes of all kept answers together, the pieces of words included
ROOMS = ("text", "metrics", "decoding", "data", "corpora")
PICK = random.Random(1)
LETTERS = "".join(chr(PICK.choice((97, 0x100, 0x4E00, 0x1F000)) + PICK.randrange(26)) for _ in range(5000))
SHAPES = ["12,000", "3.5", "not", "unless", "alleged", "North", "Korea", "PlayStation", "%", "-", "of", "closed"]


def word() -> str:
    start = PICK.randrange(4000)
    return LETTERS[start : start + PICK.choice((1, 3, 8, 30, 900))]


def lead() -> str:
    kind = PICK.randrange(3)
    if kind == 0:
        return PICK.randbytes(PICK.randrange(1, 600)).decode("latin-1")
    return " ".join(word() if kind == 1 else PICK.choice(SHAPES) + word()[:2] for _ in range(PICK.randrange(1, 60)))


def number() -> str:
    return str(PICK.randrange(10 ** PICK.choice((1, 5, 300))))


QUESTIONS: dict[str, Callable[[], Any]] = {
    "is_content": word, "is_content_word": word, "stem": word, "shape_of": word, "date_number": word,
    "parse": number, "unfinished": lambda: word().encode(), "meaning_faults": lambda: (word(), lead()),
    "read_words": lead, "_support_of": lead, "figures": lead, "lead_words": lead, "lead_stems": lead,
    "lead_cues": lead, "is_message": lead,
}  # fmt: skip


def all_remembered() -> dict[str, Remembered[Any, Any]]:
    found = {}
    for room in ROOMS:
        package = importlib.import_module(f"hedline.{room}")
        for module in pkgutil.iter_modules(package.__path__):
            values = vars(importlib.import_module(f"hedline.{room}.{module.name}"))
            found |= {each.__name__: each for each in values.values() if isinstance(each, Remembered)}
    return found


REMEMBERED = all_remembered()


def test_all_of_them_together_have_a_bound() -> None:
    assert set(REMEMBERED) == set(QUESTIONS)
    pieces = importlib.import_module("hedline.text.subword")._MOST_CACHED
    assert sum(each.most for each in REMEMBERED.values()) + pieces <= MOST_OF_ALL


@pytest.mark.parametrize("name", QUESTIONS)
def test_hostile_questions_take_no_more_than_is_promised(name: str) -> None:
    real = REMEMBERED[name]
    kept = Remembered(real.function, 1 << 18, real.weigh)
    for each in REMEMBERED.values():  # answers that hold parts of one another would not be seen
        each.clear()
    gc.collect()
    tracemalloc.start()
    try:
        highest, forgot = 0, False
        for _ in range(3000):
            before = kept.bytes
            answer = kept(QUESTIONS[name]())
            ask_everything(answer)
            forgot |= kept.bytes < before
            del answer
            others = sum(each.bytes for each in REMEMBERED.values())
            highest = max(highest, tracemalloc.get_traced_memory()[0] - others)
            if forgot and kept.bytes > 1 << 17:
                break
    finally:
        tracemalloc.stop()
    assert forgot and kept.bytes <= kept.most
    assert highest < 1.2 * kept.most


def ask_everything(answer: Any) -> None:
    """Let an answer make all that it makes when first asked."""
    for name in ("lower", "stems", "known", "places", "acronyms"):
        if not isinstance(answer, str):
            getattr(answer, name, None)


def test_pieces_of_words_are_bounded_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("hedline.text.subword._MOST_CACHED", 1 << 18)
    subwords = Subwords([*SPECIALS, *byte_letters().values()], [], len(SPECIALS))
    tracemalloc.start()
    try:
        made = [tuple(subwords.encode(f"{n} {LETTERS[n % 900 : n % 900 + 60]}")) for n in range(1500)]
        kept = tracemalloc.get_traced_memory()[0] - size_of(made)
    finally:
        tracemalloc.stop()
    assert 0 < subwords._cached <= 1 << 18
    assert kept < 1.2 * (1 << 18)


def test_an_answer_is_asked_for_once_and_again_after_forgetting() -> None:
    asked: list[str] = []

    @remembered(most=2000)
    def shout(word: str) -> str:
        """Louder."""
        asked.append(word)
        return word.upper()

    assert [shout(word) for word in ("a", "b", "a")] == ["A", "B", "A"]
    assert asked == ["a", "b"] and shout.__doc__ == "Louder."
    assert shout("c" * 2000) == "C" * 2000 and len(shout) == 2  # too large to keep
    for number in range(10):
        shout(str(number))
    assert shout.bytes <= 2000 and shout("a") == "A" and asked.count("a") == 2


def test_sizes_count_what_is_held() -> None:
    assert size_of(("a" * 1000, ["b" * 1000, {"c": "d" * 1000}])) > 3000
    (figure,) = figures("12 boats")
    assert size_of(figure) > sum(map(size_of, vars(figure).values()))


def test_no_other_cache_counts_answers_instead_of_bytes() -> None:
    """What `lru_cache` may keep: a few large things that files bound, and pieces that a vocabulary holds anyway."""
    allowed = {"usual_forms", "joins", "_cached_parser"}
    found = set()
    for path in Path(hedline.__file__).parent.rglob("*.py"):
        if path.parent.name in ("experiments", "bench"):
            continue  # their texts are the project's own
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            for call in getattr(node, "decorator_list", []) if isinstance(node, ast.FunctionDef) else []:
                if "lru_cache" in ast.dump(call) and "value=1)" not in ast.dump(call):
                    found.add(node.name)
    assert found == allowed
