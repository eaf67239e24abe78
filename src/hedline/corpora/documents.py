"""Documents of the Gigaword family: `<DOC id=…>` with a headline and paragraphs, one tag a line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from hedline.corpora.lines import read_lines
from hedline.corpora.pairs import BadLine
from hedline.corpora.reader import Record

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
