"""From texts to n-best lists: the one path every model and every decoder takes.

`find_headlines` searches, searches harder where a narrow beam ran into a dead end, and lets the guards choose.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, NamedTuple, Protocol

import numpy as np

from hedline.arrays import Ints
from hedline.decoding import Lexicon
from hedline.decoding.choice import CRUMB, Casing, Guards
from hedline.decoding.options import BEAM, FEW_WORDS, MOST_HYPOTHESES, POOL, DecodeOptions
from hedline.decoding.own_words import is_whole, longest_word, own_words
from hedline.decoding.search import Endings, Plan, beam_search, exact_search
from hedline.decoding.summary import (
    CANDIDATES,
    FINAL_FEATURES,
    Candidate,
    Hypothesis,
    Looked,
    Unread,
    by_consensus,
    by_shared_words,
    consensus_order,
    spread,
)
from hedline.runtime import Scorer
from hedline.text.casing import recased
from hedline.text.clean import without_footer
from hedline.text.meaning import tidy_marks

WIDER = 6  # times the beam, where a narrow one found nothing that fits
GUARDED = 12  # how many of the search's best headlines the guards choose from
# Hypotheses that a search for these keeps where the length is forced and many texts are searched again, and of word
# models, whose farther ones pass rules by luck: the text's own words come sooner (1,754 traps: 69 failed, not 79).
NARROW = 6
SHORT_ENOUGH = 18  # words up to which the input's own beginning is better than its words picked out
LONG_ENOUGH = 22  # words up to which it is better than a headline that the model doubts
ANY_LENGTH = 1000  # words, where nothing else is left
TOO_SMALL = "the limit leaves no room for a sensible headline"
OWN_WORDS = "no headline of the model keeps the meaning of the text, so these are the text's own words"
ALL_DOUBTED = "the model doubts every headline it has for the text, so these are the text's own words"
UNGUARDED = "nothing that fits passes the guards, so these are the first words of the text"


class Reader(Protocol):
    """Turns raw texts into lexicons, for one kind of units."""

    units: str

    def read(self, text: str, longest: int) -> tuple[Any, bool]:
        """A text as the model sees it, and whether it was cut; falsy (no length) when nothing is left."""

    def words(self, source: Any) -> tuple[str, ...]:
        """The input's words as printed."""

    def text(self, source: Any) -> str:
        """What was read of the input, as running text."""

    def foreign(self, source: Any) -> bool:
        """Whether the model knows so few of the input's ordinary words that they must be of another language."""

    def barring(self, source: Any, words: Iterable[str]) -> Any:
        """The source, its headlines without these words where the model's units allow that."""

    def open(self, sources: Sequence[Any], options: DecodeOptions) -> Lexicon:
        """The lexicon of a batch, for settled options."""


