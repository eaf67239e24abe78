"""How a model is trained: the presets, what the size of the data suggests, and what the user wrote.

`--encoder`, `--set name=value` and the like become a config and an architecture here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, replace
from difflib import get_close_matches
from typing import Any

from hedline.data.dataset import Dataset
from hedline.errors import UserError
from hedline.models.encoders import FeedForwardShape, RecurrentShape
from hedline.models.model import read_words
from hedline.text.subword import known_groups
from hedline.training.options import TrainConfig, TrainRequest

PAPER = TrainConfig(
    preset="paper",
    epochs=20,
    batch=64,
    batch_of="triples",
    optimizer="sgd",
    schedule="halve",
    lr=0.05,
    warmup=0.0,
    weight_decay=0.0,
    clip=0.0,
    ema=0.0,
    dropout=0.0,
    renormalize=True,
    patience=0,
    precision="float32",
    frequencies=False,
)
# With a random start 625 steps on 40,000 pairs gave valid perplexities 105.9 (bag of words) and 123.6 (attention); with
# this one 91.7 and 85.6. `best` shares the vectors instead. Convolution, 312 steps on 20,000 pairs: 72.8 with a random
# start and one rate for all, 57.2 with filter_rate, 42.1 with both, 86.0 with this start alone (bag of words: 49.9).
COPYING = 6.0
# `fast` trains the paper's model quickly; `best` trains it with the options of settings.BEST_ATTENTION.
# Pairs that two CPU cores pass in about ten minutes (D=64, H=128, 10,000 words): more data, fewer epochs.
CPU_PAIRS = 250_000
PRESETS = {"paper": PAPER, "fast": TrainConfig(copying=COPYING), "best": TrainConfig(preset="best")}


def automatic(preset: str, pairs: int, on_gpu: bool) -> TrainConfig:
    """The preset, fitted to the number of training pairs and to the machine."""
    if preset not in PRESETS:
        raise UserError(f"there is no preset {preset!r}; choose one of {', '.join(PRESETS)}")
    config = PRESETS[preset]
    if preset == "paper":
        return config
    if on_gpu and pairs >= 500_000:
        # One epoch of attention on 1.4 million pairs: valid perplexity 70.3 at 0.003, 57.7 at 0.006, 59.5 at 0.012.
        return replace(config, batch=2048, lr=0.006)
    if on_gpu:
        batch, rate, epochs = _batch(pairs, 256), config.lr, 15
    else:
        # Small batches at a high rate learn most in a few minutes: after one pass over 20,000 pairs (D=64, H=128) valid
        # perplexity is 839 with batches of 256 at 0.002, 220 with batches of 64 at 0.016, frequencies and less dropout.
        batch = _batch(pairs, 64)
        rate, epochs = 0.002 * batch**0.5, max(1, min(30, CPU_PAIRS // pairs))
    steps = max(1, epochs * pairs // batch)
    average = min(0.999, max(0.9, 1 - 10 / steps))
    dropout = 0.3 if on_gpu or pairs < 20_000 else 0.2
    return replace(config, batch=batch, epochs=epochs, lr=rate, dropout=dropout, ema=average)


def _batch(pairs: int, most: int) -> int:
    """A power of two from 8 to `most` that gives 200 steps or more to a pass."""
    return max(8, min(most, 1 << max(0, pairs // 200).bit_length() >> 1))


def automatic_architecture(pairs: int, on_gpu: bool, preset: str) -> dict[str, int]:
    """D and H for this number of training pairs: the paper's with a GPU or its preset, small ones otherwise."""
    if preset == "paper" or (on_gpu and pairs >= 200_000):
        return {"D": 200, "H": 400}
    return {"D": 64, "H": 128} if pairs >= 20_000 else {"D": 32, "H": 64}


def override(config: TrainConfig, settings: Mapping[str, Any]) -> TrainConfig:
    """The config with some values replaced; names and kinds are checked."""
    kinds = {field.name: type(getattr(config, field.name)) for field in fields(config)}
    values = {}
    for name, value in settings.items():
        if name not in kinds:
            raise unknown_setting(name, list(kinds))
        values[name] = convert(name, value, kinds[name])
    return replace(config, **values)


def convert(name: str, value: Any, kind: type) -> Any:
    """A setting's text (or value) as the kind its field has."""
    try:
        if kind is bool:
            return {"true": True, "1": True, "yes": True, "false": False, "0": False, "no": False}[str(value).lower()]
        return kind(value)
    except (ValueError, KeyError):
        raise UserError(f"{name} is {value!r}, which is not {kind.__name__}") from None


def unknown_setting(name: str, known: Sequence[str]) -> UserError:
    """The error for a name that is none of ours, with the nearest that is."""
    near = get_close_matches(name, known, n=1)
    hint = f"did you mean {near[0]!r}?" if near else f"known: {', '.join(known)}"
    return UserError(f"there is no setting {name!r}; {hint}")


