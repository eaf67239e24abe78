"""kill -9 at random moments of prepare, train and tune: does the command, typed again, end in the same bytes?

    python scripts/kills.py --seconds 900 --seed 1

Each command first runs undisturbed. Then, again and again: it is started into a fresh folder, killed with all its
children at a random moment, started again, and so on up to three times, then left to finish. Every file but `log.jsonl`
(dates and seconds) must equal that of the undisturbed run, and nothing else may stay behind.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

LOG = "log.jsonl"
SPEAKERS = ["officials", "police", "residents", "organisers", "reporters", "analysts"]
PLACES = ["coast", "valley", "capital", "island", "border", "north"]
SUBJECTS = ["minister", "council", "court", "union", "storm", "company", "scientists", "players", "farmers", "police"]
VERBS = ["closes", "opens", "rejects", "backs", "delays", "reviews", "sells", "finds", "protects", "visits"]
OBJECTS = ["bridge", "budget", "harbour", "school", "factory", "forest", "museum", "railway", "stadium", "hospital"]
PREPARE = "prepare pairs.jsonl --out {out} --preset none --workers 2"
TRAIN = "train data --out {out} --checkpoint-minutes 0.005 --samples 0 --device cpu"
SIZES = "--epochs 3 --batch 32 --seed 5 --set D=16 --set H=24"  # --resume keeps those it began with
TUNE = "tune {out} data/valid.jsonl --limit 40 --beam 10 --rounds 4 --restarts 2 --workers 2"


def write_corpus(path: Path, count: int) -> None:
    """Pairs made of parts; every pair is different."""
    with path.open("w", encoding="utf-8") as file:
        for number in range(count):
            subject, verb, thing = SUBJECTS[number % 10], VERBS[number // 10 % 10], OBJECTS[number * 7 % 10]
            speaker, place = SPEAKERS[number // 100 % 6], PLACES[number // 600 % 6]
            lead = f"The {subject} of the {place} region number {number} {verb} the old {thing}, {speaker} said today."
            file.write(json.dumps({"lead": lead, "headline": f"{subject} {verb} {thing} in {place}"}) + "\n")


def start(home: Path, command: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "hedline", *command.split()], cwd=home, text=True, start_new_session=True,
        env={**os.environ, "OMP_NUM_THREADS": "1"}, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE,
    )  # fmt: skip


def finish(process: subprocess.Popen[str]) -> None:
    _, errors = process.communicate(timeout=600)
    if process.returncode:
        raise RuntimeError(f"{process.args}: {errors[-2000:]}")


def undisturbed(home: Path, command: str) -> float:
    """Run to the end; how long it took."""
    begin = time.monotonic()
    finish(start(home, command))
    return time.monotonic() - begin


def disturbed(home: Path, command: Callable[[], str], seconds: float, rng: random.Random, kills: int) -> int:
    """Kill the command, and its children, at random moments of the `seconds` it needs, then let it finish.

    The first kill comes early, since a busy machine may have measured too long a time.
    command: what a user would type next. Returns how often it was killed before its end.
    """
    killed = 0
    for number in range(kills):
        process = start(home, command())
        try:
            process.wait(timeout=rng.uniform(*((0.2, 0.95) if number else (0.1, 0.5))) * seconds)
            break
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            killed += 1
        finally:
            process.communicate()
    else:
        finish(start(home, command()))
    return killed


def content(folder: Path) -> dict[str, bytes]:
    """Every file of a folder but its log, hidden ones included."""
    return {
        str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file() and p.name != LOG
    }


def command_for(name: str, out: str, home: Path) -> Callable[[], str]:
    """What a user would type next for `prepare`, `train` or `tune`."""

    def typed() -> str:
        if name == "train":
            saved = (home / out / "checkpoint.safetensors").exists()
            return f"{TRAIN.format(out=out)} {'--resume' if saved else SIZES}"
        return {"prepare": PREPARE, "tune": TUNE}[name].format(out=out)

    return typed


WHOLE = {"prepare": "data", "train": "model", "tune": "tuned"}


def make_whole(home: Path) -> dict[str, float]:
    """Data, model and tuned model of runs that nobody disturbed, and their seconds."""
    write_corpus(home / "pairs.jsonl", 3600)
    seconds = {}
    for name, out in WHOLE.items():
        if name == "tune":
            shutil.copytree(home / "model", home / out)
        seconds[name] = undisturbed(home, command_for(name, out, home)())
    return seconds


def attack(home: Path, name: str, seconds: float, rng: random.Random, kills: int = 3) -> tuple[int, list[str]]:
    """One disturbed run: how often it was killed, and the files that differ from the undisturbed ones."""
    out, before = f"again-{name}", {path.name for path in home.iterdir()}
    if name == "tune":
        shutil.copytree(home / "model", home / out)
    killed = disturbed(home, command_for(name, out, home), seconds, rng, kills)
    got, wanted = content(home / out), content(home / WHOLE[name])
    wrong = sorted(file for file in got.keys() | wanted.keys() if got.get(file) != wanted.get(file))
    shutil.rmtree(home / out)
    return killed, [*wrong, *sorted({path.name for path in home.iterdir()} - before)]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=300.0, help="begin no further run after this time")
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    counts: Counter[str] = Counter()
    failed = False
    with tempfile.TemporaryDirectory() as folder:
        home, rng, begin = Path(folder), random.Random(args.seed), time.monotonic()
        seconds = make_whole(home)
        print({name: round(value, 1) for name, value in seconds.items()}, flush=True)
        while time.monotonic() - begin < args.seconds:
            for name in WHOLE:
                killed, wrong = attack(home, name, seconds[name], rng)
                counts.update({f"{name} kills": killed, f"{name} runs": 1, f"{name} with other bytes": bool(wrong)})
                failed |= bool(wrong)
                print(f"{name}: killed {killed} times", *(["DIFFERENT:", *wrong] if wrong else []), flush=True)
    print(json.dumps(dict(sorted(counts.items())), indent=1))
    return int(failed)


if __name__ == "__main__":
    raise SystemExit(main())
