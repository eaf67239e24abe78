"""Trimmer's rules (Dorr, Zajic and Schwartz 2003; Zajic, Dorr and Schwartz 2004) on a dependency parse.

The rules were written for constituents; each is stated here on dependencies, with its example. A rule looks at a
tree and the positions still kept and says which to drop. Those of `CLEANING` always apply, once; those of
`SHORTENING` are called, in order and from the right end of the sentence, until the headline is short enough.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from hedline.baselines.trees import NO_HEAD, SUBJECTS, Tree, Word

Kept = frozenset[int]
Fits = Callable[[Kept], bool]

DETERMINERS = frozenset({"a", "an", "the"})
TIME_KINDS = frozenset({"DATE", "TIME"})
ADJUNCTS = frozenset({"prep", "advcl", "npadvmod", "advmod", "cc", "mark", "intj", "meta", "parataxis", "acl"})
PARTNER = {"''": "``", "'": "`", ")": "(", "]": "[", "}": "{"}
OPENING = frozenset(PARTNER.values())
ENDING = frozenset({*PARTNER, "?", "!"})
FEWEST_WORDS = 5  # marks not counted; fewer are seldom a headline
CLAUSE_MODIFIERS = frozenset({"relcl", "acl", "advcl", "appos", "parataxis"})


def trim(tree: Tree, fits: Fits) -> Kept:
    """Positions of Trimmer's headline: the main clause, cleaned, then shortened until `fits` says so.

    Where the rules run out the result is the shortest they reach.
    """
    kept = choose_clause(tree)
    for rule in CLEANING:
        kept = without_stray_marks(tree, kept - rule(tree, kept)) or kept
    for shortening in SHORTENING:
        while not fits(kept) and (shorter := _shorten(tree, kept, shortening, fits)) is not None:
            kept = shorter
    return kept


def _shorten(tree: Tree, kept: Kept, rule: Callable[[Tree, Kept], Iterator[Kept]], fits: Fits) -> Kept | None:
    """One step of a rule: the longest result that fits, else the first (rightmost) one, None when it has no more."""
    results = [without_stray_marks(tree, kept - dropped) for dropped in rule(tree, kept)]
    results = [result for result in results if len(result) < len(kept) and _is_enough(tree, result)]
    fitting = [result for result in results if fits(result)]
    return max(fitting, key=len) if fitting else next(iter(results), None)


def _is_enough(tree: Tree, kept: Kept) -> bool:
    """Whether a headline is left: `Android looks` is none."""
    return sum(not tree.words[i].is_punctuation for i in kept) >= FEWEST_WORDS


def choose_clause(tree: Tree) -> Kept:
    """The lowest leftmost clause with a subject and a verb.

    `Rebels agreed to talks, observers said Tuesday` gives `Rebels agreed to talks`: what is said stands left of
    the verb of saying. Without any clause the first sentence is kept whole.
    """
    for root in tree.roots:
        if tree.is_clause(root):
            top = root
            while (left := _said_before(tree, top)) is not None:
                top = left
            return without_stray_marks(tree, frozenset(tree.below(top)))
    return without_stray_marks(tree, frozenset(tree.below(tree.roots[0])) if tree.roots else frozenset())


def determiners(tree: Tree, kept: Kept) -> Kept:
    """Articles: `the rebels signed a deal` gives `rebels signed deal`."""
    return frozenset(i for i in kept if _is_article(tree.words[i]))


def time_expressions(tree: Tree, kept: Kept) -> Kept:
    """Dates and times that modify a verb: `agreed on Tuesday` gives `agreed`; a date that is an object stays."""
    found: set[int] = set()
    for i in kept:
        word = tree.words[i]
        if word.entity_kind not in TIME_KINDS or word.head == NO_HEAD:
            continue
        head = tree.words[word.head]
        if word.relation in {"npadvmod", "tmod"}:
            found |= set(tree.below(i))
        elif (
            word.relation == "pobj" and head.relation == "prep" and head.lemma in {"on", "in", "at", "during", "since"}
        ):
            found |= set(tree.below(word.head))
    return frozenset(found)


def complementisers(tree: Tree, kept: Kept) -> Kept:
    """The `that` of a reported clause: `said that talks failed` gives `said talks failed`."""
    return frozenset(i for i in kept if tree.words[i].relation == "mark" and tree.words[i].text.lower() == "that")


def asides(tree: Tree, kept: Kept) -> Kept:
    """Brackets and what they hold, and interjections: `the fund (IMF) agreed` gives `the fund agreed`."""
    found: set[int] = set()
    depth = 0
    for i in sorted(kept):
        text = tree.words[i].text
        depth += text in {"(", "[", "{"}
        if depth or tree.words[i].relation == "intj":
            found.add(i)
        depth -= depth > 0 and text in {")", "]", "}"}
    return frozenset(found) if not depth else frozenset()


def auxiliaries(tree: Tree, kept: Kept) -> Kept:
    """Forms of `be` and `have` that only help another verb: `rebels have been arrested` gives `rebels arrested`.

    They stay beside a negation and after a pronoun: `it preparing` is no headline.
    """
    found = set()
    for i in kept:
        word = tree.words[i]
        if word.relation in {"aux", "auxpass"} and word.lemma in {"be", "have"}:
            siblings = [tree.words[c] for c in tree.children[word.head]]
            pronoun = any(s.relation in SUBJECTS and s.pos == "PRON" for s in siblings)
            if not pronoun and not any(s.relation == "neg" for s in siblings):
                found.add(i)
    return frozenset(found)


def preposed_adjuncts(tree: Tree, kept: Kept) -> Iterator[Kept]:
    """What stands before the subject: `In a surprise move, rebels agreed` gives `rebels agreed`."""
    top = _top(tree, kept)
    subject = tree.child(top, SUBJECTS)
    if subject is None or subject not in kept:
        return
    start = min(i for i in tree.below(subject) if i in kept)
    before = {i for i in kept if i < start}
    if before and all(tree.words[c].relation in ADJUNCTS | {"punct"} for c in tree.children[top] if c in before):
        yield frozenset(before)


def attributions(tree: Tree, kept: Kept) -> Iterator[Kept]:
    """A trailing source: `rebels agreed, according to observers` gives `rebels agreed`."""
    for i in sorted(kept, reverse=True):
        word = tree.words[i]
        if word.relation == "prep" and word.text.lower() == "according":
            yield frozenset(tree.below(i)) & kept


def clause_modifiers(tree: Tree, kept: Kept) -> Iterator[Kept]:
    """Relative, participle and adverbial clauses and appositions, the last first: `rebels, who fled, agreed` gives
    `rebels agreed`."""
    for i in sorted(kept, reverse=True):
        if tree.words[i].relation in CLAUSE_MODIFIERS:
            yield _drop(tree, i, kept)


def later_conjuncts(tree: Tree, kept: Kept) -> Iterator[Kept]:
    """All conjuncts but the first: `rebels agreed and observers left` gives `rebels agreed`."""
    for i in sorted(kept, reverse=True):
        if tree.words[i].relation == "conj":
            cc = {c for c in tree.children[tree.words[i].head] if tree.words[c].relation == "cc" and c < i}
            last = {max(cc)} if cc else set()
            yield _drop(tree, i, kept) | (frozenset(last) & kept)


def trailing_phrases(tree: Tree, kept: Kept) -> Iterator[Kept]:
    """Prepositional phrases and adverbs from the end: `agreed to talks with officials` gives `agreed to talks`."""
    for i in sorted(kept, reverse=True):
        if tree.words[i].relation in {"prep", "npadvmod", "advmod", "agent"} and not _holds_top(tree, i, kept):
            yield _drop(tree, i, kept)


def modifiers(tree: Tree, kept: Kept) -> Iterator[Kept]:
    """Adjectives, numbers and possessors inside noun phrases, the last first: `armed rebels` gives `rebels`."""
    for i in sorted(kept, reverse=True):
        if tree.words[i].relation in {"amod", "nummod", "poss", "quantmod", "nmod"}:
            yield _drop(tree, i, kept)


CLEANING = (asides, time_expressions, determiners, complementisers, auxiliaries)
SHORTENING = (attributions, preposed_adjuncts, clause_modifiers, later_conjuncts, trailing_phrases, modifiers)


def without_stray_marks(tree: Tree, kept: Kept) -> Kept:
    """Drop marks that the words around no longer need: at either end, doubled, or half of a pair."""
    result: list[int] = []
    for i in sorted(kept - _unpaired(tree, kept)):
        word, last = tree.words[i], tree.words[result[-1]] if result else None
        after_mark = last is None or last.is_punctuation
        if last is not None and last.text == PARTNER.get(word.text):
            result.pop()  # nothing is left between the two
        elif not (word.is_punctuation and after_mark and word.text not in OPENING | {"''", "'"}):
            result.append(i)
    while result and tree.words[result[-1]].is_punctuation and tree.words[result[-1]].text not in ENDING:
        result.pop()
    return frozenset(result)


def _unpaired(tree: Tree, kept: Kept) -> set[int]:
    """Quotes and brackets that have lost their partner."""
    open_marks: list[int] = []
    lone: set[int] = set()
    for i in sorted(kept):
        text = tree.words[i].text
        if text in OPENING:
            open_marks.append(i)
        elif text in PARTNER and tree.words[i].tag != "POS":
            if open_marks and tree.words[open_marks[-1]].text == PARTNER[text]:
                open_marks.pop()
            else:
                lone.add(i)
    return lone | set(open_marks)


def _drop(tree: Tree, position: int, kept: Kept) -> Kept:
    """The subtree and the mark in front of it, among what is kept."""
    gone = set(tree.below(position)) & kept
    before = max((i for i in kept if i < min(gone)), default=None)
    if before is not None and tree.words[before].text in {",", "--", "-", ";"}:
        gone.add(before)
    after = min((i for i in kept if i > max(gone)), default=None)
    if after is not None and tree.words[after].text == "," and before is not None and before in gone:
        gone.add(after)
    return frozenset(gone)


def _said_before(tree: Tree, verb: int) -> int | None:
    """The clause that the verb reports, when it stands left of the verb."""
    for child in tree.children[verb]:
        if child < verb and tree.words[child].relation == "ccomp" and tree.child(child, SUBJECTS) is not None:
            return child
    return None


def _is_article(word: Word) -> bool:
    return word.relation == "det" and word.text.lower() in DETERMINERS


def _top(tree: Tree, kept: Kept) -> int:
    """The kept word nearest to the root."""
    return min(kept, key=lambda i: (tree.depths[i], i))


def _holds_top(tree: Tree, position: int, kept: Kept) -> bool:
    return _top(tree, kept) in tree.below(position)
