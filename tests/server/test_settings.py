from __future__ import annotations

import subprocess
import sys
from dataclasses import fields
from pathlib import Path

import pytest

from hedline.errors import UserError
from hedline.server.settings import ServeSettings, split_list, variable


def test_every_flag_names_its_variable_in_the_help() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "hedline", "serve", "--help"], capture_output=True, text=True, check=True
    )
    for each in fields(ServeSettings):
        assert f"--{each.name.replace('_', '-')}" in done.stdout
        assert variable(each.name) in done.stdout


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"port": 70000}, "--port must be at most 65535, not 70000"),
        ({"workers": -1}, "--workers must be at least 0, not -1"),
        ({"rate": float("nan")}, "--rate must be at least 0, not nan"),
        ({"log": "loud"}, "--log must be one of debug, info, warning, error, not 'loud'"),
        ({"max_queue": 10}, r"--max-queue \(10\) must hold one request of --max-texts \(1000\)"),
    ],
)
def test_a_wrong_setting_is_one_sentence(change: dict[str, object], sentence: str) -> None:
    with pytest.raises(UserError, match=sentence):
        ServeSettings(**change)  # type: ignore[arg-type]


def test_keys_come_from_the_flag_and_a_file(tmp_path: Path) -> None:
    path = tmp_path / "keys"
    path.write_text("third\n\n fourth \n", encoding="utf-8")
    assert ServeSettings(api_key="first, second", api_key_file=str(path)).keys == ("first", "second", "third", "fourth")
    path.write_text("\n", encoding="utf-8")
    with pytest.raises(UserError, match="is empty"):
        _ = ServeSettings(api_key_file=str(path)).keys
    with pytest.raises(UserError, match="there is no key file"):
        _ = ServeSettings(api_key_file=str(tmp_path / "none")).keys


def test_keys_are_not_in_the_settings_printed_form() -> None:
    assert "secret" not in repr(ServeSettings(api_key="secret"))


def test_lists_are_split_at_commas() -> None:
    assert split_list(" a, ,b ") == ("a", "b")
