"""W&L (Woodsend, Feng and Lapata 2010): phrases chosen and rewritten by an integer program.

Phrases of the lead's parse have a learnt salience; rewrite rules from aligned trees let a phrase stay without its
head, move in front of its noun or change its words (`rewrites`). The program finds the choice with the highest sum
of salience and rules within the length, such that what is left is a tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from hedline.baselines.fitting import WorkFolder, data_identity, training_pairs
from hedline.baselines.parses import open_parser, parse_file, parsed_leads, read_conllu
from hedline.baselines.program import Rule, choose
from hedline.baselines.rewrites import Rewrites
from hedline.baselines.salience import Salience, WordChances
from hedline.baselines.system import Limit, fitted_folder, write_config
from hedline.baselines.topiary import trimmed_headline, usual
from hedline.baselines.trees import NO_HEAD, SUBJECTS, Tree, print_words, with_headline_words
from hedline.corpora.sets import EvaluationItem
from hedline.text.surface import added_length

SAMPLE = 20_000  # pairs that are parsed to learn from
COUNTED = 400_000  # further pairs, for the words' chances
# The bias was chosen on 300 leads of the validation set, among 0, 0.5 and 1.
BIAS = 1.0  # added to each word's log odds: how willing the program is to take one more
RULE_WEIGHT = 0.5  # of a rule's log chance against salience
LEAST_LIFT, LEAST_FRONT, LEAST_REPLACE, LEAST_INFLECT = 0.1, 0.15, 0.15, 0.5
MOST_TOPS = 2  # pieces that hang on nothing
FLOORS = (0.6, 0.3, 0.0)  # least share of the limit that is filled, lowered until there is a headline
SECONDS = 20.0  # far more than any takes on an idle machine, so that results do not depend on its load

OBLIGATORY = frozenset({"dobj", "attr", "acomp", "oprd", "xcomp"}) | SUBJECTS


@dataclass
class Choice:
    """The program's items of one lead: which word each prints, what it scores, how long it is."""

    positions: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)  # "" for a rule that prints nothing
    scores: list[float] = field(default_factory=list)
    sizes: list[int] = field(default_factory=list)  # bytes with the space before

    def add(self, position: int, text: str, score: float) -> int:
        """Add an item and return its number."""
        self.positions.append(position)
        self.texts.append(text)
        self.scores.append(score)
        self.sizes.append(added_length("x", text)[1] if text else 0)
        return len(self.positions) - 1


