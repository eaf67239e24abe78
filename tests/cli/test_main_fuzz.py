"""A fuzz of the command line: whatever is typed, the program ends with 0 or 2 and one sentence, never a traceback.

Every command gets random combinations of its own options with values that range from sensible to absurd, on files
that range from good to garbage. Commands run in this process, so that hundreds of lines take seconds.
"""

from __future__ import annotations

import contextlib
import io
import json
import random
import sys
from pathlib import Path

import pytest
import typer
from small_model import make_model, make_set

from hedline.cli import main

# Those that would really work for minutes, or measure the machine, are fuzzed with arguments that cannot succeed only.
HEAVY = {"bench", "train", "reproduce", "doctor", "serve", "ngram"}
LINES = 40  # of each command
SEEDS = range(2)
JUNK = [
    *("", "-1", "0", "1", "3", "1e9", "nan", "inf", "-0.5", "x", "é\u202e", "a=b", "a,b", "..", "/", "--", "-", "\t"),
    *(
        "R-1",
        "bleu",
        "duc",
        "gigaword",
        "beam",
        "exact",
        "extractive",
        "jsonl",
        "%s",
        "{}",
        "null",
        "9" * 30,
        "a" * 3000,
    ),
]


def make_files(home: Path) -> list[str]:
    """Files and folders from good to garbage; their names."""
    make_model(home / "model")
    make_set(home / "set.jsonl", 4)
    (home / "out.txt").write_text("Council closes bridge\n" * 4)
    (home / "empty.jsonl").write_bytes(b"")
    (home / "garbage.bin").write_bytes(random.Random(1).randbytes(2000))
    (home / "notutf8.txt").write_bytes(b"caf\xe9\n\xff\xfe\n")
    (home / "list.jsonl").write_text("[1, 2]\n{}\nnull\n")
    (home / "deep.json").write_text("[" * 5000 + "]" * 5000)
    (home / "folder").mkdir()
    for name, damage in (("cut", 50), ("half", 2000)):
        broken = make_model(home / name)
        weights = broken / "model.safetensors"
        weights.write_bytes(weights.read_bytes()[:damage])
    wrong = make_model(home / "wrong")
    config = json.loads((wrong / "config.json").read_text())
    (wrong / "config.json").write_text(json.dumps({**config, "architecture": {"encoder": "attention", "D": 10**9}}))
    return [*sorted(path.name for path in home.iterdir()), "missing", "missing/deeper.txt"]


def options_of(name: str) -> tuple[list[list[str]], int]:
    """Each option's spelling with whether it takes a value, and how many arguments the command wants."""
    command = typer.main.get_command(main.build_app([name])).commands[name]
    options, arguments = [], 0
    for parameter in command.params:
        if parameter.param_type_name == "argument":
            arguments += 1
        elif parameter.name != "help":
            flag = getattr(parameter, "is_flag", False)
            options.append([parameter.opts[0], "" if flag else "value"])
    return options, arguments


def random_line(name: str, files: list[str], rng: random.Random) -> list[str]:
    options, wanted = options_of(name)
    places = ["missing", "garbage.bin", "folder", "empty.jsonl"] if name in HEAVY else files
    line = [
        rng.choice(places if rng.random() < 0.85 else JUNK)
        for _ in range(max(0, wanted + rng.choice([-1, 0, 0, 0, 1])))
    ]
    for spelling, value in rng.sample(options, min(len(options), rng.randint(0, 3))):
        line.append(spelling)
        if value and rng.random() < 0.95:
            target = f"result-{rng.randint(0, 3)}"
            line.append(rng.choice([rng.choice(JUNK), rng.choice(places), target]))
    if rng.random() < 0.1:
        line.insert(rng.randint(0, len(line)), rng.choice(["--nonsense", "-q", "--help", "\x00"]))
    return line


def run(line: list[str]) -> tuple[int, str]:
    """Exit code and what was printed on stderr; any other exception is a failure of the test."""
    errors, before = io.StringIO(), sys.argv
    sys.argv = ["hedline", *line]
    try:
        with contextlib.redirect_stderr(errors), contextlib.redirect_stdout(io.StringIO()):
            main.main()
    except SystemExit as stop:
        code = stop.code
        return (0 if code is None else int(code) if isinstance(code, int) else 1), errors.getvalue()
    finally:
        sys.argv = before
    return 0, errors.getvalue()


def available(name: str) -> bool:
    try:
        main.build_app([name])
    except ModuleNotFoundError:
        return False
    return True


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[str]]:
    home = tmp_path_factory.mktemp("fuzz")
    return home, make_files(home)


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("name", [name for name in main.COMMANDS if available(name)])
def test_no_command_line_gives_a_traceback(files: tuple[Path, list[str]], monkeypatch, name: str, seed: int) -> None:
    home, names = files
    monkeypatch.chdir(home)
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(b"A storm closed the harbour.\n\xff\n")))
    rng = random.Random(f"{name} {seed}")
    for _ in range(LINES):
        line = [name, *random_line(name, names, rng)]
        if name == "serve":
            line += ["--model", "missing"]  # or it would serve
        code, errors = run(line)
        assert code in ((0, 1, 2) if name == "doctor" else (0, 2)), (line, code, errors)  # 1: not healthy
        assert "Traceback" not in errors, (line, errors)
        if code == 2:
            assert errors.strip(), line


def test_words_that_are_no_command_are_text(monkeypatch) -> None:
    """`hedline some text` reaches summarize, whatever the text looks like."""
    seen: list[list[str]] = []
    monkeypatch.setattr(main, "build_app", lambda names: lambda arguments, prog_name: seen.append([*names, *arguments]))
    for text in ("tuned up", "2004", "Ünïcode"):
        main.run([text])
    assert seen == [["summarize", "summarize", "--text", text] for text in ("tuned up", "2004", "Ünïcode")]
