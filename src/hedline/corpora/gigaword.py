"""Plain Gigaword SGML: raw headline, and the first sentence of the first paragraph."""

from __future__ import annotations

import html
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from hedline.corpora.documents import document_records, source_and_date
from hedline.corpora.pairs import BadLine, Pair
from hedline.corpora.reader import Record
from hedline.text.sentences import first_sentence


@dataclass(frozen=True)
class Gigaword:
    """One SGML file of an agency and month, usually `.gz`."""

    path: Path

    def records(self) -> Iterator[Record | BadLine]:
        """Headline and first paragraph of each document, as lines of text."""
        return document_records(self.path)

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
