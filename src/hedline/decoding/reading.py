"""From raw texts to lexicons, for word models and for subword models.

Only the first sentences of a raw text are read, as many as are needed; a very short text is its own headline. A reader
cleans the text, mends its capitals, splits it into the model's units and opens the lexicon of a batch of texts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from hedline.arrays import Ints
from hedline.decoding.choice import lead_cues
from hedline.decoding.options import DecodeOptions
from hedline.decoding.piece_columns import PieceTables, SubwordInput, core, spans_of
from hedline.decoding.piece_lexicon import SubwordLexicon
from hedline.decoding.word_columns import WordInput, WordTables, make_word_input
from hedline.decoding.word_lexicon import WordLexicon
from hedline.text.casing import Truecaser, calm, is_lower_cased, is_plain, is_shouted, usually_cased
from hedline.text.clean import clean, foreign_language, is_tokenized, split_sentences, strip_markup, without_preface
from hedline.text.subword import ANY, END, GROUPS, Subwords, dialed_support, known_groups, length_control, limit_control
from hedline.text.surface import Surfacer, detokenize, novel_form
from hedline.text.tokenize import Source, read_source
from hedline.text.vocab import Vocabulary

MOST_WORDS = 60  # words that sentences are read up to; the first sentence is always read
LONGEST = 100  # units after which even a first sentence is cut, in words
SHORT = 4  # a text of at most this many words is its own headline
LONG_WORDS = 20  # characters a word on average: a script without spaces, or no language at all
UNSPACED = "the input has no spaces between words, which a model needs; it is returned as it is"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
UNREADABLE = "some of its characters could not be read; is it UTF-8?"
_MOST_CHARS = 20_000


class Intake(NamedTuple):
    """The text to read, what a user should know about it, whether it is already the answer, and a letter."""

    text: str
    notes: tuple[str, ...]
    finished: bool
    letter: bool = False  # it had a greeting, which is not read


def take_in(text: str, options: DecodeOptions) -> Intake:
    """Choose what to read of a raw text."""
    take = _take(text, options)
    return take._replace(notes=(*take.notes, UNREADABLE)) if REPLACEMENT in take.text else take


def _take(text: str, options: DecodeOptions) -> Intake:
    bare, whole = strip_markup(text[:_MOST_CHARS]), len(text) <= _MOST_CHARS
    head = without_preface(bare)
    letter = head[-20:] == bare[-20:] and len(head) < len(bare)
    words = clean(head).split()
    if not words:
        return Intake("", ("the input is empty, so is the headline",), True)
    if len(words) <= SHORT and whole:
        plain = " ".join(words)
        if _meets(plain, len(words), options):
            unspaced = len(plain) > LONG_WORDS * len(words)
            return Intake(
                options.cut_text(plain),
                (UNSPACED if unspaced else "the input is so short that it is its own headline",),
                True,
            )
    sentences = split_sentences(head)
    chosen = _first_sentences(sentences)
    if chosen < len(sentences) or not whole:
        note = f"only the first {'sentence was' if chosen == 1 else f'{chosen} sentences were'} read"
        return Intake(" ".join(sentences[:chosen]), (note,), False, letter)
    return Intake(head, (), False, letter)


def _meets(plain: str, words: int, options: DecodeOptions) -> bool:
    if options.exact_words is not None and words != options.exact_words:
        return False
    sizes = (words, len(plain.encode("utf-8", "replace")), len(plain))
    limits = (options.word_limit, options.byte_limit, options.char_limit)
    return all(size <= limit for size, limit in zip(sizes, limits, strict=True))


def _first_sentences(sentences: list[str]) -> int:
    """How many sentences fit into MOST_WORDS, at least one."""
    total = 0
    for number, sentence in enumerate(sentences):
        total += len(sentence.split())
        if total > MOST_WORDS and number:
            return number
    return len(sentences)


Shortlist = Callable[[Ints], Ints]
SURE = 0.5  # of the shares below is enough where the small words are another language's
FEW_WORDS = 5  # too few to tell a language by
UNKNOWN_SHARE = 0.35  # share of unknown words; no lead of open-news reaches 0.3, other languages have 0.4 and more


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
        if is_shouted(text):
            text = calm(text, self.truecaser.forms)
        elif is_lower_cased(text) and not is_tokenized(text):
            text = usually_cased(text, self.truecaser.forms)
        source = read_source(text)
        if len(source) <= longest:
            return source, False
        return Source(source.raw, source.tokens[:longest], source.words[:longest]), True

    def words(self, source: Source) -> tuple[str, ...]:
        """The input's words as printed: the columns of alignments."""
        return tuple(token.text for token in source.tokens)

    def text(self, source: Source) -> str:
        """What was read of the input, as running text."""
        end = source.tokens[-1].end if source.tokens else 0
        return " ".join(clean(source.raw[:end]).split())

    def barring(self, source: Source, words: Iterable[str]) -> Source:
        """The source as it is: a word model has few names of its own."""
        return source

    def foreign(self, source: Source) -> bool:
        """Whether too many words without capitals are not known; names say nothing about a language."""
        plain = [word for word, token in zip(source.words, source.tokens, strict=True) if is_plain(token.text)]
        few, least = _evidence(self.text(source))
        return len(plain) >= few and sum(word not in self.inputs for word in plain) >= UNKNOWN_SHARE * least * len(
            plain
        )

    def open(self, sources: Sequence[Source], options: DecodeOptions) -> WordLexicon:
        """The lexicon of a batch of non-empty sources."""
        prepared = [self._prepare(source, options) for source in sources]
        return WordLexicon(prepared, self.tables, options)

    def _prepare(self, source: Source, options: DecodeOptions) -> WordInput:
        keys, surfaces = read_keys(source, self.truecaser)
        ids = np.array(self.inputs.encode(source.words), np.int64)
        everything = options.full_vocabulary or self.shortlist is None
        shortlist = None if everything or self.shortlist is None else self.shortlist(ids)
        return make_word_input(ids.tolist(), source.words, keys, surfaces, shortlist, self.tables, options.variant)


