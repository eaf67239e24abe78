"""hedline tune: the command, what it writes, and the contest that decides whether it is written."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_model import make_model, make_set

import hedline
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.decoding.options import DecodeOptions
from hedline.errors import UserError
from hedline.tuning import nbest, zmert
from hedline.tuning import rounds as report
from hedline.tuning import tune as module
from hedline.tuning.grid import Setting, Trial
from hedline.tuning.mert import optimize
from hedline.tuning.nbest import Judge, parse_objective
from hedline.tuning.tune import Contest, Settings, fingerprint, prefix, toward, tune
from hedline.tuning.zmert import export_zmert, read_zmert

SMALL = Settings(limit=20, beam=8, rounds=4, restarts=2)


@pytest.fixture(scope="module")
def tuned(home: Path) -> tuple[dict, object]:
    return tune(home / "model", home / "set.jsonl", SMALL)


def test_tuning_raises_rouge_and_is_written_into_the_model(home: Path, tuned) -> None:
    result, tuning = tuned
    assert result["written"]
    assert {**json.loads((home / "model" / "tuning.json").read_text()), "written": True} == result
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
    leads = [item.lead for item in items]
    summaries = hedline.load(home / "model").summarize(leads, guard_meaning=False)
    judge = Judge(parse_objective("R-1 + R-2 + R-L"))
    rows = [judge.statistics([s.text], item.references)[0] for s, item in zip(summaries, items, strict=True)]
    scores = judge.objective.rouge(np.array(rows))[:, :, 2].mean(axis=0)
    assert result["held_out"]["inputs"] == 20  # too few come after them, so these judge
    assert scores.mean() == pytest.approx(result["held_out"]["kept"]["score"], abs=2e-3)
    plain = hedline.load(home / "model").summarize(leads, tuned=False)
    assert [s.text for s in plain] != [s.text for s in summaries]


def test_every_hypothesis_scores_weights_times_features(home: Path, tuned) -> None:
    result, _ = tuned
    lead = read_evaluation_set(home / "set.jsonl")[0].lead
    (summary,) = hedline.load(home / "model").summarize([lead], beam=8, nbest=8)
    for each in summary.nbest:
        expected = sum(weight * each.features.get(name, 0.0) for name, weight in result["weights"].items())
        assert each.score == pytest.approx(expected, abs=1e-3)


def test_the_number_of_workers_does_not_matter(tmp_path: Path, tuned, monkeypatch) -> None:
    make_model(tmp_path / "model")
    make_set(tmp_path / "set.jsonl")
    started: list[int] = []
    real = nbest.Crew
    monkeypatch.setattr(nbest, "Crew", lambda make, count: started.append(count) or real(make, count))
    result, _ = tune(tmp_path / "model", tmp_path / "set.jsonl", SMALL, workers=2)
    assert set(started) == {2}
    assert result["weights"] == pytest.approx(tuned[0]["weights"], abs=1e-3)


def test_the_report_shows_every_round(tuned) -> None:
    result, tuning = tuned
    heading = report.header(SMALL.names)
    assert all(name in heading for name in ("R-1", "R-2", "R-L", "new", "reorder"))
    lines = [report.line(each) for each in tuning.rounds]
    assert all(len(line) == len(heading) for line in lines)
    assert f"Best round {tuning.best} of {len(lines)}" in report.closing(result)


def test_lists_written_for_zmert_give_the_same_problem(home: Path, tuned, tmp_path: Path) -> None:
    result, tuning = tuned
    export_zmert(tmp_path, tuning, SMALL, home / "set.jsonl")
    judge = Judge(parse_objective("R-1 + R-2 + R-L"))
    problem, start = read_zmert(tmp_path, judge)
    assert start.tolist() == list(tuning.weights.values())
    assert len(problem.lists.features) == tuning.rounds[-1].total
    assert optimize(problem, [start], [1]).score >= problem.score(start) > result["before"]["objective"]
    assert zmert.read_decoder_config(tmp_path / "decoder.txt") == tuning.weights
    assert zmert.read_config(tmp_path / "ZMERT_cfg.txt")["rps"] == "1"


def test_the_duc_preset_decodes_and_scores_75_bytes() -> None:
    from hedline.tuning.grid import DecodingSettings

    assert Settings(preset="duc").options()["bytes"] == 75
    assert "bytes" not in Settings(preset="gigaword").options()
    assert DecodingSettings(preset="duc").options()["bytes"] == 75


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
        [
            "README.md",
            "config.json",
            "log.jsonl",
            "model.safetensors",
            "tuning.json",
            "vocab.input.txt",
            "vocab.output.txt",
        ]
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
    for _ in range(1000):  # a busy machine starts slowly
        workers = children.read_text().split() if children.exists() else workers
        if len(workers) >= 3 or process.poll() is not None:
            break
        time.sleep(0.05)
    assert len(workers) >= 2, "the command ended before its workers could be seen"
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
        ({"limit": 0}, "limit must be a whole number of at least 1"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"preset": "trec"}, "preset must be one of duc, gigaword"),
    ],
)
def test_bad_settings_are_one_sentence(changes: dict, message: str) -> None:
    with pytest.raises(UserError, match=message):
        Settings(**changes)


def test_the_inputs_after_the_tuning_ones_judge(tmp_path: Path) -> None:
    make_model(tmp_path / "model")
    make_set(tmp_path / "set.jsonl", 200)
    options = ["--limit", "60", "--beam", "2", "--rounds", "1", "--restarts", "0", "--workers", "1", "--json"]
    command = [sys.executable, "-m", "hedline", "tune", str(tmp_path / "model"), str(tmp_path / "set.jsonl"), *options]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout)["held_out"]["inputs"] == 140


def test_settings_for_a_limit_stand_beside_the_others_and_serve_short_limits(home: Path, tuned, tmp_path: Path) -> None:
    make_model(tmp_path / "model")
    make_set(tmp_path / "set.jsonl")
    plain, _ = tune(tmp_path / "model", tmp_path / "set.jsonl", SMALL)
    short = replace(SMALL, preset="duc", decode={"bytes": 30})
    limited, _ = tune(tmp_path / "model", tmp_path / "set.jsonl", short)
    written = json.loads((tmp_path / "model" / "tuning.json").read_text())
    assert written["weights"] == plain["weights"]
    assert written["presets"]["duc"]["weights"] == limited["weights"]
    defaults = hedline.load(tmp_path / "model").defaults
    asked = {"none": {}, "short": {"bytes": 72}, "long": {"bytes": 200}, "words": {"bytes": 60, "words": 5}}
    settled = {name: defaults.settle(DecodeOptions(**options)) for name, options in asked.items()}
    assert {name: each.weights == limited["weights"] for name, each in settled.items()} == {
        "none": False, "short": True, "long": False, "words": False,
    }  # fmt: skip
    assert settled["short"].fill == (limited["decoding"].get("fill") or 0.0)
    tune(tmp_path / "model", tmp_path / "set.jsonl", SMALL)
    assert json.loads((tmp_path / "model" / "tuning.json").read_text())["presets"] == written["presets"]


FOUND = {"log_prob": 1.0, "unigram": 4.0, "length_penalty": 2.0}


ITEMS = [EvaluationItem(str(i), "the old harbour bridge closes", ("bridge closes",)) for i in range(4)]


class Measure:
    """Scores a setting by a function of it."""

    def __init__(self, worth):
        self.worth, self.sets, self.seen = worth, [ITEMS], []

    def __call__(self, setting, name=""):
        self.seen.append(setting)
        return Trial(setting, (np.full(4, self.worth(setting)),), ({"R-1": 0.0},), (1.0,), name)

    def score(self, texts, setting, name):
        assert texts == [prefix(ITEMS)]
        return Trial(setting, (np.zeros(4),), ({"R-1": 0.0},), (1.0,), name)


def unigram(setting):
    return dict(setting.weights).get("unigram", 0.0)


def test_prefix_and_the_untuned_model_are_in_the_table_and_the_best_share_wins():
    verdict = Contest(Measure(lambda setting: 0.5 - abs(unigram(setting) - 2.0) / 10)).run(FOUND, 1.0, limited=False)
    assert [trial.name for trial in verdict.trials[:3]] == ["PREFIX", "untuned", "share 0"]
    assert verdict.untuned.setting.length_penalty == 1.0
    assert unigram(verdict.best.setting) == 2.0  # half way
    assert verdict.won


def test_what_is_not_above_the_untuned_model_has_not_won():
    verdict = Contest(Measure(lambda setting: -unigram(setting))).run(FOUND, 1.0, limited=False)
    assert not verdict.won
    assert verdict.best.score == verdict.untuned.score


def test_fill_is_tried_only_where_there_is_a_limit():
    def worth(setting):
        return (setting.fill or 0.0) + 0.1 * (setting.rerank == "overlap") + 0.01 * (setting.beam or 0)

    limited = Contest(Measure(worth)).run(FOUND, 1.0, limited=True).best.setting
    assert (limited.fill, limited.rerank, limited.beam) == (0.97, "overlap", 20)
    measure = Measure(worth)
    Contest(measure).run(FOUND, 1.0, limited=False)
    assert not any(setting.fill for setting in measure.seen)


def test_a_slower_search_must_win_clearly():
    def noisy(setting):
        return 0.5 + 1e-4 * (setting.beam == 10)

    class Noisy(Measure):
        def __call__(self, setting, name=""):
            trial = super().__call__(setting, name)
            return Trial(
                setting,
                (trial.gains[0] + np.array([0.2, -0.2, 0.2, -0.2]) * (setting.beam == 10),),
                *(trial.rouge, trial.words, name),
            )

    assert Contest(Noisy(noisy)).run(FOUND, 1.0, limited=False).best.setting.beam == 5


def test_the_line_to_the_model_alone():
    alone = {"log_prob": 1.0, "length_penalty": 1.0}
    assert toward(FOUND, alone, 1.0) == {"log_prob": 1.0, "unigram": 0.0, "length_penalty": 1.0}
    assert toward(FOUND, alone, 0.25) == pytest.approx({"log_prob": 1.0, "unigram": 3.0, "length_penalty": 1.75})


@pytest.mark.parametrize("before", [None, {"format": 2, "weights": {"log_prob": 1.0}}])
def test_a_lost_contest_writes_nothing(tmp_path, monkeypatch, before):
    model, path = make_model(tmp_path / "model"), make_set(tmp_path / "set.jsonl")
    if before:
        (model / "tuning.json").write_text(json.dumps(before))

    class Lost:
        def __init__(self, measure, tell):
            self.trial = Trial(
                Setting(1.0, None, weights=(("log_prob", 1.0),)), (np.zeros(2),), ({"R-1": 0.0},), (1.0,)
            )

        def run(self, found, alone, limited):
            return module.Verdict((self.trial, self.trial), self.trial)

    monkeypatch.setattr(module, "Contest", Lost)
    result, _ = module.tune(model, path, module.Settings(limit=10, beam=3, rounds=1, restarts=0))
    assert result["written"] is False
    assert (json.loads((model / "tuning.json").read_text()) if before else None) == before
    assert before or not (model / "tuning.json").exists()
