"""An encoder that others trained on far more text than ours, and that reads a lead and a headline as one text.

The shape is MPNet's (Song et al., 2020): BERT's layers with the norm after each block, learnt positions, and a bias for
how far apart two places are that all layers share. Every place sees every other, so that each word of the headline is
weighed against the whole lead, and the lead against it. Only training uses it, as a judge (training/panel.py); nothing
of it is shipped. `scripts/gpu/take_encoder.py` makes its folder from packages that carry such weights.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.attention import sdpa_kernel

from hedline.errors import UserError
from hedline.files import read_json, write_json
from hedline.models.reader import SPREAD, TOKENS
from hedline.models.transformer import KERNELS

WEIGHTS, CONFIG = "encoder.safetensors", "encoder.json"
FARTHEST = 128  # places from which on all distances share a bias


@dataclass(frozen=True)
class EncoderConfig:
    """Sizes: vocabulary, width, inner width, layers, heads, buckets of distances, learnt positions, norm's epsilon.

    begin, pad, end: ids that open a text, fill rows, and stand after each part. Positions begin at `pad` + 1.
    """

    vocabulary: int
    width: int
    inner: int
    layers: int
    heads: int
    buckets: int = 32
    positions: int = 514
    epsilon: float = 1e-5
    dropout: float = 0.1
    begin: int = 0
    pad: int = 1
    end: int = 2

    @property
    def longest(self) -> int:
        """The most tokens of a text."""
        return self.positions - self.pad - 1


def joined(lead: Sequence[int], headline: Sequence[int], config: EncoderConfig) -> list[int]:
    """A lead and its headline as one text; what is too long is cut from the lead's end."""
    room = config.longest - len(headline) - 4
    return [config.begin, *lead[: max(room, 0)], config.end, config.end, *headline, config.end][: config.longest]


def bucket_of(distance: Tensor, buckets: int) -> Tensor:
    """The bucket of how far another place is: half for each side, near ones each its own, far ones by logarithm.

    >>> bucket_of(torch.tensor([0, 1, 7, 8, 500, -1, -500]), 32).tolist()
    [0, 17, 23, 24, 31, 1, 15]
    """
    side, far = buckets // 2, distance.abs()
    near = side // 2
    rate = torch.log(far.clamp(min=1).float() / near) / math.log(FARTHEST / near)
    log = (near + (rate * (side - near)).long()).clamp(max=side - 1)
    return torch.where(far < near, far, log) + side * (distance > 0)


class EncoderLayer(nn.Module):
    """Attention, then a feed-forward layer, each added to what it read and then normalised."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        width = config.width
        self.heads, self.dropout = config.heads, config.dropout
        self.query, self.key, self.value, self.output = (nn.Linear(width, width) for _ in range(4))
        self.up, self.down = nn.Linear(width, config.inner), nn.Linear(config.inner, width)
        self.attention_norm, self.feed_norm = (nn.LayerNorm(width, config.epsilon) for _ in range(2))

    def split(self, x: Tensor) -> Tensor:
        """(B, T, width) to (B, heads, T, width / heads)."""
        return x.view(*x.shape[:2], self.heads, -1).transpose(1, 2)

    def forward(self, x: Tensor, bias: Tensor) -> Tensor:
        """x (B, T, width); bias (B, heads, T, T), added to the attention's scores."""
        queries, keys, values = (self.split(part(x)) for part in (self.query, self.key, self.value))
        mixed = F.scaled_dot_product_attention(queries, keys, values, bias.to(queries.dtype))
        mixed = self.output(mixed.transpose(1, 2).reshape(x.shape))
        x = self.attention_norm(x + F.dropout(mixed, self.dropout, self.training))
        fed = self.down(F.gelu(self.up(x)))
        out: Tensor = self.feed_norm(x + F.dropout(fed, self.dropout, self.training))
        return out


class Encoder(nn.Module):
    """States of a text's places."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.positions = nn.Embedding(config.positions, config.width)
        self.norm = nn.LayerNorm(config.width, config.epsilon)
        self.distances = nn.Embedding(config.buckets, config.heads)
        self.layers = nn.ModuleList(EncoderLayer(config) for _ in range(config.layers))

    def forward(self, ids: Tensor) -> Tensor:
        """ids (B, T), filled up with `pad`, to states (B, T, width)."""
        config, places = self.config, torch.arange(ids.shape[1], device=ids.device)
        x: Tensor = self.norm(self.embedding(ids) + self.positions(places + config.pad + 1))
        x = F.dropout(x, config.dropout, self.training)
        apart = self.distances(bucket_of(places[None, :] - places[:, None], config.buckets)).permute(2, 0, 1)
        bias = torch.where((ids == config.pad)[:, None, None, :], float("-inf"), apart[None])
        with sdpa_kernel(KERNELS):
            for layer in self.layers:
                x = layer(x, bias)
        return x

    def save(self, folder: Path, tokens: Path) -> None:
        """Write weights (bfloat16), sizes and the tokens' file."""
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {name: value.detach().bfloat16().cpu().contiguous() for name, value in self.state_dict().items()}
        save_file(tensors, folder / WEIGHTS)
        write_json(folder / CONFIG, vars(self.config))
        (folder / TOKENS).write_bytes(tokens.read_bytes())

    @classmethod
    def open(cls, folder: Path) -> Encoder:
        """A saved encoder, float32, on the CPU."""
        if not (folder / CONFIG).is_file():
            raise UserError(f"{folder} holds no encoder; make one with scripts/gpu/take_encoder.py")
        encoder = cls(EncoderConfig(**read_json(folder / CONFIG)))
        encoder.load_state_dict({name: value.float() for name, value in load_file(folder / WEIGHTS).items()})
        return encoder


def rows_of_texts(texts: Sequence[Sequence[int]], pad: int) -> Tensor:
    """(B, T) of texts, as long as the longest, rounded up."""
    width = -(-max(map(len, texts)) // SPREAD) * SPREAD
    return torch.tensor([[*text, *[pad] * (width - len(text))] for text in texts])
