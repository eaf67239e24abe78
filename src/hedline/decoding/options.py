"""What a caller may ask of the search: one frozen record, checked once, and what its limits leave to the search.

What is left open is the model's own way: `Defaults.settle` fills it in, once.

The options of commands and the fields of a request to the server are made from its fields.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from numbers import Real
from typing import Any

import numpy as np

from hedline.arrays import Ints
from hedline.decoding.summary import ABS_WEIGHTS, FEATURES, FINAL_FEATURES, WORD_FEATURES
from hedline.errors import UserError
from hedline.settings import setting
from hedline.text.casing import CASES

MODES = ("abstractive", "extractive", "compressive")
DECODERS = ("beam", "greedy", "exact")
VARIANTS = ("paper", "namas")
RERANKS = ("none", "mbr", "overlap")
NO_LIMIT = 1 << 30
MOST_PENALTY = 100  # beyond it only the length would count
FEW_WORDS, FEW_LETTERS = 3, 20  # below these no headline makes sense
BEAM = 5
MOST_HYPOTHESES = 2000  # kept at each step: more would take memory and help nobody
MOST_UNITS = {"words": 10_000, "exact_words": 10_000, "max_words": 10_000, "bytes": 1_000_000, "chars": 1_000_000}
POOL = 10  # times as many candidates are found as are returned, where those must differ


def check_settings(settings: Any) -> None:
    """Hold every field of a settings class to what its metadata says; None, where it is the default, leaves it open."""
    for each in fields(settings):
        value, rules = getattr(settings, each.name), each.metadata
        if value is None and each.default is None:
            continue
        if rules.get("choices") and value not in rules["choices"]:
            raise UserError(f"{each.name} must be one of {', '.join(rules['choices'])}, not {value!r}")
        if "most" in rules and not is_between(value, rules["least"], rules["most"]):
            raise UserError(
                f"{each.name} must be a number between {rules['least']:g} and {rules['most']:g}, not {value!r}"
            )
        if "least" in rules and "most" not in rules and not is_whole(value, rules["least"]):
            raise UserError(f"{each.name} must be a whole number of at least {rules['least']}, not {value!r}")


def is_whole(value: object, least: float) -> bool:
    """Whether a value is a whole number of at least `least`; true and false are not numbers."""
    return isinstance(value, int) and not isinstance(value, bool) and value >= least


def is_between(value: object, low: float, high: float) -> bool:
    """Whether a value is a number within bounds; not-a-number and other types are not."""
    return isinstance(value, Real) and not isinstance(value, bool) and low <= float(value) <= high


class Checked:
    """A settings class that holds its fields to what they say."""

    def __post_init__(self) -> None:
        check_settings(self)


@dataclass(frozen=True)
class Workers(Checked):
    """How many processes decode a set."""

    workers: int = setting(0, "Processes; 0: one for each core.", least=0)

    @property
    def count(self) -> int:
        """The processes to start."""
        return self.workers or os.cpu_count() or 1


@dataclass(frozen=True)
class DecodeOptions:
    """How to write a headline. What is None is the model's own way (`Defaults`), or no limit.

    Limits hold for the final text (a word is what white space separates; bytes are UTF-8). Without any the model ends
    where it likes, after `max_words` at the latest. fill: the share of the limit that a headline should use, if one
    can; None: limits of 70 to 75 bytes are filled, no others. cut: bytes and chars cut the finished text instead,
    where they fall; with exact_words that is the paper's own protocol (`exact_words=14, bytes=75, cut=True`).
    weights: feature name to weight. tuned: False leaves tuned weights aside (ABS instead of ABS+). abstractiveness:
    see `dial`. length_penalty: see search.py. variant: the features of the paper, or NAMAS's shifted tables.
    recombine: merge hypotheses that no future can tell apart. guard_…, rerank, diversity: see choice.py;
    greedy and exact searches have nothing to rerank. capitalize: the first letter in upper case (word models; the
    copied words of subword models); case: `sentence` (names alone have capitals), `title` or the model's own.
    """

    words: int | None = setting(None, "At most N words.", least=1)
    exact_words: int | None = setting(None, "Exactly N words.", least=1)
    bytes: int | None = setting(None, "At most N bytes of UTF-8.", least=1)
    chars: int | None = setting(None, "At most N characters.", least=1)
    fill: float | None = setting(
        None, "Share of the limit a headline should use; automatic: 70 to 75 bytes are filled.", least=0, most=1
    )
    cut: bool = setting(False, "Cut the finished text at the limit of bytes or characters, as the paper does.")
    mode: str = setting("abstractive", "abstractive, extractive or compressive.", choices=MODES)
    decoder: str = setting("beam", "beam, greedy or exact.", choices=DECODERS)
    beam: int | None = setting(None, "Hypotheses kept at each step; automatic: as tuned, else 5.", least=1)
    slack: float | None = setting(
        None,
        "Nats a hypothesis may be behind the best; automatic: as tuned, any with --beam or --nbest.",
        least=0,
        most=1e9,
    )
    nbest: int = setting(1, "Candidates for each text.", least=1, names=("--nbest", "--n-best"))
    weights: Mapping[str, float] | None = None
    tuned: bool = setting(True, "Use the model's tuned weights; without: its probability alone.")
    abstractiveness: float | None = setting(
        None, "From -1, copy more, over 0, as tuned, to 1, more new words.", least=-1, most=1
    )
    variant: str = setting("paper", "Feature definitions: paper or namas.", choices=VARIANTS)
    length_penalty: float | None = setting(
        None, "Larger: longer headlines; automatic: as tuned.", least=-MOST_PENALTY, most=MOST_PENALTY
    )
    recombine: bool = True
    block_repeats: bool = setting(True, "No content word twice.")
    guard_numbers: bool = setting(True, "No number the text does not have.")
    guard_names: bool | None = setting(None, "Print no name the text does not have; automatic: as the model was set.")
    guard_meaning: bool = setting(True, "Print nothing that loses a not, an unless, an alleged, or alters a quotation.")
    copy_unknown: bool = setting(True, "Copy words the vocabulary lacks.")
    full_vocabulary: bool = setting(False, "Search all words instead of the shortlist.")
    capitalize: bool = True
    case: str = setting("sentence", "sentence, title, or as-trained (the model's own).", choices=CASES)
    max_words: int = setting(24, "Most words where no limit is given.", least=1)
    rerank: str | None = setting(
        None,
        "mbr: the candidate the beam agrees on; overlap: the one with most words of the text; none: the best scored; "
        "automatic: as tuned.",
        choices=RERANKS,
    )
    doubt: float | None = setting(
        None,
        "How much the model's own doubt counts where rerank is mbr; 0: not at all; automatic: as tuned.",
        least=0,
        most=100,
    )
    most_doubt: float | None = setting(
        None,
        "Where the model doubts its headline more than this, print words of the text; 1: never; automatic: as tuned.",
        least=0,
        most=1,
    )
    diversity: float = setting(
        0.0, "How much candidates must differ: 0.5, no two share more than half.", least=0, most=1
    )

    def __post_init__(self) -> None:
        check_settings(self)
        self._check_bounds()
        self._check_kinds()
        if self.words is not None and self.exact_words is not None:
            raise UserError("give words (at most) or exact_words, not both")

    def _check_bounds(self) -> None:
        """Refuse numbers so large that the search would run out of memory or time."""
        for name in (*MOST_UNITS, "beam", "nbest"):
            value, most = getattr(self, name), MOST_UNITS.get(name, MOST_HYPOTHESES)
            if value is not None and value > most:
                given = f", not {value:,}" if value < 10**12 else ""
                raise UserError(f"{name} must be at most {most:,}{given}")
        if self.width > MOST_HYPOTHESES:
            raise UserError(
                f"{self.nbest} candidates that differ need {self.width:,} hypotheses; at most {MOST_HYPOTHESES:,} are "
                "kept, so ask for fewer"
            )

    def _check_kinds(self) -> None:
        """Check that switches are true or false, and that weights are given by name."""
        for each in fields(self):
            value = getattr(self, each.name)
            if isinstance(each.default, bool) and not isinstance(value, bool | np.bool_):
                raise UserError(f"{each.name} must be True or False, not {str(value)[:40]!r}")
        if self.guard_names is not None and not isinstance(self.guard_names, bool | np.bool_):
            raise UserError(f"guard_names must be True, False or None, not {str(self.guard_names)[:40]!r}")
        if self.weights is not None and not isinstance(self.weights, Mapping):
            raise UserError("weights must be a table of feature names and numbers, such as {'log_prob': 1.0}")

    def but(self, **changes: Any) -> DecodeOptions:
        """The same options with some changed; an unknown name is the user's mistake."""
        known = {field.name for field in fields(self)}
        for name in changes:
            if name not in known:
                raise UserError(f"no option is called {name!r}; there are {', '.join(sorted(known))}")
        return replace(self, **changes)

    @property
    def settled_weights(self) -> Mapping[str, float]:
        """The feature weights of settled options (see Defaults)."""
        if self.weights is None:
            raise ValueError("these options still leave the weights open; settle them with a model's defaults")
        return self.weights

    @property
    def width(self) -> int:
        """Hypotheses kept at each step: n-best lists need at least as many as they return."""
        return 1 if self.decoder == "greedy" and self.nbest == 1 else max(self.beam or BEAM, self.candidates)

    @property
    def candidates(self) -> int:
        """Headlines to find: as many as are returned, more where they must differ."""
        return POOL * self.nbest if self.diversity and self.nbest > 1 else self.nbest

    @property
    def is_tight(self) -> bool:
        """Whether the user leaves room for a word or two only."""
        words, letters = (self.words, self.exact_words), (self.bytes, self.chars)
        return any(limit is not None and limit < FEW_WORDS for limit in words) or any(
            limit is not None and limit < FEW_LETTERS for limit in letters
        )

    @property
    def word_limit(self) -> int:
        """Most words a headline may have."""
        asked = self.words or self.exact_words
        if asked is None and not self.cut and (self.bytes or self.chars):
            return NO_LIMIT
        return asked or self.max_words

    @property
    def byte_limit(self) -> int:
        """Most UTF-8 bytes of the text that is searched for."""
        return NO_LIMIT if self.cut else self.bytes or NO_LIMIT

    @property
    def char_limit(self) -> int:
        """Most characters of the text that is searched for."""
        return NO_LIMIT if self.cut else self.chars or NO_LIMIT

    def cut_text(self, text: str) -> str:
        """The text as far as the limits of bytes and characters reach, where it is to be cut; half a word may stay."""
        if not self.cut:
            return text
        part = text[: self.chars]
        return part.encode("utf-8", "replace")[: self.bytes].decode("utf-8", "ignore").rstrip()


