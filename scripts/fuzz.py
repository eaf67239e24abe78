"""Fuzzing of the readers and of the C kernels, the latter built with the address and undefined-behaviour sanitizers.

    python scripts/fuzz.py --seconds 120        # all targets; `make fuzz`
    python scripts/fuzz.py --target jsonl       # one of them
    python scripts/fuzz.py --rounds 300         # so many inputs each, the same every time: what the tests run

With clang and atheris (`pip install atheris`) inputs are chosen by the coverage they reach, in Python and in C; without
them they are random changes of good ones. A reader may give up with one sentence (UserError) and a kernel may refuse
its arguments; any other exception, a report of a sanitizer or 20 seconds for one input is a finding: exit code 1.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))
from fuzz_targets import CHECKOUT, SLOW, TARGETS, examples, tester


def changed(rng: random.Random, data: bytes) -> bytes:
    """A few random changes: bytes flipped, removed, doubled, moved, odd ones put in."""
    found = bytearray(data)
    odd = [
        b"\0",
        b"\xff",
        b"\n",
        b"\r",
        b'"',
        b"<",
        b">",
        b"\t",
        b"-1",
        b"99999999999999999999",
        b"nan",
        b"1e999",
        b"[",
        b"{",
        "é".encode(),
    ]
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        start = rng.randrange(len(found) + 1)
        end = min(len(found), start + rng.choice((0, 1, 1, 4, 30)))
        part = rng.choice((rng.choice(odd), bytes([rng.randrange(256)]), bytes(found[start:end]) * 2, b""))
        found[start:end] = part
    return bytes(found)


def random_run(target: str, rounds: int, seconds: float, folder: Path, seed: int = 1) -> int:
    """Random changes of good inputs; how many were tried. The input of an exception is left in the folder."""
    good, one, begin, tried = examples(target), tester(target, folder), time.monotonic(), 0
    for number in range(rounds):
        if time.monotonic() - begin > seconds:
            break
        rng = random.Random(f"{seed} {target} {number}")
        data = changed(rng, rng.choice(good)) if number >= len(good) else good[number]
        (folder / "last-input").write_bytes(data)
        one(data)
        tried += 1
    return tried


def guided_run(target: str, seconds: float, folder: Path) -> None:
    """atheris (libFuzzer) on one target; does not return."""
    import atheris

    with atheris.instrument_imports(include=["hedline"]):
        one = tester(target, folder)
    corpus = folder / "corpus"
    corpus.mkdir()
    for number, data in enumerate(examples(target)):
        (corpus / str(number)).write_bytes(data)
    limits = [
        f"-max_total_time={max(1, round(seconds))}",
        f"-timeout={SLOW}",
        "-rss_limit_mb=4096",
        "-seed=1",
        "-max_len=4096",
    ]
    atheris.Setup([sys.argv[0], f"-artifact_prefix={folder}/finding-", *limits, str(corpus)], one)
    atheris.Fuzz()


# The sanitizer build.

SANITIZERS = "-fsanitize=address,undefined -fno-sanitize-recover=undefined"


def copy_package(folder: Path) -> None:
    """The package in a folder of its own, to be built there."""
    shutil.copytree(CHECKOUT / "src", folder / "src", ignore=shutil.ignore_patterns("*.so", "shipped", "__pycache__"))
    for name in ("setup.py", "pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(CHECKOUT / name, folder / name)


def build(folder: Path, guided: bool) -> dict[str, str]:
    """Build a copy's kernels with sanitizers; the environment to run it in. RuntimeError where that cannot be done."""
    compiler = "clang" if guided else shutil.which("gcc") or shutil.which("clang") or "cc"
    runtime = preload(compiler, guided)
    flags = f"-O1 -g {SANITIZERS}" + (" -fsanitize=fuzzer-no-link" if guided else "")
    link = f"{compiler} -shared" + ("" if guided else f" {SANITIZERS}")  # atheris brings the runtime itself
    done = subprocess.run(
        [sys.executable, "setup.py", "-q", "build_ext", "--inplace"],
        cwd=folder,
        env={**os.environ, "CC": compiler, "CFLAGS": flags, "LDSHARED": link},
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode or not list((folder / "src").rglob("_kernels*.so")):
        raise RuntimeError(f"the kernels cannot be built with sanitizers here: {done.stderr.strip()[-300:]}")
    return {
        **os.environ,
        "PYTHONPATH": str(folder / "src"),
        "LD_PRELOAD": runtime,
        "PYTHONMALLOC": "malloc",  # each object its own piece of memory, so that a step beyond it is seen
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "print_stacktrace=1",
    }


def preload(compiler: str, guided: bool) -> str:
    """The sanitizers' runtime, which Python itself was not built with."""
    if guided:
        import atheris

        return str(Path(atheris.path()) / "asan_with_fuzzer.so")
    names = ("libclang_rt.asan-x86_64.so",) if "clang" in compiler else ("libasan.so", "libubsan.so")
    ask = [[compiler, f"-print-file-name={name}"] for name in names]
    try:
        found = [subprocess.run(each, capture_output=True, text=True, check=True).stdout.strip() for each in ask]
    except (OSError, subprocess.CalledProcessError) as error:
        raise RuntimeError(f"there is no compiler with sanitizers here ({error})") from None
    if not all(Path(path).is_absolute() for path in found):
        raise RuntimeError(f"{compiler} has no runtime of the sanitizers here")
    return ":".join(found)


def run_target(target: str, seconds: float, rounds: int, guided: bool, sanitizers: dict[str, str] | None) -> bool:
    """One target in a process of its own; whether it was clean."""
    command = [sys.executable, __file__, "--inside", "--target", target]
    command += ["--seconds", str(seconds), "--rounds", str(rounds), *(["--guided"] if guided else [])]
    own = sanitizers if target == "kernels" else None
    environment = own or {**os.environ, "PYTHONPATH": str(CHECKOUT / "src")}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, errors="replace", check=False)
    said = [line.strip() for line in (done.stdout + done.stderr).splitlines() if line.strip()]
    if done.returncode:
        print("\n".join([f"{target}: FINDING, exit code {done.returncode}", *said[-60:]]), flush=True)
    else:
        print(f"{target}: {said[-1]}", flush=True)
    return done.returncode == 0


