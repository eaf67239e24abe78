"""A tuning run in words: one line a round while it runs, a summary at the end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from hedline.progress import duration
from hedline.tuning.rounds import Round


def header(features: Sequence[str]) -> str:
    """The heading above the lines of the rounds."""
    scores = f"{'round':>5} {'score':>7} {'R-1':>6} {'R-2':>6} {'R-L':>6} {'new':>7} {'lists':>8} {'found':>7}"
    return f"{scores}  {' '.join(f'{name:>9}' for name in features)}  {'time':>6}"


def line(this: Round) -> str:
    """One round: decoded score, R-1, R-2, R-L (per cent), hypotheses new and in all, score found on them, weights."""
    rouge = " ".join(f"{100 * value:6.2f}" for value in this.rouge.values())
    weights = " ".join(f"{value:9.3f}" for value in this.weights.values())
    counts = f"{this.new:7,} {this.total:8,} {100 * this.after:7.2f}"
    return f"{this.number:5d} {100 * this.decoded:7.2f} {rouge} {counts}  {weights}  {duration(this.seconds):>6}"


def closing(result: Mapping[str, Any]) -> str:
    """What was tuned, what it brought, and why it ended."""
    before, after = result["before"], result["after"]
    names = [name for name in before if name != "objective"]
    gains = ", ".join(f"{name} {100 * before[name]:.2f} to {100 * after[name]:.2f}" for name in names)
    weights = ", ".join(f"{name} {value:.3f}" for name, value in result["weights"].items())
    shrinkage = result.get("shrinkage")
    held = [_held_out(shrinkage)] if shrinkage else []
    return "\n".join(
        [
            f"Kept round {result['best_round']} of {len(result['rounds'])}: {result['stopped']}.",
            f"{result['objective']}: {100 * before['objective']:.2f} to {100 * after['objective']:.2f}; {gains}",
            *held,
            f"Weights: {weights}",
            f"Set: {result['set']['name']}, {result['set']['inputs']:,} inputs, {result['set']['fingerprint'][:12]}",
            result["signature"],
        ]
    )


def _held_out(shrinkage: Mapping[str, Any]) -> str:
    """How the held-out inputs decided."""
    trials = "; ".join(
        f"{trial['share']:.2f}: " + " / ".join(f"{100 * value:.2f}" for value in trial["rouge"].values())
        for trial in shrinkage["trials"]
    )
    return (
        f"On {shrinkage['inputs']:,} held-out inputs, beam {shrinkage['beam']}, by share of the model alone, "
        f"R-1 / R-2 / R-L: {trials}; kept {shrinkage['share']:.2f}"
    )