LARGEST = 1e9  # the sums of features times weights must stay finite in float32


def check_weights(weights: Mapping[str, float]) -> dict[str, float]:
    """The weights as a plain dict; an unknown name, or a weight that is no sensible number, is the user's mistake."""
    for name, value in weights.items():
        if not isinstance(name, str):
            raise UserError(f"a feature is called by its name, not by {type(name).__name__}")
        if name not in FEATURES and name not in WORD_FEATURES and name not in FINAL_FEATURES:
            raise UserError(f"no feature is called {name[:40]!r}; the features are {', '.join(FEATURES)}")
        if not isinstance(value, Real) or isinstance(value, bool) or not -LARGEST <= value <= LARGEST:
            raise UserError(f"the weight of {name} must be a number between -{LARGEST:g} and {LARGEST:g}")
        if name == "log_prob" and value < 0:
            raise UserError("the weight of log_prob must not be negative: the search would look for the worst words")
    return {name: float(value) for name, value in weights.items()}


# The dial's ends, in nats for each word: how much more a word of the input is worth than a new one, and the share of
# words that are usually copied, so that turning the dial changes which words are chosen and not how many.
COPYING, INVENTING = 4.0, 1.5
USUALLY_COPIED = 0.9


def dial(weights: Mapping[str, float], abstractiveness: float | None) -> dict[str, float]:
    """The weights with words of the input favoured (toward -1) or new words (toward 1); 0 and None change nothing."""
    if not abstractiveness:
        return dict(weights)
    favour = -abstractiveness * (INVENTING if abstractiveness > 0 else COPYING)
    turned = {"unigram": favour, "length": -USUALLY_COPIED * favour}
    return {**weights, **{name: weights.get(name, 0.0) + value for name, value in turned.items()}}


