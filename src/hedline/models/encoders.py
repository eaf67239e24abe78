"""The paper's encoders (§3.2), each one small step beyond the last: none, bag of words, convolution, attention.

An encoder reads an input once (`read`) and is then asked, for every context, for a vector enc(x, y_c) of width H and
for the weights p it put on the input words (`attend`). `FeedForwardShape` is the shape of the paper's model and of its
options, as the model folder's config.json records it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, NamedTuple, Self

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hedline.errors import UserError
from hedline.models.batch import pick_rows, spread_rows

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


class Memory(NamedTuple):
    """What an encoder keeps of B inputs.

    keys: (B, M, H), or (B, 0, H) when nothing is compared; values: (B, M, H), or (B, 1, H) when the whole input is
    one vector; mask: (B, M) True on real words.
    """

    keys: Tensor
    values: Tensor
    mask: Tensor

    def select(self, rows: Tensor) -> Memory:
        """Rows of the batch, repeated or dropped."""
        return Memory(self.keys[rows], self.values[rows], self.mask[rows])


class Encoder(nn.Module):
    """Common to all: the input word table F, and what to do with an empty input (one word whose vector is 0)."""

    F: nn.Embedding

    def __init__(self, shape: FeedForwardShape, vocab_in: int) -> None:
        super().__init__()
        self.shape = shape
        self.dropout = 0.0
        self.F = embedding(vocab_in, shape.H)

    def words(self, inputs: Tensor, lengths: Tensor, table: Tensor | None) -> tuple[Tensor, Tensor]:
        """x̃ = F x, (B, M, H), zero on padding, and the mask (B, M). table: the rows of F, when they are shared."""
        mask = torch.arange(inputs.shape[1], device=inputs.device) < lengths.clamp(min=1)[:, None]
        x = F.embedding(inputs, self.F.weight if table is None else table)
        x = x.to(working_type(x)) * (inputs != 0)[..., None]
        return F.dropout(x, self.dropout, self.training), mask

    def uniform(self, memory: Memory, steps: int) -> Tensor:
        """(B, N, M) the same weight on every word."""
        share = memory.mask / memory.mask.sum(dim=1, keepdim=True)
        return share[:, None, :].expand(-1, steps, -1)


class BagOfWords(Encoder):
    """enc₁: the mean of the input's word vectors."""

    def read(self, inputs: Tensor, lengths: Tensor, table: Tensor | None = None) -> Memory:
        """Encode inputs (B, M)."""
        x, mask = self.words(inputs, lengths, table)
        mean = x.sum(dim=1, keepdim=True) / mask.sum(dim=1).to(x.dtype)[:, None, None]
        return Memory(x[:, :0], mean, mask)

    def attend(self, memory: Memory, contexts: Tensor) -> tuple[Tensor, Tensor]:
        """enc (B, N, H) and weights (B, N, M) for contexts (B, N, C·D)."""
        steps = contexts.shape[1]
        return memory.values.expand(-1, steps, -1), self.uniform(memory, steps)

    def attend_words(self, memory: Memory, contexts: Tensor, rows: Tensor, positions: Tensor, steps: int) -> Tensor:
        """enc (T, H) for words at rows (T,) of the batch."""
        return memory.values[:, 0].index_select(0, rows)


class Convolution(BagOfWords):
    """enc₂: L times convolution, maximum of neighbouring pairs, tanh; then the maximum over time.

    The filters start as the identity plus noise, so enc₂ starts as a max-pooled bag of words and learns to combine
    from there. With torch's random start each layer shrinks the signal and mixes the words: after three of them the
    spread of enc₂ over inputs is an eighth of this one's, and what is left to learn from is worse than a mean.
    Padding is cut off before each maximum, so it can never win one; odd ends pair with nothing.
    """

    def __init__(self, shape: FeedForwardShape, vocab_in: int) -> None:
        super().__init__(shape, vocab_in)
        width = 2 * shape.Q + 1
        self.Q = nn.ModuleList(nn.Conv1d(shape.H, shape.H, width, padding=shape.Q) for _ in range(shape.L))
        for layer in self.Q:
            assert isinstance(layer, nn.Conv1d) and layer.bias is not None
            nn.init.normal_(layer.weight, std=0.3 * (shape.H * width) ** -0.5)
            nn.init.zeros_(layer.bias)
            with torch.no_grad():
                layer.weight[:, :, shape.Q] += torch.eye(shape.H)

    def filters(self) -> list[nn.Parameter]:
        """The filters of all layers, (H, H, 2Q+1) each."""
        return [value for value in self.Q.parameters() if value.dim() == 3]

    def read(self, inputs: Tensor, lengths: Tensor, table: Tensor | None = None) -> Memory:
        """Encode inputs (B, M) of any length, shorter than 2^L too."""
        x, mask = self.words(inputs, lengths, table)
        x, left = x.transpose(1, 2), lengths.clamp(min=1)
        for layer in self.Q:
            x = layer(x)
            x = F.pad(x.masked_fill(_beyond(x, left), -torch.inf), (0, x.shape[2] % 2), value=-torch.inf)
            left = (left + 1) // 2
            x = torch.tanh(x.reshape(*x.shape[:2], -1, 2).amax(dim=3))
            x = x.masked_fill(_beyond(x, left), 0)
        top = x.masked_fill(_beyond(x, left), -torch.inf).amax(dim=2)
        return Memory(top[:, None][:, :0], top[:, None], mask)


