"""The shape of the paper's model and of its options, as the model folder's config.json records it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, Self

from hedline.errors import UserError

CHOICES = {
    "encoder": ("none", "bow", "conv", "attention"),
    "keys": ("word", "taps"),
    "values": ("mean", "taps"),
    "decoder": ("rnn", "lstm"),
}


class _Shape:
    """Reading and checking, shared by the families."""

    @classmethod
    def read(cls, values: Mapping[str, Any]) -> Self:
        """From a config's table; an unknown name or a wrong kind of value is an error."""
        known = {field.name: field for field in fields(cls)}  # type: ignore[arg-type]
        for name, value in values.items():
            if name not in known:
                raise UserError(f"architecture has no option {name!r}; known: {', '.join(known)}")
            wanted = type(known[name].default)
            if type(value) is not wanted:
                raise UserError(f"architecture.{name} is {value!r}, not {wanted.__name__}")
            if name in CHOICES and value not in CHOICES[name]:
                raise UserError(f"architecture.{name} is {value!r}, not one of {', '.join(CHOICES[name])}")
            if wanted is int and isinstance(value, int) and value < (0 if name in ("Q", "positions") else 1):
                raise UserError(f"architecture.{name} is {value}, which is too small")
        return cls(**values)

    def table(self) -> dict[str, Any]:
        """What config.json records."""
        return asdict(self)  # type: ignore[call-overload,no-any-return]


@dataclass(frozen=True)
class FeedForwardShape(_Shape):
    """The paper's network (§3); the defaults are the paper's sizes and none of the options.

    encoder: none, bow (enc₁), conv (enc₂) or attention (enc₃). D: width of context embeddings; H: of the hidden
    layer; C: context words; Q: half-width of the window; L: convolution layers.
    Options of the attention encoder, all off in the paper:
    share_context: G is E. positions: rows of a position table added to the keys, 0 for none. keys, values: `taps`
    weighs each neighbour in the window by a learnt vector, in place of the word itself (keys) and of the plain mean
    (values). heads: independent alignments over equal slices of H. share_copy: words in both vocabularies have one
    vector, their row of W, on the input side too.
    """

    encoder: str = "attention"
    D: int = 200
    H: int = 400
    C: int = 5
    Q: int = 2
    L: int = 3
    share_context: bool = False
    positions: int = 0
    keys: str = "word"
    values: str = "mean"
    heads: int = 1
    share_copy: bool = False

    def __post_init__(self) -> None:
        """Sizes that do not fit together are an error."""
        if self.H % self.heads:
            raise UserError(f"architecture.heads is {self.heads}, which does not divide H = {self.H}")


@dataclass(frozen=True)
class RecurrentShape(_Shape):
    """Chopra et al. 2016: a recurrent decoder over an attention encoder.

    decoder: rnn (Elman) or lstm. D: width of output embeddings; H: of state and input embeddings; Q: half-width of
    the encoder's convolution; positions: rows of its position table. share_copy: see FeedForwardShape.
    """

    decoder: str = "lstm"
    D: int = 200
    H: int = 400
    Q: int = 2
    positions: int = 100
    share_copy: bool = False
