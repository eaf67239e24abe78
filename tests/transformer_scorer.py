"""The transformer as the search sees it, in torch: a key-value cache a row, for bulk work on a GPU and as an oracle."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor

from hedline.arrays import Ints
from hedline.models.batch import END, PAD, START
from hedline.models.transformer import Attention, DecoderLayer, Transformer, positions
from hedline.runtime import Step


@dataclass(frozen=True)
class Cache:
    """Rows' memory.

    owner: (rows,) the input each row belongs to; cross: keys and values of each decoder layer, (inputs, heads, M, d);
    own: keys and values of the pieces so far, (rows, heads, t, d); mask: (inputs, 1, 1, M).
    """

    owner: Tensor
    mask: Tensor
    cross: tuple[tuple[Tensor, Tensor], ...]
    own: tuple[tuple[Tensor, Tensor], ...]
    candidates: Tensor | None
    length: int


class TransformerScorer:
    """`decoding.scorer.Scorer` over a torch `Transformer`."""

    start_id, end_id, unknown_id = START, END, 1

    def __init__(self, model: Transformer) -> None:
        self.model = model.eval()
        self.device = model.bias.device

    @torch.no_grad()
    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> Cache:
        """Encode inputs; one row each."""
        memory, mask = self.model.encode(pad(inputs, PAD).to(self.device))
        rows = torch.arange(len(inputs), device=self.device)
        cross, own = [], []
        for layer in self.layers():
            keys, values = keys_values(layer.cross, memory)
            cross.append((keys, values))
            empty = keys[:, :, :0]
            own.append((empty, empty))
        chosen = None if candidates is None else pad(candidates, -1).to(self.device)
        return Cache(rows, mask, tuple(cross), tuple(own), chosen, 0)

    def layers(self) -> list[DecoderLayer]:
        """The decoder's layers, typed."""
        return [layer for layer in self.model.decoder if isinstance(layer, DecoderLayer)]

    @torch.no_grad()
    def step(self, state: Cache, last: Ints) -> Step:
        """Feed one piece to each row."""
        ids = torch.as_tensor(last, device=self.device)[:, None]
        width = self.model.config.width
        place = positions(state.length + 1, width, self.device)[-1]
        y = self.model.embedding(ids) * math.sqrt(width) + place
        mask = state.mask[state.owner]
        own, weights = [], torch.empty(0)
        for layer, (keys, values), cached in zip(self.layers(), state.cross, state.own, strict=True):
            fresh = keys_values(layer.attention, layer.attention_norm(y))
            grown = (torch.cat([cached[0], fresh[0]], 2), torch.cat([cached[1], fresh[1]], 2))
            own.append(grown)
            y = y + attend(layer.attention, layer.attention_norm(y), *grown, None)[0]
            mixed, weights = attend(layer.cross, layer.cross_norm(y), keys[state.owner], values[state.owner], mask)
            y = y + mixed
            y = y + layer.feed(layer.feed_norm(y))
        log_probs = self.normalise(self.model.decoder_norm(y)[:, 0], state)
        alignment = weights.mean(dim=1)[:, 0]
        after = replace(state, own=tuple(own), length=state.length + 1)
        return Step(log_probs.cpu().numpy(), alignment.cpu().numpy(), after)

    def normalise(self, hidden: Tensor, state: Cache) -> Tensor:
        """hidden (rows, width) to log-probabilities over each row's candidates (rows, S)."""
        logits = self.model.logits(hidden).float()
        if state.candidates is None:
            return F.log_softmax(logits, dim=-1)
        wanted = state.candidates[state.owner]
        chosen = logits.gather(1, wanted.clamp(min=0)).masked_fill(wanted < 0, -math.inf)
        return F.log_softmax(chosen, dim=-1)

    def select(self, state: Cache, rows: Ints) -> Cache:
        """Reorder, repeat or drop rows."""
        index = torch.as_tensor(rows, device=self.device)
        own = tuple((keys[index], values[index]) for keys, values in state.own)
        return replace(state, owner=state.owner[index], own=own)


def pad(sequences: Sequence[Ints], fill: int) -> Tensor:
    """Ragged ids to a (B, longest) tensor."""
    longest = max(len(ids) for ids in sequences)
    out = np.full((len(sequences), longest), fill, dtype=np.int64)
    for row, ids in enumerate(sequences):
        out[row, : len(ids)] = ids
    return torch.from_numpy(out)


def keys_values(attention: Attention, x: Tensor) -> tuple[Tensor, Tensor]:
    """Keys and values of x (B, L, width), each (B, heads, L, d)."""
    keys, values = attention.key_value(x).chunk(2, dim=-1)
    return attention.split(keys), attention.split(values)


def attend(attention: Attention, x: Tensor, keys: Tensor, values: Tensor, mask: Tensor | None) -> tuple[Tensor, Tensor]:
    """One query a row: mixed values (rows, 1, width) and the weights (rows, heads, 1, M)."""
    queries = attention.split(attention.query(x))
    scores = queries @ keys.transpose(-1, -2) / math.sqrt(queries.shape[-1])
    if mask is not None:
        scores = scores.masked_fill(~mask, -math.inf)
    weights = scores.softmax(dim=-1)
    mixed = (weights @ values).transpose(1, 2).reshape(x.shape)
    return attention.output(mixed), weights
