"""How good drawn headlines are: ROUGE at the level of words, without leaving the device, less penalties.

Pieces become words here as they do in ROUGE-1.5.5: runs of ASCII letters and digits in lower case, whatever pieces they
are made of. A word is known by a 64-bit hash of its bytes; nothing is stemmed. References count to their 62nd word.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor

from hedline.arrays import Array
from hedline.pool import Crew
from hedline.text.clauses import torn
from hedline.text.meaning import altered_quotations, judge_polarity
from hedline.text.polarity_cues import polarity_cues
from hedline.text.statements import wrong_relations
from hedline.text.subword import Subwords

_SEPARATORS = re.compile(rb"[^A-Za-z0-9]+")
MULTIPLIER = 0x9E3779B97F4A7C15 | 1  # odd, so that multiplying loses no bit of a 64-bit hash
LONGEST_WORD = 512  # bytes; what lies beyond is hashed as if it stood there
MOST_REFERENCE_WORDS = 62  # the longest common subsequence keeps one bit per reference word in an int64
SHORTEST_NAME = 3  # letters; "U.S." and "US" are short for words that the lead spells out
LEADS_A_TASK = 8  # whose samples one worker judges at a time
NO_CANDIDATE, NO_REFERENCE = -1, -2  # in place of a hash where there is no word, so that two gaps never match


class Words(NamedTuple):
    """The words of R texts, at most W each; entries at and after `counts` mean nothing.

    hashes: (R, W) int64; sizes: (R, W) bytes; digits, capitals: (R, W) bool, whether the word has a digit, whether it
    begins with a capital; counts: (R,).
    """

    hashes: Tensor
    sizes: Tensor
    digits: Tensor
    capitals: Tensor
    counts: Tensor

    def masked(self, fill: int) -> Tensor:
        """The hashes with `fill` where there is no word."""
        places = torch.arange(self.hashes.shape[1], device=self.hashes.device)
        return torch.where(places < self.counts[:, None], self.hashes, fill)

    def within(self, limit: int) -> Words:
        """The first words that fit into `limit` bytes with one byte between two words."""
        places = torch.arange(self.sizes.shape[1], device=self.sizes.device)
        fits = (self.sizes.cumsum(1) + places <= limit) & (places < self.counts[:, None])
        return self._replace(counts=fits.sum(1))


class WordReader:
    """Tables of what each piece adds to words: up to A runs of letters and digits, (V, A) each.

    The first run goes on with the word before it unless a separator stands between; `breaks` says where one does.
    """

    def __init__(self, pieces: Sequence[bytes], device: torch.device | str) -> None:
        split = [_SEPARATORS.split(piece) for piece in pieces]
        shape = (len(pieces), max(len(runs) for runs in split))
        hashes, sizes, flags = np.zeros(shape, np.uint64), np.zeros(shape, np.int64), np.zeros((3, *shape), np.int64)
        for piece, runs in enumerate(split):
            flags[0, piece, 1 : len(runs)] = 1
            flags[0, piece, 0] = not pieces[piece]  # `</s>`, `<pad>` and control tokens separate words too
            for place, run in enumerate(runs):
                hashes[piece, place], sizes[piece, place] = hash_of(run), len(run)
                flags[1:, piece, place] = bool(re.search(rb"[0-9]", run)), run[:1].isupper()
        self.hashes = torch.from_numpy(hashes.view(np.int64)).to(device)
        self.sizes = torch.from_numpy(sizes).to(device)
        self.breaks, self.digits, self.capitals = torch.from_numpy(flags).to(device).unbind(0)
        self.powers = torch.from_numpy(powers(LONGEST_WORD).view(np.int64)).to(device)

    def read(self, ids: Tensor, most: int | None = None) -> Words:
        """The words of ids (R, L), at most `most` (as many as there are ids when None) of each text."""
        most = most or ids.shape[1]
        sizes, breaks = self.sizes[ids].flatten(1), self.breaks[ids].flatten(1).cumsum(1)
        filled = sizes > 0
        latest = torch.where(filled, breaks, -1).cummax(1).values  # separators before the run that was filled last
        starts = filled & (breaks > torch.nn.functional.pad(latest[:, :-1], (1, 0), value=-1))
        place = starts.cumsum(1) - 1
        slots = torch.where(filled & (place < most), place, most)
        before = sizes.cumsum(1) - sizes
        within = before - torch.where(starts, before, 0).cummax(1).values
        parts = self.hashes[ids].flatten(1) * self.powers[within.clamp(max=LONGEST_WORD - 1)]
        capitals = self.capitals[ids].flatten(1) * starts
        sums = [
            torch.zeros(len(ids), most + 1, dtype=torch.int64, device=ids.device).scatter_add_(1, slots, values)
            for values in (parts, sizes, self.digits[ids].flatten(1), capitals)
        ]
        hashes, lengths, digits, upper = (value[:, :most] for value in sums)
        return Words(hashes, lengths, digits > 0, upper > 0, starts.sum(1).clamp(max=most))


def hash_of(run: bytes) -> int:
    """The hash of a run in lower case; of `ab` it is that of `a` plus that of `b` times MULTIPLIER ** len(a)."""
    total = 0
    for place, byte in enumerate(run.lower()):
        total += _mixed(byte) * pow(MULTIPLIER, place, 1 << 64)
    return total % (1 << 64)


def _mixed(byte: int) -> int:
    """A byte's own random-looking 64-bit number (the steps of splitmix64)."""
    value = (byte + 1) * 0xBF58476D1CE4E5B9 % (1 << 64)
    value = (value ^ (value >> 27)) * 0x94D049BB133111EB % (1 << 64)
    return value ^ (value >> 31)


