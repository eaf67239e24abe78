"""PREFIX: the beginning of the input is its headline (DUC's own baseline, Table 1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from hedline.baselines.system import Limit, Unfitted
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError

DEFAULT_BYTES = 75


def prefix(lead: str, *, bytes: int | None = None, chars: int | None = None, words: int | None = None) -> str:
    """The first bytes (UTF-8, never half a character), characters or white-space words of `lead`, as many as asked for.

    At least one limit is given, and all that are hold. Bytes and characters may end in half a word: the paper's
    PREFIX does, and ROUGE scores it so.
    """
    limits = [limit for limit in (bytes, chars, words) if limit is not None]
    if not limits or min(limits) < 1:
        raise UserError("PREFIX takes limits of at least 1: bytes, chars or words")
    text = " ".join(lead.split()[:words])[:chars]
    return text.encode("utf-8", "replace")[:bytes].decode("utf-8", "ignore").rstrip()


def run_prefix(
    leads: Sequence[str], *, bytes: int | None = None, chars: int | None = None, words: int | None = None
) -> list[str]:
    """PREFIX headlines, 75 bytes when no limit is given."""
    if bytes is None and chars is None and words is None:
        bytes = DEFAULT_BYTES
    return [prefix(lead, bytes=bytes, chars=chars, words=words) for lead in leads]


class Prefix(Unfitted):
    """Copies the first bytes or words of the lead; it learns nothing."""

    name: ClassVar[str] = "prefix"

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Cut every lead; 75 bytes when there is no limit. Bytes may end in half a word, as in the paper."""
        return run_prefix([item.lead for item in items], bytes=limit.bytes, words=limit.words)
