"""The output words that an input's headline may need, and the output layer that scores only those.

A shortlist gives each input its candidates: its own words, their learnt companions, and the frequent words. The file
`shortlist.safetensors` holds `frequent (F,)`, output ids; `offsets (Vin + 1,)` and `companions (n,)`: the output ids
that input id i calls up are `companions[offsets[i]:offsets[i + 1]]`; `same (Vin,)`: the output id of the same word, -1
where the output vocabulary lacks it (absent when both sides share one vocabulary).

`CandidateOutput` is the output layer of an int8 model over such candidates. The frequent ids are candidates of every
input: their rows are packed once, when the model is loaded, and all hypotheses of a batch are multiplied with them at
once. Each input's other candidates are packed when it arrives.

`learn_shortlist` finds the companions: IBM model 1 between a lead's content words and the words of its headline that
are neither frequent nor in the lead. The words of a lead compete to explain each such word, so that a word which every
lead would call up is credited to none of them but to an empty word.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from hedline.arrays import Floats, Ints
from hedline.errors import UserError
from hedline.progress import track
from hedline.runtime import kernels
from hedline.runtime.folder import ModelFolder
from hedline.runtime.kernels import Layer
from hedline.runtime.tensors import TensorFile
from hedline.settings import setting

if TYPE_CHECKING:
    from hedline.data.dataset import Pairs

SPECIALS = 4
BLOCK = 20_000  # training pairs that are counted at once


class Shortlist:
    """Input ids to candidate output ids."""

    def __init__(
        self, frequent: Ints, offsets: Ints, companions: NDArray[np.integer], same: Ints | None, vocab_out: int
    ) -> None:
        self.frequent, self.offsets, self.companions, self.same = frequent, offsets, companions, same
        self._wanted = np.zeros(vocab_out, bool)

    def __call__(self, ids: Ints) -> Ints:
        """Candidates of one input (M,), ascending, each once."""
        own = ids if self.same is None else self.same[ids]
        edges = zip(self.offsets[ids].tolist(), self.offsets[ids + 1].tolist(), strict=True)
        parts = [self.companions[first:end] for first, end in set(edges)]
        wanted = self._wanted.copy()
        wanted[self.frequent] = True
        wanted[own[own >= 0]] = True
        if parts:
            wanted[np.concatenate(parts)] = True
        return np.flatnonzero(wanted)


def load_shortlist(folder: ModelFolder) -> Shortlist | None:
    """The shortlist of a model folder, checked; None when it has none."""
    file = folder.shortlist
    if file is None:
        return None
    for name in ("frequent", "offsets", "companions"):
        if name not in file or len(file.shape(name)) != 1:
            raise UserError(f"{file.path} lacks the list {name!r}; export the model again")
    offsets = _ids(file, "offsets", len(file["companions"]) + 1)
    if len(offsets) != folder.vocab_in + 1 or offsets[0] != 0 or (np.diff(offsets) < 0).any():
        raise UserError(f"{file.path} does not fit the input vocabulary; export the model again")
    if offsets[-1] != len(file["companions"]):
        raise UserError(f"{file.path} does not hold the companions it promises; export the model again")
    same = _ids(file, "same", folder.vocab_out) if "same" in file else None
    if same is not None and len(same) != folder.vocab_in:
        raise UserError(f"{file.path} does not fit the input vocabulary; export the model again")
    _ids(file, "companions", folder.vocab_out)
    frequent = _ids(file, "frequent", folder.vocab_out)
    return Shortlist(frequent, offsets, file["companions"], same, folder.vocab_out)


def _ids(file: TensorFile, name: str, limit: int) -> Ints:
    """A list of ids, all below `limit` (-1 is allowed)."""
    ids = file[name]
    if ids.ndim != 1:
        raise UserError(f"{file.path}: {name!r} is not a list; export the model again")
    if ids.dtype.kind not in "iu":
        raise UserError(f"{file.path}: {name!r} holds no whole numbers; export the model again")
    if len(ids) and (int(ids.max()) >= limit or int(ids.min()) < -1):
        raise UserError(f"{file.path}: {name!r} names ids the model does not have; export the model again")
    return np.asarray(ids, np.int64)


class CandidateOutput:
    """An int8 table (Vout, K) with a scale for each row, and a bias (Vout,); hidden states are rounded to one byte."""

    def __init__(self, tensors: TensorFile, table: str, bias: str, shortlist: TensorFile | None) -> None:
        self.weight, self.scale = tensors[table], np.ascontiguousarray(tensors[f"{table}.scale"], np.float32)
        self.bias = np.ascontiguousarray(tensors.float(bias))
        self.frequent = _frequent(shortlist, len(self.weight))
        self._layers: dict[bool, Layer] = {}

    def open(self, candidates: Sequence[Ints] | None, batch: int) -> OpenCandidates:
        """The layer restricted to each input's candidates, ascending (the whole vocabulary when None)."""
        return OpenCandidates(self, candidates, batch)

    def rows(self, ids: Ints) -> Layer:
        """The layer of some rows."""
        return Layer(self.weight[ids], self.scale[ids], self.bias[ids])

    def shared(self, whole: bool) -> tuple[Layer, Ints]:
        """The layer of all rows, or of the frequent ones, packed at the first wish, and their ids."""
        ids = np.arange(len(self.weight)) if whole else self.frequent
        if whole not in self._layers:
            self._layers[whole] = self.rows(ids)
        return self._layers[whole], ids


