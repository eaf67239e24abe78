"""The transformer's training step without padding: all words of a batch in one column of rows, on a GPU.

Padding is a fifth of the inputs' rows and more than a quarter of the headlines', since batches are sorted by both
lengths only roughly. All but the attention works row by row; so between two attentions there is one function over
rows, compiled into a few kernels for any number of rows, and the attention itself is told where each row begins.

There are several ways to do the step, and not every machine can go every way. Each is tried once, forward, backward and
for its result: a compiler or a kernel may fail only in the backward pass, where no caller can step in, so the first
batch is done once for nothing before the training begins.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hedline.models.batch import PAD, START, Batch, pick_rows, spread_rows
from hedline.models.softmax import compiled

if TYPE_CHECKING:
    from hedline.models.transformer import Attention, EncoderLayer, Transformer


MULTIPLE = 8  # rows come in eights, which the tensor cores like


class Spans(NamedTuple):
    """Sequences side by side in `rows` rows; the last sequence is filling, one to eight rows of `<pad>`.

    ids: (rows,); places: (rows,) position in its sequence; bounds: (sequences + 1,) int32, where each begins;
    flat: (rows,) place in a padded (sequences, longest) block; longest: at least the longest sequence.
    """

    ids: Tensor
    places: Tensor
    bounds: Tensor
    flat: Tensor
    longest: int


def pack(block: Tensor, lengths: Tensor, count: int) -> Spans:
    """The first lengths (B,) ids of each row of a padded block (B, L); count: their sum, known on the host."""
    rows = (count // MULTIPLE + 1) * MULTIPLE
    ends = lengths.cumsum(0)
    numbers = torch.arange(rows, device=block.device)
    starts = F.pad(ends, (1, 0))
    sequence = torch.searchsorted(ends, numbers, right=True)
    places = numbers - starts[sequence]
    source = (sequence * block.shape[1] + places).clamp(max=block.numel() - 1)
    ids = torch.where(numbers < count, block.reshape(-1)[source], PAD)
    longest = max(block.shape[1], MULTIPLE)
    bounds = F.pad(starts, (0, 1), value=rows).to(torch.int32)
    return Spans(ids, places, bounds, sequence * longest + places, longest)


class Map(NamedTuple):
    """A linear map or the two vectors of a layer norm."""

    weight: Tensor
    bias: Tensor


class Feed(NamedTuple):
    """What follows an attention in its layer: its output map, then norm and feed-forward."""

    output: Map
    norm: Map
    up: Map
    down: Map


def of(module: nn.Module) -> Map:
    """A module's weight and bias."""
    return Map(module.weight, module.bias)  # type: ignore[arg-type]


def feed_of(layer: Any, attention: Attention) -> Feed:
    """The maps that close a layer after its last attention."""
    return Feed(of(attention.output), of(layer.feed_norm), of(layer.feed.up), of(layer.feed.down))


# The functions that are compiled. Weights come in tuples: only plain tensor arguments have varying sizes.


def begin(
    ids: Tensor, places: Tensor, tables: tuple[Tensor], norm: Map, query: Map, key_value: Map, p: float
) -> tuple[Tensor, ...]:
    """Embedded rows x (rows, width) and the queries, keys and values of the first attention."""
    width = tables[0].shape[1]
    half = width // 2
    steps = torch.arange(half, device=ids.device, dtype=torch.float32)
    angles = places.to(torch.float32)[:, None] * torch.exp(steps * (-math.log(10000.0) / (half - 1)))[None]
    rows = F.embedding(ids, tables[0], padding_idx=PAD) * math.sqrt(width)
    x = F.dropout(rows + torch.cat([angles.sin(), angles.cos()], dim=1).to(rows.dtype), p)
    return x, *projected(normed(x, norm), query, key_value)


def proceed(
    x: Tensor, mixed: Tensor, feed: Feed, norm: Map, query: Map, key_value: Map, p: float
) -> tuple[Tensor, ...]:
    """The rest of a layer, and the queries, keys and values of the next layer's attention."""
    x = fed(x, mixed, feed, p)
    return x, *projected(normed(x, norm), query, key_value)


