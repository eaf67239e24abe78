"""Model folders of the real shapes with random weights, for measuring speed where no trained model is at hand.

With a forced number of output words the work does not depend on what the weights are.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.runtime.folder import ModelFolder, save_folder
from hedline.runtime.quantize import quantize_tensors
from hedline.runtime.shapes import expected_shapes
from hedline.text.normalize import normalize
from hedline.text.subword import SPECIALS, byte_letters, pretokens, to_letters

ABS: dict[str, Any] = {"encoder": "attention", "D": 200, "H": 400, "C": 5, "Q": 2, "L": 3}
TRANSFORMER: dict[str, Any] = {
    "width": 512, "inner": 2048, "heads": 8, "encoder_layers": 6, "decoder_layers": 2,
}  # fmt: skip
INPUT_WORDS, OUTPUT_WORDS, PIECES = 80_000, 50_000, 24_000
FREQUENT, COMPANIONS = 600, 24


def write_abs(texts: Sequence[str], folder: Path, output_words: int = OUTPUT_WORDS) -> ModelFolder:
    """The paper's attention model: D=200, H=400, C=5; the texts' words are in its vocabularies."""
    words = sorted({word for text in texts for word in normalize(text)})
    listing = [*SPECIALS, *words, *(f"filler{i}" for i in range(INPUT_WORDS))]
    sizes = (max(INPUT_WORDS * output_words // OUTPUT_WORDS, output_words), output_words)
    vocabularies = [_lines(listing[:size]) for size in sizes]
    texts_by_name = dict(zip(("vocab.input.txt", "vocab.output.txt"), vocabularies, strict=True))
    return _write(folder, "feedforward", "words", ABS, sizes, texts_by_name)


def write_transformer(
    texts: Sequence[str], folder: Path, architecture: dict[str, Any] | None = None, pieces: int = PIECES
) -> ModelFolder:
    """A pre-norm transformer of 35 million parameters over subwords; the texts' words are mostly one piece."""
    letters = sorted(byte_letters().values())
    merges: dict[tuple[str, str], None] = {}
    for word in sorted({pretoken for text in texts for pretoken in pretokens(text)}):
        spelt = to_letters(word)
        for end in range(1, len(spelt)):
            merges.setdefault((spelt[:end], spelt[end]))
    made = ["".join(pair) for pair in merges]
    # Pieces that begin a word (Ġ is a space), so that a word of random pieces is 1.3 pieces long, as in real headlines.
    filling = ("Ġ" + "".join(rest) for rest in product(ascii_lowercase, repeat=4))
    listing = list(dict.fromkeys([*SPECIALS, *letters, *made[: pieces // 2]]))
    known = set(listing)
    while len(listing) < pieces:
        name = next(filling)
        if name not in known:
            listing.append(name)
    vocabulary = _lines(listing[:pieces])
    files = {
        "vocab.input.txt": vocabulary,
        "vocab.output.txt": vocabulary,
        "merges.txt": "".join(f"{left} {right}\n" for left, right in list(merges)[: pieces // 2]),
    }
    return _write(folder, "transformer", "subwords", architecture or TRANSFORMER, (pieces, pieces), files)


def _write(
    folder: Path, family: str, units: str, architecture: dict[str, Any], sizes: tuple[int, int], texts: dict[str, str]
) -> ModelFolder:
    generator = np.random.default_rng(0)
    tensors: dict[str, NDArray[Any]] = {}
    for name, shape in expected_shapes(family, architecture, *sizes).items():
        if name == "decoder_norm.weight":  # random signs, or else the tied embeddings would repeat one piece for ever
            tensors[name] = generator.choice(np.array([-1, 1], np.float32), shape)
        elif name.endswith("norm.weight"):
            tensors[name] = np.ones(shape, np.float32)
        elif name == "bias":  # single bytes inside a word are rare, as in a trained model
            tensors[name] = np.where(np.arange(shape[0]) < len(SPECIALS) + 256, -2, 0).astype(np.float32)
        else:
            tensors[name] = generator.standard_normal(shape, np.float32) * np.float32(0.05)
    return save_folder(
        folder,
        family=family,
        units=units,
        architecture=architecture,
        training={"note": "random weights, for measuring speed only"},
        tensors=quantize_tensors(tensors),
        texts=texts,
        shortlist=_random_shortlist(generator, *sizes, same=units == "words"),
    )


def _random_shortlist(
    generator: np.random.Generator, vocab_in: int, vocab_out: int, same: bool
) -> dict[str, NDArray[Any]]:
    """As many candidates as a learnt one gives: frequent words, and some companions for each input word."""
    count = min(COMPANIONS, vocab_out - 4)
    ids = np.arange(vocab_in)
    tensors: dict[str, NDArray[Any]] = {
        "frequent": np.arange(1, min(FREQUENT, vocab_out), dtype=np.int32),
        "offsets": (np.arange(vocab_in + 1) * count).astype(np.int32),
        "companions": generator.integers(4, vocab_out, vocab_in * count).astype(np.uint16),
    }
    if same:
        tensors["same"] = np.where(ids < vocab_out, ids, -1).astype(np.int32)
    return tensors


def _lines(names: Sequence[str]) -> str:
    return "".join(f"{name}\n" for name in names)
