"""A language model that others trained on far more text than ours, and that reads leads and headlines for training.

The shape is Llama's: RMS norm before each block, rotary positions, several query heads for each key head, a gated
feed-forward layer, one table for input and output. Only training uses it, as a judge of headlines (training/panel.py)
or as a teacher (scripts/gpu/train_reader.py); nothing of it is shipped. `scripts/gpu/take_reader.py` makes its folder
from a package that carries such weights.

A row holds one lead and any number of its headlines: every headline sees the lead and itself, and its positions go on
from the lead's, as if the others were not there. So a lead is read once for all its headlines.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file
from torch import Tensor, nn
from torch.nn.attention import sdpa_kernel

from hedline.errors import UserError, require
from hedline.files import read_json, write_json
from hedline.models.transformer import KERNELS

WEIGHTS, CONFIG, TOKENS = "reader.safetensors", "reader.json", "tokenizer.json"
NOBODY, LEAD = -1, 0  # whose a place of a row is; headline s has the number s + 1
SPREAD = 8  # rows are as long as a multiple of this, which kernels like

Angles = tuple[Tensor, Tensor]  # cosines and sines of the angles of a row's places, (B, 1, T, size / 2) each


@dataclass(frozen=True)
class ReaderConfig:
    """Sizes: vocabulary, width, inner width, layers, query heads, key heads, base of the rotary angles, norm's epsilon.

    pad, after, end: ids that fill rows, stand between lead and headline, and end a headline.
    """

    vocabulary: int
    width: int
    inner: int
    layers: int
    heads: int
    key_heads: int
    base: float = 10000.0
    epsilon: float = 1e-5
    pad: int = 0
    after: int = 1
    end: int = 2


class Rows(NamedTuple):
    """Leads with their headlines side by side: all (B, T).

    ids: tokens; places: positions; owners: whose a token is (NOBODY, LEAD, headline + 1).
    """

    ids: Tensor
    places: Tensor
    owners: Tensor

    def to(self, device: torch.device | str) -> Rows:
        """The same on a device."""
        return Rows(*(part.to(device, non_blocking=True) for part in self))

    def bands(self, parts: int) -> Iterator[tuple[Tensor, Rows]]:
        """The rows in parts of about one length, cut to it, with their numbers: a long row fills up few others."""
        lengths, order = (self.owners != NOBODY).sum(1).sort()
        for chosen, sizes in zip(order.chunk(parts), lengths.chunk(parts), strict=True):
            width = -(-int(sizes[-1]) // SPREAD) * SPREAD
            yield chosen, Rows(*(part[chosen, :width] for part in self))

    def seen(self) -> Tensor:
        """(B, 1, T, T): which places (last) each place sees: before it, of the lead or of its own headline."""
        before = torch.ones(self.ids.shape[1], self.ids.shape[1], dtype=torch.bool, device=self.ids.device).tril()
        theirs, mine = self.owners[:, None, :], self.owners[:, :, None]
        return (before & ((theirs == LEAD) | (theirs == mine)))[:, None]


def rows_of(leads: Sequence[Sequence[int]], headlines: Sequence[Sequence[Sequence[int]]], config: ReaderConfig) -> Rows:
    """Rows of leads with their headlines, each headline between `after` and `end`."""
    made = []
    for lead, texts in zip(leads, headlines, strict=True):
        ids, places, owners = list(lead), list(range(len(lead))), [LEAD] * len(lead)
        for number, text in enumerate(texts, 1):
            ids += [config.after, *text, config.end]
            places += range(len(lead), len(lead) + len(text) + 2)
            owners += [number] * (len(text) + 2)
        made.append((ids, places, owners))
    longest = max(len(ids) for ids, _, _ in made)
    width = -(-longest // SPREAD) * SPREAD
    parts = zip((config.pad, 0, NOBODY), zip(*made, strict=True), strict=True)
    return Rows(*(torch.tensor([row + [empty] * (width - len(row)) for row in block]) for empty, block in parts))


def turned(x: Tensor, cosines: Tensor, sines: Tensor) -> Tensor:
    """x (B, heads, T, size) with each two neighbours turned by the angles of their places, (B, 1, T, size / 2)."""
    one, two = x[..., ::2].float(), x[..., 1::2].float()
    both = torch.stack([one * cosines - two * sines, one * sines + two * cosines], dim=-1)
    return both.flatten(-2).to(x.dtype)


class Norm(nn.Module):
    """Divides by the root mean square, in float32."""

    def __init__(self, width: int, epsilon: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))
        self.epsilon = epsilon

    def forward(self, x: Tensor) -> Tensor:
        """(…, width) to (…, width)."""
        return F.rms_norm(x.float(), (x.shape[-1],), self.weight.float(), self.epsilon).to(x.dtype)


class Past:
    """Keys and values of what was read, layer by layer, (B, key heads, T, size) each; grows with every step."""

    def __init__(self) -> None:
        self.layers: list[tuple[Tensor, Tensor]] = []

    def add(self, layer: int, keys: Tensor, values: Tensor) -> tuple[Tensor, Tensor]:
        """All keys and values of a layer, these included."""
        if layer == len(self.layers):
            self.layers.append((keys, values))
        else:
            old = self.layers[layer]
            self.layers[layer] = torch.cat([old[0], keys], 2), torch.cat([old[1], values], 2)
        return self.layers[layer]

    def keep(self, rows: Tensor) -> None:
        """Go on with these rows (indices), some of them perhaps several times."""
        self.layers = [(keys[rows], values[rows]) for keys, values in self.layers]


Before = tuple[Past, int]  # what was read before, and the number of the layer that asks


class Layer(nn.Module):
    """Attention, then a gated feed-forward layer, each on a normalised copy and added back."""

    def __init__(self, config: ReaderConfig) -> None:
        super().__init__()
        width, size = config.width, config.width // config.heads
        self.heads, self.key_heads, self.size = config.heads, config.key_heads, size
        self.attention_norm, self.feed_norm = (Norm(width, config.epsilon) for _ in range(2))
        self.query = nn.Linear(width, width, bias=False)
        self.key, self.value = (nn.Linear(width, config.key_heads * size, bias=False) for _ in range(2))
        self.output = nn.Linear(width, width, bias=False)
        self.gate, self.up = (nn.Linear(width, config.inner, bias=False) for _ in range(2))
        self.down = nn.Linear(config.inner, width, bias=False)

    def split(self, x: Tensor, heads: int) -> Tensor:
        """(B, T, heads * size) to (B, heads, T, size)."""
        return x.view(*x.shape[:2], heads, self.size).transpose(1, 2)

    def attend(self, x: Tensor, angles: Angles, seen: Tensor | None, past: Before | None) -> Tensor:
        """x (B, T, width); seen: as in Rows, None for everything before."""
        queries = turned(self.split(self.query(x), self.heads), *angles)
        keys = turned(self.split(self.key(x), self.key_heads), *angles)
        values = self.split(self.value(x), self.key_heads)
        if past is not None:
            keys, values = past[0].add(past[1], keys, values)
        if seen is not None:  # the kernel that takes any mask wants a key head for each query head
            times = self.heads // self.key_heads
            keys, values = keys.repeat_interleave(times, 1), values.repeat_interleave(times, 1)
        causal = seen is None and x.shape[1] > 1
        mixed = F.scaled_dot_product_attention(queries, keys, values, seen, is_causal=causal, enable_gqa=seen is None)
        out: Tensor = self.output(mixed.transpose(1, 2).reshape(x.shape))
        return out

    def forward(self, x: Tensor, angles: Angles, seen: Tensor | None, past: Before | None) -> Tensor:
        """(B, T, width) to (B, T, width)."""
        x = x + self.attend(self.attention_norm(x), angles, seen, past)
        normed = self.feed_norm(x)
        out: Tensor = x + self.down(F.silu(self.gate(normed)) * self.up(normed))
        return out


class Reader(nn.Module):
    """States of a row's places, and the next token's logits."""

    def __init__(self, config: ReaderConfig) -> None:
        super().__init__()
        self.config = config
        self.embedding = nn.Embedding(config.vocabulary, config.width)
        self.layers = nn.ModuleList(Layer(config) for _ in range(config.layers))
        self.norm = Norm(config.width, config.epsilon)

    def angles(self, places: Tensor) -> Angles:
        """Of places (B, T)."""
        size = self.config.width // self.config.heads
        rates = self.config.base ** (-torch.arange(0, size, 2, device=places.device, dtype=torch.float32) / size)
        turn = places[:, None, :, None].float() * rates
        return turn.cos(), turn.sin()

    def forward(self, ids: Tensor, places: Tensor, seen: Tensor | None = None, past: Past | None = None) -> Tensor:
        """ids and places (B, T) to states (B, T, width); seen (B, 1, T, T): None where all that is before is seen.

        Where past holds something already, T must be 1.
        """
        x, angles = self.embedding(ids), self.angles(places)
        with sdpa_kernel(KERNELS):
            for number, layer in enumerate(self.layers):
                x = layer(x, angles, seen, None if past is None else (past, number))
        states: Tensor = self.norm(x)
        return states

    def read(self, rows: Rows) -> Tensor:
        """The states of rows (B, T, width)."""
        states: Tensor = self(rows.ids, rows.places, rows.seen())
        return states

    def save(self, folder: Path, tokens: Path) -> None:
        """Write weights (bfloat16), sizes and the tokens' file."""
        folder.mkdir(parents=True, exist_ok=True)
        tensors = {name: value.detach().bfloat16().cpu().contiguous() for name, value in self.state_dict().items()}
        save_file(tensors, folder / WEIGHTS)
        write_json(folder / CONFIG, vars(self.config))
        (folder / TOKENS).write_bytes(tokens.read_bytes())

    @classmethod
    def open(cls, folder: Path) -> Reader:
        """A saved reader, float32, on the CPU."""
        if not (folder / CONFIG).is_file():
            raise UserError(f"{folder} holds no reader; make one with scripts/gpu/take_reader.py")
        reader = cls(ReaderConfig(**read_json(folder / CONFIG)))
        reader.load_state_dict({name: value.float() for name, value in load_file(folder / WEIGHTS).items()})
        return reader


class Tokens:
    """A reader's own tokens of a text, by the `tokenizers` package; nothing is put around them."""

    def __init__(self, folder: Path, before: str = " ") -> None:
        """before: what stands before each text; a space, as in a text that goes on."""
        try:
            from tokenizers import Tokenizer
        except ImportError:
            raise require("tokenizers", "train", "reading with another language model") from None
        self.before = before
        self.tokenizer: Any = Tokenizer.from_file(str(folder / TOKENS))
        self.tokenizer.no_padding()
        self.tokenizer.no_truncation()

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of each text."""
        whole = [self.before + text for text in texts]
        return [found.ids for found in self.tokenizer.encode_batch_fast(whole, add_special_tokens=False)]

    def decode(self, rows: Sequence[Sequence[int]]) -> list[str]:
        """The texts of ids."""
        return [text.strip() for text in self.tokenizer.decode_batch([list(row) for row in rows])]


def grouped(texts: Sequence[list[int]], counts: Sequence[int]) -> list[list[list[int]]]:
    """A flat list of texts as one list for each lead, of so many texts."""
    ends = list(accumulate(counts))
    return [list(texts[end - count : end]) for end, count in zip(ends, counts, strict=True)]