class Phrases:
    """The program of one lead: items, rules between them, and the text of a solution."""

    def __init__(self, tree: Tree, salience: Sequence[float], rewrites: Rewrites, bias: float = BIAS) -> None:
        """salience: the log odds of each word."""
        self.tree, self.rewrites, self.choice = tree, rewrites, Choice()
        self.words = tree.main_sentence()
        self.keep = {i: self.choice.add(i, tree.words[i].text, salience[i] + bias) for i in self.words}
        self.replaced = dict(self._replacements(salience, bias))
        self.lifts: dict[int, int] = {}
        self.fronts: dict[int, int] = {}
        self.marks: dict[int, str] = {}
        self._add_moves()
        self.rules = list(self._rules())

    def solve(self, limit: Limit) -> str | None:
        """The best headline within the limit, its floor lowered until there is one."""
        most = limit.bytes if limit.bytes is not None else sum(self.choice.sizes)
        sizes = dict(enumerate(map(float, self.choice.sizes)))
        printing = {i: 1.0 for i, text in enumerate(self.choice.texts) if text}
        rules = [*self.rules, *([Rule(printing, high=limit.words)] if limit.words is not None else [])]
        full = min(most + 1, sum(self.choice.sizes[self.keep[i]] for i in self.words))
        for floor in FLOORS:
            found = choose(self.choice.scores, [*rules, Rule(sizes, floor * full, most + 1)], SECONDS)
            if found and (text := self.text(found)):
                return text
        return None

    def text(self, items: Sequence[int]) -> str:
        """The headline of chosen items: the lead's order, fronted phrases before their nouns, marks where they fit."""
        chosen = set(items)
        texts = {self.choice.positions[i]: self.choice.texts[i] for i in chosen if self.choice.texts[i]}
        texts = {
            i: self._inflected(i, text) if i in self.keep and self.keep[i] in chosen else text
            for i, text in texts.items()
        }
        order: dict[int, tuple[float, ...]] = {i: (float(i),) for i in texts}
        for position, item in self.fronts.items():
            if item in chosen:
                noun = self.tree.words[self.tree.words[position].head].head
                place = self._front_of(noun, texts)
                for number, i in enumerate(i for i in self.tree.subtree(position) if i in texts):
                    order[i] = (place - 0.5, float(number))
                if self.marks[position] == "'s":
                    texts[position] += "'s"
        return print_words(texts[i] for i in sorted(order, key=order.__getitem__))

    def _front_of(self, noun: int, texts: Mapping[int, str]) -> float:
        """Where a modifier goes: before the noun's kept modifiers in front of it."""
        left = [c for c in self.tree.children[noun] if c < noun and c in texts and self.tree.words[c].relation != "det"]
        return float(min([noun, *left]))

    def _inflected(self, position: int, text: str) -> str:
        """Another form of a verb, when headlines mostly use that one."""
        word = self.tree.words[position]
        form, chance = self.rewrites.outcome("inflect", word.tag, word.text.lower())
        helped = any(self.tree.words[c].relation in {"aux", "auxpass"} for c in self.tree.children[position])
        fits = chance >= LEAST_INFLECT and not helped and len(form.encode()) <= len(text.encode())
        return form if fits else text

    def _replacements(self, salience: Sequence[float], bias: float) -> Iterator[tuple[int, int]]:
        for i in self.words:
            word = self.tree.words[i]
            text, chance = self.rewrites.outcome("replace", word.relation, word.text.lower())
            if chance >= LEAST_REPLACE:
                score = float(np.log(chance / (1 - min(chance, 0.99))))
                yield i, self.choice.add(i, text, RULE_WEIGHT * score + bias)

    def _add_moves(self) -> None:
        """Items for lifted and fronted phrases, which print nothing themselves."""
        for i in self.words:
            word = self.tree.words[i]
            lift = self.rewrites.chance("lift", word.relation)
            if word.head != NO_HEAD and word.head in self.keep and lift >= LEAST_LIFT and not self.tree.is_glued(i):
                self.lifts[i] = self.choice.add(i, "", RULE_WEIGHT * float(np.log(lift)))
            head = self.tree.words[word.head]
            if word.relation == "pobj" and head.head in self.keep:
                mark, chance = self.rewrites.outcome("front", head.lemma.lower())
                if chance >= LEAST_FRONT and self.tree.words[head.head].pos in {"NOUN", "PROPN"}:
                    self.fronts[i] = self.choice.add(i, "", RULE_WEIGHT * float(np.log(chance)))
                    self.marks[i] = mark

    def _rules(self) -> Iterator[Rule]:
        tops = [self.keep[i] for i in self.words if self.tree.words[i].head not in self.keep]
        yield Rule(dict.fromkeys([*tops, *self.lifts.values()], 1.0), 1.0, MOST_TOPS)
        for i in self.words:
            word = self.tree.words[i]
            if i in self.replaced:
                yield Rule({self.keep[i]: 1.0, self.replaced[i]: 1.0}, high=1.0)
            if word.head in self.keep:
                yield from self._attachment(i)
            if word.relation in {"prep", "agent"}:
                objects = [c for c in self.tree.children[i] if c in self.keep]
                yield Rule({**self._is(i), **{k: -v for c in objects for k, v in self._is(c).items()}}, high=0.0)
            if word.relation == "cc" and word.head in self.keep:
                yield from self._coordination(i)
        for i in self.fronts:
            yield from self._fronting(i)

    def _is(self, position: int, weight: float = 1.0) -> dict[int, float]:
        """The items that print the word, as weights."""
        found = {self.keep[position]: weight}
        return found | ({self.replaced[position]: weight} if position in self.replaced else {})

    def _attachment(self, i: int) -> Iterator[Rule]:
        """A word needs its head, or a rule that lifts or fronts it; obligatory parts are needed by their heads."""
        word = self.tree.words[i]
        head = self._is(word.head, -1.0)
        free = {item: -1.0 for item in (self.lifts.get(i), self.fronts.get(i)) if item is not None}
        yield Rule({**self._is(i), **head, **free}, high=0.0)
        for item in free:
            yield Rule({item: 1.0, **self._is(i, -1.0)}, high=0.0)
            yield Rule({item: 1.0, **self._is(word.head)}, high=1.0)
        if word.relation in OBLIGATORY or self.tree.is_glued(i):
            yield Rule({**self._is(i), **head}, low=0.0)

    def _coordination(self, i: int) -> Iterator[Rule]:
        """A conjunction needs the conjunct behind it, and that one needs it."""
        head = self.tree.words[i].head
        behind = [
            c for c in self.tree.children[head] if c > i and c in self.keep and self.tree.words[c].relation == "conj"
        ]
        if behind:
            yield Rule({**self._is(i), **self._is(behind[0], -1.0)}, high=0.0)
            lifted = {self.lifts[behind[0]]: -1.0} if behind[0] in self.lifts else {}
            yield Rule({**self._is(behind[0]), **self._is(i, -1.0), **lifted}, high=0.0)

    def _fronting(self, i: int) -> Iterator[Rule]:
        """A fronted phrase needs its noun, loses its article and what stands behind it."""
        item, noun = self.fronts[i], self.tree.words[self.tree.words[i].head].head
        yield Rule({item: 1.0, **self._is(noun, -1.0)}, high=0.0)
        if i in self.lifts:
            yield Rule({item: 1.0, self.lifts[i]: 1.0}, high=1.0)
        for child in self.tree.children[i]:
            if child in self.keep and (child > i or self.tree.words[child].relation == "det"):
                yield Rule({item: 1.0, **self._is(child)}, high=1.0)


