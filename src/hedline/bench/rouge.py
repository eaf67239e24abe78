"""`hedline bench rouge`: our scorer against the Perl script and `rouge-score`, each as a process of its own.

Start-up, reading, scoring (ROUGE-1, -2, -L, stemmed) and the bootstrap are all inside the measured time, except that
`rouge-score` is spared the bootstrap. The best of several rounds counts, so the Python programs start from
compiled bytecode, as they do once installed, also where the environment forbids writing it. The texts are made up:
words with English endings, drawn by Zipf's law, a summary and its references sharing a part of theirs.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any, NamedTuple

from hedline.bench.perl import PerlRouge, why_missing

REFERENCES = 4
ROUNDS = 3


class Timing(NamedTuple):
    """One run of a command: seconds on the wall and of the processor, and what it printed."""

    seconds: float
    cpu_seconds: float
    output: str


_ONSETS = (
    *("b", "br", "c", "ch", "d", "f", "fl", "g", "gr", "h", "j", "k", "l", "m"),
    *("n", "p", "pr", "qu", "r", "s", "sh", "st", "t", "tr", "v", "w"),
)
_NUCLEI = ["a", "e", "i", "o", "u", "ai", "ea", "ee", "io", "ou"]
_CODAS = ["b", "ck", "d", "ft", "g", "l", "ll", "m", "n", "nd", "nt", "p", "r", "rk", "s", "st", "t", "x"]
_ENDINGS = ["", "", "", "s", "ed", "ing", "er", "ly", "ation", "ment", "ness", "al", "ity"]

_HEDLINE = "from hedline.cli.main import main; main()"  # what the installed `hedline` consists of
_ROUGE_SCORE = """
import sys
from rouge_score import rouge_scorer
scorer = rouge_scorer.RougeScorer(["rouge1", "rouge2", "rougeL"], use_stemmer=True)
files = [open(name, encoding="utf-8").read().splitlines() for name in sys.argv[1:]]
totals = dict.fromkeys(["rouge1", "rouge2", "rougeL"], 0.0)
for candidate, *references in zip(*files):
    for name, score in scorer.score_multi(references, candidate).items():
        totals[name] += score.fmeasure
print({name: total / len(files[0]) for name, total in totals.items()})
"""


def make_texts(count: int, seed: int = 1) -> list[list[str]]:
    """`count` items: a summary and four references, 6 to 16 words each."""
    rng = random.Random(seed)
    vocabulary = [_make_word(rng) for _ in range(20_000)]
    weights = [1 / (rank + 3) for rank in range(len(vocabulary))]
    items = []
    for _ in range(count):
        topic = rng.choices(vocabulary, weights, k=10)
        items.append([_make_line(rng, topic, vocabulary, weights) for _ in range(1 + REFERENCES)])
    return items


def _make_word(rng: random.Random) -> str:
    syllables = (rng.choice(_ONSETS) + rng.choice(_NUCLEI) for _ in range(rng.choice((1, 1, 2, 2, 3))))
    return "".join(syllables) + rng.choice(_CODAS) + rng.choice(_ENDINGS)


def _make_line(rng: random.Random, topic: list[str], vocabulary: list[str], weights: list[float]) -> str:
    length = rng.randint(6, 16)
    shared = [word for word in topic if rng.random() < 0.5]
    return " ".join((shared + rng.choices(vocabulary, weights, k=length))[:length]).capitalize()


def run(limit: int = 2000) -> dict[str, Any]:
    """Seconds of each scorer for `limit` summaries with four references, and the ratios to ours."""
    items = make_texts(limit)
    with tempfile.TemporaryDirectory(prefix="hedline-bench-") as name:
        commands, skipped = _commands(Path(name), items)
        best = _race(commands, _with_bytecode(Path(name) / "bytecode"))
    seconds = {name: timing.seconds for name, timing in best.items()}
    cpu_seconds = {name: timing.cpu_seconds for name, timing in best.items()}
    scores = json.loads(best["hedline"].output)["scores"]
    return {
        "summaries": limit,
        "references": REFERENCES,
        "seconds": seconds,
        "cpu_seconds": cpu_seconds,
        "times_faster": _ratios(seconds),
        "times_less_cpu": _ratios(cpu_seconds),
        "ours": {name: row["F"]["mean"] for name, row in scores.items()},
        "skipped": skipped,
    }


def _commands(folder: Path, items: list[list[str]]) -> tuple[dict[str, list[str]], dict[str, str]]:
    """Command of each scorer, its files written; and the scorers that are missing here, with reasons."""
    files = _write(folder, items)
    commands = {"hedline": [sys.executable, "-c", _HEDLINE, "score", *files, "--format", "json"]}
    skipped = {}
    if missing := why_missing():
        skipped["ROUGE-1.5.5.pl"] = missing
    else:
        script = PerlRouge(folder / "perl")
        listing = script.list_file([(summary, references) for summary, *references in items])
        commands["ROUGE-1.5.5.pl"] = script.command(listing, ["-m", "-n", "2"])
    if importlib.util.find_spec("rouge_score"):
        commands["rouge-score"] = [sys.executable, "-c", _ROUGE_SCORE, *files]
    else:
        skipped["rouge-score"] = "rouge-score is not installed"
    return commands, skipped


def _race(commands: dict[str, list[str]], environment: dict[str, str]) -> dict[str, Timing]:
    """The quickest run of each program over rounds in which all take turns: slow moments of the machine hit all."""
    runs: dict[str, list[Timing]] = {name: [] for name in commands}
    for _ in range(ROUNDS):
        for name, command in commands.items():
            # A run of a fraction of a second is more easily disturbed than one of several, so there are more of it.
            repeats = 3 if name == "hedline" else 1
            runs[name] += [_time(command, environment) for _ in range(repeats)]
    return {name: min(timings, key=lambda timing: timing.seconds) for name, timings in runs.items()}


def _ratios(seconds: dict[str, float]) -> dict[str, float]:
    return {name: value / seconds["hedline"] for name, value in seconds.items() if name != "hedline"}


def _write(folder: Path, items: list[list[str]]) -> list[str]:
    """A file of summaries and one for each reference, line by line; their names."""
    names = []
    for column, texts in enumerate(zip(*items, strict=True)):
        path = folder / f"column{column}.txt"
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        names.append(str(path))
    return names


def _with_bytecode(folder: Path) -> dict[str, str]:
    """This environment, but Python keeps its bytecode in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder)}


def _time(command: list[str], environment: dict[str, str]) -> Timing:
    before, start = _children_seconds(), time.perf_counter()
    output = subprocess.run(command, check=True, capture_output=True, text=True, env=environment).stdout
    return Timing(time.perf_counter() - start, _children_seconds() - before, output)


def _children_seconds() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def render(result: dict[str, Any]) -> str:
    """A table of seconds and ratios."""
    lines = [f"{result['summaries']:,} summaries, {result['references']} references, start-up included"]
    for name, seconds in result["seconds"].items():
        ratio, cpu_ratio = result["times_faster"].get(name), result["times_less_cpu"].get(name)
        note = "" if ratio is None else f"   hedline is {ratio:.1f} x as fast ({cpu_ratio:.1f} x by processor time)"
        lines.append(f"{name:16}{seconds:8.2f} s{note}")
    lines += [f"{name:16}not measured: {reason}" for name, reason in result["skipped"].items()]
    return "\n".join(lines)
