"""`hedline tune` for real: a small random model, decoded by worker processes, killed and resumed."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest
from small_model import make_model, make_set

import hedline
from hedline.corpora.evaluation import read_evaluation_set
from hedline.errors import UserError
from hedline.tuning import report, zmert
from hedline.tuning.export import export_zmert, read_zmert
from hedline.tuning.judge import Judge
from hedline.tuning.mert import optimize
from hedline.tuning.objective import parse_objective
from hedline.tuning.tune import Settings, fingerprint, tune

SMALL = Settings(limit=20, beam=8, rounds=4, restarts=2)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tuning")
    make_model(folder / "model")
    make_set(folder / "set.jsonl")
    return folder


@pytest.fixture(scope="module")
def tuned(home: Path) -> tuple[dict, object]:
    return tune(home / "model", home / "set.jsonl", SMALL)


def test_tuning_raises_rouge_and_is_written_into_the_model(home: Path, tuned) -> None:
    result, tuning = tuned
    assert json.loads((home / "model" / "tuning.json").read_text()) == result
    assert result["after"]["objective"] > result["before"]["objective"] + 0.05
    assert result["weights"]["log_prob"] == 1
    assert result["weights"]["reorder"] <= 0
    assert result["decoding"]["guard_names"] is False
    assert result["version"] == hedline.__version__
    assert result["set"]["inputs"] == 20
    assert result["set"]["fingerprint"] == fingerprint(read_evaluation_set(home / "set.jsonl", 20))
    assert result["signature"].startswith("ROUGE|metric:1,2,L|stem:yes")
    assert not (home / "model" / ".tuning").exists()
    assert all(each.after >= each.before for each in tuning.rounds)


def test_the_tuned_model_decodes_what_tuning_promised(home: Path, tuned) -> None:
    result, _ = tuned
    items = read_evaluation_set(home / "set.jsonl", 20)
    summaries = hedline.load(home / "model").summarize([item.lead for item in items], beam=8)
    judge = Judge(parse_objective("R-1 + R-2 + R-L"))
    rows = [judge.statistics([s.text], item.references)[0] for s, item in zip(summaries, items, strict=True)]
    scores = judge.objective.rouge(np.array(rows))[:, :, 2].mean(axis=0)
    assert scores.mean() == pytest.approx(result["after"]["objective"], abs=2e-3)
    plain = hedline.load(home / "model").summarize([item.lead for item in items], beam=8, abstractiveness=1.0)
    assert [s.text for s in plain] != [s.text for s in summaries]


def test_every_hypothesis_scores_weights_times_features(home: Path, tuned) -> None:
    result, _ = tuned
    lead = read_evaluation_set(home / "set.jsonl")[0].lead
    (summary,) = hedline.load(home / "model").summarize([lead], beam=8, nbest=8)
    for each in summary.nbest:
        expected = sum(weight * each.features.get(name, 0.0) for name, weight in result["weights"].items())
        assert each.score == pytest.approx(expected, abs=1e-3)


def test_the_number_of_workers_does_not_matter(tmp_path: Path, tuned) -> None:
    make_model(tmp_path / "model")
    make_set(tmp_path / "set.jsonl")
    result, _ = tune(tmp_path / "model", tmp_path / "set.jsonl", SMALL, workers=2)
    assert result["weights"] == pytest.approx(tuned[0]["weights"], abs=1e-3)


def test_the_report_shows_every_round(tuned) -> None:
    result, tuning = tuned
    heading = report.header(list(result["weights"]))
    assert all(name in heading for name in ("R-1", "R-2", "R-L", "new", "reorder"))
    lines = [report.line(each) for each in tuning.rounds]
    assert all(len(line) == len(heading) for line in lines)
    assert f"Kept round {tuning.best} of {len(lines)}" in report.closing(result)


def test_lists_written_for_zmert_give_the_same_problem(home: Path, tuned, tmp_path: Path) -> None:
    result, tuning = tuned
    export_zmert(tmp_path, tuning, SMALL, home / "set.jsonl")
    judge = Judge(parse_objective("R-1 + R-2 + R-L"))
    problem, start = read_zmert(tmp_path, judge)
    assert start.tolist() == list(result["weights"].values())
    assert len(problem.lists.features) == tuning.rounds[-1].total
    assert optimize(problem, [start], [1]).score >= problem.score(start) > result["before"]["objective"]
    assert zmert.read_decoder_config(tmp_path / "decoder.txt") == result["weights"]
    assert zmert.read_config(tmp_path / "ZMERT_cfg.txt")["rps"] == "1"


def test_bleu_can_be_tuned_too(home: Path, tmp_path: Path) -> None:
    make_model(tmp_path / "model")
    settings = Settings(limit=10, beam=5, rounds=2, restarts=1, objective="bleu")
    result, _ = tune(tmp_path / "model", home / "set.jsonl", settings)
    assert result["objective"] == "1*BLEU"
    assert "BLEU-4" in result["signature"]


def command(home: Path, *options: str) -> subprocess.Popen:
    arguments = ["tune", "model", "set.jsonl", "--limit", "20", "--beam", "8", "--rounds", "4", "--restarts", "2"]
    return subprocess.Popen(
        [sys.executable, "-m", "hedline", *arguments, *options],
        cwd=home, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


@pytest.mark.slow
def test_killed_at_any_moment_it_resumes_to_the_same_result(tmp_path: Path, tuned) -> None:
    make_model(tmp_path / "model")
    make_set(tmp_path / "set.jsonl")
    (tmp_path / "model" / ".tuning.json.killed.part").write_text("half of it")
    delay = 0.5
    for _ in range(12):
        process = command(tmp_path, "--workers", "2" if delay < 1 else "1")
        time.sleep(delay)
        if process.poll() is None:
            os.kill(process.pid, signal.SIGKILL)
        process.communicate()
        if process.returncode == 0:
            break
        delay += 0.5
    else:
        assert command(tmp_path, "--workers", "1").wait() == 0
    result = json.loads((tmp_path / "model" / "tuning.json").read_text())
    assert result["weights"] == pytest.approx(tuned[0]["weights"], abs=1e-3)
    assert sorted(path.name for path in (tmp_path / "model").iterdir()) == sorted(
        ["README.md", "config.json", "model.safetensors", "tuning.json", "vocab.input.txt", "vocab.output.txt"]
    )


def test_workers_end_when_their_parent_is_killed(tmp_path: Path) -> None:
    make_model(tmp_path / "model")
    make_set(tmp_path / "set.jsonl", 33)
    process = command(tmp_path, "--workers", "2", "--beam", "60", "--rounds", "15", "--limit", "33")
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    if not children.parent.exists():
        process.kill()
        pytest.skip("needs /proc")
    workers: list[str] = []
    for _ in range(100):
        workers = children.read_text().split() if children.exists() else workers
        if len(workers) >= 3 or process.poll() is not None:
            break
        time.sleep(0.05)
    os.kill(process.pid, signal.SIGKILL)
    process.communicate()
    for _ in range(200):
        if not any(_alive(pid) for pid in workers):
            return
        time.sleep(0.05)
    pytest.fail("workers outlived the command")


def _alive(pid: str) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"features": ("unigram",)}, "begin with log_prob"),
        ({"features": ("log_prob", "magic")}, "no feature is called 'magic'"),
        ({"limit": 0}, "limit must be at least 1"),
        ({"seed": -1}, "cannot be negative"),
    ],
)
def test_bad_settings_are_one_sentence(changes: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Settings(**changes)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["nowhere", "set.jsonl"], "no model folder"),
        (["model", "nowhere.jsonl"], "nowhere.jsonl"),
        (["model", "set.jsonl", "--objective", "meteor"], "cannot read the objective"),
        (["model", "set.jsonl", "--bounds", "reorder"], "cannot read the bound"),
        (["model", "set.jsonl", "--bounds", "magic=1"], "no feature is called 'magic'"),
        (["model", "set.jsonl", "--preset", "trec"], "preset"),
        (["model", "set.jsonl", "--mode", "poetic"], "mode must be"),
    ],
)
def test_a_users_mistake_is_one_sentence(home: Path, arguments: list[str], message: str, monkeypatch, capsys) -> None:
    from hedline.cli import main

    monkeypatch.chdir(home)
    monkeypatch.setattr(sys, "argv", ["hedline", "tune", *arguments, "--limit", "5", "--workers", "1"])
    with pytest.raises(SystemExit) as exit_:
        main.main()
    assert exit_.value.code == 2
    assert message in capsys.readouterr().err


def test_as_many_inputs_judge_the_weights_as_were_tuned_on(tmp_path: Path) -> None:
    make_model(tmp_path / "model")
    make_set(tmp_path / "set.jsonl", 200)
    options = ["--limit", "60", "--beam", "2", "--rounds", "1", "--restarts", "0", "--workers", "1", "--json"]
    command = [sys.executable, "-m", "hedline", "tune", str(tmp_path / "model"), str(tmp_path / "set.jsonl"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["shrinkage"]["inputs"] == 60