class WoodsendLapata:
    """Learnt salience and rewrite rules, and the program over both."""

    name: ClassVar[str] = "wl"
    fit_options: ClassVar[frozenset[str]] = frozenset({"limit", "sample", "parser"})

    def __init__(self, salience: Salience, rewrites: Rewrites, parser: str | None = None) -> None:
        self.salience, self.rewrites, self.parser = salience, rewrites, parser

    @classmethod
    def fit(cls, data: Sequence[Path], out: Path, options: Mapping[str, Any]) -> Path:
        """Parse a sample of pairs and learn from it. options: `limit` pairs in all, `sample`, `parser`."""
        limit = int(options.get("limit", SAMPLE + COUNTED))
        sample = min(int(options.get("sample", SAMPLE)), limit // 2)
        work = WorkFolder(out, {"baseline": cls.name, "data": data_identity(data), "sample": sample})
        stream = training_pairs(data, "reading pairs", limit)
        parsed = list(islice(stream, sample))
        chances = WordChances.count(stream)
        trees = _parsed([pair.lead for pair in parsed], work.folder / "leads.conllu", options.get("parser"))
        headlines = _parsed([pair.headline for pair in parsed], work.folder / "headlines.conllu", options.get("parser"))
        Salience.learn(chances, trees, [pair.headline for pair in parsed]).save(out)
        Rewrites.learn(zip(trees, headlines, strict=True)).save(out)
        write_config(out, cls.name, {"sample": len(parsed), "limit": limit})
        work.remove()
        return out

    @classmethod
    def open(cls, folder: Path | None) -> Self:
        """Load a fitted folder."""
        folder = fitted_folder(folder, cls.name)
        return cls(Salience.load(folder), Rewrites.load(folder))

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Choose and rewrite phrases of every lead; 75 bytes when there is no limit."""
        return [self.headline(tree, usual(limit)) for tree in parsed_leads(items, self.parser)]

    def headline(self, tree: Tree, limit: Limit) -> str:
        """One headline; where no program has an answer in time, Trimmer's."""
        phrases = Phrases(tree, self.salience.scores(tree), self.rewrites)
        text = phrases.solve(limit) if phrases.words else None
        return text if text and limit.fits(text) else trimmed_headline(tree, limit)[1]


def _parsed(texts: Sequence[str], path: Path, parser: str | None) -> list[Tree]:
    """The trees of texts over headline words, through a file that a stopped fit goes on with."""
    parse_file(texts, path, open_parser(parser))
    return [with_headline_words(tree) for tree in read_conllu(path)]