def powers(count: int) -> np.ndarray[tuple[int], np.dtype[np.uint64]]:
    """MULTIPLIER to the powers 0 to count - 1, modulo 2 to the 64th."""
    return np.array([pow(MULTIPLIER, power, 1 << 64) for power in range(count)], np.uint64)


class Rouge(NamedTuple):
    """F scores (or recalls) of samples, (B, S) each, in 0..1."""

    one: Tensor
    two: Tensor
    longest: Tensor


def rouge(candidates: Words, references: Words, samples: int, of: Callable[..., Tensor] | None = None) -> Rouge:
    """ROUGE-1, -2 and -L of candidates (B * S texts) against references (B texts): F scores, or `of=recall`."""
    of = of or f_score
    ours = grouped(candidates.masked(NO_CANDIDATE), samples)
    theirs = references.masked(NO_REFERENCE)
    equal = ours[..., None] == theirs[:, None, None, :]
    counts = candidates.counts.view(-1, samples), references.counts[:, None]
    fewer = (counts[0] - 1).clamp(min=0), (counts[1] - 1).clamp(min=0)
    pairs = grouped(bigrams(candidates, NO_CANDIDATE), samples), bigrams(references, NO_REFERENCE)
    return Rouge(
        of(clipped_hits(ours, equal), *counts),
        of(clipped_hits(pairs[0], pairs[0][..., None] == pairs[1][:, None, None, :]), *fewer),
        of(common_subsequence(equal), *counts),
    )


def grouped(rows: Tensor, samples: int) -> Tensor:
    """(B * S, W) to (B, S, W)."""
    return rows.view(-1, samples, rows.shape[1])


def bigrams(words: Words, fill: int) -> Tensor:
    """(R, W - 1): a hash of each two neighbours, `fill` where there are none."""
    joined = words.hashes[:, :-1] * 0x2545F4914F6CDD1D + words.hashes[:, 1:]
    places = torch.arange(joined.shape[1], device=joined.device)
    return torch.where(places + 1 < words.counts[:, None], joined, fill)


