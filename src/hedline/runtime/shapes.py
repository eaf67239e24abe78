"""Which tensors each model family has, and their shapes: the checklist a model folder is held against."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hedline.errors import UserError

Shapes = dict[str, tuple[int, ...]]
MAX_SIZE = 1 << 20
MAX_LAYERS = 256
ENCODERS = ("none", "bow", "conv", "attention")


def size(architecture: Mapping[str, Any], name: str, least: int = 1, most: int = MAX_SIZE) -> int:
    """A whole number of the architecture, checked."""
    value = architecture.get(name)
    if type(value) is not int or not least <= value <= most:
        raise UserError(f"config.json: architecture.{name} is {value!r}, not a whole number from {least} to {most}")
    return value


def choice(architecture: Mapping[str, Any], name: str, choices: tuple[str, ...]) -> str:
    """One of a few words of the architecture, checked."""
    value = architecture.get(name)
    if value not in choices:
        raise UserError(f"config.json: architecture.{name} is {value!r}, not one of {', '.join(choices)}")
    return str(value)


def feedforward_shapes(architecture: Mapping[str, Any], vocab_in: int, vocab_out: int) -> Shapes:
    """The paper's model: `{"encoder", "D", "H", "C", "Q", "L"}`."""
    D, H, C = (size(architecture, name) for name in "DHC")
    encoder = choice(architecture, "encoder", ENCODERS)
    shapes: Shapes = {
        "E.weight": (vocab_out, D),
        "U.weight": (H, C * D),
        "U.bias": (H,),
        "V.weight": (vocab_out, H),
        "V.bias": (vocab_out,),
    }
    if encoder != "none":
        shapes["W.weight"] = (vocab_out, H)
        shapes["encoder.F.weight"] = (vocab_in, H)
    if encoder == "attention":
        shapes |= _attention_shapes(architecture, vocab_out, D, H, C)
    if encoder == "conv":
        width = 2 * size(architecture, "Q", 0) + 1
        for layer in range(size(architecture, "L", 1, MAX_LAYERS)):
            shapes[f"encoder.Q.{layer}.weight"] = (H, H, width)
            shapes[f"encoder.Q.{layer}.bias"] = (H,)
    return shapes


def _attention_shapes(architecture: Mapping[str, Any], vocab_out: int, D: int, H: int, C: int) -> Shapes:
    window = (2 * size(architecture, "Q", 0) + 1, H)
    shapes: Shapes = {"encoder.P.weight": (H, C * D)}
    if H % size({"heads": 1} | dict(architecture), "heads"):
        raise UserError("config.json: architecture.heads does not divide architecture.H")
    if architecture.get("share_context", False) is not True:
        shapes["encoder.G.weight"] = (vocab_out, D)
    for name in ("keys", "values"):
        if architecture.get(name) == "taps":
            shapes[f"encoder.{name[:-1]}_taps.weight"] = window
    positions = size({"positions": 0} | dict(architecture), "positions", 0)
    if positions:
        shapes["encoder.position.weight"] = (positions, H)
    return shapes


def recurrent_shapes(architecture: Mapping[str, Any], vocab_in: int, vocab_out: int) -> Shapes:
    """Chopra et al. 2016: `{"decoder": rnn|lstm, "D", "H", "Q", "positions"}`."""
    D, H = size(architecture, "D"), size(architecture, "H")
    gates = {"rnn": 1, "lstm": 4}[choice(architecture, "decoder", ("rnn", "lstm"))]
    return {
        "E.weight": (vocab_out, D),
        "encoder.F.weight": (vocab_in, H),
        "encoder.position.weight": (max(size(architecture, "positions", 0), 1), H),
        "encoder.Z.weight": (H, H, 2 * size(architecture, "Q", 0) + 1),
        "encoder.Z.bias": (H,),
        "word_gates.weight": (gates * H, D),
        "word_gates.bias": (gates * H,),
        "state_gates.weight": (gates * H, 2 * H),
        "V.weight": (vocab_out, H),
        "W.weight": (vocab_out, H),
        "V.bias": (vocab_out,),
    }


def transformer_shapes(architecture: Mapping[str, Any], vocab_in: int, vocab_out: int) -> Shapes:
    """`{"width", "inner", "heads", "encoder_layers", "decoder_layers", …}`; one vocabulary for both sides."""
    width, inner, heads = (size(architecture, name) for name in ("width", "inner", "heads"))
    if vocab_in != vocab_out or width % heads:
        raise UserError("a transformer needs one vocabulary for input and output, and a width its heads divide")
    shapes: Shapes = {"embedding.weight": (vocab_out, width), "bias": (vocab_out,)}
    for side, blocks in (("encoder", ("attention",)), ("decoder", ("attention", "cross"))):
        shapes |= _norm_shapes(f"{side}_norm", width)
        for layer in range(size(architecture, f"{side}_layers", 1, MAX_LAYERS)):
            place = f"{side}.{layer}"
            for block in blocks:
                shapes |= _norm_shapes(f"{place}.{block}_norm", width)
                shapes |= _linear_shapes(f"{place}.{block}.query", width, width)
                shapes |= _linear_shapes(f"{place}.{block}.key_value", 2 * width, width)
                shapes |= _linear_shapes(f"{place}.{block}.output", width, width)
            shapes |= _norm_shapes(f"{place}.feed_norm", width)
            shapes |= _linear_shapes(f"{place}.feed.up", inner, width)
            shapes |= _linear_shapes(f"{place}.feed.down", width, inner)
    return shapes


def _norm_shapes(name: str, width: int) -> Shapes:
    return {f"{name}.weight": (width,), f"{name}.bias": (width,)}


def _linear_shapes(name: str, rows: int, columns: int) -> Shapes:
    return {f"{name}.weight": (rows, columns), f"{name}.bias": (rows,)}


FAMILIES: dict[str, Callable[[Mapping[str, Any], int, int], Shapes]] = {
    "feedforward": feedforward_shapes,
    "recurrent": recurrent_shapes,
    "transformer": transformer_shapes,
}


def expected_shapes(family: str, architecture: Mapping[str, Any], vocab_in: int, vocab_out: int) -> Shapes:
    """Every tensor a model of this family and architecture has, by name."""
    if family not in FAMILIES:
        raise UserError(f"config.json: unknown model family {family!r}; known: {', '.join(FAMILIES)}")
    return FAMILIES[family](architecture, vocab_in, vocab_out)
