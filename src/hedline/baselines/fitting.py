"""What systems are fitted on: training pairs, the same as word ids in memory, and a language model of their headlines.

A work folder makes an interrupted fit resumable. The language model, inside a fitted folder, scores many words after
many histories at once.
"""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array
from hedline.corpora.pairs import BadLine, Pair, expand, pairs_of
from hedline.corpora.tables import open_readers
from hedline.errors import UserError
from hedline.files import atomic_path, digest, is_file, read_json, write_json
from hedline.ngram.estimate import estimate
from hedline.ngram.model import NO_ROW, NgramModel, find, pack
from hedline.progress import Progress
from hedline.text.casing import CaseCounts, Truecaser
from hedline.text.tokenize import news_words, normalize
from hedline.text.vocab import SPECIALS, START, UNKNOWN

CASED_LEADS = 100_000  # more do not change how common words are spelt
LN10 = float(np.log(10))

Ids = npt.NDArray[np.int32]
Reader = Callable[[str], list[str]]  # from a text to its words
States = npt.NDArray[np.int64]  # (histories, order - 1) rows of the n-grams that end a history, -1 where unknown


def training_pairs(data: Sequence[Path], what: str = "reading", limit: int | None = None) -> Iterator[Pair]:
    """Stream the pairs of pairs files with progress; a bad line is passed over, as `hedline prepare` does.

    data: files, or folders whose files are all read; what: the progress line's first word; limit: pairs at most.
    """
    progress = Progress(what, limit, "pairs")
    for reader in open_readers(data):
        for pair in pairs_of(reader):
            if limit is not None and progress.done >= limit:
                break
            if not isinstance(pair, BadLine):
                yield pair
                progress.advance()
    progress.close()
    if not progress.done:
        raise UserError(f"{', '.join(map(str, data))} hold no pairs to learn from")


def data_identity(data: Sequence[Path]) -> str:
    """Sixteen hexadecimal digits that change when the named files do (their names, sizes and times)."""
    found = ((path.name, path.stat()) for path in expand(data))
    return digest(f"{name}\0{status.st_size}\0{status.st_mtime_ns}\n" for name, status in found)[:16]


class WorkFolder:
    """The folder `<out>/work` of an unfinished fit: steps already done under the same settings are not done again."""

    def __init__(self, out: Path, settings: Mapping[str, Any]) -> None:
        """settings: all that decides the result, as JSON values; a folder of other settings is begun anew."""
        self.folder = out / "work"
        stored = self.folder / "settings.json"
        if not (is_file(stored) and read_json(stored) == dict(settings)):
            shutil.rmtree(self.folder, ignore_errors=True)
            self.folder.mkdir(parents=True)
            write_json(stored, dict(settings))

    def arrays(self, name: str, make: Callable[[], Mapping[str, Array]]) -> dict[str, Array]:
        """Return the arrays of a step, memory-mapped; `make` is called only where they are not there yet."""
        done = self.folder / f"{name}.json"
        if not is_file(done):
            made = make()
            for part, array in made.items():
                save_array(self.folder / f"{name}.{part}.npy", array)
            write_json(done, sorted(made))
        return {part: load_array(self.folder / f"{name}.{part}.npy") for part in read_json(done)}

    def remove(self) -> None:
        """Delete the folder; call it when the fit is finished."""
        shutil.rmtree(self.folder, ignore_errors=True)


def save_array(path: Path, array: Array) -> None:
    """Write one .npy file, whole or not at all."""
    with atomic_path(path) as temporary, temporary.open("wb") as file:
        np.lib.format.write_array(file, array, allow_pickle=False)


def load_array(path: Path) -> Array:
    """Memory-map one .npy file; a missing or damaged one is a clear sentence."""
    try:
        found: Array = np.load(path, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError, EOFError) as error:
        raise UserError(f"{path} cannot be read ({error}); fit the baseline again") from None
    return found


@dataclass(frozen=True)
class Texts:
    """Sentences as ids: sentence i is `flat[offsets[i]:offsets[i + 1]]`."""

    flat: Array  # (tokens,) integers
    offsets: npt.NDArray[np.int64]  # (sentences + 1,)

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, index: int) -> Array:
        return self.flat[self.offsets[index] : self.offsets[index + 1]]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """(sentences,) ids in each."""
        return np.diff(self.offsets)

    @property
    def owners(self) -> Ids:
        """(tokens,) the sentence that each id belongs to."""
        return np.repeat(np.arange(len(self), dtype=np.int32), self.lengths)

    def mapped(self, table: Array) -> Texts:
        """Return the same sentences with every id replaced by `table[id]`."""
        return Texts(table[self.flat], self.offsets)


@dataclass(frozen=True)
class Corpus:
    """All leads and headlines over one vocabulary: the four specials, then words as they first appeared."""

    words: list[str]
    leads: Texts
    headlines: Texts

    def frequent(self, least: int, most: int | None = None) -> Corpus:
        """Return the corpus with words seen fewer than `least` times, or beyond the `most` frequent, as `<unk>`."""
        counts = np.bincount(self.leads.flat, minlength=len(self.words))
        counts += np.bincount(self.headlines.flat, minlength=len(self.words))
        counts[: len(SPECIALS)] = 0
        kept = np.flatnonzero(counts >= least)
        kept = kept[np.argsort(-counts[kept], kind="stable")][:most]
        table = np.full(len(self.words), UNKNOWN, dtype=np.int32)
        table[kept] = np.arange(len(SPECIALS), len(SPECIALS) + len(kept), dtype=np.int32)
        words = [*SPECIALS, *(self.words[index] for index in kept.tolist())]
        return Corpus(words, self.leads.mapped(table), self.headlines.mapped(table))


