"""TOPIARY (Zajic, Dorr and Schwartz 2004): topic words in front of the sentence that Trimmer leaves."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Self

from hedline.baselines.fitting import training_pairs
from hedline.baselines.parses import parsed_leads
from hedline.baselines.salience import WordChances
from hedline.baselines.system import Limit, Unfitted, fitted_folder, write_config
from hedline.baselines.trees import Tree, Word, print_words
from hedline.baselines.trimmer import Kept, trim
from hedline.corpora.sets import EvaluationItem
from hedline.text.tokenize import normalize, normalize_word

USUAL = Limit(bytes=75)
PAIRS = 400_000  # counted for the topics' chances; more changes little
TOPIC_TAGS = frozenset({"NN", "NNS", "NNP", "NNPS"})
NO_TOPICS = frozenset({"DATE", "TIME", "CARDINAL", "ORDINAL", "QUANTITY", "PERCENT", "MONEY"})
# Chosen on 1,000 leads of the validation set.
MOST_TOPICS = 4
LEAST_CHANCE = 0.3


class Trimmer(Unfitted):
    """Trimmer alone: the lead's main clause, cut down by rules; it learns nothing."""

    name: ClassVar[str] = "trimmer"

    def __init__(self, parser: str | None = None) -> None:
        self.parser = parser

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Trim every lead; 75 bytes when there is no limit."""
        limit = usual(limit)
        return [trimmed_headline(tree, limit)[1] for tree in parsed_leads(items, self.parser)]


class Topiary:
    """Trimmer with room for topic words: nouns and names that a headline likely takes, or the article's commonest."""

    name: ClassVar[str] = "topiary"
    fit_options: ClassVar[frozenset[str]] = frozenset({"limit"})

    def __init__(self, chances: WordChances, parser: str | None = None) -> None:
        self.chances, self.parser = chances, parser

    @classmethod
    def fit(cls, data: Sequence[Path], out: Path, options: Mapping[str, Any]) -> Path:
        """Count how often words of leads stand in the headlines. options: `limit`, how many are read."""
        limit = int(options.get("limit", PAIRS))
        WordChances.count(training_pairs(data, "counting words", limit)).save(out)
        write_config(out, cls.name, {"limit": limit})
        return out

    @classmethod
    def open(cls, folder: Path | None) -> Self:
        """Load a fitted folder."""
        folder = fitted_folder(folder, cls.name)
        return cls(WordChances.load(folder))

    def headlines(self, items: Sequence[EvaluationItem], limit: Limit) -> list[str]:
        """Trim every lead and put topics in front; 75 bytes when there is no limit."""
        limit = usual(limit)
        trees = parsed_leads(items, self.parser)
        return [self.headline(tree, limit, item.article) for item, tree in zip(items, trees, strict=True)]

    def headline(self, tree: Tree, limit: Limit, article: str = "") -> str:
        """One headline: the best topic gets its room first, the others fill what Trimmer leaves."""
        topics = self.topics(tree, article)
        kept, text = trimmed_headline(tree, limit)
        best = next((topic for topic in topics if not _says(tree, kept, topic)), None)
        chosen: list[Word] = []
        if best is not None and (room := _less(limit, best)) is not None:
            kept, text = trimmed_headline(tree, room)
            chosen = [best] if not _says(tree, kept, best) else []
        for topic in topics:
            if len(chosen) < MOST_TOPICS and topic not in chosen and not _says(tree, kept, topic):
                longer = [*chosen, topic]
                chosen = longer if limit.fits(_joined(longer, text)) else chosen
        return _joined(chosen, text)

    def topics(self, tree: Tree, article: str = "") -> list[Word]:
        """The lead's nouns and names, the best topic first.

        With the article at hand a topic is a word it repeats (plain term frequency); without, a word that
        headlines often take from their leads.
        """
        words: dict[str, Word] = {}
        for word in tree.words:
            if word.tag in TOPIC_TAGS and word.entity_kind not in NO_TOPICS and len(word.text) > 2:
                words.setdefault(normalize_word(word.text), word)
        chances = {key: self.chances.chance(word) for key, word in words.items()}
        if article:
            counts = Counter(normalize(article))
            wanted = [key for key in words if counts[key] > 1]
            return [
                words[key] for key in sorted(wanted, key=lambda key: (-counts[key], -chances[key], words[key].start))
            ]
        wanted = [key for key in words if chances[key] >= LEAST_CHANCE]
        return [words[key] for key in sorted(wanted, key=lambda key: (-chances[key], words[key].start))]


def usual(limit: Limit) -> Limit:
    """The limit, or DUC's 75 bytes where it limits nothing."""
    return USUAL if limit.bytes is None and limit.words is None else limit


def trimmed_headline(tree: Tree, limit: Limit) -> tuple[Kept, str]:
    """Trimmer's positions and text within a limit; where the rules leave too much, the end is cut off."""
    kept = trim(tree, lambda positions: limit.fits(tree.headline(positions)))
    text = tree.headline(kept) if kept else " ".join(tree.text.split())
    return kept, text if limit.fits(text) else limit.cut(text)


def _says(tree: Tree, kept: Kept, topic: Word) -> bool:
    """Whether the trimmed sentence has the topic already."""
    return normalize_word(topic.text) in {normalize_word(tree.words[i].text) for i in kept}


def _less(limit: Limit, topic: Word) -> Limit | None:
    """The limit that leaves room for a topic and its colon; None when nothing would be left."""
    room = None if limit.bytes is None else limit.bytes - len(topic.text.encode("utf-8", "replace")) - 2
    words = None if limit.words is None else limit.words - 1
    if (room is not None and room < 20) or (words is not None and words < 3):
        return None
    return Limit(bytes=room, words=words)


def _joined(topics: Sequence[Word], text: str) -> str:
    """Topics in the order of the lead, a colon, the sentence."""
    if not topics:
        return text
    front = print_words(topic.text for topic in sorted(topics, key=lambda topic: topic.start))
    return f"{front}: {text}"