def _evidence(text: str) -> tuple[int, float]:
    """How many words it takes to tell another language, and the factor on the share of them that must be unknown."""
    return (2, SURE) if foreign_language(text) else (FEW_WORDS, 1.0)


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


PIECES_A_WORD = 2
MANY_PIECES = 8000  # pieces of a vocabulary from which on usual words of the language are one piece
BARRED_LETTERS = 3  # pieces with fewer begin too many other words
LETTERS = 4  # shorter words look alike in many languages
IN_PIECES_SHARE = (
    0.7  # share of words in pieces; 99 % of open-news and wire1987 leads have less than 0.47, other languages 0.89
)


class SubwordSource:
    """A text cut to what the model reads: its white-space words and their pieces.

    barred: pieces that its headlines may not have.
    """

    def __init__(self, text: str, words: tuple[str, ...], pieces: list[int], barred: frozenset[int] = frozenset()):
        self.text, self.words, self.pieces, self.barred = text, words, pieces, barred

    def __len__(self) -> int:
        return len(self.words)


class SubwordReader:
    """Opens lexicons for a subword model.

    shortlist: input ids (M,) to candidate output ids, None for all pieces; controls: the model's usual control tokens
    by group (`length` where no limit is given, `support`, `case`), where its vocabulary has them; casing: gives the
    usual forms of lower-case words, asked for only when a text is in capitals or small letters alone.
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
        self.groups = known_groups(subwords.ids)
        self.controlled = bool(self.groups)

    def read(self, text: str, longest: int) -> tuple[SubwordSource, bool]:
        """The cleaned text, cut after `longest` words or twice as many pieces."""
        text = clean(text)
        if is_tokenized(text):
            text = detokenize(text.split())
        if is_shouted(text):
            text = calm(text, self.casing())
        elif is_lower_cased(text):
            text = usually_cased(text, self.casing())
        words = text.split()
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

    def text(self, source: SubwordSource) -> str:
        """What was read of the input, as running text."""
        return source.text

    def foreign(self, source: SubwordSource) -> bool:
        """Whether the model knows too many uncapitalised words only in pieces; names say nothing about a language."""
        if len(self.subwords) < MANY_PIECES:
            return False
        plain = [word for word in map(core, source.words) if len(word) >= LETTERS and is_plain(word)]
        in_pieces = sum(len(self.subwords.encode(word)) > 1 for word in plain)
        if in_pieces < IN_PIECES_SHARE * SURE * len(plain):  # too few, whatever its small words say
            return False
        few, least = _evidence(source.text)
        return len(plain) >= few and in_pieces >= IN_PIECES_SHARE * least * len(plain)

    def barring(self, source: SubwordSource, words: Iterable[str]) -> SubwordSource:
        """The source, its headlines without these words: the piece that each begins with, unless the text has it."""
        first = {self.subwords.encode(word)[0] for word in words}
        if not first:
            return source
        long = {index for index in first if len(self.tables.pieces[index].strip()) >= BARRED_LETTERS}
        return SubwordSource(source.text, source.words, source.pieces, frozenset(long - set(source.pieces)))

    def open(self, sources: Sequence[SubwordSource], options: DecodeOptions) -> SubwordLexicon:
        """The lexicon of a batch of non-empty sources."""
        prepared = [self._prepare(source, options) for source in sources]
        return SubwordLexicon(prepared, self.tables, options)

    def _prepare(self, source: SubwordSource, options: DecodeOptions) -> SubwordInput:
        controls = self.control_ids(options, source.text) if self.controlled else []
        ids = np.array([*controls, *source.pieces], np.int64)
        candidates = None
        if self.shortlist is not None and not options.full_vocabulary:
            own = np.array(source.pieces, np.int64)
            candidates, wanted = self.shortlist(own), np.append(own, END)
            found = candidates[np.searchsorted(candidates[:-1], wanted)] if len(candidates) else candidates
            if not np.array_equal(found, wanted):  # a shortlist of another's making
                candidates = np.union1d(candidates, wanted)
            if source.barred:
                candidates = candidates[~np.isin(candidates, list(source.barred))]
        pieces = [self.tables.pieces[index] for index in source.pieces]
        spans = spans_of(source.words, pieces, len(controls))
        return SubwordInput(ids, source.text, source.words, spans, candidates, options.variant)

    def control_ids(self, options: DecodeOptions, text: str) -> list[int]:
        """Control tokens: the asked length, the wish for support, casing, polarity; `any` where nothing is asked.

        Polarity is asked for only where the text has words that carry it, as in the training pairs.
        """
        length, support, case, polarity = ANY
        length = self.controls.get("length", length)
        words = options.exact_words or options.words
        size = options.bytes or options.chars
        if words or size:
            length = length_control(words) if words else limit_control(size or 0)
        support = dialed_support(self.controls.get("support", support), options.abstractiveness)
        if "polarity" in self.controls and lead_cues(text):
            polarity = self.controls["polarity"]
        # Sentence and title case are made of what the model writes as it likes (text/casing.py): asking it for sentence
        # case by its control cost 0.4 points of ROUGE-1 on 400 validation leads.
        names = (length, support, self.controls.get("case", case), polarity)
        wanted = dict(zip(GROUPS, names, strict=True))
        ids = self.subwords.ids
        return [ids.get(wanted[group], ids[group[-1]]) for group in self.groups]