DECODERS = ("nnlm", "rnn", "lstm", "transformer")
# What the preset `best` switches on beyond the paper: places in the window told apart in keys and values, positions,
# several alignments, and one vector for a word on both sides.
BEST_ATTENTION = {"keys": "taps", "values": "taps", "positions": 64, "share_copy": True}
BEST_RECURRENT = {"share_copy": True}
RECURRENT_RATE = 4e-3  # at most: gradients through time do not bear a feed-forward model's rates


# The transformer wants smoother targets than a feed-forward model and does not over-fit early. Muon: after 33 s on
# 300,000 pairs (one H200) valid perplexity was 616 with AdamW, 182 with Muon at matrix_rate 1, 134 at 3.
TRANSFORMER: dict[str, Any] = {
    "batch_of": "tokens",
    "optimizer": "muon",
    "matrix_rate": 3.0,
    "schedule": "linear",
    "lr": 1.2e-3,
    "beta2": 0.98,
    "weight_decay": 0.02,
    "dropout": 0.1,
    "label_smoothing": 0.1,
    "ema": 0.9995,
    "patience": 0,
    "keep": "last",
}


# Training on sampled headlines. AdamW for all weights: Muon moves every direction of a matrix alike, and most of those
# of a sampled gradient are noise, which AdamW's second moments damp (an argument; the two were not compared).
RISK: dict[str, Any] = {
    "batch_of": "headlines",
    "optimizer": "adamw",
    "schedule": "linear",
    "lr": 1e-4,
    "warmup": 0.05,
    "beta2": 0.99,
    "weight_decay": 0.0,
    "dropout": 0.0,
    "ema": 0.995,
    "keep": "last",
}
RISK_BATCH = {True: 768, False: 16}  # inputs in a step, on a GPU or not


def config_for(
    preset: str, decoder: str, settings: Mapping[str, Any], pairs: int, on_gpu: bool
) -> tuple[TrainConfig, dict[str, Any]]:
    """The training config, and the settings that were not its own (the architecture's)."""
    if decoder not in DECODERS:
        raise UserError(f"there is no decoder {decoder!r}; choose one of {', '.join(DECODERS)}")
    own = {field.name for field in fields(TrainConfig)} - {"preset"}
    config = automatic(preset, pairs, on_gpu)
    if decoder in ("rnn", "lstm") and preset != "paper":
        config = replace(config, lr=min(config.lr, RECURRENT_RATE))
    if decoder == "transformer":
        config = replace(config, **TRANSFORMER, batch=98_304 if pairs >= 200_000 else 4_096)
    if settings.get("objective") == "risk":
        config = replace(config, **RISK, batch=RISK_BATCH[on_gpu])
    config = override(config, {name: value for name, value in settings.items() if name in own})
    return config, {name: value for name, value in settings.items() if name not in own}


def architecture_for(
    wanted: TrainRequest, dataset: Dataset, settings: Mapping[str, Any], pairs: int, on_gpu: bool
) -> tuple[str, dict[str, Any]]:
    """Family and architecture table for a request."""
    if wanted.decoder == "transformer":
        return "transformer", _transformer(dataset, settings)
    sizes: dict[str, Any] = dict(automatic_architecture(pairs, on_gpu, wanted.preset))
    best = wanted.preset == "best" and dataset.units == "words"
    if wanted.decoder != "nnlm":
        base = {"decoder": wanted.decoder, **sizes, **(BEST_RECURRENT if best else {})}
        return "recurrent", RecurrentShape.read(base | _typed(RecurrentShape, settings)).table()
    base = {"encoder": wanted.encoder, **sizes, **_typed(FeedForwardShape, settings)}
    if best and base["encoder"] == "attention":
        heads = next(count for count in (4, 2, 1) if base["H"] % count == 0)
        base = {**BEST_ATTENTION, "heads": heads, **base}
    return "feedforward", FeedForwardShape.read(base).table()


def _transformer(dataset: Dataset, settings: Mapping[str, Any]) -> dict[str, Any]:
    """The transformer's sizes; control tokens come from the data's settings."""
    from hedline.models.transformer import TransformerConfig

    if dataset.units != "subwords":
        raise UserError("a transformer reads subwords; prepare the data with --units subwords")
    found: dict[str, Any] = {"vocabulary": dataset.output_size}
    names = read_words(dataset.folder / "vocab.input.txt")
    places = {name: index for index, name in enumerate(names)}
    anything = [places[group[-1]] for group in known_groups(places)]
    if anything:
        found |= {"controls": len(anything), "control_any": anything}
    return found | _typed(TransformerConfig, settings)


def _typed(shape: Any, settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as the kinds of the shape's defaults; an unknown name is an error."""
    kinds = {field.name: type(field.default) for field in fields(shape) if field.default is not MISSING}
    own = [*kinds, *(field.name for field in fields(TrainConfig))]
    for name in settings:
        if name not in kinds:
            raise unknown_setting(name, own)
    return {name: convert(name, value, kinds[name]) for name, value in settings.items()}
