"""A real server in a process of its own, for the tests that talk HTTP to it."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest

pytest.importorskip("fastapi", reason="the server needs hedline[serve]")
pytest.importorskip("uvicorn", reason="the server needs hedline[serve]")

LEAD = "The city council voted on Tuesday to close the old harbour bridge for six months of repairs, officials said."
LEADS = [
    LEAD,
    "Two trains collided near the northern town of Elmsworth early on Friday, injuring at least 14 passengers.",
    "A bakery in the old quarter has won the national prize for the best rye bread for the third year in a row.",
    "The central bank left its main rate unchanged at 3.5 percent on Thursday, saying that prices were rising slowly.",
]


@dataclass
class Running:
    """A server that runs: its address and process."""

    url: str
    process: subprocess.Popen[str]

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        return self.request("GET", path, None, **headers)

    def post(self, path: str, value: Any, **headers: str) -> tuple[int, Any]:
        body = value if isinstance(value, bytes) else json.dumps(value).encode()
        status, answer = self.request("POST", path, body, **headers)
        return status, json.loads(answer) if not headers.get("accept") else answer

    def request(self, method: str, path: str, body: bytes | None, **headers: str) -> tuple[int, bytes]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        request = urllib.request.Request(self.url + path, body, named, method=method)
        try:
            with urllib.request.urlopen(request, timeout=60) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            with error:
                return error.code, error.read()

    def metric(self, name: str) -> float:
        """The sum of a measurement's samples."""
        _, page = self.get("/metrics")
        found = re.findall(rf"^{name}(?:\{{.*\}})? (\S+)$", page.decode(), re.M)
        return sum(map(float, found))


def start(*arguments: str, **environment: str) -> Running:
    """Start `hedline serve` and wait until it says that it is ready."""
    command = [sys.executable, "-m", "hedline", "serve", "--port", "0", *arguments]
    process = subprocess.Popen(
        command, env=os.environ | environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    if "ready: http" not in line:
        process.kill()
        raise AssertionError(f"the server did not get ready: {line}{process.communicate()[1]}")
    return Running(line.split()[2], process)


def stop(running: Running, number: int = signal.SIGTERM, timeout: float = 60) -> tuple[int, str]:
    """End a server; its exit code and all it logged."""
    if running.process.poll() is None:
        running.process.send_signal(number)
    try:
        _, logged = running.process.communicate(timeout=timeout)
    except subprocess.TimeoutExpired:
        running.process.kill()
        raise
    return running.process.returncode, logged


@pytest.fixture(scope="session")
def server() -> Iterator[Running]:
    """A server with two models and one worker."""
    running = start("--model", "abs,default", "--workers", "1", "--log", "warning")
    yield running
    stop(running)


@pytest.fixture
def starting() -> Iterator[Callable[..., Running]]:
    """Start servers that end with the test."""
    started: list[Running] = []

    def begin(*arguments: str, **environment: str) -> Running:
        started.append(start("--model", "abs", *arguments, **environment))
        return started[-1]

    yield begin
    for running in started:
        stop(running)
