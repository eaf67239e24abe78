"""Where the weights begin: at what is known before the first step, so that no step is spent on learning it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from hedline.models.batch import END
from hedline.models.encoders import Attention, Convolution
from hedline.models.nnlm import FeedForward
from hedline.text.vocab import SPECIALS

MATCH = 8.0  # what the last written word adds to the score of its own place in the input: nearly all of the weight
FADING = 0.5  # and each word before it, of the one after
SHARE = 32  # a word's code for the convolution is one coordinate in so many: about 28 words then fill half of them all
FRAMES = 50  # the most frequent words (the, of, to, …) have no code: they would fill coordinates and tell nothing
FAINT = 0.1  # length of the rows of F without a code


def start_at_frequencies(output: nn.Linear, words: np.ndarray[Any, Any], headlines: int) -> None:
    """Set the output bias to the log of each word's share of the training headlines, so that only the rest is learnt.

    words: ids of all headlines one after the other; headlines: how many, each ends with one `</s>`. A word that was
    never seen counts once.
    """
    counts = np.bincount(words, minlength=output.out_features).astype(np.float64)
    counts[END] += headlines
    shares = torch.from_numpy(np.maximum(counts, 1) / np.maximum(counts, 1).sum())
    with torch.no_grad():
        output.bias.copy_(shares.log())


def start_copying(model: FeedForward, copies: np.ndarray[Any, Any], length: float) -> None:
    """Let a model with an encoder begin as one that copies; the architecture stays the paper's.

    The rows of F and W for one word begin alike, W's with about this length, so that a word of the input is likely
    from the first step; a random start has to learn that anew for every word, and has not the examples for rare ones.
    Attention begins by looking where the words just written stand: G's rows are F's on D of its H coordinates, and
    P leads back to those. copies: (Vin,) the output id of each input word, -1 for none (model.shared_words).
    """
    encoder, shape = model.encoder, model.shape
    if encoder is None:
        return
    shared = torch.from_numpy(copies).to(model.output.weight.device)
    here, there = torch.nonzero(shared >= 0)[:, 0], shared[shared >= 0]
    with torch.no_grad():
        if isinstance(encoder, Convolution):
            _mark(model, encoder, here, there, length)
            return
        model.output.weight[:, shape.H :] *= length
        encoder.F.weight *= length
        encoder.F.weight[here] = model.output.weight[there, shape.H :]
        if isinstance(encoder, Attention) and not shape.share_context:
            _match(encoder, here, there, length)


def _mark(model: FeedForward, encoder: Convolution, here: torch.Tensor, there: torch.Tensor, length: float) -> None:
    """Start F and W with sparse codes, which pass through the maximum over time as their union.

    Of dense rows a maximum over some 28 words leaves little of each word; of rows with few ones it leaves every one,
    and a word of the input finds all of its own there, any other about half. Entries of 1 do not saturate the tanh.
    """
    H = model.shape.H
    ones = max(1, H // SHARE)
    W = model.output.weight[:, H:]
    places = torch.rand(W.shape, device=W.device).topk(ones, dim=1).indices
    codes = torch.zeros_like(W).scatter_(1, places, 1.0)
    W.copy_(codes * (length / ones**0.5))
    coded = here >= len(SPECIALS) + FRAMES  # vocabularies begin with their most frequent words
    encoder.F.weight *= FAINT
    encoder.F.weight[here[coded]] = codes[there[coded]]


def _match(encoder: Attention, here: torch.Tensor, there: torch.Tensor, length: float) -> None:
    """Start P and G so that x̃ P ỹ′ is about MATCH where x̃ is the last word's, less for the words before it."""
    shape = encoder.shape
    width = min(shape.D, shape.H)
    unit = (shape.H / width) ** 0.5 / length
    picked = torch.arange(width, device=here.device) * shape.H // width
    columns = torch.arange(width, device=here.device)
    encoder.G.weight[there, :width] = encoder.F.weight[here][:, picked] * unit
    for back in range(shape.C):
        first = (shape.C - 1 - back) * shape.D
        encoder.P.weight[picked, first + columns] += MATCH * FADING**back * unit
