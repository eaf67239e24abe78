"""CoNLL-U files of parsed leads: one document per lead, one block per sentence, offsets in the last column.

A lead is a document: `# newdoc id = N`, then `# lead = …` with its raw text as JSON (a lead may hold line breaks).
Each word carries `TokenRange=start:end`, characters of that raw text, and `NE=B-PERSON` where it is part of a name.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from io import TextIOWrapper
from pathlib import Path

from hedline.baselines.trees import NO_HEAD, Tree, Word
from hedline.errors import UserError
from hedline.files import open_binary

# Labels that only Universal Dependencies have: the rules are written for spaCy's English labels.
_FOREIGN = frozenset({"obl", "obj", "iobj", "nsubj:pass", "aux:pass", "acl:relcl", "flat", "fixed"})


def to_conllu(tree: Tree, name: str) -> str:
    """Write one tree as a document, with its trailing empty line."""
    lines = [f"# newdoc id = {name}", f"# lead = {json.dumps(tree.text, ensure_ascii=False)}"]
    for number, positions in enumerate(_sentences(tree), start=1):
        first, last = tree.words[positions[0]], tree.words[positions[-1]]
        lines.append(f"# sent_id = {name}-{number}")
        lines.append(f"# text = {' '.join(tree.text[first.start : last.end].split())}")
        lines += [_line(tree.words[p], p - positions[0] + 1, positions[0]) for p in positions]
        lines.append("")
    if not tree.words:
        lines.append("")
    return "\n".join(lines) + "\n"


def read_conllu(path: Path) -> Iterator[Tree]:
    """Read the trees of a file, one per document; without `newdoc` lines every sentence is a document."""
    for number, block in _documents(path):
        try:
            yield _tree(block)
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


def _line(word: Word, number: int, offset: int) -> str:
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


def _tree(block: Iterable[str]) -> Tree:
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
            words.append(_word(line.split("\t"), offset, text or "", words[-1].end if words else 0))
    if text is None:
        raise ValueError("a document needs `# lead = …` or `# text = …`")
    _check(words)
    return Tree(text, tuple(words))


def _word(cells: list[str], offset: int, text: str, at: int) -> Word:
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


def _check(words: list[Word]) -> None:
    foreign = {word.relation for word in words} & _FOREIGN
    if foreign:
        raise ValueError(f"labels of Universal Dependencies ({', '.join(sorted(foreign))}); spaCy's English are needed")
    for start in range(len(words)):
        position, steps = start, 0
        while position != NO_HEAD:
            position, steps = words[position].head, steps + 1
            if steps > len(words):
                raise ValueError("the heads run in a circle")