class Found(NamedTuple):
    """One source's headlines, best first, and what a reader should know about how they came about."""

    nbest: list[Hypothesis]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Engine:
    """A model's scorer and reader, with the usual casing of words (None without such a table)."""

    scorer: Scorer
    reader: Reader
    casing: Casing = None

    def find_headlines(self, sources: Sequence[Any], options: DecodeOptions) -> list[Found]:
        """Every source's headlines, best first, under settled options; a source that nothing fits has none."""
        searched = decode(self.scorer, self.reader.open(sources, options), options)
        found = [list(self._cased(searched.read(p, options), source, options)) for p, source in enumerate(sources)]
        self._search_harder(sources, searched, found, options)
        free = options.mode == "abstractive" and not any(
            (options.words, options.bytes, options.chars, options.exact_words, options.fill)
        )
        guards = Guards(
            options.guard_numbers,
            bool(options.guard_names),
            options.guard_meaning,
            self.casing,
            limited=options.guard_meaning and bool(options.bytes or options.chars),
            forced=options.guard_meaning and bool(options.exact_words or options.fill),
            least=FEW_WORDS if options.guard_meaning and not options.is_tight else 1,
            exact=options.exact_words or 0,
            free=free,
            careful=options.guard_meaning
            and self.reader.units == "words",  # such a model is too weak for words of its own there
            most_doubt=1.0 if options.most_doubt is None or not free else options.most_doubt,
        )
        if guards.active:
            kept = self._guard(sources, searched, found, options, guards)
        else:
            kept = [Found([each.read() for each in nbest]) for nbest in found]
        return [Found([cut_at_limit(each, options) for each in nbest], notes) for nbest, notes in kept]

    def _search_again(
        self, sources: Sequence[Any], searched: Searched, places: Sequence[int], options: DecodeOptions, most: int
    ) -> list[Iterator[Candidate]]:
        """The headlines of some sources of a search, under other options; each is read when it is asked for.

        most: headlines that the search itself looks for; all that it finds on its way can be read.
        """
        chosen = [sources[place] for place in places]
        lexicon, narrow = self.reader.open(chosen, options), options.but(nbest=min(options.nbest, most))
        found = decode(self.scorer, lexicon, narrow, searched.begin(self.scorer, lexicon, places))
        return [self._cased(found.read(place, options), source, options) for place, source in enumerate(chosen)]

    def _cased(self, nbest: Iterator[Candidate], source: Any, options: DecodeOptions) -> Iterator[Candidate]:
        """Candidates in the case that was asked for."""
        if not options.capitalize:
            return nbest
        words, forms = self.reader.words(source), self.casing or {}
        return (each.with_text(recased(tidy_marks(each.text), options.case, words, forms)) for each in nbest)

    def _search_harder(
        self, sources: Sequence[Any], searched: Searched, found: list[list[Candidate]], options: DecodeOptions
    ) -> None:
        """Search again, in place, where a narrow beam ran into dead ends: wider, then with repeats allowed."""
        beam = min(WIDER * max(options.width, BEAM), MOST_HYPOTHESES)
        for blocked in (options.block_repeats, False):
            missed = [place for place, nbest in enumerate(found) if _missed(nbest, options)]
            if not missed or options.decoder == "exact":
                return
            wider = options.but(beam=beam, decoder="beam", block_repeats=blocked)  # a greedy one stays narrow
            again = map(list, self._search_again(sources, searched, missed, wider, wider.nbest))
            for place, nbest in zip(missed, again, strict=True):
                if nbest and (not found[place] or nbest[0].short < found[place][0].short):
                    found[place] = nbest

    def _guard(
        self,
        sources: Sequence[Any],
        searched: Searched,
        found: Sequence[Sequence[Candidate]],
        options: DecodeOptions,
        guards: Guards,
    ) -> list[Found]:
        """Only headlines that pass the guards, searched for where there is none.

        Steps: more candidates of the search there was, then of a longer one, then those that join words otherwise but
        turn nothing round, then headlines that only leave out words of the input, then the input's own beginning.
        Where the model doubts its headline too much only the first of these steps is taken, and the last.
        """
        leads = [without_footer(self.reader.text(source)) for source in sources]
        passing = [guards.passing(nbest, lead, options.nbest) for nbest, lead in zip(found, leads, strict=True)]
        wanted = [min(options.nbest, max(len(nbest), 1)) for nbest in found]
        for way in ("read", "search", "compress"):
            enough = [1] * len(wanted) if way == "compress" else wanted
            missed = [
                p
                for p, kept in enumerate(passing)
                if len(kept) < enough[p]
                or _missed(kept, options)
                or _is_crumb(kept, found[p], guards)
                or (way == "read" and guards.doubted(kept[0]))
            ]
            if not missed:
                break
            wide = _for_more(options, NARROW if guards.careful else GUARDED)
            if way == "read":
                again = [self._cased(searched.read(place, wide), sources[place], wide) for place in missed]
            else:
                wide = wide.but(mode="compressive") if way == "compress" else wide
                barred = self._barred(sources, leads, missed, guards)
                most = max(2 * options.nbest, NARROW if guards.forced or guards.careful else GUARDED)
                again = self._search_again(barred, searched, missed, wide, most)
            for place, nbest in zip(missed, again, strict=True):
                both = (passing[place], nbest) if way == "compress" else (nbest, passing[place])  # best first
                passing[place] = guards.passing(Looked(chain(*both)), leads[place], options.nbest)
            if way == "search":
                for place in missed:
                    if _missed(passing[place], options) and guards.free and not guards.careful:
                        every = Looked(self._cased(searched.read(place, wide), sources[place], wide))
                        passing[place] = replace(guards, lenient=True).passing(every, leads[place], options.nbest)
                    if _missed(passing[place], options) or _is_crumb(passing[place], found[place], guards):
                        own = self._own_words(sources[place], options, guards, SHORT_ENOUGH)
                        passing[place] = [*own, *passing[place]]
        return [
            self._if_doubted(self._last_resort(kept, bool(nbest), source, options, guards), source, options, guards)
            for kept, nbest, source in zip(passing, found, sources, strict=True)
        ]

    def _if_doubted(self, found: Found, source: Any, options: DecodeOptions, guards: Guards) -> Found:
        """The input's own words first, where the model doubts its headline and a clause of the input will do."""
        if not (found.nbest and guards.meaning and guards.doubted(found.nbest[0])):
            return found
        own = self._own_words(source, options, guards, LONG_ENOUGH)
        return Found([*own, *found.nbest][: options.nbest], (ALL_DOUBTED,)) if own else found

    def _barred(self, sources: Sequence[Any], leads: Sequence[str], missed: Sequence[int], guards: Guards) -> list[Any]:
        """The sources; those at `missed` without the names that stood against their headlines so far."""
        kept = list(sources)
        for place in missed:
            kept[place] = self.reader.barring(kept[place], guards.refused(leads[place]))
        return kept

    def _own_words(self, source: Any, options: DecodeOptions, guards: Guards, longest: int) -> list[Hypothesis]:
        """The best beginning of the input that passes and has at most `longest` words, if there is one.

        Half a clause is taken only where nothing else is left: the input's words picked out read better.
        """
        lead = self.reader.text(source)
        for each in own_words(lead, self.reader.words(source), options, whole=longest < ANY_LENGTH):
            if guards.least <= len(each.tokens) <= longest and guards.is_clean(each.text, lead):
                return [each]
        return []

    def _last_resort(
        self, passing: Sequence[Hypothesis], fits: bool, source: Any, options: DecodeOptions, guards: Guards
    ) -> Found:
        """What is printed: what passes, else the input's own words; fits: whether the search found anything at all."""
        if _missed(passing, options):
            own = self._own_words(source, options, guards, ANY_LENGTH)
            passing = sorted([*passing, *own], key=lambda each: each.short)
        lead, words = self.reader.text(source), self.reader.words(source)
        if passing and options.is_tight and guards.meaning and not is_whole(passing[0].text, lead):
            found = [each for each in passing if is_whole(each.text, lead)]
            passing = longest_word(lead, words, options) or found
        if passing:
            kept = list(passing[: options.nbest])
            small = len(kept[0].text.split()) < FEW_WORDS and options.is_tight
            if small:
                return Found(kept, (TOO_SMALL,))
            return Found(kept, () if kept[0].features else (OWN_WORDS,))
        own = list(own_words(lead, words, options))
        if not own or (options.is_tight and guards.meaning and not is_whole(own[0].text, lead)):
            one = longest_word(lead, words, options) or [each for each in own[:1] if is_whole(each.text, lead)]
            return Found(one if fits else [], (TOO_SMALL,) if one and fits else ())
        return Found(own[:1], (UNGUARDED,)) if fits else Found([])