class Attention(Encoder):
    """enc₃: p ∝ exp(x̃ P ỹ′), enc = pᵀ x̄, x̄ the mean of the window of 2Q+1 words (zeros beyond the ends).

    The paper prints x̄_i = Σ_q x̃_i / Q; it means x̃_q, and the mean of 2Q+1 words divides by 2Q+1.
    """

    def __init__(self, shape: FeedForwardShape, vocab_in: int, vocab_out: int) -> None:
        super().__init__(shape, vocab_in)
        window = 2 * shape.Q + 1
        self.P = nn.Linear(shape.C * shape.D, shape.H, bias=False)
        nn.init.normal_(self.P.weight, std=(shape.C * shape.D) ** -0.5)
        if not shape.share_context:
            self.G = embedding(vocab_out, shape.D)
        if shape.positions:
            self.position = nn.Embedding(shape.positions, shape.H)
            nn.init.zeros_(self.position.weight)
        if shape.keys == "taps":
            self.key_taps = taps(window, shape.H, centre=1.0)
        if shape.values == "taps":
            self.value_taps = taps(window, shape.H, centre=1 / window)
            nn.init.constant_(self.value_taps.weight, 1 / window)

    def read(self, inputs: Tensor, lengths: Tensor, table: Tensor | None = None) -> Memory:
        """Encode inputs (B, M)."""
        x, mask = self.words(inputs, lengths, table)
        keys = neighbours(x, self.key_taps.weight) if self.shape.keys == "taps" else x
        if self.shape.positions:
            places = torch.arange(x.shape[1], device=x.device).clamp(max=self.shape.positions - 1)
            keys = keys + self.position(places).to(x.dtype)
        if self.shape.values == "taps":
            return Memory(keys, neighbours(x, self.value_taps.weight), mask)
        return Memory(keys, smooth(x, self.shape.Q), mask)

    def attend(self, memory: Memory, contexts: Tensor) -> tuple[Tensor, Tensor]:
        """enc (B, N, H) and weights (B, N, M) for contexts ỹ′ (B, N, C·D)."""
        return self.align_heads(self.P(contexts), memory)

    def attend_words(self, memory: Memory, contexts: Tensor, rows: Tensor, positions: Tensor, steps: int) -> Tensor:
        """enc (T, H) for the contexts (T, C·D) of words at rows and positions (T,), positions below `steps`.

        Only the alignment itself runs over padded headlines: P, and all before it, sees real words alone.
        """
        places, batch = rows * steps + positions, memory.mask.shape[0]
        query = spread_rows(self.P(contexts), places, batch * steps).view(batch, steps, -1)
        return pick_rows(self.align_heads(query, memory)[0].flatten(0, 1), places)

    def align_heads(self, query: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
        """Soft alignment of queries (B, N, H), each head by itself: enc (B, N, H) and mean weights (B, N, M)."""
        if self.shape.heads == 1:
            return align(query, memory)
        slices = self.shape.heads
        parts = [
            align(part, Memory(keys, values, memory.mask))
            for part, keys, values in zip(
                query.chunk(slices, -1), memory.keys.chunk(slices, -1), memory.values.chunk(slices, -1), strict=True
            )
        ]
        weights = torch.stack([weight for _, weight in parts]).mean(dim=0)
        return torch.cat([enc for enc, _ in parts], dim=-1), weights


def align(query: Tensor, memory: Memory) -> tuple[Tensor, Tensor]:
    """Soft alignment: query (B, N, H) against keys; mixed values (B, N, H) and weights (B, N, M)."""
    scores = (query @ memory.keys.transpose(1, 2)).masked_fill(~memory.mask[:, None, :], -torch.inf)
    weights = torch.softmax(scores, dim=-1, dtype=_sum_type(scores))
    return weights.to(memory.values.dtype) @ memory.values, weights


def smooth(x: Tensor, half: int) -> Tensor:
    """x̄: (B, M, H), each word the mean of the 2·half+1 words around it, zeros beyond the ends."""
    padded = F.pad(x, (0, 0, half, half))
    length = x.shape[1]
    total = padded[:, :length]
    for shift in range(1, 2 * half + 1):
        total = total + padded[:, shift : shift + length]
    return total / (2 * half + 1)


def neighbours(x: Tensor, weights: Tensor) -> Tensor:
    """Σ_q weights[q+Q] ⊙ x_{i+q}: (B, M, H) with weights (2Q+1, H), zeros beyond the ends."""
    half = weights.shape[0] // 2
    padded = F.pad(x, (0, 0, half, half))
    length = x.shape[1]
    parts = [padded[:, shift : shift + length] * weight for shift, weight in enumerate(weights.to(x.dtype))]
    return torch.stack(parts).sum(dim=0)


def taps(window: int, width: int, centre: float) -> nn.Embedding:
    """A learnt vector for each place in the window, (window, width): `centre` in the middle, little elsewhere."""
    table = nn.Embedding(window, width)
    nn.init.constant_(table.weight, 0.1)
    with torch.no_grad():
        table.weight[window // 2] = centre
    return table


def embedding(words: int, width: int) -> nn.Embedding:
    """A table (words, width) whose rows start with length about 1; the row of `<pad>` is 0."""
    table = nn.Embedding(words, width)
    nn.init.normal_(table.weight, std=width**-0.5)
    with torch.no_grad():
        table.weight[0].zero_()
    return table


def _beyond(x: Tensor, lengths: Tensor) -> Tensor:
    """(B, 1, M) True after the end of each row of x (B, H, M)."""
    return (torch.arange(x.shape[2], device=x.device) >= lengths[:, None])[:, None, :]


def working_type(x: Tensor) -> torch.dtype:
    """bfloat16 under autocast, otherwise what x has."""
    kind = x.device.type
    return torch.get_autocast_dtype(kind) if torch.is_autocast_enabled(kind) else x.dtype


def _sum_type(x: Tensor) -> torch.dtype:
    return torch.float64 if x.dtype == torch.float64 else torch.float32
