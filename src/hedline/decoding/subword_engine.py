"""Subword models: raw texts to lexicons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hedline.decoding.options import DecodeOptions
from hedline.decoding.piece_tables import PieceTables
from hedline.decoding.scorer import Ints
from hedline.decoding.subword_input import SubwordInput, core, spans_of
from hedline.decoding.subword_lexicon import SubwordLexicon
from hedline.text.controls import ANY, dialed_support, length_control
from hedline.text.normalize import clean
from hedline.text.subword import END, Subwords
from hedline.text.truecase import calm, is_plain, is_shouted

Shortlist = Callable[[Ints], Ints]
PIECES_A_WORD = 2
BYTES_A_WORD = 6.5
FEW_WORDS = 5  # too few to tell a language by
MANY_PIECES = 8000  # with so many to choose from, usual words of the language are one piece
LETTERS = 4  # shorter words look alike in many languages
FOREIGN = (
    0.7  # share of words in pieces; 99 % of open-news and wire1987 leads have less than 0.47, other languages 0.89
)


class SubwordSource:
    """A text cut to what the model reads: its white-space words and their pieces."""

    def __init__(self, text: str, words: tuple[str, ...], pieces: list[int]) -> None:
        self.text, self.words, self.pieces = text, words, pieces

    def __len__(self) -> int:
        return len(self.words)


class SubwordReader:
    """Opens lexicons for a subword model.

    shortlist: input ids (M,) to candidate output ids, None for all pieces; controls: the model's usual control tokens
    by group (`length` where no limit is given, `support`, `case`), where its vocabulary has them; casing: gives the
    usual forms of lower-case words, asked for only when a text is in capitals, which fall into pieces no model knows.
    """

    units = "subwords"

    def __init__(
        self,
        subwords: Subwords,
        shortlist: Shortlist | None = None,
        controls: Mapping[str, str] | None = None,
        casing: Callable[[], Mapping[str, str]] = dict,
    ) -> None:
        self.subwords, self.shortlist, self.casing = subwords, shortlist, casing
        self.tables = PieceTables(subwords)
        self.controls = dict(controls or {})
        self.controlled = all(name in subwords.ids for name in ANY)

    def read(self, text: str, longest: int) -> tuple[SubwordSource, bool]:
        """The cleaned text, cut after `longest` words or twice as many pieces."""
        text = clean(text)
        words = (calm(text, self.casing()) if is_shouted(text) else text).split()
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

    def foreign(self, source: SubwordSource) -> bool:
        """Whether the model knows too many uncapitalised words only in pieces; names say nothing about a language."""
        plain = [word for word in map(core, source.words) if is_plain(word) and len(word) >= LETTERS]
        if len(self.subwords) < MANY_PIECES or len(plain) < FEW_WORDS:
            return False
        return sum(len(self.subwords.encode(f" {word}")) > 1 for word in plain) >= FOREIGN * len(plain)

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
        support = dialed_support(self.controls.get("support", support), options.abstractiveness)
        names = (length, support, self.controls.get("case", case))
        return [
            self.subwords.ids.get(name, self.subwords.ids[anything]) for name, anything in zip(names, ANY, strict=True)
        ]
