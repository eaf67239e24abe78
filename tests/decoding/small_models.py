"""Model folders with random weights, and a quick random scorer, for tests of the whole path from text to text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hedline.arrays import Ints
from hedline.runtime import Step
from hedline.runtime.folder import expected_shapes, save_folder
from hedline.text.subword import CONTROLS, SPECIALS, Subwords, byte_letters

WORDS = [
    "the",
    "a",
    "of",
    "in",
    "on",
    "to",
    "for",
    "and",
    "'s",
    ",",
    ".",
    ":",
    "mayor",
    "council",
    "bridge",
    "city",
    "harbour",
    "storm",
    "ferry",
    "police",
    "say",
    "closes",
    "votes",
    "new",
    "old",
    "after",
    "##",
    "#,###",
    "####",
]
LEADS = (
    "The city council of Lund voted on Tuesday to close the old harbour bridge for 16 months of repairs.",
    "Police in Zorp say 1,200 people left the ferry after a storm hit the harbour on 12 May 2021.",
    "A new storm closes the bridge, and the mayor's council votes for repairs.",
)


class MarkovScorer:
    """Scores depend on the last unit only, through one random table; attention is random and fixed."""

    start_id, end_id, unknown_id, C = 2, 3, 1, 1

    def __init__(self, vocabulary: int, seed: int = 0) -> None:
        random = np.random.default_rng(seed)
        self.table = random.normal(size=(vocabulary, vocabulary)).astype(np.float32) * 1.5
        self.table[:, self.end_id] -= 1.0
        self.table -= np.logaddexp.reduce(self.table, axis=1, keepdims=True)

    def start(self, inputs: Sequence[Ints], candidates: Sequence[Ints] | None) -> tuple:
        assert candidates is None
        lengths = np.array([len(ids) for ids in inputs])
        weights = np.arange(lengths.max())[None, :] < lengths[:, None]
        return weights / lengths[:, None], np.arange(len(inputs))

    def step(self, state: tuple, last: Ints) -> Step:
        attention, owner = state
        return Step(self.table[last], attention[owner].astype(np.float32), state)

    def select(self, state: tuple, rows: Ints) -> tuple:
        return state[0], state[1][rows]


def small_subwords(size: int = 60) -> Subwords:
    """All bytes, some pieces of English, and the control tokens."""
    letters = byte_letters()
    more = [" t", " th", " the", " c", "it", "y", " 1", "16", " 20", "er", " st", "orm", "é", "€", "中"]
    names = [*SPECIALS, *CONTROLS, *(letters[byte] for byte in range(256))]
    names += ["".join(letters[byte] for byte in piece.encode()) for piece in more]
    return Subwords(list(dict.fromkeys(names)), [], len(SPECIALS) + len(CONTROLS))


def words_folder(path: Path, seed: int = 0, scale: float = 0.5) -> Path:
    """A feed-forward model over WORDS."""
    listing = "".join(f"{word}\n" for word in ["<pad>", "<unk>", "<s>", "</s>", *WORDS])
    architecture = {"encoder": "attention", "D": 6, "H": 8, "C": 3, "Q": 2, "L": 3}
    texts = {"vocab.input.txt": listing, "vocab.output.txt": listing}
    return _save(path, "feedforward", "words", architecture, len(WORDS) + 4, texts, seed, scale)


def lstm_folder(path: Path, D: int = 6, H: int = 8) -> Path:
    """A recurrent model over WORDS."""
    listing = "".join(f"{word}\n" for word in ["<pad>", "<unk>", "<s>", "</s>", *WORDS])
    architecture = {"decoder": "lstm", "D": D, "H": H, "Q": 1, "positions": 5, "share_copy": False}
    texts = {"vocab.input.txt": listing, "vocab.output.txt": listing}
    return _save(path, "recurrent", "words", architecture, len(WORDS) + 4, texts, seed=1, scale=0.5)


def subwords_folder(path: Path, seed: int = 0, scale: float = 0.3, width: int = 16) -> Path:
    """A small transformer over bytes and a few pieces."""
    subwords = small_subwords()
    subwords.save(path)
    texts = {name: (path / name).read_text() for name in ("vocab.input.txt", "vocab.output.txt", "merges.txt")}
    architecture = {"width": width, "inner": width, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}
    return _save(path, "transformer", "subwords", architecture, len(subwords), texts, seed, scale)


def _save(
    path: Path, family: str, units: str, architecture: dict, size: int, texts: dict, seed: int, scale: float
) -> Path:
    random = np.random.default_rng(seed)
    shapes = expected_shapes(family, architecture, size, size)
    tensors = {name: random.normal(0, scale, shape).astype(np.float32) for name, shape in shapes.items()}
    save_folder(path, family=family, units=units, architecture=architecture, training={}, tensors=tensors, texts=texts)
    return path
