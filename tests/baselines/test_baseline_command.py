"""`hedline baseline` from fit to scores, and fitted folders where a model's may stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_pairs import pairs, write_pairs

from hedline.baselines.moses import Moses
from hedline.baselines.system import Limit, open_baseline
from hedline.cli.main import run
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError


def finish(*arguments: object) -> None:
    with pytest.raises(SystemExit) as caught:
        run([str(argument) for argument in arguments])
    assert not caught.value.code


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two files of training pairs, a set of which all leads are known, and IR fitted on it all."""
    folder = tmp_path_factory.mktemp("world")
    for seed in (1, 2):
        write_pairs(folder / f"train-{seed}.jsonl", 150, seed)
    write_pairs(folder / "set.jsonl", 8, seed=1)
    files = sorted(folder.glob("train-*.jsonl"))
    finish("baseline", "ir", "--fit", *files, "--out", folder / "models" / "ir")
    return folder


def test_a_glob_of_files_is_fitted_whole(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert json.loads((world / "models" / "ir" / "config.json").read_text())["pairs"] == 300
    for arguments in (
        ["ir", world / "set.jsonl", "--folder", world / "models" / "ir"],
        [world / "models" / "ir", world / "set.jsonl"],
    ):
        capsys.readouterr()
        finish("baseline", *arguments)
        assert capsys.readouterr().out.splitlines() == [headline for _, headline in pairs(8, seed=1)]
    finish("baseline", world / "models" / "ir", world / "set.jsonl", "--score")
    assert "ROUGE-1 F1 100.00" in capsys.readouterr().out


def test_evaluate_and_compare_take_a_fitted_folder(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finish("evaluate", world / "models" / "ir", world / "set.jsonl", "--out", world / "out.jsonl")
    assert "100.00 [100.00, 100.00]" in capsys.readouterr().out
    first = json.loads((world / "out.jsonl").read_text().splitlines()[0])
    assert first["headline"] == pairs(1, seed=1)[0][1]
    (world / "prefix.txt").write_text("".join(f"{lead[:40]}\n" for lead, _ in pairs(8, seed=1)))
    finish("compare", world / "prefix.txt", world / "models" / "ir", "-r", world / "set.jsonl", "--format", "json")
    compared = json.loads(capsys.readouterr().out)
    assert "ir" in json.dumps(compared)


def test_table1_has_a_row_for_it(world: Path, capsys: pytest.CaptureFixture[str]) -> None:
    finish(
        "reproduce",
        "table1",
        "--models",
        world / "models",
        "--set",
        world / "set.jsonl",
        "--results",
        world / "results",
        "--allow-dirty",  # a test may run while its code is being written
    )
    rows = {line.split("  ")[0].strip(): line for line in capsys.readouterr().out.splitlines()}
    assert "100.00 [100.00, 100.00]" in rows["IR"] and "11.06 / 1.67 / 9.67" in rows["IR"]
    assert "not measured yet" in rows["MOSES+"] and "Banko et al. 2000" in rows


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["ir", "SET"], "must be fitted first"),
        (["ir", "--fit", "SET"], "--fit needs --out"),
        (["prefix", "--fit", "SET", "--out", "x"], "learns nothing"),
        (["IR_FOLDER", "SET", "--chars", "40"], "only prefix takes --chars"),
        (["IR_FOLDER", "SET", "--parser", "x"], "needs no parses"),
        (["prefix"], "name one set"),
        (["moses", "SET", "--folder", "IR_FOLDER"], "holds the baseline 'ir', not 'moses'"),
    ],
)
def test_mistakes_are_sentences(world: Path, arguments: list[str], says: str) -> None:
    places = {"SET": str(world / "set.jsonl"), "IR_FOLDER": str(world / "models" / "ir")}
    with pytest.raises(UserError, match=says):
        run(["baseline", *(places.get(argument, argument) for argument in arguments)])


def test_moses_learns_to_shorten_and_keeps_every_limit(tmp_path: Path) -> None:
    pytest.importorskip("thot", reason="the aligner is sil-thot; pip install 'hedline[baselines]'")
    train, valid = write_pairs(tmp_path / "train.jsonl", 600), write_pairs(tmp_path / "valid.jsonl", 12, seed=7)
    folder = Moses.fit([train], tmp_path / "moses", {"tune": valid, "tune_limit": 12})
    system = open_baseline(folder)
    new = pairs(20, seed=99)
    items = [EvaluationItem(str(i), lead, ()) for i, (lead, _) in enumerate(new)]
    items.append(EvaluationItem("blank", " ", ()))
    found = system.headlines(items, Limit())
    same = sum(text.lower() == headline.lower() for text, (_, headline) in zip(found, new, strict=False))
    assert same >= 8  # `announced` has become `unveils`, the rest is deleted
    assert found[-1] == ""
    for limit in (Limit(bytes=30), Limit(words=3), Limit(bytes=7, words=1)):
        assert all(limit.fits(text) for text in system.headlines(items, limit))
