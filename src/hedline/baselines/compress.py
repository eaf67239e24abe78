"""COMPRESS (Clarke and Lapata 2008): the best deletion of words under syntactic rules, as an integer program.

Score of a compression: a trigram model of headlines over its words, plus λ times the significance of each noun and
verb, (l / N) · f · log(F_all / F): deep in the sentence's clauses, frequent here, rare in leads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np
import numpy.typing as npt

from hedline.baselines.fitting import LanguageModel, WorkFolder, data_identity, encode_corpus, load_array, save_array
from hedline.baselines.parses import parsed_leads
from hedline.baselines.program import Chain, PathProgram, Rule, chain_edges, needs, never, some_of, together
from hedline.baselines.system import Limit, fitted_folder, write_config
from hedline.baselines.topiary import trimmed_headline, usual
from hedline.baselines.trees import NO_HEAD, OBJECTS, SUBJECTS, Tree
from hedline.corpora.sets import EvaluationItem
from hedline.text.surface import added_length
from hedline.text.tokenize import normalize, normalize_word
from hedline.text.vocab import END, UNKNOWN

LEAST = 3  # a word seen less often shares the probability of all such words
ORDER = 3
LONGEST = 40  # words of the sentence that are looked at; a longer program takes too long
GAP = 12  # most words left out in one place
# Chosen on 150 leads of the validation set.
SIGNIFICANCE = 0.3  # λ
FLOORS = (0.9, 0.7, 0.5, 0.2, 0.0)  # least share of the limit that is filled, lowered until a compression exists
SECONDS = 60.0  # far more than any takes, so that results do not depend on who else uses the machine

MODIFIERS = frozenset({"det", "amod", "advmod", "npadvmod", "nmod", "compound", "nummod", "quantmod", "poss", "appos"})
MODIFIERS |= {"aux", "auxpass", "prt", "predet", "mark", "case", "neg", "preconj", "relcl", "acl", "advcl", "intj"}
ARGUMENTS = SUBJECTS | OBJECTS | {"xcomp", "ccomp"}
INTRODUCTIONS = frozenset({"prep", "agent", "dative"})
CONTENT = frozenset({"NOUN", "PROPN", "VERB"})


@dataclass(frozen=True)
class Sentence:
    """What of a lead is compressed: the words of its first sentence with a clause, without marks.

    positions: (n,) in the tree; the program's items are numbered along them.
    """

    tree: Tree
    positions: tuple[int, ...]

    @classmethod
    def of(cls, tree: Tree, longest: int = LONGEST) -> Sentence:
        """Take the beginning of the main sentence."""
        return cls(tree, tuple(tree.main_sentence()[:longest]))

    @property
    def texts(self) -> list[str]:
        """(n,) the words as printed."""
        return [self.tree.words[i].text for i in self.positions]

    def items(self, positions: Sequence[int]) -> list[int]:
        """Item numbers of tree positions; marks and words beyond the end have none."""
        place = {position: item for item, position in enumerate(self.positions)}
        return [place[position] for position in positions if position in place]


def syntax_rules(sentence: Sentence) -> list[Rule]:
    """Clarke and Lapata's rules, stated on dependencies, over the sentence's items."""
    tree = sentence.tree
    rules: list[Rule] = [some_of(_verbs(sentence))] if _verbs(sentence) else []
    rules += [never(item) for item in sentence.items(_in_brackets(tree))]
    for item, position in enumerate(sentence.positions):
        word = tree.words[position]
        if not (heads := sentence.items([word.head])):
            continue
        (head,) = heads
        if word.relation in MODIFIERS:
            rules.append(needs(item, head))
        pronoun = word.pos == "PRON" and word.relation in ARGUMENTS | {"poss"}
        if pronoun or tree.is_glued(position):
            rules.append(together(item, head))
        elif word.relation in ARGUMENTS and word.relation != "ccomp":
            rules += [needs(head, item), needs(item, head)]
        if word.relation in {"pobj", "pcomp"}:
            rules.append(needs(item, head))
        if word.relation in INTRODUCTIONS:
            rules += _phrase_rules(sentence, item, position, head)
        if word.relation == "cc":
            rules += _coordination_rules(sentence, item, position, head)
    return rules


def significance(sentence: Sentence, chances: npt.NDArray[np.float64], counts: Counter[str]) -> npt.NDArray[np.float64]:
    """(n,) each item's significance, 0 for all but nouns and verbs.

    chances: (n,) the words' shares of all words of leads; counts: how often words stand in the lead or article.
    """
    tree = sentence.tree
    levels = np.array([_clause_level(tree, position) for position in sentence.positions], float)
    content = np.array([tree.words[position].pos in CONTENT for position in sentence.positions])
    frequency = np.array([counts[normalize_word(text)] or 1 for text in sentence.texts], float)
    return np.where(content, levels / levels.max() * frequency * -np.log(chances), 0.0)


class Compress:
    """A headline language model, word counts of leads, and the program over both."""

    name: ClassVar[str] = "compress"
    fit_options: ClassVar[frozenset[str]] = frozenset({"limit"})

    def __init__(self, language: LanguageModel, lead_counts: npt.NDArray[Any], parser: str | None = None) -> None:
        """lead_counts: (words,) how often each of the model's words stood in leads."""
        self.language, self.lead_counts, self.parser = language, lead_counts, parser
        self.weight, self.floors, self.seconds = SIGNIFICANCE, FLOORS, SECONDS

    @classmethod
    def fit(cls, data: Sequence[Path], out: Path, options: Mapping[str, Any]) -> Path:
        """Estimate the headlines' trigram model and count the leads' words. options: `limit`, how many are read."""
        limit = options.get("limit")
        work = WorkFolder(out, {"baseline": cls.name, "data": data_identity(data), "limit": limit})
        corpus = encode_corpus(data, work, limit).frequent(LEAST)
        LanguageModel.of(corpus.headlines, corpus.words, ORDER).save(out)
        save_array(out / "lead_counts.npy", np.bincount(corpus.leads.flat, minlength=len(corpus.words)))
        write_config(out, cls.name, {"pairs": len(corpus.leads), "order": ORDER})
        work.remove()
        return out

    @classmethod
    def open(cls, folder: Path | None) -> Self:
        """Load a fitted folder."""
        folder = fitted_folder(folder, cls.name)
        return cls(LanguageModel.load(folder), load_array(folder / "lead_counts.npy"))

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Compress every lead; 75 bytes when there is no limit."""
        limit = usual(limit)
        trees = parsed_leads(items, self.parser)
        return [self.headline(tree, limit, item.article) for item, tree in zip(items, trees, strict=True)]

    def headline(self, tree: Tree, limit: Limit, article: str = "") -> str:
        """One compression; where no program has an answer in time, Trimmer's headline."""
        kept = self.compress(tree, limit, article)
        text = tree.headline(kept) if kept else ""
        return text if text and limit.fits(text) else trimmed_headline(tree, limit)[1]

    def compress(self, tree: Tree, limit: Limit, article: str = "") -> list[int] | None:
        """Positions of the best compression; the floor of its length is lowered until there is one."""
        if not (sentence := Sentence.of(tree)).positions:
            return None
        program, most = self.program(sentence, limit, article)
        for floor in self.floors:
            items = program.solve(floor * most, most)
            if items:
                return [sentence.positions[item] for item in items]
        return None

    def program(self, sentence: Sentence, limit: Limit, article: str = "") -> tuple[PathProgram, float]:
        """The sentence's program and the length that may be filled: bytes, or words where only those are limited."""
        n, texts = len(sentence.positions), sentence.texts
        ids = np.array([self.language.model.ids.get(normalize_word(text), UNKNOWN) for text in texts])
        edges = chain_edges(n, GAP)
        counts = Counter(normalize(article or sentence.tree.text))
        words = self.weight * significance(sentence, self._shares(ids), counts)
        rules = syntax_rules(sentence)
        sizes = np.array([[added_length(left, text)[1] for text in texts] for left in ["", *texts]], float)
        spaces = np.array([[added_length(left, text)[0] > len(text) for text in texts] for left in ["", *texts]])
        spaces[0] = True
        by_bytes, by_words = (_edge_sizes(table.astype(float), edges) for table in (sizes, spaces))
        if limit.bytes is None:
            sizes, most = by_words, float(limit.words or n)
        else:
            sizes, most = by_bytes, float(limit.bytes)
            rules += [_word_limit(n, limit.words)] if limit.words is not None else []
        chain = Chain(n, edges, self._trigrams(ids, edges), sizes)
        return PathProgram(chain, words, rules, self.seconds), most

    def _shares(self, ids: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        counts = np.maximum(self.lead_counts[ids], 1) if len(ids) else np.ones(0)
        counts = np.where(ids == UNKNOWN, 1, counts)
        return np.asarray(counts / max(float(self.lead_counts.sum()), 2.0))

    def _trigrams(self, ids: npt.NDArray[np.int64], edges: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
        """(edges,) log p(k | i, j); place 0 is `<s>`, the place after the last word `</s>`."""
        words = np.concatenate([[0], ids, [END]])
        _, after_one = self.language.extend(self.language.begin(len(words)), words)
        after_one[0] = self.language.begin()[0]
        pairs, where = np.unique(edges[:, :2], axis=0, return_inverse=True)
        states = after_one[pairs[:, 0]]
        states[pairs[:, 0] == 0] = self.language.begin()[0]
        inner = np.flatnonzero(pairs[:, 1] > 0)
        _, states[inner] = self.language.extend(states[inner], words[pairs[inner, 1]])
        scores, _ = self.language.extend(states[where.reshape(-1)], words[edges[:, 2]])
        return scores


def _edge_sizes(table: npt.NDArray[np.float64], edges: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """(edges,) what the last word adds after the one before it; table: (n + 1, n), its first row the beginning."""
    padded = np.column_stack([np.zeros(len(table)), table, np.zeros(len(table))])
    return np.asarray(padded[edges[:, 1], edges[:, 2]])


def _word_limit(count: int, most: int) -> Rule:
    return Rule(dict.fromkeys(range(count), 1.0), high=float(most))


def _verbs(sentence: Sentence) -> list[int]:
    words = [sentence.tree.words[position] for position in sentence.positions]
    return [
        item for item, word in enumerate(words) if word.pos in {"VERB", "AUX"} and not word.relation.startswith("aux")
    ]


def _phrase_rules(sentence: Sentence, item: int, position: int, head: int) -> list[Rule]:
    """A preposition needs its head and its object."""
    inside = sentence.items([c for c in sentence.tree.children[position] if sentence.tree.words[c].relation != "punct"])
    return [needs(item, head), *([Rule({item: 1.0, **dict.fromkeys(inside, -1.0)}, high=0.0)] if inside else [])]


def _coordination_rules(sentence: Sentence, item: int, position: int, head: int) -> list[Rule]:
    """A conjunction is kept exactly when both its sides are."""
    tree = sentence.tree
    conjuncts = [
        c for c in tree.children[tree.words[position].head] if c > position and tree.words[c].relation == "conj"
    ]
    others = sentence.items(conjuncts[:1])
    if not others:
        return [needs(item, head)]
    other = others[0]
    return [needs(item, head), needs(item, other), Rule({item: 1.0, head: -1.0, other: -1.0}, low=-1.0)]


def _in_brackets(tree: Tree) -> list[int]:
    found, depth = [], 0
    for position, word in enumerate(tree.words):
        depth += word.text in {"(", "["}
        if depth:
            found.append(position)
        depth -= depth > 0 and word.text in {")", "]"}
    return found if not depth else []


def _clause_level(tree: Tree, position: int) -> int:
    """How many clauses the word stands in."""
    return 1 + sum(
        tree.is_clause(each) for each in (position, *tree.above(position)) if tree.words[each].head != NO_HEAD
    )
