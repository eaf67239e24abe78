"""`hedline baseline` from fit to scores, and fitted folders where a model's may stand."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from made_pairs import pairs, write_pairs

from hedline.cli.main import run
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
        (["prefix", "nowhere.txt"], "^nowhere.txt does not exist; check the name$"),
        (["prefix", "SET", "--out", "SET"], "is read and would be written over"),
        (["moses", "SET", "--folder", "IR_FOLDER"], "holds the baseline 'ir', not 'moses'"),
    ],
)
def test_mistakes_are_sentences(world: Path, arguments: list[str], says: str) -> None:
    places = {"SET": str(world / "set.jsonl"), "IR_FOLDER": str(world / "models" / "ir")}
    with pytest.raises(UserError, match=says):
        run(["baseline", *(places.get(argument, argument) for argument in arguments)])


def test_command_prints_a_line_each(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    leads = tmp_path / "leads.txt"
    leads.write_text("The council met on Friday.\nTwo trains stood still.\n")
    finish("baseline", "prefix", str(leads), "--words", "2")
    assert capsys.readouterr().out == "The council\nTwo trains\n"
    finish("baseline", "prefix", str(leads), "--out", str(tmp_path / "out.txt"))
    assert (tmp_path / "out.txt").read_text() == leads.read_text()


def test_command_scores_a_set(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    items = [
        {"id": "1", "lead": "Council votes to close bridge on Friday", "references": ["Council votes to close bridge"]},
        {"id": "2", "lead": "Snow fell on the valley", "references": ["Trains late"]},
    ]
    path = tmp_path / "set.jsonl"
    path.write_text("".join(json.dumps(item) + "\n" for item in items))
    finish("baseline", "prefix", str(path), "--words", "5", "--score")
    out = capsys.readouterr().out
    assert "ROUGE-1 F1 50.00" in out and "ROUGE|metric:1,2,L" in out


@pytest.mark.parametrize(("name", "says"), [("IR", "must be fitted"), ("Moses+", "must be fitted"), ("x", "no base")])
def test_other_baselines_are_named(name: str, says: str, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=says):
        run(["baseline", name, str(tmp_path / "set.jsonl")])


def test_scores_need_references(tmp_path: Path) -> None:
    (tmp_path / "leads.txt").write_text("Snow fell.\n")
    with pytest.raises(UserError, match="no references"):
        run(["baseline", "prefix", str(tmp_path / "leads.txt"), "--score"])