def remember(
    x: Tensor, mixed: Tensor, feed: Feed, norm: Map, key_values: tuple[Map, ...], p: float
) -> tuple[Tensor, ...]:
    """The rest of the encoder's last layer, and the keys and values that each decoder layer takes from it."""
    memory = normed(fed(x, mixed, feed, p), norm)
    return tuple(part for key_value in key_values for part in halves(memory, key_value))


def ask(y: Tensor, mixed: Tensor, output: Map, norm: Map, query: Map, p: float) -> tuple[Tensor, ...]:
    """The end of a decoder layer's own attention, and its queries to the input."""
    y = y + F.dropout(F.linear(mixed, *output), p)
    return y, F.linear(normed(y, norm), *query)


def finish(y: Tensor, mixed: Tensor, feed: Feed, norm: Map, p: float) -> Tensor:
    """The rest of the decoder's last layer: the states that predict, in the type of the matrix products."""
    states = normed(fed(y, mixed, feed, p), norm)
    device = y.device.type
    return states.to(torch.get_autocast_dtype(device)) if torch.is_autocast_enabled(device) else states


def normed(x: Tensor, norm: Map) -> Tensor:
    """Layer norm."""
    return F.layer_norm(x, norm.weight.shape, *norm)


def fed(x: Tensor, mixed: Tensor, feed: Feed, p: float) -> Tensor:
    """Attention's output map and feed-forward, each dropped out and added."""
    x = x + F.dropout(F.linear(mixed, *feed.output), p)
    inner = F.dropout(F.relu(F.linear(normed(x, feed.norm), *feed.up)), p)
    return x + F.dropout(F.linear(inner, *feed.down), p)


def projected(x: Tensor, query: Map, key_value: Map) -> tuple[Tensor, ...]:
    """Queries, keys and values (rows, width)."""
    return F.linear(x, *query), *halves(x, key_value)


def halves(x: Tensor, key_value: Map) -> tuple[Tensor, Tensor]:
    """Keys and values as two tensors, so that their gradients need not be put side by side."""
    width = x.shape[1]
    keys, values = (Map(key_value.weight[part], key_value.bias[part]) for part in (slice(width), slice(width, None)))
    return F.linear(x, *keys), F.linear(x, *values)


# Attention within sequences: queries (rows, width), keys and values (other rows, width) to mixed values (rows, width).

Attend = Callable[..., Tensor]


def attend_efficient(q: Tensor, k: Tensor, v: Tensor, asking: Spans, asked: Spans, heads: int, causal: bool) -> Tensor:
    """CUTLASS's memory-efficient kernel, the quicker one for sequences shorter than a flash tile of 128."""
    parts = (x.view(1, len(x), heads, -1) for x in (q, k, v))
    where = (asking.bounds, asked.bounds, asking.longest, asked.longest)
    mixed: Tensor = torch.ops.aten._efficient_attention_forward(*parts, None, *where, 0.0, int(causal), True)[0]
    return mixed.reshape(q.shape)


def attend_flash(q: Tensor, k: Tensor, v: Tensor, asking: Spans, asked: Spans, heads: int, causal: bool) -> Tensor:
    """FlashAttention; half precision only."""
    parts = (x.view(len(x), heads, -1) for x in (q, k, v))
    where = (asking.bounds, asked.bounds, asking.longest, asked.longest)
    mixed: Tensor = torch.ops.aten._flash_attention_forward(*parts, *where, 0.0, causal, False)[0]
    return mixed.reshape(q.shape)


def attend_spread(q: Tensor, k: Tensor, v: Tensor, asking: Spans, asked: Spans, heads: int, causal: bool) -> Tensor:
    """Any device: padded for the attention alone."""
    q, k, v = (_spread(x, spans, heads) for x, spans in ((q, asking), (k, asked), (v, asked)))
    lengths = asked.bounds.diff()[:, None]
    mask = None if causal else (torch.arange(asked.longest, device=q.device) < lengths)[:, None, None, :]
    mixed = F.scaled_dot_product_attention(q, k, v, mask, is_causal=causal)
    return pick_rows(mixed.transpose(1, 2).reshape(-1, q.shape[1] * q.shape[3]), asking.flat)