class OpenCandidates:
    """An output layer bound to the candidates of a batch of inputs."""

    def __init__(self, layer: CandidateOutput, candidates: Sequence[Ints] | None, batch: int) -> None:
        if candidates is None:
            shared, ids = layer.shared(whole=True)
            candidates = [ids] * batch
        elif _common(layer.frequent, candidates):
            shared, ids = layer.shared(whole=False)
        else:
            shared, ids = None, np.zeros(0, np.int64)
        self.width = max(map(len, candidates), default=0)
        self.handle: Any = None
        if kernels.available() and candidates:
            self.handle = _compiled(layer, shared, ids, candidates)
        else:
            self._layers = [layer.rows(np.asarray(each, np.int64)) for each in candidates]

    def log_probs(self, hidden: Floats, owners: Ints) -> Floats:
        """Log-probabilities (rows, S) of hidden states (rows, K) of inputs `owners` (rows,); -inf on padding."""
        if self.handle is not None:
            out = np.empty((len(hidden), self.width), np.float32)
            kernels.compiled.score(self.handle, hidden, owners, out, *out.shape)
            return out
        out = np.full((len(hidden), self.width), -np.inf, np.float32)
        for owner in np.unique(owners):
            rows, layer = np.flatnonzero(owners == owner), self._layers[owner]
            out[rows, : layer.outputs] = kernels.log_softmax(layer(hidden[rows]))
        return out


def _compiled(layer: CandidateOutput, shared: Layer | None, ids: Ints, candidates: Sequence[Ints]) -> Any:
    """The candidates as an object of the compiled kernels."""
    handle = None if shared is None else shared.handle
    offsets = np.zeros(len(candidates) + 1, np.int64)
    np.cumsum([len(each) for each in candidates], out=offsets[1:])
    return kernels.compiled.candidates(
        layer.weight, layer.scale, layer.bias, *layer.weight.shape, handle, ids.astype(np.int32), len(ids),
        np.concatenate(candidates).astype(np.int32), offsets, len(candidates), int(offsets[-1]),
    )  # fmt: skip


def _frequent(shortlist: TensorFile | None, count: int) -> Ints:
    """The ids every input has as candidates, ascending; none where the model has no such list."""
    if shortlist is None or "frequent" not in shortlist:
        return np.zeros(0, np.int64)
    # Not np.unique: it imports numpy.ma, which takes a twentieth of a cold start.
    ids = np.array(sorted(set(np.asarray(shortlist["frequent"]).ravel().tolist())), np.int64)
    return ids[(ids >= 0) & (ids < count)]


