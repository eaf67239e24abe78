"""A tiny encoder of others for tests, and its arithmetic once more in plain loops."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch

from hedline.models.encoder import Encoder, EncoderConfig
from small_reader import VOCABULARY, bytes_of

SIZES = {"width": 24, "inner": 20, "layers": 2, "heads": 4, "positions": 130, "epsilon": 1e-2}


def tiny_encoder(vocabulary: int = VOCABULARY, seed: int = 0, **more) -> Encoder:
    """Random weights far enough from nothing that each part of the arithmetic is felt."""
    torch.manual_seed(seed)
    encoder = Encoder(EncoderConfig(vocabulary, **{**SIZES, **more}))
    with torch.no_grad():
        for name, value in encoder.named_parameters():
            if "norm" in name:
                value.uniform_(0.5, 1.5)
            elif name.startswith("layers"):
                value.mul_(2.0)
    return encoder.eval()


def begun(text: str) -> list[int]:
    """The tokens of a text with nothing before it."""
    return bytes_of(text)[1:]


def plain_bucket(distance: int, buckets: int) -> int:
    """Half of the buckets for what comes behind; the near half of each side one by one, up to 128 by logarithm."""
    side, far = buckets // 2, abs(distance)
    place = near = side // 2
    if far < near:
        place = far
    else:  # the last bucket that begins at or before the distance; they begin at near * (128 / near) ** (step / steps)
        while place < side - 1 and far**near * near ** (place + 1 - near) >= near**near * 128 ** (place + 1 - near):
            place += 1
    return place + side if distance > 0 else place


def plain_encoder(encoder: Encoder, ids: Sequence[int]) -> np.ndarray:
    """States (T, width) of one text, number by number as papers write BERT, in double precision."""
    weights = {name: value.detach().double().numpy() for name, value in encoder.state_dict().items()}
    config = encoder.config
    x = [
        plain_norm(weights["embedding.weight"][token] + weights["positions.weight"][place], weights, "norm", config)
        for place, token in enumerate(ids, config.pad + 1)
    ]
    for layer in range(config.layers):
        part = {name.split(".", 2)[2]: value for name, value in weights.items() if name.startswith(f"layers.{layer}.")}
        mixed = plain_attention(x, part, weights["distances.weight"], config)
        x = [
            plain_norm(row + through(each, part, "output"), part, "attention_norm", config)
            for row, each in zip(x, mixed, strict=True)
        ]
        inner = [[gelu(value) for value in through(row, part, "up")] for row in x]
        x = [
            plain_norm(row + through(np.array(each), part, "down"), part, "feed_norm", config)
            for row, each in zip(x, inner, strict=True)
        ]
    return np.array(x)


def through(row: np.ndarray, part: dict[str, np.ndarray], name: str) -> np.ndarray:
    return part[f"{name}.weight"] @ row + part[f"{name}.bias"]


def gelu(value: float) -> float:
    return value * (1 + math.erf(value / math.sqrt(2))) / 2


def plain_norm(row: np.ndarray, part: dict[str, np.ndarray], name: str, config: EncoderConfig) -> np.ndarray:
    mean = sum(row) / len(row)
    spread = math.sqrt(sum((value - mean) ** 2 for value in row) / len(row) + config.epsilon)
    return part[f"{name}.weight"] * (row - mean) / spread + part[f"{name}.bias"]


def plain_attention(
    rows: Sequence[np.ndarray], part: dict[str, np.ndarray], distances: np.ndarray, config: EncoderConfig
) -> list[np.ndarray]:
    """What the heads gather for each place, head behind head."""
    size, places = config.width // config.heads, range(len(rows))
    asked, kept, told = ([through(row, part, name) for row in rows] for name in ("query", "key", "value"))
    found = [np.zeros(config.width) for _ in places]
    for place in places:
        for head in range(config.heads):
            own = slice(head * size, (head + 1) * size)
            scores = [
                math.exp(
                    asked[place][own] @ kept[other][own] / math.sqrt(size)
                    + distances[plain_bucket(other - place, config.buckets), head]
                )
                for other in places
            ]
            found[place][own] = sum(scores[other] * told[other][own] for other in places) / sum(scores)
    return found