MOST_STEPS = 200


def step_limit(options: DecodeOptions, units_a_word: int) -> int:
    """The most units that fit within the limits: every unit costs at least a byte and a character."""
    by_words = options.word_limit * units_a_word + 4 if options.word_limit < NO_LIMIT else NO_LIMIT
    return min(by_words, options.byte_limit, options.char_limit, MOST_STEPS)


def fill_shortage(options: DecodeOptions, used: Ints) -> Ints:
    """(rows,) by how much an ending at `used` (rows, 3: words, bytes, chars) would miss what was asked.

    Exact words: the missing words. A wish to fill the limit: the missing part, in the limit's own unit.
    """
    if options.exact_words is not None:
        return np.asarray(np.abs(options.exact_words - used[:, 0]))
    if options.fill and not options.cut:
        for column, limit in ((1, options.bytes), (2, options.chars), (0, options.words)):
            if limit is not None:
                return np.maximum(int(np.ceil(options.fill * limit)) - used[:, column], 0)
    return np.zeros(len(used), np.int64)


# Where the model scores alone: headlines nearly as long as human ones, as the paper tunes its systems. On 300 inputs of
# the validation set (human headlines: 11.9 words) the word model wrote 8.5 words at 1.0 (R-1/R-2/R-L 29.0/11.5/26.4),
# 11.0 at 1.8 (29.9/11.7/26.5), 12.6 at 2.4 (30.0/11.6/26.2); the subword model 10.1 at 0.4 (36.3/17.6/33.1), 12.0 at
# 1.0 (37.4/17.8/33.5), 13.3 at 1.8 (36.7/16.9/32.2).
LENGTH_PENALTY = 1.8
SUBWORD_PENALTY = 1.0
# A limit of at most this many bytes is short of what a model writes by itself, so it is filled as the paper's 75 are:
# recall counts what is there. A much shorter one is not: the last bytes would hold "?!" or half a thought.
FILLED = 75
LEAST_FILLED = 70
FILL = 0.9


