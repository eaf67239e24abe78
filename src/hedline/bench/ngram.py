"""Kneser-Ney estimation: how long, how large; queries against kenlm on the same model in the same run."""

from __future__ import annotations

import resource
import sys
import tempfile
import time
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.data.dataset import Dataset
from hedline.errors import UserError, require
from hedline.ngram.arpa import write_arpa
from hedline.ngram.estimate import estimate
from hedline.ngram.model import lay_out
from hedline.text.vocab import SPECIALS, Vocabulary

WORDS_A_HEADLINE = 13
HEADLINES = 925_000  # about 12 million words
PEER_HEADLINES = 20_000  # kenlm reads text: a smaller model keeps the comparison short

Headlines = tuple[Any, Any, list[str]]  # flat ids, offsets, words


def run(data: Path | None = None, limit: int = HEADLINES, order: int = 5) -> dict[str, Any]:
    """Estimate on `limit` training headlines of a data folder (made-up ones without it), then query beside kenlm."""
    flat, offsets, words = read_headlines(data, limit) if data else made_up_headlines(limit)
    begin = time.perf_counter()
    model = estimate(flat, offsets, words, order)
    seconds = time.perf_counter() - begin
    tokens = len(flat) + len(offsets) - 1
    result = {
        "text": str(data) if data else "made-up",
        "order": order,
        "tokens": tokens,
        "ngrams": sum(len(keys) for keys in model.keys),
        "seconds": round(seconds, 2),
        "tokens_per_second": round(tokens / seconds),
        "peak_gigabytes": round(peak_gigabytes(), 2),
    }
    del model
    return {**result, **compare_queries(flat, offsets[: PEER_HEADLINES + 1], words, order)}


def compare_queries(flat: Any, offsets: Any, words: list[str], order: int) -> dict[str, Any]:
    """Words scored a second by our model and by kenlm reading it, and the largest difference between scores."""
    try:
        import kenlm
    except ImportError:
        raise require("kenlm", "dev", "hedline bench ngram") from None
    flat = flat[: offsets[-1]]
    model = estimate(flat, offsets, words, order)
    begin = time.perf_counter()
    stream = lay_out(flat, offsets)
    ours = model.log_probabilities(stream)[stream.targets]
    seconds = time.perf_counter() - begin
    with tempfile.TemporaryDirectory() as folder:
        write_arpa(model, Path(folder) / "model.arpa")
        peer = kenlm.Model(str(Path(folder) / "model.arpa"))
    lines = [" ".join(words[i] for i in flat[a:b]) for a, b in pairwise(offsets)]
    begin = time.perf_counter()
    theirs = np.array([log for line in lines for log, _, _ in peer.full_scores(line)])
    peer_seconds = time.perf_counter() - begin
    return {
        "queries_per_second": round(len(ours) / seconds),
        "kenlm_queries_per_second": round(len(theirs) / peer_seconds),
        "queries_ratio": round(peer_seconds / seconds, 2),
        "largest_difference": float(np.abs(ours - theirs).max()),
    }


def render(result: dict[str, Any]) -> str:
    """Two lines."""
    return (
        f"Kneser-Ney, order {result['order']}, {result['text']} headlines: {result['tokens']:,} tokens to "
        f"{result['ngrams']:,} n-grams in {result['seconds']} s ({result['tokens_per_second']:,} tokens/s), "
        f"peak {result['peak_gigabytes']} GB\n"
        f"scoring: {result['queries_per_second']:,} words/s, {result['queries_ratio']} × kenlm through Python; "
        f"log10 scores differ by at most {result['largest_difference']:.1e}"
    )


def made_up_headlines(count: int, vocabulary: int = 50_000) -> Headlines:
    """Independent words by Zipf's law: harder than real text, since more of its n-grams are distinct."""
    tokens = count * WORDS_A_HEADLINE
    random = np.random.default_rng(0)
    weights = np.cumsum(1.0 / np.arange(1, vocabulary + 1))
    flat: NDArray[np.int64] = np.searchsorted(weights, random.random(tokens) * weights[-1]) + len(SPECIALS)
    offsets = np.arange(0, tokens + 1, WORDS_A_HEADLINE)
    return flat, offsets, [*SPECIALS, *(f"w{number}" for number in range(vocabulary))]


def read_headlines(folder: Path, count: int) -> Headlines:
    """The first `count` training headlines of a data folder."""
    if not folder.is_dir():
        raise UserError(f"{folder} is no folder: hedline bench ngram --data takes one made by `hedline prepare`")
    train = Dataset.open(folder).split("train")
    offsets = train.output_offsets[: count + 1]
    return train.outputs[: offsets[-1]], offsets, Vocabulary.load(folder / "vocab.output.txt").words


def peak_gigabytes() -> float:
    """The largest memory this process has had, everything it did included."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak / (1e9 if sys.platform == "darwin" else 1e6)  # bytes on macOS, kilobytes on Linux