def _common(frequent: Ints, candidates: Sequence[Ints]) -> bool:
    """Whether every input's candidates, ascending, have the frequent ones among them."""
    if not len(frequent):
        return False
    for each in candidates:
        places = np.searchsorted(each, frequent)
        if places[-1] >= len(each) or not np.array_equal(each[places], frequent):
            return False
    return True


@dataclass(frozen=True)
class ShortlistOptions:
    """How companions are learnt.

    frequent: words always allowed; companions: the most that an input word calls up; minimum: the expected occurrences
    that a companion needs; ignored: the commonest input words, which call up nothing; pairs: the most training pairs
    that are read.
    """

    frequent: int = setting(1000, "Shortlist: words always allowed.")
    companions: int = setting(64, "Shortlist: words each input word calls up.")
    minimum: float = 0.2
    ignored: int = 150
    pairs: int = 400_000
    iterations: int = 3

    def __post_init__(self) -> None:
        if self.frequent < 1 or self.companions < 0:
            raise UserError("a shortlist needs --frequent of at least 1 and --companions of at least 0")


class Events(NamedTuple):
    """Every (input word, headline word) that might belong together: keys = x · Vout + y, targets 0, 0, …, 1, 1, …"""

    keys: Ints
    targets: Ints


def learn_shortlist(
    pairs: Pairs, vocab_in: int, vocab_out: int, same: Ints | None, options: ShortlistOptions | None = None
) -> dict[str, NDArray[Any]]:
    """The tensors of `shortlist.safetensors`. same: (Vin,) output id of each input id or -1; None: identical."""
    options = options or ShortlistOptions()
    output_of = np.arange(vocab_in) if same is None else same
    learner = _Learner(pairs, vocab_in, vocab_out, output_of, options)
    x, y, strength = learner.strengths()
    kept = _strongest(x, y, strength, options)
    x, y = x[kept], y[kept]
    order = np.lexsort((y, x))
    dtype = np.uint16 if vocab_out <= 1 << 16 else np.int32
    tensors: dict[str, NDArray[Any]] = {
        "frequent": np.sort(learner.frequent).astype(np.int32),
        "offsets": np.searchsorted(x[order], np.arange(vocab_in + 1)).astype(np.int32),
        "companions": y[order].astype(dtype),
    }
    if same is not None:
        tensors["same"] = same.astype(np.int32)
    return tensors


def same_words(vocab_in: Sequence[str], vocab_out: Sequence[str]) -> Ints:
    """(Vin,) the output id of each input word, -1 for those the output side lacks."""
    ids = {word: index for index, word in enumerate(vocab_out)}
    return np.array([ids.get(word, -1) for word in vocab_in], np.int64)


