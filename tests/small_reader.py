"""A tiny language model of others for tests, its tokens (a byte each), and its arithmetic once more in plain loops."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import torch

from hedline.models.reader import TOKENS, Reader, ReaderConfig
from hedline.text.subword import byte_letters

FIRST_BYTE, VOCABULARY = 3, 300  # the byte b is the token b + 3; some 40 tokens at the end are never written
SIZES = {"width": 24, "inner": 20, "layers": 2, "heads": 6, "key_heads": 2, "base": 50.0, "epsilon": 1e-2}


def tiny_reader(vocabulary: int = VOCABULARY, seed: int = 0, **more) -> Reader:
    """Random weights far enough from nothing that each part of the arithmetic is felt."""
    torch.manual_seed(seed)
    reader = Reader(ReaderConfig(vocabulary, **{**SIZES, **more}))
    with torch.no_grad():
        for name, value in reader.named_parameters():
            if "norm" in name:
                value.uniform_(0.5, 1.5)
            elif "embedding" not in name:
                value.mul_(2.0)
    return reader.eval()


def write_tokens(folder: Path, spare: str = "rare") -> Path:
    """The file of byte-level tokens without merges; spare: what the last ones are called."""
    from tokenizers import Tokenizer, decoders, pre_tokenizers
    from tokenizers.models import BPE

    names = ["<|pad|>", "<|after|>", "<|end|>", *(byte_letters()[byte] for byte in range(256))]
    names += [f"<|{spare} {number}|>" for number in range(VOCABULARY - len(names))]
    tokenizer = Tokenizer(BPE({name: index for index, name in enumerate(names)}, []))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer.save(str(folder / TOKENS))
    return folder / TOKENS


def bytes_of(text: str) -> list[int]:
    """The tokens of a text, which begins with a space."""
    return [FIRST_BYTE + byte for byte in f" {text}".encode()]


def earlier(place: int, other: int) -> bool:
    """Everything up to a place is seen from it."""
    return other <= place


def plain_states(
    reader: Reader, ids: Sequence[int], places: Sequence[int], sees: Callable[[int, int], bool] = earlier
) -> np.ndarray:
    """States (T, width) of one row, number by number as papers write Llama, in double precision."""
    weights = {name: value.detach().double().numpy() for name, value in reader.state_dict().items()}
    config = reader.config
    x = [weights["embedding.weight"][token] for token in ids]
    for layer in range(config.layers):
        part = {name.split(".", 2)[2]: value for name, value in weights.items() if name.startswith(f"layers.{layer}.")}
        normed = [plain_norm(row, part["attention_norm.weight"], config.epsilon) for row in x]
        mixed = plain_attention(normed, part, config, places, sees)
        x = [row + part["output.weight"] @ each for row, each in zip(x, mixed, strict=True)]
        normed = [plain_norm(row, part["feed_norm.weight"], config.epsilon) for row in x]
        x = [row + plain_feed(each, part) for row, each in zip(x, normed, strict=True)]
    return np.array([plain_norm(row, weights["norm.weight"], config.epsilon) for row in x])


def plain_norm(row: np.ndarray, weight: np.ndarray, epsilon: float) -> np.ndarray:
    return weight * row / math.sqrt(sum(value * value for value in row) / len(row) + epsilon)


def plain_feed(row: np.ndarray, part: dict[str, np.ndarray]) -> np.ndarray:
    gate = np.array([value / (1 + math.exp(-value)) for value in part["gate.weight"] @ row])
    return part["down.weight"] @ (gate * (part["up.weight"] @ row))


def plain_turn(head: np.ndarray, place: int, base: float) -> list[float]:
    """Neighbours 2i and 2i + 1 are a complex number, which is turned by place / base^(2i / size)."""
    found = []
    for at in range(0, len(head), 2):
        angle = place / base ** (at / len(head))
        turned = complex(head[at], head[at + 1]) * complex(math.cos(angle), math.sin(angle))
        found += [turned.real, turned.imag]
    return found


def plain_attention(
    rows: Sequence[np.ndarray],
    part: dict[str, np.ndarray],
    config: ReaderConfig,
    places: Sequence[int],
    sees: Callable[[int, int], bool],
) -> list[np.ndarray]:
    """What the heads gather for each place, head behind head."""
    size, group = config.width // config.heads, config.heads // config.key_heads
    asked, kept, told = ([part[f"{name}.weight"] @ row for row in rows] for name in ("query", "key", "value"))
    found = []
    for place in range(len(rows)):
        heads: list[float] = []
        others = [other for other in range(len(rows)) if sees(place, other)]
        for head in range(config.heads):
            own, theirs = head * size, head // group * size  # where the head's numbers begin
            query = plain_turn(asked[place][own : own + size], places[place], config.base)
            keys = [plain_turn(kept[other][theirs : theirs + size], places[other], config.base) for other in others]
            scores = [math.exp(sum(a * b for a, b in zip(query, key, strict=True)) / math.sqrt(size)) for key in keys]
            shares = [score / sum(scores) for score in scores]
            values = [told[other][theirs : theirs + size] for other in others]
            heads += list(sum(share * value for share, value in zip(shares, values, strict=True)))
        found.append(np.array(heads))
    return found
