"""`hedline doctor`: healthy here, ill when something is; and what the shell and `--version` are told."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
from small_models import words_folder
from typer.testing import CliRunner

import hedline
from hedline import doctor as health
from hedline.api import shipped_models
from hedline.cli.main import COMMANDS, build_app


def doctor(*arguments: str):
    return CliRunner().invoke(build_app(["doctor"]), ["doctor", *arguments])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return words_folder(tmp_path / "mine")


def test_this_installation_is_healthy() -> None:
    result = doctor()
    assert result.exit_code == 0, result.output
    lines = result.output.splitlines()
    assert lines[-1] == "hedline is healthy"
    assert all(line.startswith("ok ") for line in lines[:-1])
    for path in shipped_models():
        assert f"model {path.name}: " in result.output
    assert "checksums right" in result.output and "headlines a second" in result.output


def test_json_says_the_same_to_machines(folder: Path) -> None:
    result = doctor("--json", "--model", str(folder))
    report = json.loads(result.output)
    assert result.exit_code == 0 and report["healthy"] and report["version"] == hedline.__version__
    checks = {check["name"]: check for check in report["checks"]}
    assert {"installation", "model mine", "headline", "speed"} <= set(checks)
    headline = checks["headline"]["facts"]["headline"]
    assert headline == hedline.load(folder)(health.KNOWN_SENTENCE, bytes=health.KNOWN_LIMIT)
    assert 0 < len(headline.encode()) <= health.KNOWN_LIMIT
    assert checks["speed"]["facts"]["per_second_batched"] > 0
    assert checks["installation"]["facts"]["required"]["numpy"] == metadata.version("numpy")
    assert "torch" in checks["installation"]["facts"]["extras"]["train"]


def flip_a_bit(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[-3] ^= 0x10
    path.write_bytes(content)


@pytest.mark.parametrize("name", ["model.safetensors", "vocab.output.txt", "config.json"])
def test_a_damaged_file_is_found(folder: Path, name: str) -> None:
    flip_a_bit(folder / name)
    result = doctor("--model", str(folder))
    assert result.exit_code == 1
    assert name in next(line for line in result.output.splitlines() if line.startswith("FAILED"))
    assert "Traceback" not in result.output


def test_a_missing_model_is_a_failed_check() -> None:
    result = doctor("--json", "--model", "no-such-model")
    assert result.exit_code == 1 and not json.loads(result.output)["healthy"]


def test_no_shipped_model_is_unhealthy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("hedline.api.SHIPPED", tmp_path)
    monkeypatch.delenv("HEDLINE_MODEL", raising=False)
    result = doctor()
    assert result.exit_code == 1 and "no model comes with this installation" in result.output


@pytest.mark.parametrize(
    ("headlines", "words"),
    [([""], "empty headline"), (["long " * 40], "the limit was"), (["one", "two"], "two runs differ")],
)
def test_a_wrong_headline_is_found(monkeypatch: pytest.MonkeyPatch, headlines: list[str], words: str) -> None:
    answers = iter(headlines * 2)
    monkeypatch.setattr(health, "load", lambda _: lambda *_, **__: next(answers))
    check = health.check_headline()
    assert not check.ok and words in check.message


def test_an_error_inside_a_check_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    def break_down(_: object) -> None:
        raise RuntimeError("out of\npaper")

    monkeypatch.setattr(health, "load", break_down)
    result = doctor()
    assert result.exit_code == 1 and "RuntimeError: out of paper" in result.output


def test_an_old_installation_under_new_code_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hedline, "__version__", "99.0")
    check = health.check_installation()
    assert not check.ok and "install hedline again" in check.message


def test_doctor_does_not_import_torch() -> None:
    code = "import sys; from hedline.doctor import diagnose; diagnose(); print('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_every_extra_of_the_interface_is_reported() -> None:
    extras = health.installed_extras()
    assert set(extras[""]) == {"numpy", "safetensors", "typer", "rich"}
    assert {"train", "baselines", "serve", "cluster", "plots", "dev"} <= set(extras)


def test_version_names_the_models() -> None:
    done = subprocess.run([sys.executable, "-m", "hedline", "--version"], capture_output=True, text=True, check=True)
    names = ", ".join(path.name for path in shipped_models())
    assert done.stdout == f"hedline {hedline.__version__} (models: {names})\n" and names


def complete(words: str, tmp_path: Path) -> list[str]:
    """What bash would be offered after `words`."""
    environment = os.environ | {
        "_HEDLINE_COMPLETE": "complete_bash", "COMP_WORDS": words, "COMP_CWORD": str(len(words.split(" ")) - 1),
        "HOME": str(tmp_path),
    }  # fmt: skip
    command = [sys.executable, "-c", "from hedline.cli.main import main; main()"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=120)
    assert "Traceback" not in done.stderr
    return done.stdout.split()


def test_the_shell_completes_commands_and_options(tmp_path: Path) -> None:
    assert complete("hedline sum", tmp_path) == ["summarize"]
    assert set(complete("hedline ", tmp_path)) == set(COMMANDS)
    assert "--json" in complete("hedline doctor --", tmp_path)


def test_completion_can_be_shown_and_installed(tmp_path: Path) -> None:
    """Both name the program; installing writes into the user's own start-up files and nowhere else."""
    bash = shutil.which("bash")
    program = Path(sys.executable).with_name("hedline")
    if bash is None or not program.exists():
        pytest.skip("needs bash and the installed `hedline` program")
    environment = os.environ | {"HOME": str(tmp_path), "_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}
    shown = subprocess.run(
        [str(program), "--show-completion", "bash"], capture_output=True, text=True, env=environment, timeout=120
    )
    assert shown.returncode == 0, shown.stderr
    assert "_HEDLINE_COMPLETE=complete_bash" in shown.stdout and "hedline" in shown.stdout
    done = subprocess.run(
        [str(program), "--install-completion", "bash"], capture_output=True, text=True, env=environment, timeout=120
    )
    assert done.returncode == 0, done.stderr
    assert "hedline" in (tmp_path / ".bashrc").read_text()


def test_a_missing_package_is_named_and_unhealthy(monkeypatch: pytest.MonkeyPatch) -> None:
    real = health._version
    monkeypatch.setattr(health, "_version", lambda name: None if name == "safetensors" else real(name))
    check = health.check_installation()
    assert not check.ok and "safetensors is not installed" in check.message
    assert check.facts["required"]["safetensors"] is None