class _Spread(torch.autograd.Function):
    """The inverse of `batch.pick_rows`."""

    @staticmethod
    def forward(ctx: Any, rows: Tensor, places: Tensor, height: int) -> Tensor:
        ctx.save_for_backward(places)
        return spread_rows(rows, places, height)

    @staticmethod
    def backward(ctx: Any, *outer: Tensor) -> tuple[Tensor, None, None]:
        return outer[0].index_select(0, ctx.saved_tensors[0]), None, None


def _spread(rows: Tensor, spans: Spans, heads: int) -> Tensor:
    sequences = len(spans.bounds) - 1
    block: Tensor = _Spread.apply(rows, spans.flat, sequences * spans.longest)  # type: ignore[no-untyped-call]
    return block.view(sequences, spans.longest, heads, -1).transpose(1, 2)


ATTENTIONS: dict[str, Attend] = {"efficient": attend_efficient, "flash": attend_flash, "spread": attend_spread}


class Way(NamedTuple):
    """How the packed step is done: with which attention, and whether compiled."""

    attention: str
    compiled: bool = True


def ways() -> list[Way]:
    """What to try, best first; HEDLINE_ATTENTION names another attention to begin with."""
    wanted = os.environ.get("HEDLINE_ATTENTION", "efficient")
    first = wanted if wanted in ATTENTIONS else "efficient"
    return [Way(first), *([Way("spread")] if first != "spread" else []), Way(first, compiled=False)]


def packed_states(model: Transformer, inputs: Tensor, batch: Batch, way: Way) -> Tensor:
    """(T, width) as `Transformer.padded_states`, for a batch whose `input_count` is known.

    inputs: the batch's, perhaps with controls hidden.
    """
    start = torch.full_like(batch.outputs[:, :1], START)
    shifted = torch.cat([start, batch.outputs[:, :-1]], dim=1)
    source = pack(inputs, batch.input_lengths, batch.input_count)
    target = pack(shifted, batch.output_lengths, batch.count)
    memory = _encode(model, source, way)
    return _decode(model, target, source, memory, way)[: batch.count]


def _encode(model: Transformer, source: Spans, way: Way) -> tuple[Tensor, ...]:
    """Keys and values of every decoder layer, one after the other."""
    p, heads, attend = _options(model, way)
    layers: list[EncoderLayer] = list(model.encoder)  # type: ignore[arg-type]
    x, *qkv = _run(begin, way)(source.ids, source.places, (model.embedding.weight,), *_opening(layers[0]), p)
    for layer, following in pairwise(layers):
        mixed = attend(*qkv, source, source, heads, False)
        x, *qkv = _run(proceed, way)(x, mixed, feed_of(layer, layer.attention), *_opening(following), p)
    mixed = attend(*qkv, source, source, heads, False)
    maps = tuple(of(layer.cross.key_value) for layer in model.decoder)  # type: ignore[union-attr, arg-type]
    feed = feed_of(layers[-1], layers[-1].attention)
    memory: tuple[Tensor, ...] = _run(remember, way)(x, mixed, feed, of(model.encoder_norm), maps, p)
    return memory


def _decode(model: Transformer, target: Spans, source: Spans, memory: tuple[Tensor, ...], way: Way) -> Tensor:
    p, heads, attend = _options(model, way)
    layers: list[Any] = list(model.decoder)
    y, *qkv = _run(begin, way)(target.ids, target.places, (model.embedding.weight,), *_opening(layers[0]), p)
    for number, layer in enumerate(layers):
        mixed = attend(*qkv, target, target, heads, True)
        y, q = _run(ask, way)(y, mixed, of(layer.attention.output), of(layer.cross_norm), of(layer.cross.query), p)
        mixed = attend(q, *memory[2 * number : 2 * number + 2], target, source, heads, False)
        feed = feed_of(layer, layer.cross)
        if layer is not layers[-1]:
            y, *qkv = _run(proceed, way)(y, mixed, feed, *_opening(layers[number + 1]), p)
    states: Tensor = _run(finish, way)(y, mixed, feed, of(model.decoder_norm), p)
    return states


def _options(model: Transformer, way: Way) -> tuple[float, int, Attend]:
    """Dropout, heads, attention."""
    return model.config.dropout if model.training else 0.0, model.config.heads, ATTENTIONS[way.attention]


def _opening(layer: Any) -> tuple[Map, Map, Map]:
    """What a layer's own attention begins with."""
    return of(layer.attention_norm), of(layer.attention.query), of(layer.attention.key_value)


