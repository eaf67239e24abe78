"""Annotated Gigaword (LDC2012T21): parse trees of the headline and of the first paragraph's first sentence."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from hedline.corpora.documents import document_records, source_and_date
from hedline.corpora.pairs import BadLine, Pair
from hedline.corpora.reader import Record

_LEAF = re.compile(r"\(\S+ ([^\s()]+)\)")
_ESCAPED = {"-LRB-": "(", "-RRB-": ")", "-LSB-": "[", "-RSB-": "]", "-LCB-": "{", "-RCB-": "}", "\\/": "/", "\\*": "*"}


@dataclass(frozen=True)
class AnnotatedGigaword:
    """One `.xml.gz` file of an agency and month."""

    path: Path

    def records(self) -> Iterator[Record | BadLine]:
        """Headline and first paragraph of each document, as lines of parse trees."""
        return document_records(self.path)

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
