"""Tokens back to readable text; the space between two tokens depends on those two alone.

That is what lets the search know a headline's exact length while it grows: opening and closing quotes are
different tokens, so no quotes need counting.
"""

from __future__ import annotations

from collections.abc import Iterable

from hedline.text.normalize import BRACKETS

_PRINTED = {"``": '"', "''": '"', "`": "'", **{name: bracket for bracket, name in BRACKETS.items()}}
_PRINTED |= {name.upper(): bracket for name, bracket in _PRINTED.items() if name.startswith("-")}

_OPENING = frozenset(["``", "`", "(", "[", "{", "-lrb-", "-lsb-", "-lcb-"])
_CLITICS = ("'s", "'m", "'d", "'ll", "'re", "'ve", "n't")
_CLOSING = frozenset([".", ",", ";", ":", "?", "!", "%", "...", "''", "'", ")", "]", "}", *_CLITICS])
_CLOSING |= {"-rrb-", "-rsb-", "-rcb-"}
# Contractions that the Treebank takes apart.
_JOINED = {"can": {"not"}, "d": {"'ye"}, "gim": {"me"}, "gon": {"na"}, "got": {"ta"}, "lem": {"me"}}
_JOINED |= {"more": {"'n"}, "wan": {"na"}, "'t": {"is", "was"}}


def printed(token: str) -> str:
    """What a token looks like in running text: itself, but for quotes and named brackets.

    >>> printed("``"), printed("-lrb-"), printed("n't")
    ('"', '(', "n't")
    """
    return _PRINTED.get(token, token)


def needs_space(left: str, right: str) -> bool:
    """Whether a space stands between two neighbouring tokens; an empty `left` is the beginning of the text.

    The casing of the tokens does not matter.

    >>> needs_space("do", "n't"), needs_space("``", "Hello"), needs_space("a", "b"), needs_space("", "a")
    (False, False, True, False)
    """
    left, right = left.lower(), right.lower()
    if not left or left in _OPENING or right in _CLOSING or left[-1] == "$":
        return False
    return right not in _JOINED.get(left, ())


def added_length(left: str, token: str) -> tuple[int, int]:
    """Characters and UTF-8 bytes that a token adds to a text ending in the token `left` ("" at the beginning).

    >>> added_length("café", "fermé"), added_length("ca", "n't")
    ((6, 7), (3, 3))
    """
    text = printed(token)
    space = int(needs_space(left, token))
    return space + len(text), space + len(text.encode("utf-8", "replace"))


def detokenize(tokens: Iterable[str]) -> str:
    """Running text from tokens; empty ones leave no trace.

    >>> detokenize(["He", "ca", "n't", "pay", "$", "5", "-lrb-", "``", "yet", "''", "-rrb-", "."])
    'He can\\'t pay $5 ("yet").'
    """
    parts: list[str] = []
    left = ""
    for token in filter(None, tokens):
        if needs_space(left, token):
            parts.append(" ")
        parts.append(printed(token))
        left = token
    return "".join(parts)
