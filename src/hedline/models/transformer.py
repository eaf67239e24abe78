"""Past the paper: an encoder-decoder transformer, deep where it is cheap (encoder) and shallow where it is not.

Pre-norm layers with LayerNorm and ReLU, sinusoidal positions, one embedding table for input, output and softmax.
The encoder runs once for an input, the decoder once for every piece of the headline: on a CPU a deep encoder and a
shallow decoder give the best headline for the time (Kasai et al. 2021).
"""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from torch.nn.attention import SDPBackend, sdpa_kernel

from hedline.models.batch import PAD, START, Batch
from hedline.models.packed import Way, choose, packed_states, worth_packing
from hedline.models.softmax import linear_cross_entropy

# Not cuDNN's attention: it plans anew for every shape, and batches by tokens seldom repeat one. On one H200 training
# ran at 45,000 to 70,000 words a second with it and at 380,000 without.
KERNELS = [SDPBackend.FLASH_ATTENTION, SDPBackend.EFFICIENT_ATTENTION, SDPBackend.MATH]


@dataclass(frozen=True)
class TransformerConfig:
    """Sizes of the network.

    vocabulary: pieces, V; width: d_model; inner: feed-forward width; controls: how many leading input ids are control
    tokens; hidden_controls: share of control tokens hidden behind their `any` form in training.
    """

    vocabulary: int
    width: int = 512
    inner: int = 2048
    heads: int = 8
    encoder_layers: int = 6
    decoder_layers: int = 2
    dropout: float = 0.1
    label_smoothing: float = 0.1
    controls: int = 0
    control_any: tuple[int, ...] = ()
    hidden_controls: float = 0.3

    def architecture(self) -> dict[str, Any]:
        """What the model folder's config.json records."""
        return asdict(self)


def positions(length: int, width: int, device: torch.device | None = None) -> Tensor:
    """Sinusoidal positions, (length, width): sines in the first half, cosines in the second."""
    half = width // 2
    rates = torch.exp(torch.arange(half, device=device, dtype=torch.float32) * (-math.log(10000.0) / (half - 1)))
    angles = torch.arange(length, device=device, dtype=torch.float32)[:, None] * rates[None]
    return torch.cat([angles.sin(), angles.cos()], dim=1)


