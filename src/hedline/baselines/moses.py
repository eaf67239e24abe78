"""MOSES+: phrase-based translation from lead to headline, with deletion rules and free reordering (Table 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from hedline.arrays import Array
from hedline.baselines.fitting import Corpus, LanguageModel, Texts, WorkFolder, data_identity, encode_corpus
from hedline.baselines.phrase_decoder import FEATURES, MOST_SOURCE, Options, PhraseDecoder
from hedline.baselines.phrase_table import (
    MOST_WORDS,
    Counts,
    PhraseTable,
    build_table,
    count_phrases,
    phrase_keys,
    phrase_words,
)
from hedline.baselines.phrases import LONGEST, align
from hedline.baselines.system import Limit
from hedline.baselines.tuned import Candidate, TunedBaseline, Weights
from hedline.progress import Progress
from hedline.text.casing import Truecaser
from hedline.text.surface import Surfacer, added_length, needs_space
from hedline.text.tokenize import read_source
from hedline.text.vocab import UNKNOWN

ORDER = 3  # of the language model
BLOCK = 50_000  # pairs aligned together: the aligner's memory, and what an interrupted fit loses
LEAST = 3  # occurrences of a word of the vocabulary
COPIED = -2.0  # each logarithm of a word without a rule that is passed through as it is
START_WEIGHTS = dict(zip(FEATURES, (0.3, 1.0, 1.5, 0.1, -0.5, 4.5, -3.0, 3.0, 1.0, 0.1, 1.0), strict=True))
# The language model is the scale of all weights, so that recall cannot drive it out; probabilities and jumps may be
# ignored, not be turned around. For F1 `deletion` ends at its bound; one try with a wider one gained nothing.
BOUNDS = dict.fromkeys(FEATURES, (0.0, 10.0))
BOUNDS |= dict.fromkeys(("phrases", "words", "deletions"), (-10.0, 10.0)) | {"language": (1.0, 1.0)}


class Moses(TunedBaseline):
    """Phrase table, language model, casing and weights."""

    name: ClassVar[str] = "moses"
    start, bounds = START_WEIGHTS, BOUNDS

    def __init__(
        self, table: PhraseTable, language: LanguageModel, truecaser: Truecaser, weights: dict[str, Weights]
    ) -> None:
        """weights: by preset, then by feature."""
        self.table, self.language, self.truecaser, self.weights = table, language, truecaser, weights

    @classmethod
    def fit(cls, data: Sequence[Path], out: Path, options: Mapping[str, Any]) -> Path:
        """Align and count; options: `limit` pairs, `tune`, sets the weights are tuned on, and `tune_limit` of each."""
        settings = {"limit": options.get("limit"), "data": data_identity(data), "order": ORDER, "least": LEAST}
        work = WorkFolder(out, {"baseline": cls.name, **settings})
        raw = encode_corpus(data, work, options.get("limit"))
        corpus = raw.frequent(LEAST, MOST_WORDS)
        phrases, words = _counted(raw, corpus, work)
        build_table(phrases, words, len(corpus.words)).save(out)
        LanguageModel.of(corpus.headlines, corpus.words, ORDER).save(out)
        cls.finish_fit(data, out, corpus, settings, options)
        work.remove()
        return out

    @classmethod
    def load(cls, folder: Path, weights: dict[str, Weights]) -> Self:
        """Map the arrays of a fitted folder."""
        casing = Truecaser.load(folder / "truecase.tsv")
        return cls(PhraseTable.load(folder), LanguageModel.load(folder), casing, weights)

    def nbest(self, lead: str, weights: Weights, limit: Limit, count: int = 100) -> list[Candidate]:
        """Return the best headlines of a lead with their features."""
        surfacer = Surfacer(read_source(lead), self.truecaser)
        words = surfacer.source.words[:MOST_SOURCE]
        reader = OptionReader(self, words, surfacer)
        options, spelt = reader.options()
        if not len(spelt):
            return []
        decoder = PhraseDecoder(self.language, np.array([weights[name] for name in FEATURES]))
        found = []
        for each in decoder.decode(options, reader.deleted(), limit, count):
            text = _text(surfacer, options, spelt, each.options)
            if text and limit.fits(text):
                found.append(Candidate(text, each.features))
        return found


def _counted(raw: Corpus, corpus: Corpus, work: WorkFolder) -> tuple[Counts, Counts]:
    """Align block by block (links do not depend on the vocabulary) and add up phrase pairs and linked words."""
    progress = Progress("aligning", len(raw.leads), "pairs")
    phrases, words = [], []
    for first in range(0, len(raw.leads), BLOCK):
        links = work.arrays(f"aligned-{first:08d}", partial(_links, raw, first))["links"]
        leads = _block(corpus.leads, first)
        found = count_phrases(leads, _block(corpus.headlines, first), links)
        phrases.append(found[0])
        words.append(found[1])
        progress.advance(len(leads))
    progress.close()
    return Counts.sum(phrases), Counts.sum(words)


def _links(raw: Corpus, first: int) -> dict[str, Array]:
    return {"links": align(_block(raw.leads, first), _block(raw.headlines, first))}


def _block(texts: Texts, first: int) -> Texts:
    """Sentences `first` to `first + BLOCK`, with offsets from 0."""
    offsets = texts.offsets[first : first + BLOCK + 1]
    return Texts(np.asarray(texts.flat[offsets[0] : offsets[-1]]), offsets - offsets[0])


class OptionReader:
    """Looks up the phrases of one lead."""

    def __init__(self, system: Moses, words: Sequence[str], surfacer: Surfacer) -> None:
        self.table, self.vocabulary = system.table, system.language.model.words
        self.words, self.surfacer = words, surfacer
        ids = system.language.model.ids
        self.ids = np.array([ids.get(word, UNKNOWN) for word in words], np.int64)
        self.deletion = np.asarray(self.table.deletion[self.ids], np.float64)

    def deleted(self) -> Array:
        """(features,) of the lead with all its words deleted."""
        features = np.zeros(len(FEATURES))
        features[FEATURES.index("deletions")] = len(self.ids)
        features[FEATURES.index("deletion")] = self.deletion.sum()
        return features

    def options(self) -> tuple[Options, list[tuple[str, ...]]]:
        """Return the options, and the words that each writes."""
        starts, lengths, targets, logs = self._rules()
        ids = phrase_words(targets)
        spelt = [self._spelt(int(s), int(k), row) for s, k, row in zip(starts, lengths, ids, strict=True)]
        kept = np.array([i for i, words in enumerate(spelt) if words], np.int64)
        kept = kept[np.argsort((ids[kept] > 0).sum(axis=1), kind="stable")]
        spelt = [spelt[i] for i in kept.tolist()]
        sizes = np.array([_size(words) for words in spelt], np.int64).reshape(-1, 3)
        starts, lengths, ids = starts[kept], lengths[kept], ids[kept]
        count = (ids > 0).sum(axis=1)
        features = self._features(starts, lengths, count, logs[kept])
        return Options(starts, lengths, ids, count, features, *sizes.T), spelt

    def _rules(self) -> tuple[Array, Array, Array, Array]:
        """Starts, lengths, target keys and logarithms (n, 4) of all rules whose source stands in the lead."""
        size = len(self.ids)
        starts = np.array([s for k in range(1, LONGEST + 1) for s in range(size - k + 1)], np.int64)
        lengths = np.array([k for k in range(1, LONGEST + 1) for _ in range(size - k + 1)], np.int64)
        first, count = self.table.find(phrase_keys(self.ids, starts, lengths))
        rows = np.repeat(first, count) + np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
        alone = np.flatnonzero((count == 0) & (lengths == 1))  # passed through, as Moses does with unknown words
        spans = np.concatenate([np.repeat(np.arange(len(starts)), count), alone])
        targets = np.concatenate([self.table.targets[rows], self.ids[starts[alone]].astype(np.uint64)])
        logs = np.concatenate([self.table.features[rows], np.full((len(alone), 4), COPIED, np.float32)])
        return starts[spans], lengths[spans], targets, logs

    def _features(self, starts: Array, lengths: Array, count: Array, logs: Array) -> Array:
        sums = np.concatenate([[0.0], np.cumsum(self.deletion)])
        features = np.zeros((len(starts), len(FEATURES)))
        features[:, :4] = logs
        features[:, 4:8] = np.column_stack(
            [np.ones(len(starts)), count, -lengths, sums[starts] - sums[starts + lengths]]
        )
        return features

    def _spelt(self, start: int, length: int, ids: Array) -> tuple[str, ...]:
        """Spell an option's words, an unknown one as the lead's.

        Nothing where a word cannot be printed, or is punctuation that the covered words do not have: ROUGE does not
        see it, so that tuning has no reason to keep it away.
        """
        covered = self.words[start : start + length]
        unknown = [word for word, known in zip(covered, self.ids[start:], strict=False) if known == UNKNOWN]
        words = tuple(unknown[0] if index == UNKNOWN else self.vocabulary[index] for index in ids.tolist() if index)
        plain = all(any(map(str.isalnum, word.replace("#", "0"))) or word in covered for word in words)
        return words if plain and all(map(self.surfacer.printable, words)) else ()


def _size(words: tuple[str, ...]) -> tuple[int, int, int]:
    """Bytes and white-space words that a phrase adds behind an ordinary word, and whether a space stands first."""
    before = ("a", *words)
    pairs = list(zip(before, words, strict=False))
    spaces = [int(needs_space(left, right)) for left, right in pairs]
    return sum(added_length(left, right)[1] for left, right in pairs), sum(spaces), spaces[0]


def _text(surfacer: Surfacer, options: Options, spelt: Sequence[tuple[str, ...]], path: Sequence[int]) -> str:
    """Print a derivation; each word looks at the words of the lead that its phrase came from."""
    words: list[str] = []
    rows: list[list[float]] = []
    for option in path:
        row = np.zeros(len(surfacer.source))
        row[options.start[option] : options.start[option] + options.length[option]] = 1.0
        words += spelt[option]
        rows += [row.tolist()] * len(spelt[option])
    return surfacer.headline(words, rows)