@dataclass(frozen=True)
class Defaults:
    """What a model brings along (tuning.json), used where options leave it open."""

    weights: Mapping[str, float] = field(default_factory=lambda: dict(ABS_WEIGHTS))  # tuned feature weights
    length_penalty: float | None = None  # tuned together with them
    controls: Mapping[str, str] = field(default_factory=dict)  # control token by group (`length`, `support`, `case`)
    rerank: str = "none"  # how the beam's candidates are put in order
    guard_names: bool = False  # whether names need support
    alone: float = LENGTH_PENALTY  # the penalty where nothing but the model's probability counts
    beam: int = BEAM
    doubt: float = 0.0  # how much its own doubt counts when candidates are put in order
    most_doubt: float = 1.0  # beyond which the text's own words are printed, where no limit is asked for
    slack: float | None = None  # how far behind the best hypothesis others may be; None: any distance
    fill: float = 0.0  # share of the limit that is used
    limited: Defaults | None = None  # the same, tuned for headlines of at most FILLED bytes

    def settle(self, options: DecodeOptions) -> DecodeOptions:
        """The options with nothing left open: weights, length penalty, reranking and guards as they will be used."""
        chosen = self.suited(options)
        weights = dial(
            check_weights(chosen.weights if options.weights is None else options.weights), options.abstractiveness
        )
        beam = options.beam or chosen.beam
        listed = options.decoder == "beam" and beam > 1  # only a beam has candidates to put in order
        return options.but(
            weights=weights,
            length_penalty=chosen._penalty(options),
            beam=beam,
            slack=self._slack(options) if options.slack is None else options.slack,
            fill=chosen.fill if options.fill is None else options.fill,
            rerank=(options.rerank or chosen.rerank) if listed else "none",
            doubt=chosen.doubt if options.doubt is None else options.doubt,
            most_doubt=chosen.most_doubt if options.most_doubt is None else options.most_doubt,
            guard_names=self.guard_names if options.guard_names is None else options.guard_names,
        )

    def suited(self, options: DecodeOptions) -> Defaults:
        """The defaults for what is asked: those of the model alone, those for a short limit of bytes, or these."""
        base = self if options.tuned else self.untuned()
        other = options.words or options.exact_words or options.chars
        if other or options.cut or options.bytes is None or options.bytes > FILLED:
            return base
        chosen = base.limited or replace(base, fill=FILL)
        return chosen if options.bytes >= LEAST_FILLED else replace(chosen, fill=0.0)

    def _slack(self, options: DecodeOptions) -> float | None:
        """Who asks for a number of hypotheses or headlines gets them all."""
        return None if options.beam or options.nbest > 1 else self.suited(options).slack

    def untuned(self) -> Defaults:
        """What the model would bring along if it had not been tuned."""
        return Defaults(controls=self.controls, guard_names=self.guard_names, alone=self.alone)

    def _penalty(self, options: DecodeOptions) -> float:
        """The length penalty: as asked, else as tuned, else that of the model alone; exact lengths need none."""
        if options.length_penalty is not None:
            return options.length_penalty
        if options.exact_words is not None:
            return 0.0
        if self.length_penalty is not None:
            return self.length_penalty
        return self.alone if _alone(self.weights if options.weights is None else options.weights) else 0.0


def _alone(weights: Mapping[str, float]) -> bool:
    """Whether nothing but the model's probability counts."""
    return all(value == 0 for name, value in weights.items() if name != "log_prob")
