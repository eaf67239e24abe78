"""Headlines from a torch transformer in bulk: drawn, greedy or by beam, one piece at a time with a key-value cache.

The samples of an input stand side by side and share its memory; inputs whose samples have all ended are dropped every
few pieces, so that short headlines cost little. Several models may write together: their probabilities are averaged.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch
import torch.nn.functional as F
from torch import Tensor
from torch.nn.attention import sdpa_kernel

from hedline.models.batch import END, PAD, START
from hedline.models.reader import Past, Reader
from hedline.models.transformer import KERNELS, Attention, Transformer, positions

MOST_PIECES = 40
CHECK_EVERY = 4  # pieces between two looks at what has ended; each look waits for the device
WORTH_DROPPING = 0.8  # share of inputs alive below which the others are dropped

Source = tuple[Tensor, Tensor]  # memory (B, M, width) and mask (B, 1, 1, M), as `Transformer.encode` gives them


class Generated(NamedTuple):
    """Headlines of B inputs, S each.

    ids: (B, S, L) with `</s>` at the end (missing where L was too short), then `<pad>`; lengths: (B, S), `</s>`
    counted; log_probs: (B, S) of the whole headline at the temperature it was drawn with, None when not asked for.
    """

    ids: Tensor
    lengths: Tensor
    log_probs: Tensor | None


class Cache:
    """What one model remembers of b inputs with S headlines each while they are written."""

    def __init__(self, model: Transformer, source: Source, most: int) -> None:
        self.model, self.most = model, most
        memory, self.mask = source
        self.layers: list[Any] = list(model.decoder)
        self.cross = [_keys_values(layer.cross, memory) for layer in self.layers]
        self.own: list[tuple[Tensor, Tensor]] = []
        self.places = positions(most, model.config.width, memory.device)

    def step(self, ids: Tensor, at: int) -> Tensor:
        """Feed pieces (b, S) at position `at`; gives logits (b, S, V)."""
        model = self.model
        y = model.embedding(ids) * math.sqrt(model.config.width) + self.places[at]
        for number, layer in enumerate(self.layers):
            y = y + self._attend_own(number, layer.attention, layer.attention_norm(y), at)
            y = y + self._attend_input(number, layer.cross, layer.cross_norm(y))
            y = y + layer.feed(layer.feed_norm(y))
        return model.logits(model.decoder_norm(y))

    def _attend_own(self, number: int, attention: Attention, x: Tensor, at: int) -> Tensor:
        """Attention of x (b, S, width) to the headline's pieces up to itself."""
        fresh = attention.key_value(x).chunk(2, dim=-1)
        if number == len(self.own):
            shape = (*x.shape[:2], self.most, x.shape[2])
            self.own.append((fresh[0].new_empty(shape), fresh[0].new_empty(shape)))
        for kept, part in zip(self.own[number], fresh, strict=True):
            kept[:, :, at] = part
        keys, values = (attention.split(part[:, :, : at + 1].flatten(0, 1)) for part in self.own[number])
        queries = attention.split(attention.query(x).flatten(0, 1)[:, None])
        mixed = F.scaled_dot_product_attention(queries, keys, values)
        out: Tensor = attention.output(mixed.transpose(1, 2).reshape(x.shape))
        return out

    def _attend_input(self, number: int, attention: Attention, x: Tensor) -> Tensor:
        """Attention of x (b, S, width) to the input: the samples are the queries of one attention."""
        queries = attention.split(attention.query(x))
        mixed = F.scaled_dot_product_attention(queries, *self.cross[number], self.mask)
        out: Tensor = attention.output(mixed.transpose(1, 2).reshape(x.shape))
        return out

    def keep(self, inputs: Tensor) -> None:
        """Go on with these inputs (indices) only."""
        self.mask = self.mask[inputs]
        self.cross = [(keys[inputs], values[inputs]) for keys, values in self.cross]
        self.own = [(keys[inputs], values[inputs]) for keys, values in self.own]

    def reorder(self, parents: Tensor) -> None:
        """Let headline s of an input go on from what headline parents[:, s] (b, S) has read."""
        rows = torch.arange(len(parents), device=parents.device)[:, None]
        self.own = [(keys[rows, parents], values[rows, parents]) for keys, values in self.own]


