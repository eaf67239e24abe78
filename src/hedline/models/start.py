"""Where the weights begin: at what is known before the first step, so that no step is spent on learning it."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import nn

from hedline.models.batch import END
from hedline.models.encoders import Attention
from hedline.models.nnlm import FeedForward

MATCH = 8.0  # what the last written word adds to the score of its own place in the input: nearly all of the weight
FADING = 0.5  # and each word before it, of the one after


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
    """Let a bag of words or attention begin as a model that copies; the architecture stays the paper's.

    The rows of F and W for one word begin alike, with about this length, so that a word of the input is likely from
    the first step; a random start has to learn that anew for every word, and has not the examples for rare ones.
    Attention begins by looking where the words just written stand: G's rows are F's on D of its H coordinates, and
    P leads back to those. copies: (Vin,) the output id of each input word, -1 for none (model.shared_words).
    """
    encoder, shape = model.encoder, model.shape
    if encoder is None or shape.encoder == "conv":
        return
    shared = torch.from_numpy(copies).to(model.output.weight.device)
    here, there = torch.nonzero(shared >= 0)[:, 0], shared[shared >= 0]
    with torch.no_grad():
        model.output.weight[:, shape.H :] *= length
        encoder.F.weight *= length
        encoder.F.weight[here] = model.output.weight[there, shape.H :]
        if isinstance(encoder, Attention) and not shape.share_context:
            _match(encoder, here, there, length)


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
