"""A raw input as the model and the way back to readable text see it."""

from __future__ import annotations

from dataclasses import dataclass

from hedline.text.chunks import Token, place
from hedline.text.clean import clean_with_offsets
from hedline.text.normalize import inner_tokens, last_tokens, normalize_word
from hedline.text.sentences import ending_chunks


@dataclass(frozen=True)
class Source:
    """A raw text, its tokens (cleaned, cased, with offsets into `raw`) and the model's words; one word a token."""

    raw: str
    tokens: list[Token]
    words: list[str]

    def __len__(self) -> int:
        """How many words."""
        return len(self.words)


def read_source(text: str) -> Source:
    """Any string as a Source; an empty or blank one has no words.

    >>> source = read_source("It’s 5—6.")
    >>> source.words
    ['it', "'s", '#', '--', '#', '.']
    >>> source.tokens[3]
    Token(text='--', start=6, end=7)
    """
    cleaned = clean_with_offsets(text)
    chunks = cleaned.text.split()
    ends = set(ending_chunks(chunks))
    split = [(last_tokens if i in ends else inner_tokens)[chunk] for i, chunk in enumerate(chunks)]
    tokens = place(cleaned.text, chunks, split)
    if cleaned.starts is not None:
        tokens = [Token(word, *cleaned.raw_span(start, end)) for word, start, end in tokens]
    return Source(text, tokens, [normalize_word(token.text) for token in tokens])
