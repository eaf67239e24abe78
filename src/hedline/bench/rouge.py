"""`hedline bench rouge`: our scorer against the Perl script and `rouge-score`, each as a process of its own.

Start-up, reading, scoring (ROUGE-1, -2, -L, stemmed) and the bootstrap are all inside the measured time, except that
`rouge-score` is spared the bootstrap. The best of several runs counts; the Python programs start from compiled
bytecode, as they do once installed, also where the environment forbids writing it. The texts are made up: words with
English endings, drawn by Zipf's law, a summary and its references sharing a part of theirs.
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
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from hedline.bench.perl import PerlRouge, why_missing

REFERENCES = 4


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
        folder = Path(name)
        files = _write(folder, items)
        hedline = [sys.executable, "-c", _HEDLINE, "score", *files, "--format", "json"]
        result: dict[str, Any] = {"summaries": limit, "references": REFERENCES, "skipped": {}}
        result |= {"seconds": {}, "cpu_seconds": {}}
        environment = _with_bytecode(folder / "bytecode")
        ours = _best(hedline, 5, environment)
        _record(result, "hedline", ours)
        output = ours.output
        result["ours"] = {name: row["F"]["mean"] for name, row in json.loads(output)["scores"].items()}
        _measure(result, "ROUGE-1.5.5.pl", why_missing(), lambda: _perl(folder, items))
        missing = None if importlib.util.find_spec("rouge_score") else "rouge-score is not installed"
        theirs = [sys.executable, "-c", _ROUGE_SCORE, *files]
        _measure(result, "rouge-score", missing, lambda: _best(theirs, 3, environment))
    result["times_faster"] = _ratios(result["seconds"])
    result["times_less_cpu"] = _ratios(result["cpu_seconds"])
    return result


def _ratios(seconds: dict[str, float]) -> dict[str, float]:
    return {name: value / seconds["hedline"] for name, value in seconds.items() if name != "hedline"}


def _record(result: dict[str, Any], name: str, timing: Timing) -> None:
    result["seconds"][name], result["cpu_seconds"][name] = timing.seconds, timing.cpu_seconds


def _measure(result: dict[str, Any], name: str, missing: str | None, timed: Callable[[], Timing]) -> None:
    if missing:
        result["skipped"][name] = missing
    else:
        _record(result, name, timed())


def _write(folder: Path, items: list[list[str]]) -> list[str]:
    """A file of summaries and one for each reference, line by line; their names."""
    names = []
    for column, texts in enumerate(zip(*items, strict=True)):
        path = folder / f"column{column}.txt"
        path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
        names.append(str(path))
    return names


def _perl(folder: Path, items: list[list[str]]) -> Timing:
    """Time of the script; its small files are written before the clock starts."""
    script = PerlRouge(folder / "perl")
    listing = script.list_file([(summary, references) for summary, *references in items])
    return _best(script.command(listing, ["-m", "-n", "2"]), 2)


def _with_bytecode(folder: Path) -> dict[str, str]:
    """This environment, but Python keeps its bytecode in `folder`."""
    kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return kept | {"PYTHONPYCACHEPREFIX": str(folder)}


def _best(command: list[str], repeats: int, environment: dict[str, str] | None = None) -> Timing:
    """The quickest of several runs."""
    return min((_time(command, environment) for _ in range(repeats)), key=lambda timing: timing.seconds)


def _time(command: list[str], environment: dict[str, str] | None) -> Timing:
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
