"""Headlines a second, text in and text out, against CTranslate2 int8 on t5-small's and distilbart-6-6's shapes.

Beam 5 and 12 output words (peers: 12 tokens), inputs of about 30 words, at batch 1 and batch 32. Every system reads
the same inputs in the same process, in turns, so that a busy machine slows all of them alike. The process is a fresh
one for each number of threads, because BLAS reads its environment once.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from hedline.bench.peers import PEERS, Peer, Shape, write_peer
from hedline.errors import UserError

BEAM, WORDS, INPUT_WORDS = 5, 12, 30
BATCHES = (1, 32)
ROUNDS = {1: 12, 32: 3}
# What issue 5 asks of ABS and issue 7 of the transformer: speed as a multiple of each peer's.
WANTED = {
    ("feedforward", "t5-small"): 6.0,
    ("feedforward", "distilbart-6-6"): 15.0,
    ("transformer", "t5-small"): 1.0,
}
System = Callable[[Sequence[str]], Any]


def run(
    model: str | None = None,
    data: Path | None = None,
    threads: int | None = None,
    limit: int = 32,
    peers: Sequence[Shape] = PEERS,
) -> dict[str, Any]:
    """Measure; speeds are sentences a second of wall-clock time.

    model: a name or folder; without it random weights of the ABS and the transformer shapes are measured.
    data: JSONL of pairs whose leads are read, without it sentences of our own. threads: one number; without it 1
    and then 2. limit: how many different inputs.
    """
    with tempfile.TemporaryDirectory(prefix="hedline-bench-") as name:
        folder = Path(name)
        texts = inputs(data, max(limit, *BATCHES))
        job = {
            "texts": texts,
            "models": _models(model, texts, folder),
            "peers": [[shape.name, str(write_peer(shape, folder))] for shape in peers],
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
    from hedline.bench.stand_in import write_abs, write_transformer

    return [str(write_abs(texts, folder / "abs").path), str(write_transformer(texts, folder / "transformer").path)]


def _fresh(job: dict[str, Any], threads: int, folder: Path) -> dict[str, Any]:
    """Run `measure` in a process of its own with so many threads."""
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
        name, system, facts = _ours(path)
        systems[name], about[name] = system, facts
    for name, path in job["peers"]:
        systems[name] = _peer(path, threads)
    speeds = {str(batch): _speeds(systems, texts, batch) for batch in BATCHES}
    return {"threads": threads, "kernels": kernels.available(), "models": about, "sentences_per_second": speeds}


def _ours(path: str) -> tuple[str, System, dict[str, Any]]:
    """A model as a function from texts to headlines, exactly 12 words each."""
    from hedline.api import load
    from hedline.runtime.folder import ModelFolder

    folder = ModelFolder.open(path)
    summarizer = load(path)

    def headlines(texts: Sequence[str]) -> Any:
        return summarizer.summarize(list(texts), beam=BEAM, exact_words=WORDS, batch=len(texts))

    facts = {"family": folder.config.family, "note": folder.config.training.get("note", "")}
    return f"hedline {Path(path).name}", headlines, facts


def _peer(path: str, threads: int) -> System:
    """A peer as a function from texts to output tokens; its input tokens are the texts' words."""
    peer = Peer(Path(path), threads)
    ids: dict[str, str] = {}

    def headlines(texts: Sequence[str]) -> Any:
        tokens = [[ids.setdefault(word, f"t{len(ids) % 9999}") for word in text.split()] for text in texts]
        return peer.headlines(tokens, BEAM, WORDS)

    return headlines


def _speeds(systems: dict[str, System], texts: Sequence[str], batch: int) -> dict[str, float]:
    """Sentences a second of each system: all take turns; the middle of the rounds counts."""
    times: dict[str, list[float]] = {name: [] for name in systems}
    for turn in range(ROUNDS[batch] + 1):
        first = turn * batch % max(len(texts) - batch + 1, 1)
        for name, system in systems.items():
            start = time.perf_counter()
            system(texts[first : first + batch])
            times[name].append(time.perf_counter() - start)
    return {name: batch / sorted(taken[1:])[len(taken[1:]) // 2] for name, taken in times.items()}


def render(result: dict[str, Any]) -> str:
    """The numbers as a table, each of ours with its multiple of every peer."""
    lines = [f"Headlines a second, text to text, beam {result['beam']}, {result['words']} output words"]
    for each in result["runs"]:
        ours = each["models"]
        for batch, speeds in each["sentences_per_second"].items():
            lines.append(f"threads {each['threads']}, batch {batch}:")
            for name, speed in speeds.items():
                lines.append(f"  {name:24} {speed:8.1f}{_multiples(name, speeds, ours)}")
    if not all(each["kernels"] for each in result["runs"]):
        lines.append("the compiled kernels are not installed here: these are the speeds of plain numpy")
    return "\n".join(lines)


def _multiples(name: str, speeds: dict[str, float], ours: dict[str, Any]) -> str:
    if name not in ours:
        return "   (CTranslate2 int8)"
    parts = []
    for peer, speed in speeds.items():
        if peer in ours:
            continue
        wanted = WANTED.get((ours[name]["family"], peer))
        asked = f" (wanted {wanted:g} x)" if wanted else ""
        parts.append(f"{speeds[name] / speed:.1f} x {peer}{asked}")
    note = f"   [{ours[name]['note']}]" if ours[name]["note"] else ""
    return "   " + ", ".join(parts) + note


if __name__ == "__main__":
    print(json.dumps(measure(json.loads(Path(sys.argv[1]).read_text(encoding="utf-8")))))
