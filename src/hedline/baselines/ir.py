"""IR: the headline of the training pair that BM25 finds nearest to the input (Table 1).

The index is one array of postings sorted by (word, document). A query reads the postings of its rare words whole and
looks the frequent ones up only in documents that can still win, so the answer is exact and most postings stay unread.

A document is a lead and, by a smaller weight, its headline: what is printed should be about the input itself. Only the
stems of content words are indexed, digits kept: to share `the` and `##` is not to tell the same.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from hedline.arrays import Array, Floats
from hedline.baselines.fitting import (
    Reader,
    Texts,
    WorkFolder,
    data_identity,
    encode_corpus,
    join_text,
    load_array,
    save_array,
    split_text,
    training_pairs,
)
from hedline.baselines.system import Limit, fitted_folder, read_config, write_config
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError
from hedline.metrics.tokens import STEMMER
from hedline.progress import track
from hedline.text.tokenize import ChunkCache, is_content, news_words, normalize

K1, B = 1.2, 0.75
HEADLINE = 0.25  # how often a word of the headline counts against one of the lead


def content_stems(text: str) -> list[str]:
    """What is indexed of a text: the stems of its lower-case words, and its numbers; no punctuation, no function words.

    >>> content_stems("Prices rose 3.5% in the U.S. (again), and it's not over.")
    ['price', 'rise', '3.5', 'u.s.', 'again']
    """
    return [stem for stem in map(_stems.__getitem__, news_words(text)) if stem]


def _content_stem(token: str) -> str:
    """The stem of a word as ROUGE has it; a number or a foreign word as it is; nothing for what is no content."""
    word = token.lower()
    if not is_content(word):
        return ""
    return STEMMER.find(word) if word.isascii() and word.isalpha() else word


_stems = ChunkCache(_content_stem)

# How a folder reads leads, by the name in its config; one that names none is from before there was a choice.
STEMS, ALL = "stems", "all"
READERS: dict[str, Reader] = {STEMS: content_stems, ALL: normalize}


@dataclass(frozen=True)
class Index:
    """BM25 weights of every word in every document.

    starts: (words + 1,) where each word's postings begin; documents: (postings,) int32, rising within a word;
    weights: (postings,) float32, what the word adds to the document's score; highest: (words,) its largest weight.
    """

    starts: Array
    documents: Array
    weights: Array
    highest: Array

    @property
    def size(self) -> int:
        """How many documents can be found."""
        return int(self.documents.max(initial=-1)) + 1

    def best(self, query: Sequence[int]) -> tuple[int, float]:
        """Return the best document of a query and its score; the earliest of equals, -1 if none.

        query: words; one that stands there twice counts twice, as BM25 has it.
        """
        times = Counter(w for w in query if self.starts[w] < self.starts[w + 1])
        words = sorted(times, key=lambda w: (-times[w] * self.highest[w], w))
        if not words:
            return -1, 0.0
        # What the words from each place on can still add to any document.
        rest = np.append(np.cumsum([times[w] * float(self.highest[w]) for w in words][::-1])[::-1], 0.0)
        candidates, scores, end = self._candidates(words, times, rest)
        for place in range(end, len(words)):
            scores = scores + times[words[place]] * self._lookup(words[place], candidates)
            kept = scores + rest[place + 1] * (1 + 1e-6) >= scores.max()
            candidates, scores = candidates[kept], scores[kept]
        top = int(np.argmax(scores))
        return int(candidates[top]), float(scores[top])

    def _candidates(self, words: list[int], times: Mapping[int, int], rest: Array) -> tuple[Array, Floats, int]:
        """Read postings until no unread document can win: (documents, their scores so far, words read)."""
        documents, weights = np.empty(0, np.int32), np.empty(0, np.float32)
        for place, word in enumerate(words):
            if len(weights) and weights.max() > rest[place] * (1 + 1e-6):
                return documents, weights, place
            new = slice(self.starts[word], self.starts[word + 1])
            documents, weights = _merge(documents, weights, self.documents[new], times[word] * self.weights[new])
        return documents, weights, len(words)

    def _lookup(self, word: int, documents: Array) -> Floats:
        """(documents,) what a word adds to each of some documents."""
        low, high = int(self.starts[word]), int(self.starts[word + 1])
        places = np.minimum(np.searchsorted(self.documents[low:high], documents), high - low - 1) + low
        return np.where(self.documents[places] == documents, self.weights[places], np.float32(0))


def _merge(left: Array, left_weights: Array, right: Array, right_weights: Array) -> tuple[Array, Floats]:
    """Add two sparse vectors given as rising documents and their weights."""
    both = np.concatenate([left, right])
    order = np.argsort(both, kind="stable")
    both, weights = both[order], np.concatenate([left_weights, right_weights])[order]
    new = np.ones(len(both), bool)
    new[1:] = both[1:] != both[:-1]
    return both[new], np.add.reduceat(weights, np.flatnonzero(new)) if len(both) else weights


def build_index(
    leads: Texts, words: int, k1: float = K1, b: float = B, headlines: Texts | None = None, weight: float = HEADLINE
) -> Index:
    """Weigh every (word, document) pair; words: the size of the vocabulary.

    headlines: one a lead, whose words count `weight` times in the document beside the lead's.
    idf · tf / (tf + k1 (1 - b + b · length / mean length)), idf = log(1 + (N - n + 0.5) / (n + 0.5)).
    """
    fields = [(leads, 1.0)] + ([(headlines, weight)] if headlines is not None and weight else [])
    keys, counts = _counted(fields)
    documents = (keys % len(leads)).astype(np.int32)
    keys //= len(leads)
    starts = np.searchsorted(keys, np.arange(words + 1))
    del keys
    held = np.diff(starts)
    idf = np.log1p((len(leads) - held + 0.5) / (held + 0.5)).astype(np.float32)
    lengths = sum((times * field.lengths for field, times in fields), np.zeros(len(leads)))
    lengths /= lengths.mean()
    weights = counts / (counts + (k1 * (1 - b + b * lengths)).astype(np.float32)[documents])
    weights *= np.repeat(idf, held)
    highest = np.zeros(words, np.float32)
    highest[held > 0] = np.maximum.reduceat(weights, starts[:-1][held > 0])
    return Index(starts, documents, weights, highest)


def _counted(fields: Sequence[tuple[Texts, float]]) -> tuple[Array, Floats]:
    """Count words by document: (word · documents + document, rising; how often, each field's words by its weight).

    The lowest bit of what is sorted is the field, so that one array, sorted in place, holds all of them.
    """
    keys = np.empty(sum(len(field.flat) for field, _ in fields), np.int64)
    begin = 0
    for number, (field, _) in enumerate(fields):
        part = keys[begin : begin + len(field.flat)]
        part[:] = field.flat
        part *= len(field)
        part += field.owners
        part *= 2
        part += number
        begin += len(part)
    keys.sort()
    first = np.flatnonzero(np.concatenate([[True], (keys[1:] ^ keys[:-1]) > 1]))
    weights = np.array([weight for _, weight in fields], np.float32)
    counts = np.add.reduceat(weights[(keys & 1).astype(np.uint8)], first)
    keys = keys[first]
    keys >>= 1
    return keys, counts


class Retrieval:
    """The index, its vocabulary and the headlines of its documents."""

    name: ClassVar[str] = "ir"
    fit_options: ClassVar[frozenset[str]] = frozenset({"limit", "k1", "b", "tokens", "headline"})

    def __init__(self, index: Index, ids: Mapping[str, int], read: Reader, headlines: Array, offsets: Array) -> None:
        """read: the words of a lead, as those of the index were read.

        headlines: (bytes,) all headlines in UTF-8, one after the other; offsets: (documents + 1,) into them.
        """
        self.index, self.ids, self._read = index, ids, read
        self._headlines, self._offsets = headlines, offsets

    @classmethod
    def fit(cls, data: Sequence[Path], out: Path, options: Mapping[str, Any]) -> Path:
        """Index all pairs.

        options: `k1`, `b`, `tokens` (READERS), `headline` (the weight of its words), `limit` (the most pairs to read).
        """
        limit, tokens = options.get("limit"), options.get("tokens", STEMS)
        settings = {"k1": options.get("k1", K1), "b": options.get("b", B), "tokens": tokens}
        settings |= {"headline": options.get("headline", HEADLINE), "limit": limit, "data": data_identity(data)}
        read = _reader(tokens, out)
        work = WorkFolder(out, {"baseline": cls.name, **settings})
        corpus = encode_corpus(data, work, limit, read)
        if not len(corpus.leads.flat):
            raise UserError(f"{', '.join(map(str, data))} hold no content words to index; give other pairs")
        _save_headlines(out, data, limit)
        k1, b, weight = (float(settings[name]) for name in ("k1", "b", "headline"))
        index = build_index(corpus.leads, len(corpus.words), k1, b, corpus.headlines, weight)
        _save_index(out, corpus.words, index)
        write_config(out, cls.name, {**settings, "pairs": len(corpus.leads), "words": len(corpus.words)})
        work.remove()
        return out

    @classmethod
    def open(cls, folder: Path | None) -> Self:
        """Map the arrays of a fitted folder; only what queries touch is read."""
        folder = fitted_folder(folder, cls.name)
        read = _reader(read_config(folder).get("tokens", ALL), folder)
        parts = [load_array(folder / f"{part}.npy") for part in ("starts", "documents", "weights", "highest")]
        words = join_text(load_array(folder / "words.npy")).split("\n")
        ids = {word: index for index, word in enumerate(words)}
        headlines = [load_array(folder / f"{part}.npy") for part in ("headlines", "headline_offsets")]
        return cls(Index(*parts), ids, read, *headlines)

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Find one headline per item, cut at whole words to the limit."""
        return [limit.cut(self.headline(item.lead)) for item in track(items, "searching", len(items), "leads")]

    def headline(self, lead: str) -> str:
        """Return the headline of the nearest training lead; empty when no word of the lead is known."""
        document, _ = self.index.best([self.ids[word] for word in self._read(lead) if word in self.ids])
        if document < 0:
            return ""
        return join_text(self._headlines[self._offsets[document] : self._offsets[document + 1]])


def _reader(tokens: Any, folder: Path) -> Reader:
    """The reader of a name, which may come from a folder of a newer version."""
    if not isinstance(tokens, str) or tokens not in READERS:
        raise UserError(
            f"{folder} indexes the tokens {tokens!r}, this hedline knows {' and '.join(READERS)}; fit it again"
        )
    return READERS[tokens]


def _save_headlines(out: Path, data: Sequence[Path], limit: int | None) -> None:
    blocks, lengths = bytearray(), []
    for pair in training_pairs(data, "keeping headlines", limit):
        text = " ".join(pair.headline.split()).encode("utf-8", "replace")
        blocks += text
        lengths.append(len(text))
    save_array(out / "headlines.npy", np.frombuffer(blocks, np.uint8))
    save_array(out / "headline_offsets.npy", np.concatenate([[0], np.cumsum(lengths)]))


def _save_index(out: Path, words: Sequence[str], index: Index) -> None:
    for part in ("starts", "documents", "weights", "highest"):
        save_array(out / f"{part}.npy", getattr(index, part))
    save_array(out / "words.npy", split_text("\n".join(words)))
