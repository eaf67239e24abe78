"""From opened lexicons to n-best lists: the one path every model and every decoder takes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hedline.decoding.exact import exact_search
from hedline.decoding.features import ABS_WEIGHTS, FINAL_FEATURES, check_weights, dial
from hedline.decoding.lexicon import Lexicon
from hedline.decoding.options import DecodeOptions
from hedline.decoding.scorer import Scorer
from hedline.decoding.search import Endings, Plan, beam_search
from hedline.decoding.summary import Hypothesis

# Where the model scores alone. On 100 validation pairs (human headlines: 11.8 words) 0.8 gave 7.4 words, 1.3 gave 9.8,
# 1.6 gave 11.4; ROUGE-1 rose to 1.6, ROUGE-2 was best at 1.3. Between the last two.
LENGTH_PENALTY = 1.4


@dataclass(frozen=True)
class Defaults:
    """What a model brings along (tuning.json), used where options leave it open.

    weights: tuned features; length_penalty: with them; controls: usual control tokens by group (`support`, `case`).
    """

    weights: Mapping[str, float] = field(default_factory=lambda: dict(ABS_WEIGHTS))
    length_penalty: float | None = None
    controls: Mapping[str, str] = field(default_factory=dict)


def resolve_weights(options: DecodeOptions, defaults: Defaults) -> dict[str, float]:
    """The weights to search with."""
    weights = check_weights(defaults.weights if options.weights is None else options.weights)
    return dial(weights, options.abstractiveness)


def resolve_penalty(options: DecodeOptions, defaults: Defaults, weights: Mapping[str, float]) -> float:
    """The length penalty: as asked, else the model's, else the usual one where the model scores alone.

    Headlines of an exact length need none. Tuned weights bring a length feature and their own penalty, which does not
    hold for the model alone (abstractiveness 1).
    """
    if options.length_penalty is not None:
        return options.length_penalty
    if options.exact_words is not None:
        return 0.0
    if _alone(weights) == _alone(defaults.weights) and defaults.length_penalty is not None:
        return defaults.length_penalty
    return LENGTH_PENALTY if _alone(weights) else 0.0


def _alone(weights: Mapping[str, float]) -> bool:
    """Whether nothing but the model's probability counts."""
    return all(value == 0 for name, value in weights.items() if name != "log_prob")


def decode(
    scorer: Scorer, lexicon: Lexicon, options: DecodeOptions, weights: Mapping[str, float], penalty: float
) -> list[list[Hypothesis]]:
    """Every input's best headlines, best first, no text twice; an input nothing fits has none."""
    bonus = sum(max(value, 0.0) for name, value in weights.items() if name != "log_prob")
    plan = Plan(options.width, options.nbest, penalty, bonus, options.recombine)
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
    wanted = max(options.nbest, options.beam) if reranked else options.nbest
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
    return list(ranked[: options.nbest])