def encode_corpus(data: Sequence[Path], work: WorkFolder, limit: int | None = None, read: Reader = normalize) -> Corpus:
    """Tokenise and encode all pairs of the files, one file at a time; files done before are not read again.

    read: the words of a text; name it among the settings of `work`, which cannot tell one reader from another.
    """
    ids = {word: index for index, word in enumerate(SPECIALS)}
    parts: list[dict[str, Array]] = []
    for number, path in enumerate(expand(data)):
        room = None if limit is None else limit - sum(len(part["leads.offsets"]) - 1 for part in parts)
        if room is not None and room <= 0:
            break
        known = len(ids)
        parts.append(work.arrays(f"encoded-{number:03d}", partial(_encode_file, path, ids, room, read)))
        if len(ids) == known:  # it was read from the work folder
            for word in join_text(parts[-1]["words"]).split("\n"):
                ids.setdefault(word, len(ids))
    return Corpus(list(ids), _joined(parts, "leads"), _joined(parts, "headlines"))


def _encode_file(path: Path, ids: dict[str, int], limit: int | None, read: Reader) -> dict[str, Array]:
    """Encode one file, adding its new words to `ids`; the new words are part of the result, one per line."""
    known = len(ids)
    sides: dict[str, tuple[list[Ids], list[int]]] = {"leads": ([], [0]), "headlines": ([], [0])}
    pairs = training_pairs([path], f"encoding {path.name}", limit)
    while block := list(islice(pairs, 20_000)):
        for name, (blocks, offsets) in sides.items():
            _encode_block((read(getattr(pair, name[:-1])) for pair in block), ids, blocks, offsets)
    found: dict[str, Array] = {"words": split_text("\n".join(islice(ids, known, None)))}
    for name, (blocks, offsets) in sides.items():
        found[f"{name}.flat"] = np.concatenate(blocks)
        found[f"{name}.offsets"] = np.array(offsets, np.int64)
    return found


def _encode_block(texts: Iterable[list[str]], ids: dict[str, int], blocks: list[Ids], offsets: list[int]) -> None:
    flat: list[int] = []
    for words in texts:
        flat += [ids.setdefault(word, len(ids)) for word in words]
        offsets.append(offsets[-1] + len(words))
    blocks.append(np.array(flat, np.int32))


def _joined(parts: Sequence[dict[str, Array]], name: str) -> Texts:
    flat = np.concatenate([part[f"{name}.flat"] for part in parts])
    lengths = np.concatenate([np.diff(part[f"{name}.offsets"]) for part in parts])
    return Texts(flat, np.concatenate([[0], np.cumsum(lengths)]))


def learn_casing(pairs: Iterable[Pair], vocabulary: Any, leads: int = CASED_LEADS) -> Truecaser:
    """Count how the words of `vocabulary` are spelt inside the first leads."""
    counts = CaseCounts()
    for pair in islice(pairs, leads):
        counts.add_tokens(news_words(pair.lead))
    return counts.truecaser(vocabulary=vocabulary)


def split_text(text: str) -> Array:
    """Store a text as an array of its UTF-8 bytes."""
    return np.frombuffer(text.encode("utf-8", "replace"), np.uint8)


def join_text(array: Array) -> str:
    """Read a text stored by `split_text`."""
    return array.tobytes().decode("utf-8")


class LanguageModel:
    """An n-gram model asked for the next word of many histories; natural logarithms."""

    def __init__(self, model: NgramModel) -> None:
        self.model = model
        self.width = max(model.order - 1, 1)

    @classmethod
    def of(cls, headlines: Texts, words: Sequence[str], order: int) -> LanguageModel:
        """Estimate a Kneser-Ney model of headlines given as ids of `words` (specials first)."""
        return cls(estimate(headlines.flat, headlines.offsets, words, order))

    def begin(self, count: int = 1) -> States:
        """Return `count` histories that hold only `<s>`."""
        states = np.full((count, self.width), NO_ROW, np.int64)
        states[:, 0] = START
        return states

    def extend(self, states: States, words: Array) -> tuple[npt.NDArray[np.float64], States]:
        """Return log p(word | history) and the longer histories; states: (n, width), words: (n,) ids."""
        model = self.model
        scores = model.logs[0][words].astype(np.float64)
        longer = np.full(states.shape, NO_ROW, np.int64)
        longer[:, 0] = words
        for n in range(1, model.order):
            context = states[:, n - 1]
            known = np.flatnonzero(context != NO_ROW)
            rows = np.full(len(words), NO_ROW, np.int64)
            rows[known] = find(model.keys[n], pack(context[known], words[known], len(model.words)))
            scores[known] += model.backoffs[n - 1][context[known]]
            found = np.flatnonzero(rows != NO_ROW)
            scores[found] = model.logs[n][rows[found]]
            if n < states.shape[1]:
                longer[:, n] = rows
        return scores * LN10, longer

    def save(self, folder: Path) -> None:
        """Write `words.npy` and one `lm.<n>.<part>.npy` per level and part."""
        save_array(folder / "words.npy", split_text("\n".join(self.model.words)))
        for n in range(self.model.order):
            for part in ("keys", "logs", "backoffs"):
                save_array(folder / f"lm.{n + 1}.{part}.npy", getattr(self.model, part)[n])

    @classmethod
    def load(cls, folder: Path) -> LanguageModel:
        """Map what `save` wrote."""
        words = tuple(join_text(load_array(folder / "words.npy")).split("\n"))
        levels = range(1, 1 + len(list(folder.glob("lm.*.keys.npy"))))
        keys, logs, backoffs = (
            [load_array(folder / f"lm.{n}.{part}.npy") for n in levels] for part in ("keys", "logs", "backoffs")
        )
        return cls(NgramModel(words, keys, logs, backoffs))
