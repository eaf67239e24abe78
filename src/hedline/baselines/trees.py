"""Dependency trees of leads: words with offsets into the raw text, and the words that hang below a word."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from hedline.text.surface import added_length, detokenize
from hedline.text.tokenize import read_source

NO_HEAD = -1
SUBJECTS = frozenset({"nsubj", "nsubjpass", "csubj", "csubjpass", "expl"})
OBJECTS = frozenset({"dobj", "obj", "dative", "attr", "oprd", "acomp", "agent"})
SUBCLAUSES = frozenset({"advcl", "relcl", "acl", "ccomp", "csubj", "csubjpass"})
GLUED = frozenset({"case", "neg", "prt", "quantmod"})
VERB_TAGS = frozenset({"VB", "VBD", "VBG", "VBN", "VBP", "VBZ", "MD"})


@dataclass(frozen=True, slots=True)
class Word:
    """One word of a parsed text.

    text: as it is printed; lemma, pos (universal), tag (Penn Treebank); head: position of the word it hangs on,
    -1 for the root of a sentence; relation: its name there (spaCy's English labels); start, end: characters of
    the raw text; entity: "" or "B-PERSON", "I-PERSON", … for the words of a name, a date or an amount.
    """

    text: str
    lemma: str
    pos: str
    tag: str
    head: int
    relation: str
    start: int
    end: int
    entity: str = ""

    @property
    def entity_kind(self) -> str:
        """The entity's kind without its place: PERSON, GPE, DATE, … or an empty string."""
        return self.entity[2:]

    @property
    def is_punctuation(self) -> bool:
        """Whether the word is a mark and no word; a currency sign and a per cent sign count as words."""
        return not any(character.isalnum() for character in self.text) and self.text not in {"$", "%", "£", "€"}


@dataclass(frozen=True)
class Tree:
    """A parsed text: its words in order, one root per sentence. Positions are indices into `words`."""

    text: str
    words: tuple[Word, ...]

    def __len__(self) -> int:
        """How many words."""
        return len(self.words)

    @cached_property
    def roots(self) -> tuple[int, ...]:
        """Positions of the sentences' roots, in order."""
        return tuple(i for i, word in enumerate(self.words) if word.head == NO_HEAD)

    @cached_property
    def children(self) -> tuple[tuple[int, ...], ...]:
        """For each word the positions of the words that hang on it, in order."""
        found: list[list[int]] = [[] for _ in self.words]
        for position, word in enumerate(self.words):
            if word.head != NO_HEAD:
                found[word.head].append(position)
        return tuple(map(tuple, found))

    @cached_property
    def depths(self) -> tuple[int, ...]:
        """For each word its distance from its sentence's root."""
        depths = [0] * len(self.words)
        for root in self.roots:
            for position in self.below(root):
                if position != root:
                    depths[position] = depths[self.words[position].head] + 1
        return tuple(depths)

    def below(self, position: int) -> Iterator[int]:
        """The word and everything under it, parents before children."""
        stack = [position]
        while stack:
            top = stack.pop()
            yield top
            stack.extend(reversed(self.children[top]))

    def subtree(self, position: int) -> list[int]:
        """The word and everything under it, in the order of the text."""
        return sorted(self.below(position))

    def above(self, position: int) -> Iterator[int]:
        """The words it hangs on, the nearest first."""
        head = self.words[position].head
        while head != NO_HEAD:
            yield head
            head = self.words[head].head

    def child(self, position: int, relations: Iterable[str]) -> int | None:
        """The first child with one of these relations."""
        wanted = frozenset(relations)
        return next((c for c in self.children[position] if self.words[c].relation in wanted), None)

    def main_sentence(self) -> list[int]:
        """The words, without marks, of the first sentence that has a clause, or else of the first with a word."""
        clauses = [root for root in self.roots if self.is_clause(root)]
        sentences = (
            [i for i in self.subtree(root) if not self.words[i].is_punctuation] for root in clauses + list(self.roots)
        )
        return next(filter(None, sentences), [])

    def is_clause(self, position: int) -> bool:
        """Whether the word is the verb of a clause: it has a subject, or is a subclause's head."""
        word = self.words[position]
        verbal = word.pos in {"VERB", "AUX"} or word.tag in VERB_TAGS
        return verbal and (self.child(position, SUBJECTS) is not None or word.relation in SUBCLAUSES)

    def is_glued(self, position: int) -> bool:
        """Whether the word is one phrase with its head: `'s`, `not`, a particle, `to`, parts of a number."""
        word = self.words[position]
        if word.head == NO_HEAD:
            return False
        amount = {"NUM", "SYM"}
        number = word.pos in amount and self.words[word.head].pos in amount
        return number or word.relation in GLUED or word.tag in {"TO", "$"} or self.words[word.head].tag == "$"

    def headline(self, kept: Iterable[int]) -> str:
        """The kept words in the order of the text, as running text that begins with a capital."""
        return print_words(self.words[i].text for i in sorted(kept))


def print_words(texts: Iterable[str]) -> str:
    """Words as running text that begins with a capital.

    >>> print_words(["rebels", "do", "n't", "agree"])
    "Rebels don't agree"
    """
    text = detokenize(texts)
    return text[:1].upper() + text[1:] if len(text[:1].upper()) == 1 else text


def byte_length(texts: Sequence[str]) -> int:
    """UTF-8 bytes of the words as running text."""
    return sum(added_length(left, text)[1] for left, text in zip(["", *texts], texts, strict=False))


def with_headline_words(tree: Tree) -> Tree:
    """The tree over the words a headline is made of.

    The parser splits `four-year` and `10am`, our tokeniser does not; a piece of a printed word cannot be kept
    alone. Words that share one of our tokens become one word, and quotes get their Treebank forms, so that the
    detokeniser knows opening from closing ones.
    """
    tokens = read_source(tree.text).tokens
    groups = _groups(tree, [(token.start, token.end) for token in tokens])
    place = {position: number for number, group in enumerate(groups) for position in group[0]}
    words = []
    for positions, owned in groups:
        top = _top(tree, positions)
        text = detokenize(tokens[t].text for t in owned) if len(owned) > 1 else tokens[owned[0]].text
        head = tree.words[top].head
        words.append(
            replace(
                tree.words[top],
                text=text,
                head=NO_HEAD if head == NO_HEAD else place[head],
                start=tree.words[positions[0]].start,
                end=tree.words[positions[-1]].end,
                entity=next((tree.words[p].entity for p in positions if tree.words[p].entity), ""),
            )
        )
    return Tree(tree.text, tuple(words))


def _groups(tree: Tree, spans: Sequence[tuple[int, int]]) -> list[tuple[list[int], list[int]]]:
    """Positions of the tree's words and of our tokens that overlap each other, chained; what overlaps none is left
    to the group before it."""
    groups: list[tuple[list[int], list[int]]] = []
    end, t = -1, 0
    for position, word in enumerate(tree.words):
        while t < len(spans) and spans[t][1] <= word.start:
            t += 1
        overlaps = t < len(spans) and spans[t][0] < word.end
        if groups and (word.start < end or not overlaps):
            positions, owned = groups[-1]
        else:
            positions, owned = [], []
            groups.append((positions, owned))
        positions.append(position)
        while t < len(spans) and spans[t][0] < word.end:
            if t not in owned:
                owned.append(t)
            end = max(end, spans[t][1])
            if spans[t][1] > word.end:
                break
            t += 1
    return [group for group in groups if group[1]]


def _top(tree: Tree, positions: Sequence[int]) -> int:
    """The word of a group that the others hang on: the one nearest to the root."""
    return min(positions, key=lambda p: (tree.depths[p], -p))
