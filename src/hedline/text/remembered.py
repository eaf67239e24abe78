"""Functions that keep their answers, bounded in bytes: `functools.lru_cache` counts answers, however long they are.

    @remembered(most=1 << 22)
    def stem(word: str) -> str: ...

Texts of strangers go through these functions. A word may have a thousand letters and a lead twenty thousand, so that a
few thousand answers could fill any memory.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import update_wrapper
from threading import Lock
from typing import TYPE_CHECKING, Any, Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")

ENTRY = 200  # bytes of a place in the table, which is up to two thirds empty
SHARE = 2  # an answer that takes more than this part of the whole is not kept


class Remembered(dict[K, V], Generic[K, V]):
    """A function of one value with its answers so far; when they would pass `most` bytes all are forgotten.

    Forgetting all costs less than keeping an order of use, and a call that finds its answer is one look into a dict.
    weigh: the bytes of an answer, together with what it will hold later; the question is added to it.
    """

    def __init__(self, function: Callable[[K], V], most: int, weigh: Callable[[V], int]) -> None:
        super().__init__()
        self.function, self.most, self.weigh = function, most, weigh
        self.bytes = 0
        self._lock = Lock()
        update_wrapper(self, function)

    if TYPE_CHECKING:

        def __call__(self, key: K, /) -> V:
            """The answer, kept or new."""
    else:
        __call__ = dict.__getitem__

    def __missing__(self, key: K) -> V:
        """Ask the function, and keep the answer where there is room for it."""
        value = self.function(key)
        size = ENTRY + size_of(key) + self.weigh(value)
        if size * SHARE > self.most:
            return value
        with self._lock:
            if self.bytes + size > self.most:
                self.clear()
                self.bytes = 0
            self[key] = value
            self.bytes += size
        return value


def remembered(most: int, weigh: Callable[[Any], int] | None = None) -> Callable[[Callable[[K], V]], Remembered[K, V]]:
    """Let a function of one value keep its answers; most: the bytes they may take."""

    def wrap(function: Callable[[K], V]) -> Remembered[K, V]:
        return Remembered(function, most, weigh or size_of)

    return wrap


def size_of(value: Any) -> int:
    """The bytes of a value and of all that it holds: plain values, collections of them, and records."""
    size = sys.getsizeof(value)
    if isinstance(value, (str, bytes, int, float)):
        return size
    if isinstance(value, Mapping):
        return size + _sizes(value.keys()) + _sizes(value.values())
    if isinstance(value, (tuple, list, set, frozenset)):
        return size + _sizes(value)
    held = getattr(value, "__dict__", None)
    return size if held is None else size + sys.getsizeof(held) + _sizes(held.values())


def _sizes(values: Iterable[Any]) -> int:
    return sum(map(size_of, values))
