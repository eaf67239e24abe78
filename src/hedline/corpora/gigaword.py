"""Gigaword in both of its forms: plain SGML, and Annotated Gigaword (LDC2012T21).

A document is `<DOC id=…>` with a headline and paragraphs, one tag per line. Of plain Gigaword the raw headline and the
first sentence of the first paragraph are read; of Annotated Gigaword the parse trees of the headline and of the first
paragraph's first sentence.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hedline.corpora.pairs import BadLine, Pair, Record, read_lines
from hedline.text.clean import first_sentence

_ID = re.compile(rb"""\bid\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_NAMED = re.compile(r"^([A-Za-z]+)_\w*?_?(\d{4})(\d\d)(\d\d)\.")
MAX_TEXT_LINES = 500  # a headline or first paragraph of more lines is no headline or paragraph

OUTSIDE, HEADLINE, BODY, PARAGRAPH, DONE = range(5)


def document_records(path: Path) -> Iterator[Record | BadLine]:
    """A record (id, headline lines, first paragraph's lines) for each document, in bounded memory.

    Each `<DOC` starts afresh, so a document without a paragraph never lends its headline to the next one; a tag line
    is never text.
    """
    document: _Document | None = None
    for item in read_lines(path):
        if isinstance(item, BadLine):
            yield item
            continue
        number, raw = item
        line = raw.strip()
        if line.startswith(b"<DOC ") or line == b"<DOC>":
            if document is not None:
                yield document.record(path)
            document = _Document(number, line)
        elif document is not None:
            document.take(line)
    if document is not None:
        yield document.record(path)


class _Document:
    """The lines of one document that matter."""

    def __init__(self, number: int, line: bytes) -> None:
        found = _ID.search(line)
        self.number, self.id = number, found[1] if found else b""
        self.headline: list[bytes] = []
        self.paragraph: list[bytes] = []
        self.state = OUTSIDE

    def take(self, line: bytes) -> None:
        """Follow the tags, keep the text of the headline and of the first paragraph after it."""
        if line == b"<HEADLINE>" and self.state == OUTSIDE:
            self.state = HEADLINE
        elif line == b"</HEADLINE>" and self.state == HEADLINE:
            self.state = BODY
        elif line == b"<P>" and self.state == BODY:
            self.state = PARAGRAPH
        elif line == b"</P>" and self.state == PARAGRAPH:
            self.state = DONE
        elif line and not line.startswith(b"<"):
            self._keep(line)

    def _keep(self, line: bytes) -> None:
        lines = self.headline if self.state == HEADLINE else self.paragraph if self.state == PARAGRAPH else None
        if lines is not None and len(lines) < MAX_TEXT_LINES:
            lines.append(line)

    def record(self, path: Path) -> Record | BadLine:
        """The finished record; a document that lacks a part is counted as blank."""
        if not self.headline or not self.paragraph:
            lacking = "headline" if not self.headline else "paragraph after its headline"
            name = self.id.decode("utf-8", "replace") or "without id"
            return BadLine(str(path), self.number, f"document {name} has no {lacking}", harmless=True)
        return Record(self.number, (self.id, self.headline, self.paragraph))


def source_and_date(document_id: str) -> tuple[str, str]:
    """Agency and day from an id such as `APW_ENG_19981016.0240`; empty where it tells none."""
    found = _NAMED.match(document_id)
    return (found[1].upper(), f"{found[2]}-{found[3]}-{found[4]}") if found else ("", "")


_LEAF = re.compile(r"\(\S+ ([^\s()]+)\)")
_ESCAPED = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "\\/": "/", "\\*": "*"}


@dataclass(frozen=True)
class Documents:
    """One file of an agency and month."""

    path: Path

    def records(self) -> Iterator[Record | BadLine]:
        """Headline and first paragraph of each document, as lines."""
        return document_records(self.path)


class AnnotatedGigaword(Documents):
    """An `.xml.gz` file, whose lines are parse trees."""

    def parse(self, record: Record) -> Pair | BadLine:
        """The words of the headline's first tree and of the paragraph up to its first full stop."""
        try:
            name, headline, paragraph = (_decode(part) for part in record.raw)
        except UnicodeDecodeError as error:
            return BadLine(str(self.path), record.line, f"invalid UTF-8 in the document ({error.reason})")
        title, lead = tree_words(headline[:1]), tree_words(paragraph)
        if not title or not lead:
            what = "headline" if not title else "first paragraph"
            return BadLine(str(self.path), record.line, f"the {what} of {name[0]} holds no parse tree")
        return Pair(" ".join(lead), " ".join(title), name[0], *source_and_date(name[0]))


def tree_words(lines: Sequence[str]) -> list[str]:
    """Leaves of bracketed trees up to and including the first full stop; escapes undone.

    The annotation's sentence splitter is poor, so a sentence may run over several trees: it ends at a full stop.

    >>> tree_words(["(ROOT (S (NP (NNP Rain)) (VP (VBZ stops)) (. .)))", "(ROOT (NP (NN More)))"])
    ['Rain', 'stops', '.']
    """
    words: list[str] = []
    for line in lines:
        for leaf in _LEAF.findall(line):
            words.append(_ESCAPED.get(leaf, leaf.replace("\\/", "/")))
            if leaf == ".":
                return words
    return words


def _decode(part: bytes | list[bytes]) -> list[str]:
    return [line.decode("utf-8") for line in ([part] if isinstance(part, bytes) else part)]


class Gigaword(Documents):
    """An SGML file, usually `.gz`, whose lines are text."""

    def parse(self, record: Record) -> Pair | BadLine:
        """Join the lines, undo entities, cut the first sentence."""
        name, headline, paragraph = record.raw
        try:
            title, text = _join(headline), _join(paragraph)
        except UnicodeDecodeError as error:
            return BadLine(str(self.path), record.line, f"invalid UTF-8 in the document ({error.reason})")
        identity = name.decode("utf-8", "replace")
        return Pair(first_sentence(text), title, identity, *source_and_date(identity))


def _join(lines: list[bytes]) -> str:
    """Lines as one text; `&AMP;` is written in capitals in older files."""
    text = b" ".join(lines).decode("utf-8")
    return " ".join(html.unescape(text.replace("&AMP;", "&amp;")).split())
