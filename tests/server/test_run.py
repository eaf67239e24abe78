from __future__ import annotations

import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from hedline.errors import UserError
from hedline.server.run import bind

from .conftest import start, stop


def refuse(*arguments: str) -> str:
    done = subprocess.run(
        [sys.executable, "-m", "hedline", "serve", *arguments], capture_output=True, text=True, check=False
    )
    assert done.returncode == 2 and "Traceback" not in done.stderr
    return done.stderr


def test_mistakes_are_one_sentence_before_anything_starts() -> None:
    assert refuse("--model", "nothing-like-it").startswith("hedline: there is no model 'nothing-like-it'")
    assert refuse("--port", "70000") == "hedline: --port must be at most 65535, not 70000\n"
    assert "cannot listen on no.such.host.invalid:8000" in refuse("--host", "no.such.host.invalid")


def test_an_address_in_use_is_a_sentence() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(UserError, match=r"cannot listen on 127\.0\.0\.1"):
            bind("127.0.0.1", taken.getsockname()[1])


def test_a_model_that_does_not_load_ends_the_server(tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text("{}", encoding="utf-8")
    assert "hedline: the server stopped: " in refuse("--model", str(tmp_path), "--port", "0", "--workers", "1")


def test_it_says_where_it_is_ready_and_ends_with_ctrl_c() -> None:
    running = start("--model", "abs", "--workers", "1", HEDLINE_HOST="localhost")
    assert re.fullmatch(r"http://(127\.0\.0\.1|\[::1\]):\d+", running.url)
    code, logged = stop(running, signal.SIGINT)
    assert code == 0 and "Traceback" not in logged
