"""Banko, Mittal and Witbrock (2000): a headline chosen from the lead's words by three small models.

score = content · Σ log p(w in headline | w in lead) + order · Σ log p(w | word before) + length · log p(n words).
Every word of the lead is used at most once; the search is a beam over the headline's words, whole on short leads.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from hedline.arrays import Array, Doubles
from hedline.baselines.fitting import (
    Corpus,
    LanguageModel,
    Texts,
    WorkFolder,
    data_identity,
    encode_corpus,
    load_array,
    save_array,
)
from hedline.baselines.system import Limit
from hedline.baselines.tuned import Candidate, TunedBaseline, Weights
from hedline.text.casing import Truecaser
from hedline.text.surface import Surfacer, added_length, needs_space
from hedline.text.tokenize import read_source
from hedline.text.vocab import END, UNKNOWN

FEATURES = ("content", "order", "length")
START_WEIGHTS = {"content": 1.0, "order": 0.4, "length": 10.0}
BOUNDS = {"content": (1.0, 1.0), "order": (0.3, 5.0), "length": (0.0, 30.0)}
LEAST = 3  # a word seen less often shares the probability of all such words
PRIOR = 5.0  # leads' worth of trust in the mean probability
MOST_WORDS = 30
BEAM = 60


@dataclass(frozen=True)
class Choices:
    """What one lead offers: its distinct words (m,) and what each costs.

    content: (m,) log p(chosen); first, last: (m,) log p(w | <s>) and log p(</s> | w); follows: (m, m) log p(column |
    row); bytes, spaces: (m + 1, m) what a column adds after a row, the last row being the headline's beginning.
    """

    content: Doubles
    first: Doubles
    last: Doubles
    follows: Doubles
    bytes: npt.NDArray[np.int64]
    words: npt.NDArray[np.int64]


class Found(NamedTuple):
    """A headline as indices into the choices, its features (3,) and its score."""

    indices: tuple[int, ...]
    features: Doubles
    score: float


def search(
    choices: Choices, lengths: Doubles, weights: Doubles, limit: Limit, beam: int = BEAM, nbest: int = 1
) -> list[Found]:
    """Return the best headlines, best first.

    lengths: (longest + 1,) log p(n words); weights: (3,) of content, order and length.
    """
    m = len(choices.content)
    most_bytes, most_words = limit.bytes or 1 << 30, limit.words or 1 << 30
    used = np.zeros((1, m), bool)
    features, last = np.zeros((1, 2)), np.array([m])
    size, paths = np.zeros((1, 2), np.int64), np.empty((1, 0), np.int64)
    follows = np.vstack([choices.follows, choices.first])
    finished: list[Found] = []
    for n in range(1, min(m, len(lengths) - 1) + 1):
        content = features[:, :1] + choices.content
        order = features[:, 1:] + follows[last]
        grown = np.stack([size[:, :1] + choices.bytes[last], size[:, 1:] + choices.words[last]], axis=-1)
        score = weights[0] * content + weights[1] * order
        score[used | (grown[..., 0] > most_bytes) | (grown[..., 1] > most_words)] = -np.inf
        rows, columns = _best(score, beam)
        if not len(rows):
            break
        features = np.stack([content[rows, columns], order[rows, columns]], axis=1)
        size, last = grown[rows, columns], columns
        used = used[rows]
        used[np.arange(len(rows)), columns] = True
        paths = np.column_stack([paths[rows], columns])
        finished += _finish(paths, features, choices.last[last], lengths[n], weights, nbest)
    finished.sort(key=lambda found: -found.score)
    return finished[:nbest]


def _best(score: Doubles, count: int) -> tuple[Array, Array]:
    """Rows and columns of the highest finite scores, highest first, earlier cells first among equals."""
    flat = score.ravel()
    kept = np.argsort(-flat, kind="stable")[:count]
    kept = kept[np.isfinite(flat[kept])]
    return np.divmod(kept, score.shape[1])


def _finish(paths: Array, features: Doubles, ends: Doubles, length: float, weights: Doubles, nbest: int) -> list[Found]:
    """End every path of one length here and keep the best."""
    whole = np.column_stack([features[:, 0], features[:, 1] + ends, np.full(len(paths), length)])
    scores = whole @ weights
    best = np.argsort(-scores, kind="stable")[:nbest]
    return [Found(tuple(paths[i].tolist()), whole[i], float(scores[i])) for i in best.tolist()]


def content_probabilities(corpus: Corpus) -> Doubles:
    """(words,) p(w in headline | w in lead) over pairs, drawn towards the mean where a word is rare."""
    in_lead = _word_pairs(corpus.leads)
    both = np.concatenate([in_lead, _word_pairs(corpus.headlines)])
    both.sort()
    both = both[:-1][both[1:] == both[:-1]]
    pairs, size = len(corpus.leads), len(corpus.words)
    seen, chosen = (np.bincount(keys // pairs, minlength=size) for keys in (in_lead, both))
    mean = chosen.sum() / max(seen.sum(), 1)
    return np.asarray((chosen + PRIOR * mean) / (seen + PRIOR))


def _word_pairs(texts: Texts) -> npt.NDArray[np.int64]:
    """Rising distinct keys `word · sentences + sentence`; np.unique would hash, which is slower on this many keys."""
    keys = texts.flat.astype(np.int64)
    keys *= len(texts)
    keys += texts.owners
    keys.sort()
    return np.asarray(keys[np.concatenate([[True], keys[1:] != keys[:-1]])])


def length_probabilities(headlines: Array) -> Doubles:
    """(MOST_WORDS + 1,) p(n words) of headlines given by their lengths; never zero from 1 on."""
    counts = np.bincount(headlines[headlines <= MOST_WORDS], minlength=MOST_WORDS + 1) + 0.5
    counts[0] = 0.0
    return np.asarray(counts / counts.sum())


class Banko(TunedBaseline):
    """The three models and their weights."""

    name: ClassVar[str] = "banko"
    start, bounds = START_WEIGHTS, BOUNDS

    def __init__(
        self, language: LanguageModel, content: Array, lengths: Array, truecaser: Truecaser, weights: dict[str, Weights]
    ) -> None:
        """content: (words,) and lengths: (longest + 1,) probabilities; weights: by preset, then by feature."""
        self.language, self.truecaser, self.weights = language, truecaser, weights
        with np.errstate(divide="ignore"):
            self.content, self.lengths = np.log(content), np.log(np.asarray(lengths, np.float64))

    @classmethod
    def fit(cls, data: Sequence[Path], out: Path, options: Mapping[str, Any]) -> Path:
        """Count the models; options: `limit` pairs, `tune`, sets the weights are tuned on, and `tune_limit` of each."""
        settings = {"limit": options.get("limit"), "data": data_identity(data), "least": LEAST}
        work = WorkFolder(out, {"baseline": cls.name, **settings})
        corpus = encode_corpus(data, work, options.get("limit")).frequent(LEAST)
        LanguageModel.of(corpus.headlines, corpus.words, 2).save(out)
        save_array(out / "content.npy", content_probabilities(corpus))
        save_array(out / "lengths.npy", length_probabilities(corpus.headlines.lengths))
        cls.finish_fit(data, out, corpus, settings, options)
        work.remove()
        return out

    @classmethod
    def load(cls, folder: Path, weights: dict[str, Weights]) -> Self:
        """Map the arrays of a fitted folder."""
        arrays = [load_array(folder / f"{part}.npy") for part in ("content", "lengths")]
        casing = Truecaser.load(folder / "truecase.tsv")
        return cls(LanguageModel.load(folder), arrays[0], arrays[1], casing, weights)

    def nbest(self, lead: str, weights: Weights, limit: Limit, count: int = 50) -> list[Candidate]:
        """Return the best headlines of a lead with their features."""
        surfacer = Surfacer(read_source(lead), self.truecaser)
        words = [word for word in dict.fromkeys(surfacer.source.words) if surfacer.printable(word)]
        if not words:
            return []
        vector = np.array([weights[name] for name in FEATURES])
        found = search(self.choices(words), self.lengths, vector, limit, nbest=count)
        texts = [surfacer.headline([words[index] for index in each.indices]) for each in found]
        return [Candidate(text, each.features) for text, each in zip(texts, found, strict=True) if limit.fits(text)]

    def choices(self, words: Sequence[str]) -> Choices:
        """Look up what the models say of distinct words."""
        ids = np.array([self.language.model.ids.get(word, UNKNOWN) for word in words], np.int64)
        m, ends = len(ids), np.full(len(ids), END)
        first, states = self.language.extend(self.language.begin(m), ids)
        last, _ = self.language.extend(states, ends)
        follows, _ = self.language.extend(np.repeat(states, m, axis=0), np.tile(ids, m))
        before = [*words, ""]
        sizes = np.array([[added_length(left, right)[1] for right in words] for left in before])
        spaces = np.array([[int(not left or needs_space(left, right)) for right in words] for left in before])
        return Choices(self.content[ids], first, last, follows.reshape(m, m), sizes, spaces)
