"""Word counts of any corpus in bounded memory: a dictionary that spills sorted runs to disk and merges them."""

from __future__ import annotations

import heapq
from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path

MAX_TYPES = 100_000


class WordCounter:
    """Counts by word; `items` gives them in alphabetical order, whatever was spilt."""

    def __init__(self, folder: Path, name: str, max_types: int = MAX_TYPES) -> None:
        """folder: where runs are spilt; name: tells this counter's runs from others'."""
        self.folder, self.name, self.max_types = folder, name, max_types
        self.counts: dict[str, int] = {}
        self.runs: list[Path] = []

    def add(self, words: Iterable[str], counts: Iterable[int]) -> None:
        """Add counts; zeros are passed over."""
        held = self.counts
        for word, count in zip(words, counts, strict=True):
            if count:
                held[word] = held.get(word, 0) + count
        if len(held) > self.max_types:
            self._spill()

    def items(self) -> Iterator[tuple[str, int]]:
        """(word, count) in alphabetical order, streamed."""
        if not self.runs:
            yield from sorted(self.counts.items())
            return
        streams = [*(_read_run(run) for run in self.runs), iter(sorted(self.counts.items()))]
        for word, group in groupby(heapq.merge(*streams), key=itemgetter(0)):
            yield word, sum(count for _, count in group)

    def types(self) -> int:
        """How many different words were counted."""
        return sum(1 for _ in self.items()) if self.runs else len(self.counts)

    def _spill(self) -> None:
        run = self.folder / f"{self.name}-{len(self.runs):05d}.run"
        with run.open("w", encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
            stream.writelines(f"{count}\t{word}\n" for word, count in sorted(self.counts.items()))
        self.runs.append(run)
        self.counts = {}


def _read_run(path: Path) -> Iterator[tuple[str, int]]:
    with path.open(encoding="utf-8", errors="surrogatepass", newline="\n") as stream:
        for line in stream:
            count, _, word = line.rstrip("\n").partition("\t")
            yield word, int(count)