def clipped_hits(ours: Tensor, equal: Tensor) -> Tensor:
    """(B, S): how many of our words (B, S, W) are matched, each reference word once. equal: (B, S, W, N)."""
    earlier = (ours[..., :, None] == ours[..., None, :]).tril(-1).sum(-1)
    return (earlier < equal.sum(-1)).sum(-1)


def common_subsequence(equal: Tensor) -> Tensor:
    """(B, S): length of the longest common subsequence from matches (B, S, W, N), N at most 62.

    Hyyrö's bit-parallel rows: a zero at bit j of `row` says that the best grows with reference word j.
    """
    bits = torch.arange(equal.shape[-1], device=equal.device)
    masks = (equal.long() << bits).sum(-1)
    row = torch.full_like(masks[..., 0], (1 << equal.shape[-1]) - 1)
    for mask in masks.unbind(-1):
        row = (row + (row & mask)) | (row & ~mask)
    return (1 - ((row[..., None] >> bits) & 1)).sum(-1)


def f_score(hits: Tensor, ours: Tensor, theirs: Tensor) -> Tensor:
    """Two times the hits over both counts, 0 where there is nothing to count."""
    return 2 * hits / (ours + theirs).clamp(min=1)


def recall(hits: Tensor, ours: Tensor, theirs: Tensor) -> Tensor:
    """The hits over the count of the reference, 0 where there is nothing to count."""
    return hits / theirs.clamp(min=1)


class Judged(NamedTuple):
    """Samples, judged: all (B, S). reward = weighted ROUGE less penalty times faults."""

    reward: Tensor
    rouge: Rouge
    faults: Tensor
    words: Tensor

    def less(self, refused: Tensor, penalty: float) -> Judged:
        """With a penalty where `refused` (B, S) is 1."""
        return self._replace(reward=self.reward - penalty * refused)


class Reward:
    """Weighted ROUGE-1, -2 and -L less a penalty for each fault.

    limit: bytes within which the recall counts, for inputs that are read as under a limit.

    Faults: a word with a digit that the lead does not have; where the pair's headline is in sentence case (`sentence`
    is that control's id), a capitalised word of three letters or more, not the first, that the lead does not have;
    a word that repeats the one before it, unless the lead does so too.
    """

    def __init__(
        self,
        subwords: Subwords,
        device: torch.device | str,
        weights: Sequence[float] = (0.4, 0.4, 0.2),
        penalty: float = 0.1,
        sentence: int | None = None,
        limit: int = 75,
    ) -> None:
        self.reader = WordReader(subwords.pieces, device)
        self.weights, self.penalty, self.sentence, self.limit = tuple(weights), penalty, sentence, limit

    def judge(self, samples: Tensor, outputs: Tensor, inputs: Tensor, limited: Tensor | None = None) -> Judged:
        """samples (B, S, L), the pairs' headlines outputs (B, N) and leads inputs (B, M) with their own controls.

        limited: (B,) bool, which inputs' samples are judged by their recall within the limit of bytes.
        """
        count = samples.shape[1]
        words = self.reader.read(samples.flatten(0, 1))
        reference = self.reader.read(outputs, MOST_REFERENCE_WORDS)
        scores = rouge(words, reference, count)
        if limited is not None:
            recalls = rouge(words.within(self.limit), reference, count, recall)
            parts = zip(recalls, scores, strict=True)
            scores = Rouge(*(torch.where(limited[:, None], within, whole) for within, whole in parts))
        faults = self.faults(words, self.reader.read(inputs), inputs, count)
        total = sum(weight * score for weight, score in zip(self.weights, scores, strict=True))
        return Judged(total - self.penalty * faults, scores, faults, words.counts.view(-1, count))

    def faults(self, words: Words, lead: Words, inputs: Tensor, samples: int) -> Tensor:
        """(B, S): faults of each sample."""
        supported = among(words.masked(NO_CANDIDATE), lead.masked(NO_REFERENCE), samples)
        known = among(bigrams(words, NO_CANDIDATE), bigrams(lead, NO_REFERENCE), samples)
        places = torch.arange(words.hashes.shape[1], device=inputs.device)
        real = places < words.counts[:, None]
        names = words.capitals & (words.sizes >= SHORTEST_NAME) & (places > 0)
        names = names & self.sentence_case(inputs).repeat_interleave(samples)[:, None]
        twice = (words.hashes[:, 1:] == words.hashes[:, :-1]) & real[:, 1:] & ~known
        found = (real & ~supported & (words.digits | names)).sum(1) + twice.sum(1)
        return found.view(-1, samples)

    def sentence_case(self, inputs: Tensor) -> Tensor:
        """(B,): whether the pair's headline is in sentence case, as its control token says."""
        if self.sentence is None:
            return torch.zeros(len(inputs), dtype=torch.bool, device=inputs.device)
        return (inputs == self.sentence).any(dim=1)