def _keys_values(attention: Attention, memory: Tensor) -> tuple[Tensor, Tensor]:
    keys, values = attention.key_value(memory).chunk(2, dim=-1)
    return attention.split(keys), attention.split(values)


@torch.no_grad()
def generate(
    models: Transformer | Sequence[Transformer],
    inputs: Tensor,
    samples: int = 1,
    temperature: float = 0.0,
    most: int = MOST_PIECES,
    scored: bool = False,
    sources: Sequence[Source] | None = None,
) -> Generated:
    """Write headlines for inputs (B, M): greedy at temperature 0, else drawn.

    scored: give log-probabilities too. sources: what the models' encoders gave for the inputs, where it is known.
    Models must be in evaluation mode. Under autocast the products run in its type.
    """
    models = [models] if isinstance(models, Transformer) else list(models)
    with sdpa_kernel(KERNELS):
        known = sources or [model.encode(inputs) for model in models]
        caches = [Cache(model, source, most) for model, source in zip(models, known, strict=True)]
        return _write(caches, len(inputs), samples, temperature, scored)


def _write(caches: list[Cache], count: int, samples: int, temperature: float, scored: bool) -> Generated:
    device, most = caches[0].mask.device, caches[0].most
    ids = torch.full((count, samples, most), PAD, device=device)
    log_probs = torch.zeros(count, samples, device=device)
    owner = torch.arange(count, device=device)
    last = torch.full((count, samples), START, device=device)
    alive = torch.ones(count, samples, dtype=torch.bool, device=device)
    for at in range(most):
        logits = bar_specials(joint([cache.step(last, at) for cache in caches]), caches[0].model)
        chosen = choose(logits, temperature)
        if scored:
            log_probs[owner] += torch.where(alive, score(logits, chosen, temperature), 0.0)
        last = torch.where(alive, chosen, PAD)
        ids[owner, :, at] = last
        alive = alive & (chosen != END)
        if at % CHECK_EVERY == CHECK_EVERY - 1:
            going = alive.any(dim=1).nonzero()[:, 0]
            if not len(going):
                break
            if len(going) < WORTH_DROPPING * len(alive):
                owner, last, alive = owner[going], last[going], alive[going]
                for cache in caches:
                    cache.keep(going)
    lengths = (ids != PAD).sum(dim=2)
    return Generated(ids, lengths, log_probs if scored else None)


@torch.no_grad()
def beam_search(
    models: Transformer | Sequence[Transformer],
    inputs: Tensor,
    width: int,
    most: int = MOST_PIECES,
    penalty: float = 0.8,
) -> Generated:
    """The best headline for each of inputs (B, M) by beam search, S = 1.

    penalty: exponent a of ((5 + pieces) / 6)^a, which divides the score of a headline at the end. An ended headline
    keeps its place in the beam until better ones push it out.
    """
    models = [models] if isinstance(models, Transformer) else list(models)
    with sdpa_kernel(KERNELS):
        caches = [Cache(model, model.encode(inputs), most) for model in models]
        ids, scores = _search(caches, len(inputs), width)
    lengths = (ids != PAD).sum(dim=2)
    best = (scores / ((5 + lengths) / 6) ** penalty).argmax(dim=1, keepdim=True)
    kept = ids.gather(1, best[..., None].expand(-1, 1, most))
    return Generated(kept, lengths.gather(1, best), scores.gather(1, best))


