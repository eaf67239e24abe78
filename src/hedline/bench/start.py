"""What a single headline costs from a cold start, beside `python -c "import numpy"`, which it cannot do without.

The programs run in turns, each as a process of its own, so that other work on the machine meets both. Wall time is what
a user waits; processor time (user and system) hardly depends on what else the machine does.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Sequence
from typing import Any, NamedTuple

from hedline.errors import UserError

ROUNDS = 15
SENTENCE = (
    "The city council voted on Tuesday to close the old harbour bridge for six months of repairs, officials said."
)


class Cost(NamedTuple):
    """Seconds that one process took: on the clock, and of the processor."""

    wall: float
    processor: float


def run(model: str | None = None, limit: int = ROUNDS) -> dict[str, Any]:
    """Time `limit` rounds; seconds of each program as median and best, and the ratio to importing numpy."""
    ours = ["-m", "hedline", SENTENCE, *(["--model", model] if model else [])]
    programs = {"hedline": ours, "import numpy": ["-c", "import numpy"]}
    for arguments in programs.values():  # the first run writes compiled modules and fills the disk's cache
        time_process(arguments)
    rounds = [{name: time_process(arguments) for name, arguments in programs.items()} for _ in range(limit)]
    seconds = {name: _summary([each[name] for each in rounds]) for name in programs}
    ratios = {
        kind: round(seconds["hedline"][kind]["best"] / seconds["import numpy"][kind]["best"], 2)
        for kind in Cost._fields
    }
    return {"model": model or "default", "rounds": limit, "seconds": seconds, "ratio_of_best": ratios}


def time_process(arguments: Sequence[str]) -> Cost:
    """Run a Python of its own with these arguments, compiled modules in use as in an installed package."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *arguments], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    with process:
        assert process.stderr is not None
        said = process.stderr.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    wall = time.monotonic() - began
    if process.returncode:
        raise UserError(f"`python {' '.join(arguments)}` failed: {said.decode('utf-8', 'replace').strip()[-300:]}")
    return Cost(wall, used.ru_utime + used.ru_stime)


def _summary(costs: Sequence[Cost]) -> dict[str, dict[str, float]]:
    """Median and best of each kind of seconds."""
    found = {}
    for place, kind in enumerate(Cost._fields):
        values = [cost[place] for cost in costs]
        found[kind] = {"median": round(statistics.median(values), 3), "best": round(min(values), 3)}
    return found


def render(result: dict[str, Any]) -> str:
    """The numbers as a small table."""
    lines = [f"start: one headline by {result['model']}, {result['rounds']} rounds in turns, seconds"]
    lines += ["", f"  {'':<14}{'wall, median':>14}{'best':>8}{'processor, median':>20}{'best':>8}"]
    for name, cost in result["seconds"].items():
        median, best = ({kind: cost[kind][which] for kind in Cost._fields} for which in ("median", "best"))
        lines.append(
            f"  {name:<14}{median['wall']:>14.3f}{best['wall']:>8.3f}"
            f"{median['processor']:>20.3f}{best['processor']:>8.3f}"
        )
    ratio = result["ratio_of_best"]
    lines += ["", f"  {ratio['wall']:.2f} x the time of importing numpy, {ratio['processor']:.2f} x its processor time"]
    return "\n".join(lines)
