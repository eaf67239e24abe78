"""Equal work gives equal bytes: every command that makes a folder runs twice, moments apart, and the folders agree.

Dates and seconds stand in `log.jsonl` alone.
"""

from __future__ import annotations

import json
from contextlib import suppress
from pathlib import Path

import pytest
from small_model import sentence

from hedline.cli.main import run
from hedline.files import log_event, logged_seconds

SIZES = "--samples 0 --device cpu --epochs 2 --batch 32 --seed 5 --set D=8 --set H=12"
SMALL = "--samples 0 --device cpu --epochs 1 --batch 16 --set width=16 --set heads=2 --set encoder_layers=1"
COMMANDS = {
    "prepare": "prepare pairs.jsonl --out {0}/data --preset none --workers 2",
    "train": f"train {{0}}/data --out {{0}}/model --encoder attention {SIZES}",
    "tune": "tune {0}/model {0}/data/valid.jsonl --limit 10 --beam 4 --rounds 2 --restarts 1 --workers 1",
    "tune-decoding": "tune-decoding {0}/model {0}/data/valid.jsonl --limit 6 --beam 2 --workers 1",
    "export": "export {0}/model --out {0}/exported --data {0}/data",
    "train further": "train {0}/data --out {0}/further --from {0}/model --epochs 1 --samples 0 --device cpu",
    "subset": "subset {0}/data --out {0}/subset --output-words 60",
    "pieces": "prepare pairs.jsonl --out {0}/pieces --preset none --units subwords --vocabulary-size 400 --workers 1",
    "teacher": f"train {{0}}/pieces --out {{0}}/teacher --decoder-model transformer {SMALL}",
    "distill": "distill {0}/teacher {0}/pieces --out {0}/taught --device cpu --pieces 8",
    "ir": "baseline ir --fit pairs.jsonl --out {0}/ir",
    "banko": "baseline banko --fit pairs.jsonl --out {0}/banko --limit 200",
}


def events(path: Path) -> set[str]:
    return {json.loads(line)["event"] for line in path.read_text().splitlines()}


def files(folder: Path) -> dict[str, bytes]:
    found = (path for path in sorted(folder.rglob("*")) if path.is_file() and path.name != "log.jsonl")
    return {str(path.relative_to(folder)): path.read_bytes() for path in found}


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    pytest.importorskip("torch")
    folder = tmp_path_factory.mktemp("twice")
    with (folder / "pairs.jsonl").open("w") as out:
        for number in range(400):
            lead, headline = sentence(number)
            lead = lead.replace("region", f"region number {number}")
            out.write(json.dumps({"lead": lead, "headline": f"{headline} in {number}"}) + "\n")
    return folder


@pytest.mark.slow
def test_every_folder_is_made_again_byte_by_byte(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(home)
    for name, command in COMMANDS.items():
        for place in ("one", "two"):
            (home / place).mkdir(exist_ok=True)
            with suppress(SystemExit):  # a user's mistake raises UserError
                run(command.format(place).split())
        one, two = files(home / "one"), files(home / "two")
        assert one.keys() == two.keys(), name
        assert not [path for path in one if one[path] != two[path]], name
    logged = {path.parent.name: events(path) for path in sorted((home / "one").rglob("log.jsonl"))}
    assert logged["model"] == {"epoch", "checkpoint", "tune", "tune decoding"}
    assert logged == {"model": logged["model"], "further": {"epoch", "checkpoint"}, "teacher": {"epoch", "checkpoint"}}


def test_a_log_with_a_torn_line_still_gives_the_last_seconds(tmp_path: Path) -> None:
    assert logged_seconds(tmp_path, "epoch") is None
    log_event(tmp_path, "epoch", seconds=1.5)
    log_event(tmp_path, "tune", seconds=9.0)
    with (tmp_path / "log.jsonl").open("a") as log:
        log.write('{"date": "2026-01-01", "event": "epo')
    assert logged_seconds(tmp_path, "epoch") == 1.5
    assert logged_seconds(tmp_path, "epoch", "tune") == 9.0