class _Learner:
    def __init__(self, pairs: Pairs, vocab_in: int, vocab_out: int, output_of: Ints, options: ShortlistOptions) -> None:
        self.pairs, self.vocab_in, self.vocab_out, self.output_of, self.options = (
            pairs, vocab_in, vocab_out, output_of, options,
        )  # fmt: skip
        self.count = min(len(pairs), options.pairs)
        self.input_counts = np.bincount(pairs.inputs[: pairs.input_offsets[self.count]], minlength=vocab_in)
        self.silent = np.zeros(vocab_in, bool)
        self.silent[np.argsort(-self.input_counts, kind="stable")[: min(options.ignored, vocab_in // 10)]] = True
        self.silent[:SPECIALS] = True
        novel = self._novel_counts()
        best = np.argsort(-novel, kind="stable")[: options.frequent]
        self.frequent = np.unique(np.concatenate([best[novel[best] > 0], np.arange(1, SPECIALS)]))
        self.covered = np.zeros(vocab_out, bool)
        self.covered[self.frequent] = True

    def _block(self, first: int) -> tuple[Ints, Ints]:
        """Distinct (pair, input word) and distinct (pair, novel output word) of a block, as pair · V + word."""
        last = min(first + BLOCK, self.count)
        ins, outs = self.pairs.input_offsets[first : last + 1], self.pairs.output_offsets[first : last + 1]
        x = np.asarray(self.pairs.inputs[ins[0] : ins[-1]], np.int64)
        y = np.asarray(self.pairs.outputs[outs[0] : outs[-1]], np.int64)
        inputs = np.unique(np.repeat(np.arange(last - first), np.diff(ins)) * self.vocab_in + x)
        outputs = np.unique(np.repeat(np.arange(last - first), np.diff(outs)) * self.vocab_out + y)
        pair, word = np.divmod(inputs, self.vocab_in)
        own = self.output_of[word]
        copied = np.isin(outputs, (pair * self.vocab_out + own)[own >= 0])
        return inputs, outputs[~copied]

    def _novel_counts(self) -> Ints:
        counts = np.zeros(self.vocab_out, np.int64)
        for first in track(range(0, self.count, BLOCK), "counting headline words", unit="blocks"):
            counts += np.bincount(self._block(first)[1] % self.vocab_out, minlength=self.vocab_out)
        return counts

    def _events(self) -> Events:
        """All candidate links; the empty word (id Vin) is a candidate for every headline word."""
        keys, targets, seen = [], [], 0
        for first in track(range(0, self.count, BLOCK), "linking words", unit="blocks"):
            inputs, outputs = self._block(first)
            pair_x, x = np.divmod(inputs, self.vocab_in)
            pair_x, x = pair_x[~self.silent[x]], x[~self.silent[x]]
            pair_y, y = np.divmod(outputs, self.vocab_out)
            wanted = ~self.covered[y] & (y >= SPECIALS)
            pair_y, y = pair_y[wanted], y[wanted]
            start, end = (np.searchsorted(pair_x, pair_y, side) for side in ("left", "right"))
            links = end - start
            target = np.repeat(np.arange(len(y)), links + 1)
            place = np.arange(len(target)) - np.repeat(np.cumsum(links + 1) - (links + 1), links + 1)
            empty = place == links[target]
            words = x[np.minimum(start[target] + place, max(len(x) - 1, 0))] if len(x) else np.zeros(len(target), int)
            keys.append(np.where(empty, self.vocab_in, words) * self.vocab_out + y[target])
            targets.append(target + seen)
            seen += len(y)
        if not keys:
            return Events(np.zeros(0, np.int64), np.zeros(0, np.int64))
        return Events(np.concatenate(keys), np.concatenate(targets))

    def strengths(self) -> tuple[Ints, Ints, NDArray[np.float64]]:
        """Linked input words, output words and the expected number of times one called up the other."""
        events = self._events()
        if not len(events.keys):
            return np.zeros(0, np.int64), np.zeros(0, np.int64), np.zeros(0)
        links, place = np.unique(events.keys, return_inverse=True)
        x, y = np.divmod(links, self.vocab_out)
        contexts = np.append(self.input_counts, events.targets[-1] + 1)[x]
        expected: NDArray[np.float64] = np.bincount(place).astype(np.float64)
        starts = np.flatnonzero(np.diff(events.targets, prepend=-1))
        for _ in range(self.options.iterations):
            share = (expected / contexts)[place]
            share /= np.add.reduceat(share, starts)[events.targets]
            expected = np.asarray(np.bincount(place, weights=share, minlength=len(links)), np.float64)
        real = x < self.vocab_in
        return x[real], y[real], expected[real]


def _strongest(x: Ints, y: Ints, strength: NDArray[np.float64], options: ShortlistOptions) -> Ints:
    """Indices of each input word's strongest companions."""
    order = np.lexsort((y, -strength, x))
    rank = np.arange(len(x)) - np.searchsorted(x[order], x[order])
    return order[(rank < options.companions) & (strength[order] >= options.minimum)]
