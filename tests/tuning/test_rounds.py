"""The loop with a decoder that is a lookup: convergence, monotonicity, resuming, and what is kept."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from random_lists import ROUGE, random_lists

from hedline.errors import UserError
from hedline.tuning.linesearch import make_bounds
from hedline.tuning.mert import MertOptions
from hedline.tuning.nbest import Hypothesis, Pool
from hedline.tuning.rounds import State, TuneOptions, Tuner, make_problem, read_lists, write_lists

NAMES = ("log_prob", "unigram", "bigram", "reorder")
OPTIONS = TuneOptions(rounds=8, seed=4, mert=MertOptions(restarts=2, directions=2, sweeps=4))


class TableDecoder:
    """All hypotheses of every input are known; decoding ranks them and returns the best ten."""

    def __init__(self, seed: int = 0, inputs: int = 25) -> None:
        lists = random_lists(seed, inputs, 200, len(NAMES), ROUGE)
        self.all = [
            [Hypothesis(f"text {i}", lists.features[i], lists.statistics[i]) for i in rows]
            for rows in np.split(np.arange(len(lists.features)), lists.starts[1:])
        ]
        self.calls = 0

    def nbest(self, weights) -> list[list[Hypothesis]]:
        self.calls += 1
        vector = np.array([weights[name] for name in NAMES])
        return [sorted(each, key=lambda h: -(h.features @ vector))[:10] for each in self.all]


class KilledError(Exception):
    pass


class MortalDecoder(TableDecoder):
    def __init__(self, alive: int) -> None:
        super().__init__()
        self.alive = alive

    def nbest(self, weights) -> list[list[Hypothesis]]:
        if self.calls == self.alive:
            raise KilledError
        return super().nbest(weights)


def make_tuner(decoder: TableDecoder, folder: Path | None = None, **changes) -> Tuner:
    options = TuneOptions(**{**OPTIONS.__dict__, **changes})
    state = State(folder, {"seed": options.seed})
    return Tuner(decoder, len(decoder.all), ROUGE, make_bounds(NAMES, {}), state, options)


def test_tuning_raises_the_decoded_score_and_keeps_the_best_round() -> None:
    result = make_tuner(TableDecoder()).run({"log_prob": 1.0})
    scores = [each.decoded for each in result.rounds]
    assert result.rounds[0].weights == {"log_prob": 1.0, "unigram": 0.0, "bigram": 0.0, "reorder": 0.0}
    assert max(scores) == scores[result.best - 1] > scores[0] + 0.02
    assert result.weights == result.rounds[result.best - 1].weights
    assert result.stopped


def test_no_round_lowers_the_score_on_the_accumulated_lists() -> None:
    for seed in range(3):
        result = make_tuner(TableDecoder(seed)).run({"log_prob": 1.0})
        assert all(each.after >= each.before for each in result.rounds)
        assert all(each.weights["reorder"] <= 0 for each in result.rounds)
        totals = [each.total for each in result.rounds]
        assert totals == np.cumsum([each.new for each in result.rounds]).tolist()


def test_score_on_the_lists_is_the_decoded_score_when_the_decoder_is_exact() -> None:
    result = make_tuner(TableDecoder()).run({"log_prob": 1.0})
    for each in result.rounds:
        assert each.before == pytest.approx(each.decoded, abs=1e-9)


def test_a_round_limit_of_one_only_decodes() -> None:
    decoder = TableDecoder()
    result = make_tuner(decoder, rounds=1).run({"log_prob": 1.0, "unigram": 0.5})
    assert decoder.calls == 1
    assert result.weights["unigram"] == 0.5
    assert "limit" in result.stopped


def test_nothing_new_stops() -> None:
    class Same(TableDecoder):
        def nbest(self, weights):
            return super().nbest({"log_prob": 1.0, "unigram": 0, "bigram": 0, "reorder": 0})

    result = make_tuner(Same()).run({"log_prob": 1.0})
    assert len(result.rounds) == 2
    assert result.stopped == "decoding found no new hypotheses"


def test_an_interrupted_run_resumes_to_the_same_result(tmp_path: Path) -> None:
    whole = make_tuner(TableDecoder()).run({"log_prob": 1.0})
    assert len(whole.rounds) > 2
    decoders = []
    for alive in (1, 1, 0, 2, 100):
        decoders.append(MortalDecoder(alive))
        try:
            resumed = make_tuner(decoders[-1], tmp_path / "work").run({"log_prob": 1.0})
            break
        except KilledError:
            assert list((tmp_path / "work").glob("round-*.npz"))
    assert resumed.weights == whole.weights
    assert [each.decoded for each in resumed.rounds] == [each.decoded for each in whole.rounds]
    assert sum(decoder.calls for decoder in decoders) == len(whole.rounds)


def test_killed_between_decoding_and_report_the_lists_are_not_decoded_again(tmp_path: Path) -> None:
    whole = make_tuner(TableDecoder(), tmp_path / "work").run({"log_prob": 1.0})
    for report in sorted((tmp_path / "work").glob("round-*.json"))[1:]:
        report.unlink()
    decoder = TableDecoder()
    assert make_tuner(decoder, tmp_path / "work").run({"log_prob": 1.0}).weights == whole.weights
    assert decoder.calls == 0


def test_other_settings_begin_anew_and_damaged_lists_are_decoded_again(tmp_path: Path) -> None:
    folder = tmp_path / "work"
    make_tuner(TableDecoder(), folder).run({"log_prob": 1.0})
    (folder / "round-001.npz").write_bytes(b"PK\x03\x04 truncated")
    decoder = TableDecoder()
    make_tuner(decoder, folder).run({"log_prob": 1.0})
    assert decoder.calls == 1
    other = make_tuner(TableDecoder(), folder, seed=5)
    assert not other.state.resumed
    assert not list(folder.glob("round-*"))


def test_removing_the_state_leaves_a_users_own_files(tmp_path: Path) -> None:
    state = State(tmp_path / "work", {})
    (tmp_path / "work" / "mine.txt").write_text("keep")
    state.remove()
    assert [path.name for path in (tmp_path / "work").iterdir()] == ["mine.txt"]
    State(tmp_path / "own", {}).remove()
    assert not (tmp_path / "own").exists()


def test_lists_come_back_bit_for_bit(tmp_path: Path) -> None:
    lists = [TableDecoder().all[0][:5], [], TableDecoder().all[1][:3]]
    with (tmp_path / "x.npz").open("wb"):
        write_lists(tmp_path / "x.npz", lists)
    read = read_lists(tmp_path / "x.npz")
    assert read is not None
    assert [len(each) for each in read] == [5, 0, len(lists[2])]
    assert read[0][3].text == lists[0][3].text
    assert read[0][3].features.tobytes() == lists[0][3].features.tobytes()


def test_a_model_that_writes_nothing_is_a_clear_sentence() -> None:
    class Silent(TableDecoder):
        def nbest(self, weights):
            return [[] for _ in self.all]

    with pytest.raises(UserError, match="wrote nothing"):
        make_tuner(Silent()).run({"log_prob": 1.0})


def test_the_pool_merges_equal_hypotheses_only() -> None:
    def made(text: str, *features: float) -> Hypothesis:
        return Hypothesis(text, np.array(features), np.zeros(9))

    pool = Pool(2)
    assert pool.add(0, [made("a b", -1.0, 2), made("a b", -1.00001, 2), made("a c", -1.0, 2)]) == 1
    assert pool.add(0, [made("a b", -3.0, 1), made("a d", -1.00001, 2)]) == 2
    assert len(pool) == 3
    lists = pool.lists()  # the second input has none
    assert lists.inputs == 1
    assert lists.best(np.array([1.0, 0.0])).tolist() == [0]
    assert make_problem(pool, ROUGE, make_bounds(("a", "b"), {})).score(np.ones(2)) == 0


class Declining(TableDecoder):
    """A decoder that does worse with every round: its lists are cut further from the top."""

    def nbest(self, weights) -> list[list[Hypothesis]]:
        lists = super().nbest(weights)
        worst = [sorted(each, key=lambda h: h.statistics[0] / h.statistics[2]) for each in self.all]
        return lists if self.calls == 1 else [each[self.calls :: 3][:10] for each in worst]


def test_the_best_round_is_kept_not_the_last() -> None:
    result = make_tuner(Declining()).run({"log_prob": 1.0})
    scores = [each.decoded for each in result.rounds]
    assert len(scores) > 1 and scores[-1] < scores[0]
    assert result.best == 1 + int(np.argmax(scores)) < len(scores)
    assert result.weights == result.rounds[result.best - 1].weights