def _search(caches: list[Cache], count: int, width: int) -> tuple[Tensor, Tensor]:
    """All beams: ids (B, width, most) and log-probabilities (B, width)."""
    device, most = caches[0].mask.device, caches[0].most
    all_ids = torch.full((count, width, most), PAD, device=device)
    all_scores = torch.zeros(count, width, device=device)
    owner = torch.arange(count, device=device)
    ids, scores, ended = all_ids.clone(), all_scores.clone(), torch.zeros_like(all_scores, dtype=torch.bool)
    scores[:, 1:] = -torch.inf  # all beams begin alike
    last = torch.full_like(ids[..., 0], START)
    for at in range(most):
        logits = bar_specials(joint([cache.step(last, at) for cache in caches]), caches[0].model)
        steps = logits.float().log_softmax(-1).masked_fill_(ended[..., None], -torch.inf)
        steps[..., PAD].masked_fill_(ended, 0.0)
        scores, chosen = (scores[..., None] + steps).flatten(1).topk(width)
        parents, last = chosen // logits.shape[-1], chosen % logits.shape[-1]
        ids = ids.gather(1, parents[..., None].expand(ids.shape))
        ids[..., at] = last
        ended = ended.gather(1, parents) | (last == END)
        for cache in caches:
            cache.reorder(parents)
        if at % CHECK_EVERY == CHECK_EVERY - 1 or at == most - 1:
            all_ids[owner], all_scores[owner] = ids, scores
            going = (~ended).any(dim=1).nonzero()[:, 0]
            if not len(going):
                break
            if len(going) < WORTH_DROPPING * len(ended):
                owner, ids, scores, ended, last = (part[going] for part in (owner, ids, scores, ended, last))
                for cache in caches:
                    cache.keep(going)
    return all_ids, all_scores


def joint(logits: Sequence[Tensor]) -> Tensor:
    """One model's logits as they are; of several, the logarithm of their mean probability."""
    if len(logits) == 1:
        return logits[0]
    return torch.stack([values.float().log_softmax(-1) for values in logits]).logsumexp(0) - math.log(len(logits))


def first_piece(model: Transformer) -> int:
    """The first id that is a piece of text: specials and control tokens come before it."""
    return max(END, *model.config.control_any, END) + 1


def bar_specials(logits: Tensor, model: Transformer) -> Tensor:
    """Make everything that is neither a piece nor `</s>` impossible, in place."""
    logits[..., :END] = -torch.inf
    logits[..., END + 1 : first_piece(model)] = -torch.inf
    return logits


def choose(logits: Tensor, temperature: float) -> Tensor:
    """(…, V) to (…): the likeliest at temperature 0, else drawn (the Gumbel-max trick)."""
    if not temperature:
        return logits.argmax(-1)
    noise = torch.empty(logits.shape, dtype=torch.float32, device=logits.device).exponential_().log_()
    return torch.sub(logits, noise, alpha=temperature).argmax(-1)


def score(logits: Tensor, chosen: Tensor, temperature: float) -> Tensor:
    """(…): log-probability of the chosen at a temperature (0 counts as 1)."""
    scaled = logits.float() / (temperature or 1.0)
    return scaled.gather(-1, chosen[..., None])[..., 0] - scaled.logsumexp(-1)


@torch.no_grad()
def read_on(reader: Reader, prompts: Tensor, samples: int, temperature: float, most: int = 28) -> Tensor:
    """Headlines (B * samples, most) drawn for prompts (B, T) of one length that end in `after`; padded behind `end`."""
    config, past = reader.config, Past()
    places = torch.arange(prompts.shape[1], device=prompts.device).expand(prompts.shape)
    states = reader(prompts, places, past=past)[:, -1].repeat_interleave(samples, 0)
    rows = torch.arange(len(states), device=prompts.device)
    past.keep(rows // samples)
    found = torch.full((len(rows), most), config.pad, device=prompts.device)
    alive = torch.ones_like(rows, dtype=torch.bool)
    for at in range(most):
        last = choose(F.linear(states, reader.embedding.weight), temperature)
        found[rows, at] = last
        alive &= last != config.end
        going = alive.nonzero()[:, 0]
        if not len(going) or at == most - 1:
            break
        if len(going) < WORTH_DROPPING * len(rows):
            rows, last, alive = rows[going], last[going], alive[going]
            past.keep(going)
        states = reader(last[:, None], torch.full_like(last[:, None], prompts.shape[1] + at), past=past)[:, 0]
    ended = (found == config.end).cumsum(1)
    return torch.where((ended == 0) | ((ended == 1) & (found == config.end)), found, config.pad)