def _run(function: Callable[..., Any], way: Way) -> Callable[..., Any]:
    return compiled(function, function) if way.compiled else function


ENOUGH_ROWS = 8192  # words per step below which compiling takes longer than it saves
FEW = 256  # pairs of the comparison with the plain step


class Outcome(NamedTuple):
    """Loss per word and the gradients of all parameters that have one."""

    loss: float
    gradients: list[Tensor]


def worth_packing(model: Transformer, batch: Batch) -> bool:
    """Whether a batch is for the packed step at all: a training batch on a GPU, large and with its lengths known."""
    return (
        model.training
        and torch.is_grad_enabled()
        and batch.inputs.is_cuda
        and batch.input_count > 0
        and batch.input_count + batch.count >= ENOUGH_ROWS
        and os.environ.get("HEDLINE_COMPILE") != "0"
    )


def choose(model: Transformer, batch: Batch, candidates: Sequence[Way] | None = None) -> Way | None:
    """The first way that works on this batch and agrees with the plain step; None when none does.

    Gradients and random numbers stay as they are. Waits for the device.
    """
    device = batch.inputs.device
    for way in ways() if candidates is None else candidates:
        try:
            with torch.random.fork_rng([device] if device.type == "cuda" else []):
                attempt(model, batch, way)
            return way
        except torch.cuda.OutOfMemoryError:
            raise
        except Exception as error:  # compilers and kernels have many ways to fail, none of which may stop the training
            cause = f"{type(error).__name__}: {str(error).strip().splitlines()[0][:200] if str(error) else ''}"
            print(f"transformer without padding, {way}: {cause}; going on without it", file=sys.stderr, flush=True)
    return None


def attempt(model: Transformer, batch: Batch, way: Way) -> None:
    """One step with all of the batch and a comparison on a few pairs; raises what is wrong."""
    few = first_pairs(batch, FEW)
    was_training = model.training
    try:
        model.eval()  # without dropout both must be the same but for rounding
        compare(run(model, few, way._replace(compiled=False)), run(model, few, None), 0.02, 0.1)
        model.train()
        run(model, batch, way)
        compare(run(model, few, way), run(model, few, None), 0.1, 1.2)  # other units are dropped
    finally:
        model.train(was_training)


def first_pairs(batch: Batch, pairs: int) -> Batch:
    """The first pairs of a batch; waits for the device."""
    if len(batch.inputs) <= pairs:
        return batch
    names = ("inputs", "input_lengths", "outputs", "output_lengths")
    parts = {name: getattr(batch, name)[:pairs] for name in names}
    count, within = int(parts["output_lengths"].sum()), int(parts["input_lengths"].sum())
    places = {"token_rows": batch.token_rows[:count], "token_positions": batch.token_positions[:count]}
    return replace(batch, **parts, **places, count=count, input_count=within)


def run(model: Transformer, batch: Batch, way: Way | None) -> Outcome:
    """A step without the update; way None: the plain step."""
    if way is None:
        states = model.padded_states(batch)
    else:
        states = packed_states(model, model.hide_controls(batch.inputs), batch, way)
    loss = model.loss_of(states, batch) / batch.count
    parameters = [value for value in model.parameters() if value.requires_grad]
    with torch.autocast(loss.device.type, enabled=False):  # as in training
        found = torch.autograd.grad(loss, parameters, allow_unused=True)
    return Outcome(float(loss.detach()), [value for value in found if value is not None])


def compare(one: Outcome, other: Outcome, loss_error: float, gradient_error: float) -> None:
    """Raise when the losses or the gradients (as one long vector) differ by more than these shares."""
    if not abs(one.loss - other.loss) <= loss_error * abs(other.loss):
        raise ArithmeticError(f"its loss is {one.loss:.4f}, the plain step's {other.loss:.4f}")
    pairs = list(zip(one.gradients, other.gradients, strict=True))
    apart = sum(float((a.double() - b.double()).pow(2).sum()) for a, b in pairs) ** 0.5
    size = sum(float(b.double().pow(2).sum()) for _, b in pairs) ** 0.5
    if not apart <= gradient_error * size:
        raise ArithmeticError(f"its gradient is {apart / max(size, 1e-30):.2f} of the plain step's away from it")
