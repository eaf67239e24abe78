"""Quasi-synchronous rewrite rules, counted over the aligned trees of leads and their headlines.

A quasi-synchronous grammar lets a headline's tree follow the lead's loosely. Four kinds of rule are counted; each is
a chance given that the words it needs are there:

- `lift RELATION`: a word stays although the word it hangs on goes (`police said prices fell` gives `prices fell`);
- `front PREPOSITION`: its object moves before the noun as a modifier (`mayor of Oslo` gives `Oslo mayor`);
- `replace RELATION WORD`: another word takes its place (`will` becomes `to`, `Senator` becomes `Sen.`);
- `inflect TAG WORD`: another form of it does (`said` becomes `says`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from hedline.baselines.trees import Tree, Word
from hedline.errors import UserError
from hedline.files import read_entries, write_text

FEWEST = 3  # times a rule must be seen
FRONTED = frozenset({"compound", "poss", "amod", "nmod"})
Key = tuple[str, ...]


@dataclass
class Rewrites:
    """Chances of rules: kind and what it applies to, then the outcome ("" where there is only one)."""

    chances: dict[Key, dict[str, float]] = field(default_factory=dict)

    def chance(self, *key: str) -> float:
        """The chance of a rule with one outcome; 0 when it was hardly seen."""
        return self.chances.get(key, {}).get("", 0.0)

    def outcome(self, *key: str) -> tuple[str, float]:
        """The likeliest outcome of a rule with several, and its chance; ("", 0) without one."""
        found = self.chances.get(key)
        return max(found.items(), key=lambda item: (item[1], item[0])) if found else ("", 0.0)

    @classmethod
    def learn(cls, pairs: Iterable[tuple[Tree, Tree]]) -> Rewrites:
        """Count rules over pairs of a lead's and its headline's tree."""
        tried: Counter[Key] = Counter()
        seen: Counter[tuple[Key, str]] = Counter()
        for lead, headline in pairs:
            for key, outcome in _events(lead, headline):
                tried[key] += 1
                seen[key, outcome] += 1
        rules: dict[Key, dict[str, float]] = {}
        for (key, outcome), count in sorted(seen.items()):
            if count >= FEWEST and outcome != NO_RULE:
                rules.setdefault(key, {})[outcome] = count / tried[key]
        return cls(rules)

    def save(self, folder: Path) -> None:
        """Write `rules.tsv`: kind, what it applies to (two columns), outcome, chance."""
        lines = [
            "\t".join([*key, *[""] * (3 - len(key)), outcome, f"{chance:.6f}"])
            for key, outcomes in sorted(self.chances.items())
            for outcome, chance in sorted(outcomes.items())
        ]
        write_text(folder / "rules.tsv", "".join(f"{line}\n" for line in lines))

    @classmethod
    def load(cls, folder: Path) -> Rewrites:
        """Read what `save` wrote."""
        rules: dict[Key, dict[str, float]] = {}
        try:
            for line in read_entries(folder / "rules.tsv"):
                *key, outcome, chance = line.split("\t")
                rules.setdefault(tuple(part for part in key if part), {})[outcome] = float(chance)
        except (OSError, ValueError) as error:
            raise UserError(f"{folder}/rules.tsv cannot be read ({error}); fit the baseline again") from None
        return cls(rules)


NO_RULE = "\n"  # the outcome of an event in which no rule was used


def align(lead: Tree, headline: Tree) -> dict[int, int]:
    """Positions of headline words to positions of lead words: those with a lemma that each side has once."""
    places: dict[str, list[int]] = {}
    for position, word in enumerate(lead.words):
        places.setdefault(word.lemma.lower(), []).append(position)
    counts = Counter(word.lemma.lower() for word in headline.words)
    return {
        position: places[lemma][0]
        for position, word in enumerate(headline.words)
        if not word.is_punctuation and counts[lemma := word.lemma.lower()] == 1 and len(places.get(lemma, [])) == 1
    }


def _events(lead: Tree, headline: Tree) -> Iterator[tuple[Key, str]]:
    """What each aligned word did: the rule it could have used, and the outcome."""
    pairs = align(lead, headline)
    found = {position: theirs for theirs, position in pairs.items()}
    if len(pairs) < 3:
        return
    yield from _lifts(lead, found)
    yield from _fronts(lead, headline, found)
    yield from _replacements(lead, headline, found)
    for theirs, position in pairs.items():
        word, other = lead.words[position], headline.words[theirs]
        if word.pos in {"VERB", "AUX"} and other.pos in {"VERB", "AUX"}:
            same = word.text.lower() == other.text.lower()
            yield ("inflect", word.tag, word.text.lower()), NO_RULE if same else other.text.lower()


def _lifts(lead: Tree, found: dict[int, int]) -> Iterator[tuple[Key, str]]:
    for position in found:
        word = lead.words[position]
        if word.head >= 0:
            yield ("lift", word.relation), NO_RULE if word.head in found else ""


def _fronts(lead: Tree, headline: Tree, found: dict[int, int]) -> Iterator[tuple[Key, str]]:
    """Objects of a noun's preposition: still behind it, or in front as a modifier, bare or with 's."""
    for position, theirs in found.items():
        word = lead.words[position]
        if word.relation != "pobj" or (noun := lead.words[word.head].head) not in found:
            continue
        if lead.words[noun].pos not in {"NOUN", "PROPN"}:
            continue
        other = headline.words[theirs]
        fronted = other.head == found[noun] and other.relation in FRONTED and theirs < found[noun]
        outcome = "'s" if other.relation == "poss" else "bare"
        yield ("front", lead.words[word.head].lemma.lower()), outcome if fronted else NO_RULE


def _replacements(lead: Tree, headline: Tree, found: dict[int, int]) -> Iterator[tuple[Key, str]]:
    """Children of aligned words: kept, dropped, or another word in the same relation instead."""
    for position, theirs in found.items():
        new = [c for c in headline.children[theirs] if c not in found.values() and _is_word(headline.words[c])]
        for child in lead.children[position]:
            word = lead.words[child]
            if not _is_word(word):
                continue
            others = [headline.words[c].text for c in new if headline.words[c].relation == word.relation]
            used = child not in found and len(others) == 1 and others[0].lower() != word.text.lower()
            yield ("replace", word.relation, word.text.lower()), others[0] if used else NO_RULE


def _is_word(word: Word) -> bool:
    return not word.is_punctuation and "#" not in word.text
