"""Word models: raw texts to lexicons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from hedline.decoding.options import DecodeOptions
from hedline.decoding.scorer import Ints
from hedline.decoding.word_columns import WordInput, make_word_input
from hedline.decoding.word_lexicon import WordLexicon
from hedline.decoding.word_tables import WordTables
from hedline.text.source import Source, read_source
from hedline.text.surface import Surfacer, novel_form
from hedline.text.truecase import Truecaser, is_plain
from hedline.text.vocab import Vocabulary

Shortlist = Callable[[Ints], Ints]
FEW_WORDS = 5  # too few to tell a language by
FOREIGN = 0.35  # share of unknown words; no lead of open-news reaches 0.3, other languages have 0.4 and more


class WordReader:
    """Opens lexicons for a word model.

    truecaser: the usual spelling of words that do not come from the input; shortlist: input ids (M,) to candidate
    output ids, None for the whole vocabulary.
    """

    units = "words"

    def __init__(
        self, inputs: Vocabulary, outputs: Vocabulary, truecaser: Truecaser, shortlist: Shortlist | None = None
    ) -> None:
        self.inputs, self.truecaser, self.shortlist = inputs, truecaser, shortlist
        self.tables = WordTables(outputs, lambda word: novel_form(word, truecaser))

    def read(self, text: str, longest: int) -> tuple[Source, bool]:
        """The text as a Source of at most `longest` words, and whether it was cut."""
        source = read_source(text)
        if len(source) <= longest:
            return source, False
        return Source(source.raw, source.tokens[:longest], source.words[:longest]), True

    def words(self, source: Source) -> tuple[str, ...]:
        """The input's words as printed: the columns of alignments."""
        return tuple(token.text for token in source.tokens)

    def foreign(self, source: Source) -> bool:
        """Whether too many words without capitals are not known; names say nothing about a language."""
        plain = [word for word, token in zip(source.words, source.tokens, strict=True) if is_plain(token.text)]
        return len(plain) >= FEW_WORDS and sum(word not in self.inputs for word in plain) >= FOREIGN * len(plain)

    def open(self, sources: Sequence[Source], options: DecodeOptions, weights: Mapping[str, float]) -> WordLexicon:
        """The lexicon of a batch of non-empty sources."""
        prepared = [self._prepare(source, options) for source in sources]
        return WordLexicon(prepared, self.tables, options, weights)

    def _prepare(self, source: Source, options: DecodeOptions) -> WordInput:
        keys, surfaces = read_keys(source, self.truecaser)
        ids = np.array(self.inputs.encode(source.words), np.int64)
        everything = options.full_vocabulary or self.shortlist is None
        shortlist = None if everything or self.shortlist is None else self.shortlist(ids)
        return make_word_input(ids.tolist(), source.words, keys, surfaces, shortlist, self.tables, options.variant)


def read_keys(source: Source, truecaser: Truecaser) -> tuple[list[str], dict[str, str]]:
    """What each of the input's words is compared by (numbers with their digits), and how each key is printed."""
    surfacer = Surfacer(source, truecaser)
    cased = list(dict.fromkeys(word for word in source.words if "#" not in word and word in surfacer.positions))
    forms = dict(zip(cased, surfacer.forms(cased), strict=True))
    keys, surfaces = [], {}
    for word, token in zip(source.words, source.tokens, strict=True):
        key = token.text.lower() if "#" in word else word
        keys.append(key)
        if key not in surfaces:
            surfaces[key] = forms.get(word, token.text)
    return keys, surfaces
