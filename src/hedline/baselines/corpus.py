"""Training pairs as word ids in memory: what IR, the noisy channel and the phrase table are counted from."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array
from hedline.baselines.fitting import WorkFolder, training_pairs
from hedline.corpora.pairs import Pair, expand
from hedline.text.casing import CaseCounts, Truecaser
from hedline.text.tokenize import news_words, normalize
from hedline.text.vocab import SPECIALS, UNKNOWN

CASED_LEADS = 100_000  # more do not change how common words are spelt

Ids = npt.NDArray[np.int32]
Reader = Callable[[str], list[str]]  # from a text to its words


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
