"""Parses of sentences of our own, written by `hedline parse`, so that no test needs spaCy."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from hedline.baselines.parses import read_conllu
from hedline.baselines.trees import Tree, with_headline_words

FILE = Path(__file__).with_name("leads.conllu")


@lru_cache(maxsize=1)
def parsed() -> tuple[Tree, ...]:
    """The trees as the parser gave them."""
    return tuple(read_conllu(FILE))


@lru_cache(maxsize=1)
def trees() -> tuple[Tree, ...]:
    """The trees over headline words."""
    return tuple(map(with_headline_words, parsed()))


def tree_of(beginning: str) -> Tree:
    """The tree of the lead that begins so."""
    (found,) = [tree for tree in trees() if tree.text.startswith(beginning)]
    return found
