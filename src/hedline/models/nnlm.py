"""The feed-forward neural language model (§3.1): p(y_{i+1} | y_c, x) ∝ exp(V h + W enc(x, y_c)).

Its weights begin at what is known before the first step, so that no step is spent on learning it.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hedline.models.batch import END, START, Batch, contexts
from hedline.models.encoders import (
    Attention,
    BagOfWords,
    Convolution,
    FeedForwardShape,
    Memory,
    embedding,
    working_type,
)
from hedline.models.softmax import compiled, linear_cross_entropy
from hedline.text.vocab import SPECIALS

COMPILED_WORDS = 8192  # words per step below which compiling takes longer than it saves


class Regularization(NamedTuple):
    """Only in training: share of units dropped, share of the target's probability spread over all words."""

    dropout: float = 0.0
    label_smoothing: float = 0.0


class WordModel(nn.Module):
    """What the models over words share: an output layer [V W] over [h ; enc], and an input table F.

    A subclass makes E and the encoder (None without one) before its output layer.
    """

    shape: Any
    encoder: Any

    def __init__(self, shape: Any, regularization: Regularization | None) -> None:
        super().__init__()
        self.shape = shape
        self.regularization = regularization or Regularization()

    def add_output(self, width: int, vocab_out: int, copies: Tensor | None) -> None:
        """[V W] side by side with one bias; copies: as in FeedForward."""
        self.output = nn.Linear(width, vocab_out)
        nn.init.normal_(self.output.weight, std=self.shape.H**-0.5)
        nn.init.zeros_(self.output.bias)
        self.register_buffer("copies", copies if self.shape.share_copy else None, persistent=False)

    def cross_entropy(self, flat: Tensor, batch: Batch) -> tuple[Tensor, int]:
        """Sum of -log p over the batch's scored words, whose states are flat (T, 2H), and their number."""
        smoothing = self.regularization.label_smoothing if self.training else 0.0
        total = linear_cross_entropy(flat, self.output.weight, self.output.bias, batch.targets, smoothing)
        return total, batch.count

    def input_table(self) -> Tensor | None:
        """F with the rows of shared words taken from W (share_copy); None when F stands alone."""
        if self.copies is None or self.encoder is None:
            return None
        shared: Tensor = self.copies  # type: ignore[assignment]
        W = self.output.weight[:, self.shape.H :]
        return torch.where((shared >= 0)[:, None], W[shared.clamp(min=0)], self.encoder.F.weight)

    def drop(self, x: Tensor) -> Tensor:
        """Dropout, in training only."""
        return F.dropout(x, self.regularization.dropout, self.training)

    def folder_tensors(self) -> dict[str, Tensor]:
        """Tensors by the model folder's names: [V W] apart again, F with its shared rows written out."""
        state = dict(self.state_dict())
        weight, bias = state.pop("output.weight"), state.pop("output.bias")
        state |= {"V.weight": weight[:, : self.shape.H], "V.bias": bias}
        if self.encoder is not None:
            state["W.weight"] = weight[:, self.shape.H :]
        table = self.input_table()
        if table is not None:
            state["encoder.F.weight"] = table.detach()
        return state

    def load_folder_tensors(self, tensors: dict[str, Tensor]) -> None:
        """The inverse of `folder_tensors`."""
        rest = dict(tensors)
        parts = [rest.pop("V.weight")] + ([rest.pop("W.weight")] if self.encoder is not None else [])
        rest |= {"output.weight": torch.cat(parts, dim=1), "output.bias": rest.pop("V.bias")}
        self.load_state_dict(rest)


