"""Headlines per second, text in and text out, against CTranslate2 int8 on t5-small's and distilbart-6-6's shapes.

12 output words, inputs of about 30 words, at batch 1 and batch 32. Of our models take part: as shipped (its own beam,
its shortlist), with the peers' beam where that is another one, with the shortlist off, and, of a trained model,
headlines of its own length; `peers` has whom they are compared with.

Every system reads the same inputs in the same process, in turns, so that a busy machine slows all of them alike; with
one thread the processor's time is measured, which other programs hardly touch. The process is a fresh one for each
number of threads, because BLAS reads its environment once.

Where no trained model is at hand, model folders of the real shapes with random weights are made: with a forced number
of output words the work does not depend on what the weights are.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from itertools import product
from pathlib import Path
from string import ascii_lowercase
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedline.bench.peers import BEAM, PEERS, WORDS, Shape, System, convert, peer_systems, real_peer, write_peer
from hedline.errors import UserError
from hedline.runtime.export import quantize_tensors
from hedline.runtime.folder import ModelFolder, expected_shapes, save_folder
from hedline.text.subword import SPECIALS, byte_letters, pretokens, to_letters
from hedline.text.tokenize import normalize

ABS: dict[str, Any] = {"encoder": "attention", "D": 200, "H": 400, "C": 5, "Q": 2, "L": 3}
TRANSFORMER: dict[str, Any] = {
    "width": 512, "inner": 2048, "heads": 8, "encoder_layers": 6, "decoder_layers": 2,
}  # fmt: skip
KNOWN_WORDS, OUTPUT_WORDS, PIECES = 80_000, 50_000, 24_000
FREQUENT, COMPANIONS = 600, 24


def write_abs(texts: Sequence[str], folder: Path, output_words: int = OUTPUT_WORDS) -> ModelFolder:
    """The paper's attention model: D=200, H=400, C=5; the texts' words are in its vocabularies."""
    words = sorted({word for text in texts for word in normalize(text)})
    listing = [*SPECIALS, *words, *(f"filler{i}" for i in range(KNOWN_WORDS))]
    sizes = (max(KNOWN_WORDS * output_words // OUTPUT_WORDS, output_words), output_words)
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


INPUT_WORDS = 30
BATCHES = (1, 32)
ROUNDS = {1: 12, 32: 3}


def run(
    model: str | None = None,
    data: Path | None = None,
    threads: int | None = None,
    limit: int = 32,
    peer: str | None = None,
    peers: Sequence[Shape] = PEERS,
) -> dict[str, Any]:
    """Measure; speeds are sentences a second: of processor time with one thread, of wall-clock time with more.

    model: a name or folder; without it random weights of the ABS and the transformer shapes are measured.
    data: JSONL of pairs whose leads are read, without it sentences of our own. threads: one number; without it 1
    and then 2. limit: how many different inputs. peer: name or folder of a transformer that CTranslate2 runs, too.
    """
    with tempfile.TemporaryDirectory(prefix="hedline-bench-") as name:
        folder = Path(name)
        texts = inputs(data, max(limit, *BATCHES))
        job = {
            "texts": texts,
            "models": _models(model, texts, folder),
            "peers": [[shape.name, str(write_peer(shape, folder))] for shape in peers],
            "real": [_real(peer, folder)] if peer else [],
        }
        counts = [threads] if threads else [1, 2]
        return {"inputs": len(texts), "beam": BEAM, "words": WORDS, "runs": [_fresh(job, n, folder) for n in counts]}


def inputs(data: Path | None, count: int) -> list[str]:
    """Texts of about 30 words."""
    from hedline.bench.text import built_in, read_leads

    if data is None:
        sentences = built_in(2 * count)
        joined = [f"{sentences[i]} {sentences[i + count]}" for i in range(count)]
        return [" ".join(text.split()[:INPUT_WORDS]) for text in joined]
    near = [text for text in read_leads(data, 40 * count) if abs(len(text.split()) - INPUT_WORDS) <= 5]
    if len(near) < max(BATCHES):
        raise UserError(f"{data} has too few leads of about {INPUT_WORDS} words to measure on")
    return near[:count]


def _models(model: str | None, texts: Sequence[str], folder: Path) -> list[str]:
    if model is not None:
        from hedline.api import find_model

        return [str(find_model(model))]

    return [str(write_abs(texts, folder / "abs").path), str(write_transformer(texts, folder / "transformer").path)]


def _real(peer: str, folder: Path) -> list[str]:
    """A real peer's name, its CTranslate2 folder and its own."""
    from hedline.api import find_model

    source = find_model(peer)
    return [source.name, str(convert(source, folder)), str(source)]


