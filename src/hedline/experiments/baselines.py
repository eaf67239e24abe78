"""Running a baseline over a file of leads."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from hedline.corpora.evaluation import EvaluationItem, read_evaluation_set
from hedline.corpora.lines import read_lines
from hedline.corpora.pairs import BadLine
from hedline.corpora.readers import bare_suffix
from hedline.errors import UserError
from hedline.experiments.prefix import prefix

DEFAULT_BYTES = 75


def read_leads(file: Path, limit: int | None = None) -> list[EvaluationItem]:
    """The inputs of an evaluation set or pairs file, or of a plain text file (one a line, no references)."""
    if str(file) == "-":
        # Not splitlines: a line separator inside a lead (U+2028) would make it two, as it does not in a file.
        lines = [line.removesuffix("\n") for line in sys.stdin][:limit]
    elif bare_suffix(file) in {".txt", ""}:
        lines = _text_lines(file)[:limit]
    else:
        return read_evaluation_set(file, limit)
    return [EvaluationItem(str(number), line, ()) for number, line in enumerate(lines, start=1)]


def _text_lines(file: Path) -> list[str]:
    lines = []
    for line in read_lines(file):
        if isinstance(line, BadLine):
            raise UserError(str(line))
        lines.append(line[1].decode("utf-8", "replace"))
    return lines


def run_prefix(
    leads: Sequence[str], *, bytes: int | None = None, chars: int | None = None, words: int | None = None
) -> list[str]:
    """PREFIX headlines, 75 bytes when no limit is given."""
    if bytes is None and chars is None and words is None:
        bytes = DEFAULT_BYTES
    return [prefix(lead, bytes=bytes, chars=chars, words=words) for lead in leads]
