"""ARPA files: the text format every n-gram toolkit reads and writes (base-10 logarithms)."""

from __future__ import annotations

from array import array
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray

from hedline.errors import UserError
from hedline.files import atomic_path, open_binary
from hedline.ngram.model import NEVER, NO_ROW, Ids, NgramModel, find, pack
from hedline.progress import Progress
from hedline.text.vocab import SPECIALS

CHUNK = 200_000  # n-grams formatted or parsed at a time


def write_arpa(model: NgramModel, path: Path) -> None:
    """Write `model` atomically; `<pad>`, which is no word, is left out."""
    sizes = [len(keys) for keys in model.keys]
    progress = Progress(f"writing {path}", sum(sizes), "n-grams")
    with atomic_path(path) as temporary, temporary.open("w", encoding="utf-8") as out:
        out.write("\\data\\\n")
        for n, size in enumerate(sizes, start=1):
            out.write(f"ngram {n}={size - (n == 1)}\n")
        for n, size in enumerate(sizes, start=1):
            out.write(f"\n\\{n}-grams:\n")
            for begin in range(n == 1, size, CHUNK):
                rows = np.arange(begin, min(begin + CHUNK, size))
                out.writelines(_lines(model, n, rows))
                progress.advance(len(rows))
        out.write("\n\\end\\\n")
    progress.close()


def spell(model: NgramModel, n: int, rows: Ids) -> list[str]:
    """The words of n-grams of one order, joined by spaces; rows: (R,) into that level."""
    words = np.array(model.words, dtype=object)
    columns = []
    for level in reversed(range(n)):
        rows, last = np.divmod(model.keys[level][rows], len(words))
        columns.append(words[last].tolist())
    return [" ".join(gram) for gram in zip(*reversed(columns), strict=True)]


def _lines(model: NgramModel, n: int, rows: Ids) -> Iterator[str]:
    logs, grams = model.logs[n - 1][rows].tolist(), spell(model, n, rows)
    if n == model.order:
        return (f"{log:.7g}\t{gram}\n" for log, gram in zip(logs, grams, strict=True))
    weights = model.backoffs[n - 1][rows].tolist()
    return (f"{log:.7g}\t{gram}\t{weight:.7g}\n" for log, gram, weight in zip(logs, grams, weights, strict=True))


def read_arpa(path: Path) -> NgramModel:
    """Read any ARPA file (also compressed); its words follow the four specials in the file's order."""
    with open_binary(path) as file:
        return _Reader(path, file).read()


class _Reader:
    """Parses one ARPA file line by line, remembering where it is for its messages."""

    def __init__(self, path: Path, file: IO[bytes]) -> None:
        self.path, self.file, self.number = path, file, 0
        self.ids: dict[bytes, int] = {word.encode(): i for i, word in enumerate(SPECIALS)}
        self.keys: list[NDArray[np.int64]] = []
        self.logs: list[NDArray[np.float32]] = []
        self.backoffs: list[NDArray[np.float32]] = []

    def read(self) -> NgramModel:
        sizes = self._header()
        progress = Progress(f"reading {self.path}", sum(sizes), "n-grams")
        for n, size in enumerate(sizes, start=1):
            if n > 1 and self._line() != f"\\{n}-grams:".encode():
                raise self._error(f"expected \\{n}-grams: after {sizes[n - 2]} {n - 1}-grams")
            self._add_level(*self._section(n, size))
            progress.advance(size)
        if self._line() != b"\\end\\":
            raise self._error("expected \\end\\")
        words = tuple(word.decode("utf-8", errors="replace") for word in self.ids)
        return NgramModel(words, self.keys, self.logs, self.backoffs)

    def _error(self, why: str) -> UserError:
        return UserError(f"{self.path}, line {self.number}: {why}; is this a whole ARPA file?")

    def _line(self) -> bytes:
        """The next line that is not blank; empty at the end of the file."""
        for line in self.file:
            self.number += 1
            if stripped := line.strip():
                return stripped
        return b""

    def _header(self) -> list[int]:
        """How many n-grams of each order the file announces."""
        if self._line() != b"\\data\\":
            raise self._error("expected \\data\\")
        sizes: list[int] = []
        while (line := self._line()).startswith(b"ngram "):
            order, _, size = (part.strip() for part in line[6:].partition(b"="))
            if not size.isdigit() or order != str(len(sizes) + 1).encode():
                raise self._error(f"cannot read the count in {line.decode(errors='replace')!r}")
            sizes.append(int(size))
        if not sizes or line != b"\\1-grams:":
            raise self._error("expected counts and then \\1-grams:")
        return sizes

    def _section(self, n: int, size: int) -> tuple[Ids, array[float], array[float]]:
        """(size, n) word ids, and (size,) log probabilities and back-off weights (0 where the line has none)."""
        number_of = self._new_word if n == 1 else self.ids.__getitem__
        grams, logs, weights = array("i"), array("f"), array("f")
        for _ in range(size):
            fields = self._line().split()
            try:
                logs.append(float(fields[0]))
                grams.extend(map(number_of, fields[1 : n + 1]))
                weights.append(float(fields[n + 1]) if len(fields) > n + 1 else 0.0)
            except KeyError as missing:
                word = missing.args[0].decode(errors="replace")
                raise self._error(f"the word {word!r} is not among the 1-grams") from None
            except (ValueError, IndexError):
                raise self._error(f"cannot read this line as one of {size} {n}-grams") from None
            if len(grams) != n * len(logs):
                raise self._error(f"this line has fewer than {n} words")
        return np.array(grams, dtype=np.int32).reshape(size, n), logs, weights

    def _new_word(self, word: bytes) -> int:
        return self.ids.setdefault(word, len(self.ids))

    def _add_level(self, grams: Ids, logs: array[float], weights: array[float]) -> None:
        """Sort one section by key; single words never written keep probability zero."""
        if grams.shape[1] == 1:
            keys, size = grams[:, 0].astype(np.int64), len(self.ids)
        else:
            keys, size = self._pack(grams), len(grams)
        by_key = np.argsort(keys, kind="stable")
        keys = keys[by_key]
        if (keys[1:] == keys[:-1]).any():
            raise self._error(f"a {grams.shape[1]}-gram stands twice before this line")
        places = keys if grams.shape[1] == 1 else np.arange(size)
        self.keys.append(np.arange(size, dtype=np.int64) if grams.shape[1] == 1 else keys)
        for levels, values, absent in ((self.logs, logs, NEVER), (self.backoffs, weights, 0.0)):
            level = np.full(size, absent, dtype=np.float32)
            level[places] = np.array(values, dtype=np.float32)[by_key]
            levels.append(level)

    def _pack(self, grams: Ids) -> NDArray[np.int64]:
        """(M,) keys of (M, n) n-grams, all of whose beginnings must be in the levels read before."""
        rows = grams[:, 0]
        for level in range(1, grams.shape[1] - 1):
            rows = find(self.keys[level], pack(rows, grams[:, level], len(self.ids)))
        if (rows == NO_ROW).any():
            words = list(self.ids)
            gram = b" ".join(words[i] for i in grams[np.argmax(rows == NO_ROW)])
            raise self._error(f"the first words of {gram.decode(errors='replace')!r} are no n-gram of the file")
        return pack(rows, grams[:, -1], len(self.ids))