def cut_at_limit(hypothesis: Hypothesis, options: DecodeOptions) -> Hypothesis:
    """A headline with its text cut at the limit, where `cut` asks for it; all else stays that of the whole one."""
    return replace(hypothesis, text=options.cut_text(hypothesis.text)) if options.cut else hypothesis


def _missed(nbest: Sequence[Candidate], options: DecodeOptions) -> bool:
    """Whether there is no headline, or none of the exact length that was asked for."""
    return not nbest or bool(options.exact_words and nbest[0].short)


def _for_more(options: DecodeOptions, most: int) -> DecodeOptions:
    """The options of a search for as many candidates as the guards choose from."""
    more = min(max(2 * options.nbest, most), max(options.nbest, MOST_HYPOTHESES // POOL))
    return options.but(nbest=more, decoder="beam" if options.decoder == "exact" else options.decoder)


def _is_crumb(kept: Sequence[Candidate], found: Sequence[Candidate], guards: Guards) -> bool:
    """Whether a few words are all that is left of a longer headline, and no limit asked for few."""
    if not kept or not found or not guards.meaning or guards.limited or guards.forced:
        return False
    return len(kept[0].text.split()) < CRUMB <= len(found[0].text.split())


class Searched(NamedTuple):
    """A finished search: endings are read when they are asked for; start: the scorer's state that it began with."""

    lexicon: Lexicon
    endings: list[Endings]
    start: Any
    scorer: Scorer

    def begin(self, scorer: Scorer, lexicon: Lexicon, places: Sequence[int]) -> Any:
        """The state to begin another search of the inputs at `places` with; None where the model sees others there.

        What the encoder made of an input is the greater part of a small search.
        """
        rows, units, more = np.array(places), self.lexicon.candidates, lexicon.candidates
        if not _same(self.lexicon.inputs, places, lexicon.inputs) or (units is None) != (more is None):
            return None
        if units is None or more is None or _same(units, places, more):
            return scorer.select(self.start, rows)
        reopen = getattr(scorer, "reopen", None)  # only the units that may be written are others
        return reopen(self.start, rows, more) if reopen else None

    def read(self, place: int, options: DecodeOptions) -> Iterator[Candidate]:
        """One input's best headlines, best first, no text twice; none where nothing fits."""
        return read_best(self.lexicon, place, self.endings[place], options, partial(self.doubts, place))

    def doubts(self, place: int, chosen: Sequence[int]) -> list[float] | None:
        """How much the model doubts some endings of one input; None where it cannot tell."""
        ids = getattr(self.lexicon, "path_ids", None)
        if getattr(self.scorer, "doubt", None) is None or ids is None or not chosen:
            return None
        endings, ask = self.endings[place], self.scorer.doubts  # type: ignore[attr-defined]
        paths = [ids(place, endings.columns(index)) for index in chosen]
        found: list[float] = ask(self.start, place, paths, list(map(endings.log_probs, chosen))).tolist()
        return found


def _same(before: Sequence[Ints], places: Sequence[int], now: Sequence[Ints]) -> bool:
    """Whether the ids at `places` are those of another list, one by one."""
    return all(np.array_equal(before[place], ids) for place, ids in zip(places, now, strict=True))


def decode(scorer: Scorer, lexicon: Lexicon, options: DecodeOptions, start: Any = None) -> Searched:
    """Search under settled options; start: the scorer's state of the lexicon's inputs, if there is one."""
    bonus = sum(max(value, 0.0) for name, value in options.settled_weights.items() if name != "log_prob")
    slack = np.inf if options.slack is None else options.slack
    plan = Plan(options.width, options.candidates, options.length_penalty or 0.0, bonus, options.recombine, slack)
    search = exact_search if options.decoder == "exact" else beam_search
    start = scorer.start(lexicon.inputs, lexicon.candidates) if start is None else start
    return Searched(lexicon, search(scorer, lexicon, plan, start), start, scorer)


Doubts = Callable[[Sequence[int]], "list[float] | None"]


def read_best(
    lexicon: Lexicon,
    owner: int,
    endings: Endings,
    options: DecodeOptions,
    doubts: Doubts = lambda _: None,
) -> Iterator[Candidate]:
    """The distinct texts of the best endings; endings that miss what was asked only where none meets it.

    doubts: how much the model doubts endings, given by their places.
    """
    reranked = any(options.settled_weights.get(name) for name in FINAL_FEATURES)
    wanted = options.width if reranked or options.rerank == "overlap" else options.candidates
    if options.rerank == "mbr":
        wanted = max(wanted, CANDIDATES)
    places: dict[str, int] = {}
    for index in range(len(endings)):
        if len(places) == wanted or endings.short(index) > endings.short(0):
            break
        text = lexicon.text(owner, endings.columns(index))
        if text:
            places.setdefault(text, index)
    chosen, known = list(places.values()), dict[int, float]()
    if not (reranked or options.rerank == "overlap" or options.diversity):  # only what is printed is read in full
        if options.rerank == "mbr":
            doubted = doubts(chosen) if options.doubt else None
            known = dict(zip(chosen, doubted or (), strict=False))
            less = None if doubted is None else (options.doubt or 0.0) * np.array(doubted, np.float32)
            order = consensus_order(list(places), [endings.key(index) for index in chosen], less)
            chosen = [chosen[place] for place in order]
        texts = {index: text for text, index in places.items()}
        return (
            Unread(texts[index], endings.short(index), partial(_read, lexicon, owner, endings, index, doubts, known))
            for index in chosen[: options.nbest]
        )
    ranked: Sequence[Hypothesis] = [lexicon.read(owner, endings[index]) for index in chosen]
    if reranked:
        ranked = sorted(ranked, key=lambda hypothesis: -hypothesis.key)
    if options.rerank == "mbr":
        ranked = by_consensus(ranked)
    if options.rerank == "overlap":
        ranked = by_shared_words(ranked)
    if options.diversity:
        return iter(spread(ranked, options.nbest, options.diversity))
    return iter(ranked[: options.nbest])


def _read(
    lexicon: Lexicon, owner: int, endings: Endings, index: int, doubts: Doubts, known: Mapping[int, float]
) -> Hypothesis:
    """An ending in full, with how much the model doubts it."""
    found = [known[index]] if index in known else doubts([index])
    return replace(lexicon.read(owner, endings[index]), doubt=None if found is None else found[0])
