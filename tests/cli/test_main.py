"""What every command owes its user: help with examples, one sentence for a mistake, exit codes that mean something."""

from __future__ import annotations

import importlib.util
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from typer.testing import CliRunner

import hedline
from hedline.cli import main as module
from hedline.cli.main import COMMANDS, build_app
from hedline.errors import UserError

HERE = [name for name, (home, _, _) in COMMANDS.items() if importlib.util.find_spec(home)]


def run(*arguments: str, cwd: Path | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "hedline", *arguments], capture_output=True, text=True, cwd=cwd, timeout=120
    )


def test_every_command_exists() -> None:
    missing = sorted(set(COMMANDS) - set(HERE))
    assert not missing, f"commands without a module: {missing}"


@pytest.mark.parametrize("name", HERE)
def test_help_has_examples_and_every_option_is_explained(name: str) -> None:
    result = CliRunner().invoke(build_app([name]), [name, "--help"], terminal_width=200)
    assert result.exit_code == 0, result.output
    assert "Example" in result.output
    assert f"hedline {name}" in result.output or name == "summarize"
    for line in result.output.splitlines():
        if line.strip().startswith("--") and "--help" not in line:
            assert len(line.split()) > 2, f"option without a word of help: {line}"


@pytest.mark.parametrize("name", HERE)
def test_unknown_options_exit_with_2_and_no_traceback(name: str) -> None:
    result = CliRunner().invoke(build_app([name]), [name, "--no-such-option"])
    assert result.exit_code == 2
    assert "No such option" in result.output
    assert "Traceback" not in result.output


def test_version() -> None:
    done = run("--version")
    assert done.returncode == 0
    assert done.stdout.startswith(f"hedline {hedline.__version__} (models: ")


def test_no_arguments_show_the_commands() -> None:
    done = run("--help")
    assert done.returncode == 0, done.stderr
    for name in COMMANDS:
        assert name in done.stdout


def test_a_users_mistake_is_one_sentence_and_exit_code_2(tmp_path: Path) -> None:
    done = run("stats", str(tmp_path))
    assert done.returncode == 2
    assert done.stdout == ""
    assert (
        done.stderr
        == f"hedline: {tmp_path} is no data folder (it has no stats.json); make one with `hedline prepare`\n"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["prepare", "missing.jsonl", "--out", "data"], "missing.jsonl does not exist"),
        (["prepare", "missing.jsonl", "--out", "data", "--preset", "x"], "unknown preset 'x'"),
        (["prepare", "missing.jsonl", "--out", "data", "--filter", "x"], "unknown filter 'x'"),
        (["prepare", "missing.jsonl", "--out", "data", "--lead-words", "9"], "takes MIN:MAX"),
        (["prepare", "missing.jsonl", "--out", "data", "--exclude-period", "May"], "YYYY-MM-DD"),
        (["prepare", "missing.jsonl", "--out", "data", "--split", "date"], "needs --valid-from"),
        (["prepare", "missing.jsonl", "--out", "data", "--units", "letters"], "choose from words, subwords"),
        (["prepare", "missing.jsonl", "--out", "data", "--on-error", "cry"], "choose from stop, skip"),
        (["duc", "--year", "2004", "--docs", "x", "--models", "x", "--out", "o"], "x is no folder"),
        (["stats", "missing", "--json"], "missing"),
        (["stats", "missing", "--format", "json"], "missing"),
    ],
)
def test_mistakes_are_sentences(arguments: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as left:
        patch.setattr(sys, "argv", ["hedline", *arguments])
        module.main()
    assert left.value.code == 2
    errors = capsys.readouterr().err
    assert words in errors
    assert errors.startswith("hedline: ") and errors.count("\n") == 1


def test_errors_interrupts_and_closed_pipes_have_their_codes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for error, code, words in (
        (UserError("the file is red; paint it"), 2, "hedline: the file is red; paint it\n"),
        (KeyboardInterrupt(), 130, "hedline: interrupted\n"),
    ):

        def fail(_: list[str], error: BaseException = error) -> None:
            raise error

        monkeypatch.setattr(module, "run", fail)
        with pytest.raises(SystemExit) as left:
            module.main()
        assert left.value.code == code
        assert capsys.readouterr().err == words


def test_a_closed_pipe_is_quiet(tmp_path: Path) -> None:
    command = f"{sys.executable} -m hedline --help | true"
    done = subprocess.run(["bash", "-c", f"set -o pipefail; {command}"], capture_output=True, text=True, timeout=120)
    assert done.returncode in {0, 1, 141}  # whether true had gone before, and whether typer noticed first
    assert "Traceback" not in done.stderr and "BrokenPipe" not in done.stderr


@pytest.mark.slow
def test_ctrl_c_stops_prepare_quietly_and_leaves_no_output(tmp_path: Path) -> None:
    rows = '{"lead": "The old harbour bridge was closed on Monday.", "headline": "Bridge closed"}\n' * 60_000
    (tmp_path / "a.jsonl").write_text(rows)
    command = [sys.executable, "-m", "hedline", "prepare", "a.jsonl", "--out", "data", "--workers", "2"]
    # A test run started in the background ignores Ctrl-C, and so would its children.
    started = subprocess.Popen(
        command,
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    deadline = time.monotonic() + 60
    while not list(tmp_path.glob(".data.partial/chunks/*.npz")) and time.monotonic() < deadline:
        time.sleep(0.05)
    os.killpg(started.pid, signal.SIGINT)
    _, errors = started.communicate(timeout=120)
    assert started.returncode == 130
    assert "Traceback" not in errors and "interrupted; the same command resumes" in errors
    assert not (tmp_path / "data").exists()