def among(ours: Tensor, theirs: Tensor, samples: int) -> Tensor:
    """(B * S, W) bool: which of our hashes stand among theirs (B, N) of the same input."""
    found = grouped(ours, samples)[..., None] == theirs[:, None, None, :]
    return found.any(-1).flatten(0, 1)


class Refusals:
    """Which samples the rules of the meaning guard refuse, found by worker processes while the device goes on.

    A context manager; `begin` hands samples out and returns at once, the result is waited for.
    """

    def __init__(self, subwords: Subwords, workers: int | None = None) -> None:
        """workers: processes; None for all processors but four, which the training itself can use."""
        self.crew = Crew(partial(_same, subwords), workers or max((os.cpu_count() or 1) - 4, 1))
        self.waiter = ThreadPoolExecutor(1)

    def __enter__(self) -> Refusals:
        return self

    def __exit__(self, *_: object) -> None:
        self.waiter.shutdown()
        self.crew.__exit__()

    def begin(self, samples: Tensor, inputs: Tensor) -> Future[Tensor]:
        """samples (B, S, L) of the leads inputs (B, M): a future of (B, S), 1.0 where a sample is refused."""
        return self.waiter.submit(self._judge, samples.cpu().numpy(), inputs.cpu().numpy())

    def _judge(self, samples: Array, inputs: Array) -> Tensor:
        cuts = range(0, len(inputs), LEADS_A_TASK)
        tasks = [(samples[cut : cut + LEADS_A_TASK], inputs[cut : cut + LEADS_A_TASK]) for cut in cuts]
        return torch.from_numpy(np.concatenate(list(self.crew.map(refused_samples, tasks))))


def _same(subwords: Subwords) -> Subwords:
    return subwords


def refused_samples(subwords: Subwords, task: tuple[Array, Array]) -> Array:
    """(b, S) of samples (b, S, L) and leads (b, M): 1.0 where a sample is refused."""
    samples, inputs = task
    found = np.zeros(samples.shape[:2], np.float32)
    for row, (drawn, lead_ids) in enumerate(zip(samples.tolist(), inputs.tolist(), strict=True)):
        lead = subwords.decode(lead_ids)
        known: dict[str, bool] = {}
        for column, ids in enumerate(drawn):
            text = subwords.decode(ids)
            if text not in known:
                known[text] = is_refused(text, lead)
            found[row, column] = known[text]
    return found


def is_refused(text: str, lead: str) -> bool:
    """Whether a headline loses or turns round what its lead says, as the meaning guard's rules read them.

    >>> is_refused("Mayor resigned", "The mayor of Lund denied that he had resigned."), is_refused("Mayor of Lund", "")
    (True, False)
    """
    return bool(
        altered_quotations(text, lead)
        or judge_polarity(polarity_cues(lead), lead, text)[0]
        or wrong_relations(text, lead)
        or torn(text, lead)
    )