def _fresh(job: dict[str, Any], threads: int, folder: Path) -> dict[str, Any]:
    """Run `measure` in a process of its own with this number of threads."""
    path = folder / "job.json"
    path.write_text(json.dumps({**job, "threads": threads}), encoding="utf-8")
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "VECLIB_MAXIMUM_THREADS")
    environment = os.environ | {name: str(threads) for name in names}
    command = [sys.executable, "-m", "hedline.bench.decode", str(path)]
    done = subprocess.run(command, env=environment, stdout=subprocess.PIPE, check=False)
    if done.returncode:
        raise UserError(f"the benchmark's process failed with exit code {done.returncode}; its message is above")
    result: dict[str, Any] = json.loads(done.stdout)
    return result


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """In the fresh process: speeds of every system at every batch size."""
    from hedline.runtime import kernels

    threads, texts = job["threads"], job["texts"]
    kernels.set_threads(threads)
    systems: dict[str, System] = {}
    about: dict[str, Any] = {}
    for path in job["models"]:
        more, facts = our_systems(path)
        systems |= more
        about |= facts
    for name, path in job["peers"]:
        systems |= peer_systems(name, path, threads, texts, job["models"])
    for name, path, folder in job["real"]:
        systems |= real_peer(name, path, folder, threads)
    clock = time.process_time if threads == 1 else time.perf_counter
    speeds = {str(batch): _speeds(systems, texts, batch, clock) for batch in BATCHES}
    return {"threads": threads, "kernels": kernels.available(), "models": about, "sentences_per_second": speeds}


def our_systems(path: str) -> tuple[dict[str, System], dict[str, Any]]:
    """A model's systems, 12 words per headline or its own length, and facts about each."""
    from hedline.api import load
    from hedline.decoding.options import DecodeOptions

    config, summarizer, name = ModelFolder.open(path).config, load(path), f"hedline {Path(path).name}"
    shipped = summarizer.defaults.settle(DecodeOptions()).beam
    ways: dict[str, dict[str, Any]] = {name: {"exact_words": WORDS}}
    if shipped != BEAM:
        ways[f"{name}, beam {BEAM}"] = {"exact_words": WORDS, "beam": BEAM}
    ways[f"{name}, no shortlist"] = {"exact_words": WORDS, "full_vocabulary": True}
    note = config.training.get("note", "")
    if not note:
        ways[f"{name}, own length"] = {}
    else:  # a stand-in: no guard lets the nonsense of random weights pass, and all would be searched again
        free_of_guards = {"guard_meaning": False, "guard_names": False, "guard_numbers": False}
        ways = {way: {**options, **free_of_guards} for way, options in ways.items()}

    def system(options: dict[str, Any]) -> System:
        return lambda texts: summarizer.summarize(list(texts), batch=len(texts), **options)

    facts = {"family": config.family, "note": note, "beam": shipped}
    about = {way: {**facts, **options} for way, options in ways.items()}
    return {way: system(options) for way, options in ways.items()}, about


def _speeds(
    systems: dict[str, System], texts: Sequence[str], batch: int, clock: Callable[[], float]
) -> dict[str, float]:
    """Sentences a second of each system: all take turns; the middle of the rounds counts."""
    times: dict[str, list[float]] = {name: [] for name in systems}
    for turn in range(ROUNDS[batch] + 1):
        first = turn * batch % max(len(texts) - batch + 1, 1)
        for name, system in systems.items():
            start = clock()
            system(texts[first : first + batch])
            times[name].append(clock() - start)
    return {name: batch / sorted(taken[1:])[len(taken[1:]) // 2] for name, taken in times.items()}


def render(result: dict[str, Any]) -> str:
    """The numbers as a table, each of ours with its multiple of every peer."""
    lines = [f"Headlines a second, text to text, {result['words']} output words; peers: beam {result['beam']}"]
    for each in result["runs"]:
        ours = each["models"]
        for batch, speeds in each["sentences_per_second"].items():
            lines.append(f"threads {each['threads']}, batch {batch}:")
            for name, speed in speeds.items():
                lines.append(f"  {name:34} {speed:8.1f}{_multiples(name, speeds, ours)}")
    lines.append("threads 1: seconds of processor time; more: of wall-clock time")
    lines.append("a peer reads and writes a token for each word; in pieces: as many as our model has pieces")
    if not all(each["kernels"] for each in result["runs"]):
        lines.append("the compiled kernels are not installed here: these are the speeds of plain numpy")
    return "\n".join(lines)


def _multiples(name: str, speeds: dict[str, float], ours: dict[str, Any]) -> str:
    if name not in ours:
        return "   (CTranslate2 int8)"
    parts = [f"{speeds[name] / speed:.1f} x {peer}" for peer, speed in speeds.items() if peer not in ours]
    note = f"   [{ours[name]['note']}]" if ours[name]["note"] else ""
    return f"   beam {ours[name]['beam']}; " + ", ".join(parts) + note


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
