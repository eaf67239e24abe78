"""From opened lexicons to n-best lists: the one path every model and every decoder takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hedline.decoding.consensus import CANDIDATES, by_consensus
from hedline.decoding.diverse import spread
from hedline.decoding.exact import exact_search
from hedline.decoding.features import ABS_WEIGHTS, FINAL_FEATURES, check_weights, dial
from hedline.decoding.lexicon import Lexicon
from hedline.decoding.options import DecodeOptions
from hedline.decoding.scorer import Scorer
from hedline.decoding.search import Endings, Plan, beam_search
from hedline.decoding.summary import Hypothesis

# Where the model scores alone: headlines as long as human ones, as the paper tunes its systems. On 1,000 validation
# inputs (human headlines: 11.9 words) 1.4 gave 9.0 words and R-1/R-2/R-L 29.3/11.9/26.4, 1.6 gave 10.1 and
# 29.7/11.9/26.4, 1.8 gave 11.7 and 30.2/12.1/26.6, 2.0 gave 13.5 and 30.4/11.9/26.4.
LENGTH_PENALTY = 1.8


@dataclass(frozen=True)
class Defaults:
    """What a model brings along (tuning.json), used where options leave it open.

    weights: tuned features; length_penalty: with them; controls: usual control tokens by group (`length`, `support`,
    `case`); rerank: how the beam's candidates are put in order; guard_names: whether names need support.
    """

    weights: Mapping[str, float] = field(default_factory=lambda: dict(ABS_WEIGHTS))
    length_penalty: float | None = None
    controls: Mapping[str, str] = field(default_factory=dict)
    rerank: str = "none"
    guard_names: bool = False


def resolve_guard(options: DecodeOptions, defaults: Defaults) -> bool:
    """Whether names are guarded: as asked, else as the model was set."""
    return defaults.guard_names if options.guard_names is None else options.guard_names


def resolve_weights(options: DecodeOptions, defaults: Defaults) -> dict[str, float]:
    """The weights to search with."""
    weights = check_weights(defaults.weights if options.weights is None else options.weights)
    return dial(weights, options.abstractiveness)


def resolve_penalty(options: DecodeOptions, defaults: Defaults, weights: Mapping[str, float]) -> float:
    """The length penalty: as asked, else on the line from the tuned weights' own to the usual one of the model alone.

    Headlines of an exact length need none.
    """
    if options.length_penalty is not None:
        return options.length_penalty
    if options.exact_words is not None:
        return 0.0
    tuned = defaults.length_penalty
    if tuned is None:
        return LENGTH_PENALTY if _alone(weights) else 0.0
    if _alone(defaults.weights) or options.weights is not None:
        return tuned
    share = min(max(options.abstractiveness or 0.0, 0.0), 1.0)
    return tuned + share * (LENGTH_PENALTY - tuned)


def resolve_rerank(options: DecodeOptions, defaults: Defaults) -> str:
    """How candidates are put in order: as asked, else as the model likes it; one beam's candidates only."""
    return (options.rerank or defaults.rerank) if options.decoder == "beam" and options.beam > 1 else "none"


def _alone(weights: Mapping[str, float]) -> bool:
    """Whether nothing but the model's probability counts."""
    return all(value == 0 for name, value in weights.items() if name != "log_prob")


def decode(
    scorer: Scorer, lexicon: Lexicon, options: DecodeOptions, weights: Mapping[str, float], penalty: float
) -> list[list[Hypothesis]]:
    """Every input's best headlines, best first, no text twice; an input nothing fits has none."""
    bonus = sum(max(value, 0.0) for name, value in weights.items() if name != "log_prob")
    plan = Plan(options.width, options.candidates, penalty, bonus, options.recombine)
    if options.decoder == "exact":
        found = exact_search(scorer, lexicon, plan)
    else:
        found = beam_search(scorer, lexicon, plan)
    return [read_best(lexicon, owner, endings, options, weights) for owner, endings in enumerate(found)]


def read_best(
    lexicon: Lexicon, owner: int, endings: Endings, options: DecodeOptions, weights: Mapping[str, float]
) -> list[Hypothesis]:
    """The distinct texts of the best endings; endings that miss what was asked only where none meets it."""
    reranked = any(weights.get(name) for name in FINAL_FEATURES)
    wanted = max(options.candidates, options.beam) if reranked else options.candidates
    if options.rerank == "mbr":
        wanted = max(wanted, CANDIDATES)
    best: dict[str, Hypothesis] = {}
    for index in range(len(endings)):
        if len(best) == wanted or endings.short(index) > endings.short(0):
            break
        hypothesis = lexicon.read(owner, endings[index])
        if hypothesis.text:
            best.setdefault(hypothesis.text, hypothesis)
    ranked: Sequence[Hypothesis] = list(best.values())
    if reranked:
        ranked = sorted(ranked, key=lambda hypothesis: -hypothesis.key)
    if options.rerank == "mbr":
        ranked = by_consensus(ranked)
    if options.diversity:
        return spread(ranked, options.nbest, options.diversity)
    return list(ranked[: options.nbest])
