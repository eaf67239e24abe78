"""The gradient of an expected reward, estimated from headlines that a transformer drew: what training for risk needs.

Each headline's surprise is weighted by how much better it was than the input's others; the states that wrote it are
computed again for all of an input's samples at once.
"""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor
from torch.nn.attention import sdpa_kernel

from hedline.models.batch import END, PAD, START, pick_rows
from hedline.models.softmax import linear_cross_entropy
from hedline.models.transformer import KERNELS, Transformer
from hedline.training.sampling import first_piece


def sample_states(model: Transformer, shifted: Tensor, memory: Tensor, mask: Tensor) -> Tensor:
    """States (b, S, L, width) that predict the next pieces of samples shifted (b, S, L), which begin with `<s>`.

    memory (b, M, width) and its mask are shared by an input's samples: for the attention to the input, the pieces of
    all samples are the queries.
    """
    samples, length = shifted.shape[1:]
    y = model.embed(shifted.flatten(0, 1))
    layers: list[Any] = list(model.decoder)
    with sdpa_kernel(KERNELS):
        for layer in layers:
            normed = layer.attention_norm(y)
            y = y + layer.attention(normed, normed, causal=True)
            asking = layer.cross_norm(y).view(len(memory), samples * length, -1)
            y = y + layer.cross(asking, memory, mask).view(y.shape)
            y = y + layer.feed(layer.feed_norm(y))
    states: Tensor = model.decoder_norm(y)
    return states.view(len(memory), samples, length, -1)


def shifted(ids: Tensor) -> Tensor:
    """Samples (b, S, L) behind `<s>`, without their last piece."""
    return torch.cat([torch.full_like(ids[..., :1], START), ids[..., :-1]], dim=2)


def weighted_surprise(model: Transformer, states: Tensor, ids: Tensor, weights: Tensor, temperature: float) -> Tensor:
    """Sum over samples ids (b, S, L) of weights (b, S) times -log p, p tempered and without specials.

    states: (b, S, L, width), as `sample_states` gives them.
    """
    real = (ids != PAD).flatten().nonzero()[:, 0]
    rows = pick_rows(states.flatten(0, 2), real) / temperature
    barred = torch.zeros_like(model.bias)
    barred[:END] = barred[END + 1 : first_piece(model)] = -1e4
    spread = weights[..., None].expand(ids.shape).flatten()[real]
    bias = (model.bias + barred) / temperature
    return linear_cross_entropy(rows, model.embedding.weight, bias, ids.flatten()[real], importance=spread)


def leave_one_out(rewards: Tensor) -> Tensor:
    """(B, S): how much better each sample is than the mean of the input's others."""
    others = (rewards.sum(dim=1, keepdim=True) - rewards) / (rewards.shape[1] - 1)
    return rewards - others


def bands(lengths: Tensor, parts: int) -> list[tuple[Tensor, int]]:
    """Inputs with samples of lengths (B, S) in parts of about the same longest sample: indices and that length."""
    longest, order = lengths.amax(dim=1).sort()
    found = order.chunk(parts)
    ends = torch.tensor([len(part) for part in found]).cumsum(0) - 1
    return list(zip(found, longest[ends.to(longest.device)].tolist(), strict=True))
