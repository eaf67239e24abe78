"""Subword models: raw texts to lexicons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hedline.decoding.options import DecodeOptions
from hedline.decoding.piece_tables import PieceTables
from hedline.decoding.scorer import Ints
from hedline.decoding.subword_input import SubwordInput, core, spans_of
from hedline.decoding.subword_lexicon import SubwordLexicon
from hedline.text.controls import ANY, SUPPORT_NAMES, length_control
from hedline.text.normalize import clean
from hedline.text.subword import END, Subwords

Shortlist = Callable[[Ints], Ints]
PIECES_A_WORD = 2
BYTES_A_WORD = 6.5
FEW_WORDS = 5  # too few to tell a language by
SMALL_PIECES, MANY_PIECES = 3, 8000  # a word of so many pieces is not known, if so many pieces there are to choose from


class SubwordSource:
    """A text cut to what the model reads: its white-space words and their pieces."""

    def __init__(self, text: str, words: tuple[str, ...], pieces: list[int]) -> None:
        self.text, self.words, self.pieces = text, words, pieces

    def __len__(self) -> int:
        return len(self.words)


class SubwordReader:
    """Opens lexicons for a subword model.

    shortlist: input ids (M,) to candidate output ids, None for all pieces; controls: the model's usual control tokens
    by group (`length` where no limit is given, `support`, `case`), where its vocabulary has them.
    """

    units = "subwords"

    def __init__(
        self, subwords: Subwords, shortlist: Shortlist | None = None, controls: Mapping[str, str] | None = None
    ) -> None:
        self.subwords, self.shortlist = subwords, shortlist
        self.tables = PieceTables(subwords)
        self.controls = dict(controls or {})
        self.controlled = all(name in subwords.ids for name in ANY)

    def read(self, text: str, longest: int) -> tuple[SubwordSource, bool]:
        """The cleaned text, cut after `longest` words or twice as many pieces."""
        words = clean(text).split()
        kept: list[str] = []
        pieces: list[int] = []
        for word in words[:longest]:
            more = self.subwords.encode(word)
            if kept and len(pieces) + len(more) > PIECES_A_WORD * longest:
                break
            kept.append(word)
            pieces += more[: PIECES_A_WORD * longest]
        return SubwordSource(" ".join(kept), tuple(kept), pieces), len(kept) < len(words)

    def words(self, source: SubwordSource) -> tuple[str, ...]:
        """The input's words as printed: the columns of alignments."""
        return source.words

    def unfamiliar(self, source: SubwordSource) -> float:
        """Share of the input's lower-case words that the model knows only in small pieces, where it has large ones."""
        if len(self.subwords) < MANY_PIECES:
            return 0.0
        plain = [core(word) for word in source.words if word.islower()]
        broken = sum(len(self.subwords.encode(f" {word}")) >= SMALL_PIECES for word in plain)
        return broken / len(plain) if len(plain) >= FEW_WORDS else 0.0

    def open(
        self, sources: Sequence[SubwordSource], options: DecodeOptions, weights: Mapping[str, float]
    ) -> SubwordLexicon:
        """The lexicon of a batch of non-empty sources."""
        prepared = [self._prepare(source, options) for source in sources]
        return SubwordLexicon(prepared, self.tables, options, weights)

    def _prepare(self, source: SubwordSource, options: DecodeOptions) -> SubwordInput:
        controls = self.control_ids(options) if self.controlled else []
        ids = np.array([*controls, *source.pieces], np.int64)
        candidates = None
        if self.shortlist is not None and not options.full_vocabulary:
            own = np.array(source.pieces, np.int64)
            candidates = np.unique(np.concatenate([self.shortlist(own), own, [END]]))
        pieces = [self.tables.pieces[index] for index in source.pieces]
        spans = spans_of(source.words, pieces, len(controls))
        return SubwordInput(ids, source.text, source.words, spans, candidates, options.variant)

    def control_ids(self, options: DecodeOptions) -> list[int]:
        """Control tokens: the asked length, the wish for support, sentence case; `any` where nothing is asked."""
        length, support, case = ANY
        length = self.controls.get("length", length)
        words = options.exact_words or options.words
        size = options.bytes or options.chars
        if words or size:
            length = length_control(words or max(round((size or 0) / BYTES_A_WORD), 1))
        support = self.controls.get("support", support)
        if options.abstractiveness is not None:
            levels = SUPPORT_NAMES[:-1]
            support = levels[round((1 - options.abstractiveness) / 2 * (len(levels) - 1))]
        names = (length, support, self.controls.get("case", case))
        return [
            self.subwords.ids.get(name, self.subwords.ids[anything]) for name, anything in zip(names, ANY, strict=True)
        ]