def inside(args: argparse.Namespace) -> None:
    with tempfile.TemporaryDirectory(prefix="hedline-fuzz-") as name:
        folder = Path(name)
        if args.guided:
            guided_run(args.target, args.seconds, folder)
        try:
            tried = random_run(args.target, args.rounds, args.seconds, folder)
        except BaseException:
            print(f"input: {(folder / 'last-input').read_bytes()!r}", file=sys.stderr)
            raise
        print(f"{tried:,} random inputs")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=120.0, help="for all targets together")
    parser.add_argument(
        "--rounds", type=int, default=10**9, help="random inputs for each target; leaves coverage aside"
    )
    parser.add_argument("--target", choices=TARGETS, help="one target alone")
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--guided", action="store_true", help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.inside:
        inside(args)
        return 0
    guided = args.rounds == 10**9 and bool(shutil.which("clang")) and importlib.util.find_spec("atheris") is not None
    print("inputs chosen by coverage" if guided else "random inputs; coverage needs clang and `pip install atheris`")
    chosen = [args.target] if args.target else list(TARGETS)
    shares = {target: 4 if target == "kernels" else 1 for target in chosen}
    share = args.seconds / sum(shares.values())
    with tempfile.TemporaryDirectory(prefix="hedline-fuzz-") as name:
        environment = None
        if "kernels" in chosen:
            copy_package(Path(name))
            environment = build(Path(name), guided)
        clean = [run_target(each, share * shares[each], args.rounds, guided, environment) for each in chosen]
    return 0 if all(clean) else 1


if __name__ == "__main__":
    raise SystemExit(main())