class FeedForward(WordModel):
    """The paper's model with any of its encoders.

    copies: (Vin,) the output id of each input word that has one, -1 otherwise; needed by share_copy only.
    """

    family = "feedforward"
    shape: FeedForwardShape
    encoder: BagOfWords | Attention | None

    def __init__(
        self,
        shape: FeedForwardShape,
        vocab_in: int,
        vocab_out: int,
        regularization: Regularization | None = None,
        copies: Tensor | None = None,
    ) -> None:
        super().__init__(shape, regularization)
        self.E = embedding(vocab_out, shape.D)
        self.U = nn.Linear(shape.C * shape.D, shape.H)
        self.encoder = make_encoder(shape, vocab_in, vocab_out)
        if self.encoder is not None:
            self.encoder.dropout = self.regularization.dropout
        width = shape.H if self.encoder is None else 2 * shape.H
        self.add_output(width, vocab_out, copies)

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Sum of -log p over the batch's scored words (smoothed in training), and their number."""
        features = FeedForward.word_states
        if self.training and batch.inputs.is_cuda and batch.count >= COMPILED_WORDS and self.shape.encoder != "conv":
            features = compiled(features, features, varying=2)
        places = (batch.token_rows, batch.token_positions)
        flat = features(self, batch.inputs, batch.input_lengths, batch.outputs, *places)
        return self.cross_entropy(flat, batch)

    def word_states(self, inputs: Tensor, lengths: Tensor, outputs: Tensor, rows: Tensor, positions: Tensor) -> Tensor:
        """[h ; enc] (T, 2H) for the scored words outputs[rows, positions] alone, dropped out in training.

        The same as `states` picked there, without the matrix products of the padding, and written to be compiled.
        """
        words = contexts(outputs, rows, positions, self.shape.C)
        context = self.drop(narrow(self.E(words)).flatten(1))
        h = torch.tanh(self.U(context))
        memory = self.read(inputs, lengths)
        if memory is None or self.encoder is None:
            return self.drop(h)
        if isinstance(self.encoder, Attention) and not self.shape.share_context:
            context = self.drop(narrow(self.encoder.G(words)).flatten(1))
        enc = self.encoder.attend_words(memory, context, rows, positions, outputs.shape[1])
        return self.drop(torch.cat([h, enc.to(h.dtype)], dim=-1))

    def read(self, inputs: Tensor, lengths: Tensor) -> Memory | None:
        """The encoder's memory of inputs (B, M)."""
        if self.encoder is None:
            return None
        memory: Memory = self.encoder.read(inputs, lengths, self.input_table())
        return memory

    def states(self, memory: Memory | None, outputs: Tensor) -> tuple[Tensor, Tensor | None]:
        """All positions at once: [h ; enc] (B, N, 2H) and alignments (B, N, M); position i predicts outputs[:, i]."""
        C = self.shape.C
        start = torch.full_like(outputs[:, :1], START).expand(-1, C)
        return self.predict(memory, torch.cat([start, outputs[:, :-1]], dim=1))

    def predict(self, memory: Memory | None, words: Tensor) -> tuple[Tensor, Tensor | None]:
        """For words (B, N+C-1), N windows of C: [h ; enc] (B, N, 2H) and alignments (B, N, M)."""
        context = self.drop(windows(narrow(self.E(words)), self.shape.C))
        h = torch.tanh(self.U(context))
        if memory is None or self.encoder is None:
            return h, None
        if self.shape.encoder == "attention" and not self.shape.share_context:
            assert isinstance(self.encoder, Attention)
            context = self.drop(windows(narrow(self.encoder.G(words)), self.shape.C))
        enc, weights = self.encoder.attend(memory, context)
        return torch.cat([h, enc.to(h.dtype)], dim=-1), weights

    def tables(self) -> list[Tensor]:
        """The embedding tables the paper renormalises: E, F and G."""
        encoder = self.encoder
        found = [self.E.weight]
        if encoder is not None:
            found.append(encoder.F.weight)
        if isinstance(encoder, Attention) and not self.shape.share_context:
            found.append(encoder.G.weight)
        return found

    def filters(self) -> list[nn.Parameter]:
        """The filters of a convolution, (H, H, 2Q+1) each, which are trained at a rate of their own."""
        return self.encoder.filters() if isinstance(self.encoder, Convolution) else []


def windows(embedded: Tensor, width: int) -> Tensor:
    """(B, N+width-1, D) to (B, N, width·D): each window's vectors side by side, oldest first."""
    count = embedded.shape[1] - width + 1
    return torch.cat([embedded[:, shift : shift + count] for shift in range(width)], dim=-1)


def narrow(x: Tensor) -> Tensor:
    """x in the type of the matrix products: bfloat16 under autocast."""
    return x.to(working_type(x))


def make_encoder(shape: FeedForwardShape, vocab_in: int, vocab_out: int) -> BagOfWords | Attention | None:
    """The encoder a shape names."""
    if shape.encoder == "none":
        return None
    if shape.encoder == "attention":
        return Attention(shape, vocab_in, vocab_out)
    return (Convolution if shape.encoder == "conv" else BagOfWords)(shape, vocab_in)


MATCH = 8.0  # what the last written word adds to the score of its own place in the input: nearly all of the weight
FADING = 0.5  # and each word before it, of the one after
SHARE = (
    32  # coordinates for each one that is a word's code in the convolution: about 28 words then fill half of them all
)
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
