"""PREFIX: the beginning of the input is its headline (DUC's own baseline, Table 1)."""

from __future__ import annotations

from hedline.errors import UserError


def prefix(lead: str, *, bytes: int | None = None, chars: int | None = None, words: int | None = None) -> str:
    """The first so many bytes (UTF-8, never half a character), characters or white-space words of `lead`.

    Exactly one limit is given. Bytes and characters may end in half a word: the paper's PREFIX does, and ROUGE
    scores it so.
    """
    limits = [limit for limit in (bytes, chars, words) if limit is not None]
    if len(limits) != 1 or limits[0] < 1:
        raise UserError("PREFIX takes one limit of at least 1: bytes, chars or words")
    text = " ".join(lead.split())
    if bytes is not None:
        return text.encode("utf-8", "replace")[:bytes].decode("utf-8", "ignore").rstrip()
    if chars is not None:
        return text[:chars].rstrip()
    return " ".join(text.split(" ")[:words])
