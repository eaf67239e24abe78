"""The published sequel (Chopra, Auli & Rush 2016): the attention model with a recurrent decoder, Elman or LSTM.

Encoder: a_i = F x_i + l_i, z_i = convolution of a over 2Q+1 places. At each step, with the state h_{t-1}:
p ∝ exp(z h_{t-1}), c_t = Σ p_i F x_i, h_t = cell(E y_{t-1}, h_{t-1}, c_t), p(y_t) ∝ exp(V h_t + W c_t).
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
from torch import Tensor, nn

from hedline.models.batch import START, Batch
from hedline.models.encoders import Memory, RecurrentShape, align, embedding, working_type
from hedline.models.nnlm import Regularization, WordModel

GATES = {"rnn": 1, "lstm": 4}
State = tuple[Tensor, Tensor]


class ConvolvedWords(nn.Module):
    """The encoder: word vectors as values, convolved words with positions as keys."""

    def __init__(self, shape: RecurrentShape, vocab_in: int) -> None:
        super().__init__()
        self.shape = shape
        self.dropout = 0.0
        self.F = embedding(vocab_in, shape.H)
        self.position = nn.Embedding(max(shape.positions, 1), shape.H)
        nn.init.normal_(self.position.weight, std=0.1 * shape.H**-0.5)
        self.Z = nn.Conv1d(shape.H, shape.H, 2 * shape.Q + 1, padding=shape.Q)

    def read(self, inputs: Tensor, lengths: Tensor, table: Tensor | None = None) -> Memory:
        """Encode inputs (B, M)."""
        mask = torch.arange(inputs.shape[1], device=inputs.device) < lengths.clamp(min=1)[:, None]
        x = F.embedding(inputs, self.F.weight if table is None else table)
        x = F.dropout(x.to(working_type(x)) * (inputs != 0)[..., None], self.dropout, self.training)
        places = torch.arange(inputs.shape[1], device=inputs.device).clamp(max=self.position.num_embeddings - 1)
        a = (x + self.position(places).to(x.dtype)) * mask[..., None]
        keys = self.Z(a.transpose(1, 2)).transpose(1, 2)
        return Memory(keys, x, mask)


class Recurrent(WordModel):
    """Attention encoder and recurrent decoder. copies: as in nnlm.FeedForward."""

    family = "recurrent"
    shape: RecurrentShape
    encoder: ConvolvedWords

    def __init__(
        self,
        shape: RecurrentShape,
        vocab_in: int,
        vocab_out: int,
        regularization: Regularization | None = None,
        copies: Tensor | None = None,
    ) -> None:
        super().__init__(shape, regularization)
        H, gates = shape.H, GATES[shape.decoder]
        self.E = embedding(vocab_out, shape.D)
        self.encoder = ConvolvedWords(shape, vocab_in)
        self.encoder.dropout = self.regularization.dropout
        self.word_gates = nn.Linear(shape.D, gates * H)
        if shape.decoder == "lstm":  # remember at first (Jozefowicz et al. 2015)
            nn.init.constant_(self.word_gates.bias[H : 2 * H], 1.0)
        self.state_gates = nn.Linear(2 * H, gates * H, bias=False)
        nn.init.normal_(self.state_gates.weight, std=(2 * H) ** -0.5)
        self.add_output(2 * H, vocab_out, copies)

    def loss(self, batch: Batch) -> tuple[Tensor, int]:
        """Sum of -log p over the batch's scored words (smoothed in training), and their number."""
        memory = self.read(batch.inputs, batch.input_lengths)
        return self.cross_entropy(self.drop(batch.pick(self.states(memory, batch.outputs)[0])), batch)

    def read(self, inputs: Tensor, lengths: Tensor) -> Memory:
        """The encoder's memory of inputs (B, M)."""
        return self.encoder.read(inputs, lengths, self.input_table())

    def states(self, memory: Memory, outputs: Tensor) -> tuple[Tensor, Tensor]:
        """[h_t ; c_t] (B, N, 2H) and alignments (B, N, M); position t predicts outputs[:, t]."""
        words = torch.cat([torch.full_like(outputs[:, :1], START), outputs[:, :-1]], dim=1)
        gates = self.word_gates(self.drop(self.E(words)))
        state, found, weights = self.first(memory), [], []
        for step in range(words.shape[1]):
            state, vector, weight = self.advance(memory, state, gates[:, step])
            found.append(vector)
            weights.append(weight)
        return torch.stack(found, dim=1), torch.stack(weights, dim=1)

    def first(self, memory: Memory) -> State:
        """h_0 and (LSTM) the cell, zeros (B, H)."""
        zero = memory.values.new_zeros(memory.values.shape[0], self.shape.H)
        return zero, zero

    def advance(self, memory: Memory, state: State, word_gates: Tensor) -> tuple[State, Tensor, Tensor]:
        """One word: the new state, [h ; c] (B, 2H) and the alignment (B, M)."""
        h, cell = state
        context, weights = align(h[:, None], memory)
        context = context[:, 0]
        total = word_gates + self.state_gates(torch.cat([h, context], dim=-1))
        if self.shape.decoder == "rnn":
            h = torch.sigmoid(total)
        else:
            enter, forget, new, leave = total.chunk(4, dim=-1)
            cell = torch.sigmoid(forget) * cell + torch.sigmoid(enter) * torch.tanh(new)
            h = torch.sigmoid(leave) * torch.tanh(cell)
        h, cell = h.to(memory.values.dtype), cell.to(memory.values.dtype)
        return (h, cell), torch.cat([h, context.to(h.dtype)], dim=-1), weights[:, 0]

    def tables(self) -> list[Tensor]:
        """The embedding tables: E and F."""
        return [self.E.weight, self.encoder.F.weight]