class Attention(nn.Module):
    """Multi-head attention with separate query and key-value projections; `kv` is the source of keys and values."""

    def __init__(self, width: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(width, width)
        self.key_value = nn.Linear(width, 2 * width)
        self.output = nn.Linear(width, width)

    def split(self, x: Tensor) -> Tensor:
        """(B, L, width) to (B, heads, L, width / heads)."""
        batch, length, width = x.shape
        return x.view(batch, length, self.heads, width // self.heads).transpose(1, 2)

    def forward(self, x: Tensor, kv: Tensor, mask: Tensor | None = None, causal: bool = False) -> Tensor:
        """x (B, N, width), kv (B, M, width), mask broadcastable to (B, heads, N, M), True where allowed."""
        keys, values = (self.split(part) for part in self.key_value(kv).chunk(2, dim=-1))
        queries = self.split(self.query(x))
        mixed = F.scaled_dot_product_attention(queries, keys, values, mask, is_causal=causal)
        out: Tensor = self.output(mixed.transpose(1, 2).reshape(x.shape))
        return out


class FeedForward(nn.Module):
    """Two linear layers with ReLU between."""

    def __init__(self, width: int, inner: int, dropout: float) -> None:
        super().__init__()
        self.up = nn.Linear(width, inner)
        self.down = nn.Linear(inner, width)
        self.dropout = dropout

    def forward(self, x: Tensor) -> Tensor:
        """(…, width) to (…, width)."""
        out: Tensor = self.down(F.dropout(F.relu(self.up(x)), self.dropout, self.training))
        return out


class EncoderLayer(nn.Module):
    """Self-attention, then feed-forward, each on a normalised copy and added back."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = Attention(config.width, config.heads)
        self.feed_norm = nn.LayerNorm(config.width)
        self.feed = FeedForward(config.width, config.inner, config.dropout)
        self.dropout = config.dropout

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """x (B, M, width), mask (B, 1, 1, M)."""
        normed = self.attention_norm(x)
        x = x + F.dropout(self.attention(normed, normed, mask), self.dropout, self.training)
        return x + F.dropout(self.feed(self.feed_norm(x)), self.dropout, self.training)


class DecoderLayer(nn.Module):
    """Causal self-attention, attention to the input, feed-forward."""

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.attention_norm = nn.LayerNorm(config.width)
        self.attention = Attention(config.width, config.heads)
        self.cross_norm = nn.LayerNorm(config.width)
        self.cross = Attention(config.width, config.heads)
        self.feed_norm = nn.LayerNorm(config.width)
        self.feed = FeedForward(config.width, config.inner, config.dropout)
        self.dropout = config.dropout

    def forward(self, y: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """y (B, N, width), memory (B, M, width), mask (B, 1, 1, M)."""
        normed = self.attention_norm(y)
        y = y + F.dropout(self.attention(normed, normed, causal=True), self.dropout, self.training)
        y = y + F.dropout(self.cross(self.cross_norm(y), memory, mask), self.dropout, self.training)
        return y + F.dropout(self.feed(self.feed_norm(y)), self.dropout, self.training)


class Transformer(nn.Module):
    """p(headline piece | input, pieces so far)."""

    family = "transformer"

    def __init__(self, config: TransformerConfig) -> None:
        super().__init__()
        self.config = config
        self.way: Way | None = None  # how training goes without padding; chosen on the first batch that is worth it
        self.tried = False
        self.embedding = nn.Embedding(config.vocabulary, config.width, padding_idx=PAD)
        self.encoder = nn.ModuleList(EncoderLayer(config) for _ in range(config.encoder_layers))
        self.encoder_norm = nn.LayerNorm(config.width)
        self.decoder = nn.ModuleList(DecoderLayer(config) for _ in range(config.decoder_layers))
        self.decoder_norm = nn.LayerNorm(config.width)
        self.bias = nn.Parameter(torch.zeros(config.vocabulary))
        # A buffer: made anew in every step it would be copied from the host, which waits for the device.
        self.register_buffer("control_any", torch.tensor(config.control_any, dtype=torch.long), persistent=False)
        self._initialise()

    def _initialise(self) -> None:
        """Xavier for matrices, a small normal for the shared table so that the first logits are near zero."""
        for parameter in self.parameters():
            if parameter.dim() > 1:
                nn.init.xavier_uniform_(parameter)
        nn.init.normal_(self.embedding.weight, std=self.config.width**-0.5)
        with torch.no_grad():
            self.embedding.weight[PAD].zero_()

    def embed(self, ids: Tensor) -> Tensor:
        """ids (B, L) to (B, L, width): scaled rows plus positions."""
        width = self.config.width
        rows = self.embedding(ids) * math.sqrt(width)
        placed = rows + positions(ids.shape[1], width, ids.device).to(rows.dtype)
        return F.dropout(placed, self.config.dropout, self.training)

    def encode(self, inputs: Tensor) -> tuple[Tensor, Tensor]:
        """inputs (B, M) padded ids to memory (B, M, width) and mask (B, 1, 1, M), True on real pieces."""
        mask = (inputs != PAD)[:, None, None, :]
        x = self.embed(inputs)
        with sdpa_kernel(KERNELS):
            for layer in self.encoder:
                x = layer(x, mask)
        return self.encoder_norm(x), mask

    def decode(self, outputs: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
        """outputs (B, N) ids starting with `<s>` to hidden states (B, N, width)."""
        y = self.embed(outputs)
        with sdpa_kernel(KERNELS):
            for layer in self.decoder:
                y = layer(y, memory, mask)
        hidden: Tensor = self.decoder_norm(y)
        return hidden

    def logits(self, hidden: Tensor) -> Tensor:
        """hidden (…, width) to unnormalised scores (…, V)."""
        return F.linear(hidden, self.embedding.weight, self.bias.to(hidden.dtype))

    def hide_controls(self, inputs: Tensor) -> Tensor:
        """Put `any` in place of each control token with probability `hidden_controls` (training only)."""
        count = self.config.controls
        if not (count and self.training and self.config.hidden_controls):
            return inputs
        hidden = torch.rand(inputs.shape[0], count, device=inputs.device) < self.config.hidden_controls
        anything: Tensor = self.control_any  # type: ignore[assignment]
        return torch.cat([torch.where(hidden, anything.to(inputs.dtype), inputs[:, :count]), inputs[:, count:]], dim=1)

    def states(self, batch: Batch) -> Tensor:
        """(T, width): the hidden states that predict the scored pieces of a batch; on a GPU without the padding."""
        if worth_packing(self, batch):
            if not self.tried:
                self.way, self.tried = choose(self, batch), True
            if self.way is not None:
                return packed_states(self, self.hide_controls(batch.inputs), batch, self.way)
        return self.padded_states(batch)

    def padded_states(self, batch: Batch) -> Tensor:
        """The same in padded blocks, as torch does it."""
        memory, mask = self.encode(self.hide_controls(batch.inputs))
        start = torch.full_like(batch.outputs[:, :1], START)
        return batch.pick(self.decode(torch.cat([start, batch.outputs[:, :-1]], dim=1), memory, mask))

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Sum of -log p over the scored pieces (label-smoothed in training only), and how many there are."""
        return self.loss_of(self.states(batch), batch), batch.count

    def loss_of(self, states: Tensor, batch: Batch) -> Tensor:
        """The sum, from the states (T, width) that predict the pieces."""
        smoothing = self.config.label_smoothing if self.training else 0.0
        return linear_cross_entropy(states, self.embedding.weight, self.bias, batch.targets, smoothing)

    def matrices(self) -> list[nn.Parameter]:
        """The weights of the layers' linear maps."""
        layers = [*self.encoder, *self.decoder]
        return [value for layer in layers for value in layer.parameters() if value.dim() == 2]

    def folder_tensors(self) -> dict[str, Tensor]:
        """Tensors by the model folder's names."""
        return dict(self.state_dict())

    def load_folder_tensors(self, tensors: dict[str, Tensor]) -> None:
        """The inverse."""
        self.load_state_dict(tensors)
