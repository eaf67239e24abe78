"""What of a raw text is read: its first sentences, as far as needed; very short texts stay as they are."""

from __future__ import annotations

from typing import NamedTuple

from hedline.decoding.options import DecodeOptions
from hedline.text.markup import strip_markup
from hedline.text.normalize import clean
from hedline.text.sentences import split_sentences

MOST_WORDS = 60  # sentences are read while they fit into so many words; the first one always
LONGEST = 100  # units after which even a first sentence is cut, in words
SHORT = 4  # a text of so few words is its own headline
LONG_WORDS = 20  # characters a word on average: a script without spaces, or no language at all
UNSPACED = "the input has no spaces between words, which a model needs; it is returned as it is"
REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
UNREADABLE = "some of its characters could not be read; is it UTF-8?"
_MOST_CHARS = 20_000


class Intake(NamedTuple):
    """The text to read, what a user should know about it, and whether it is already the answer."""

    text: str
    notes: tuple[str, ...]
    finished: bool


def take_in(text: str, options: DecodeOptions) -> Intake:
    """Choose what to read of a raw text."""
    take = _take(text, options)
    return take._replace(notes=(*take.notes, UNREADABLE)) if REPLACEMENT in take.text else take


def _take(text: str, options: DecodeOptions) -> Intake:
    head, whole = strip_markup(text[:_MOST_CHARS]), len(text) <= _MOST_CHARS
    words = clean(head).split()
    if not words:
        return Intake("", ("the input is empty, so is the headline",), True)
    if len(words) <= SHORT and whole:
        plain = " ".join(words)
        if _meets(plain, len(words), options):
            unspaced = len(plain) > LONG_WORDS * len(words)
            return Intake(plain, (UNSPACED if unspaced else "the input is so short that it is its own headline",), True)
    sentences = split_sentences(head)
    chosen = _first_sentences(sentences)
    if chosen < len(sentences) or not whole:
        note = f"only the first {'sentence was' if chosen == 1 else f'{chosen} sentences were'} read"
        return Intake(" ".join(sentences[:chosen]), (note,), False)
    return Intake(head, (), False)


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
