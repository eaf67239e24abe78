"""The one pool: order, bounds, dead workers, broken workers, and real kills of the commands that use it."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import pytest
from small_models import LEADS, words_folder

from hedline.errors import UserError
from hedline.pool import AHEAD, Crew


class Squarer:
    """What the test's workers hold."""

    def square(self, value: int) -> int:
        return value * value

    def process(self, _: int) -> int:
        return os.getpid()

    def die_once(self, task: tuple[str, int]) -> int:
        """Kill the worker the first time a certain task is begun."""
        mark, value = Path(task[0]), task[1]
        if value == 3 and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    def die(self, value: int) -> int:
        if value == 3:
            os.kill(os.getpid(), signal.SIGKILL)
        return value

    def fail(self, value: int) -> int:
        raise UserError(f"no {value}, please")


def load_from(path: str) -> Squarer:
    if not Path(path).exists():
        raise UserError(f"there is no model at {path}")
    return Squarer()


@pytest.mark.parametrize("count", [1, 2, 3])
def test_results_come_in_order_for_any_number_of_workers(count):
    with Crew(Squarer, count) as crew:
        for _ in range(2):  # the workers stay for the next round
            assert list(crew.map(Squarer.square, range(20))) == [value * value for value in range(20)]


def test_no_more_tasks_are_taken_than_are_held():
    taken = []

    def endless():
        for number in range(10**9):
            taken.append(number)
            yield number

    with Crew(Squarer, 2) as crew:
        results = crew.map(Squarer.square, endless())
        assert [next(results) for _ in range(5)] == [0, 1, 4, 9, 16]
        assert len(taken) <= 5 + 2 * AHEAD
        # A map that was left in the middle does not disturb the next one.
        assert list(crew.map(Squarer.square, [7, 8])) == [49, 64]


def test_the_work_of_a_dead_worker_is_done_again(tmp_path):
    tasks = [(str(tmp_path / "dead"), value) for value in range(12)]
    with Crew(Squarer, 2) as crew:
        assert list(crew.map(Squarer.die_once, tasks)) == list(range(12))
    assert (tmp_path / "dead").exists()


def test_work_that_kills_twice_is_one_sentence():
    with Crew(Squarer, 2) as crew, pytest.raises(UserError, match="died 2 times over the same work"):
        list(crew.map(Squarer.die, range(12)))


def test_a_task_may_fail_and_so_may_making_the_object(tmp_path):
    with Crew(Squarer, 2) as crew, pytest.raises(UserError, match=r"no \d, please"):
        list(crew.map(Squarer.fail, range(3)))
    with Crew(partial(load_from, str(tmp_path / "gone")), 2) as crew, pytest.raises(UserError, match="no model at"):
        list(crew.map(Squarer.square, range(3)))


def test_no_worker_is_left_after_the_crew_is_closed():
    with Crew(Squarer, 2) as crew:
        processes = set(crew.map(Squarer.process, range(8)))
    assert processes and not any(alive(process) for process in processes)


@pytest.mark.slow
def test_ray_with_fewer_processors_than_workers_does_the_work():
    ray = pytest.importorskip("ray")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])
    ray.init(num_cpus=1, include_dashboard=False, log_to_driver=False, logging_level="error")
    try:
        with Crew(Squarer, 2, "ray") as crew:
            assert list(crew.map(Squarer.square, range(4))) == [0, 1, 4, 9]
    finally:
        ray.shutdown()


@pytest.mark.slow
def test_ray_does_the_work_of_a_dead_actor_again(tmp_path):
    ray = pytest.importorskip("ray")
    ray.cloudpickle.register_pickle_by_value(sys.modules[__name__])  # actors cannot import a test
    tasks = [(str(tmp_path / "dead"), value) for value in range(8)]
    try:
        with Crew(Squarer, 2, "ray") as crew:
            assert list(crew.map(Squarer.die_once, tasks)) == list(range(8))
        with Crew(Squarer, 2, "ray") as crew, pytest.raises(UserError, match="died 2 times"):
            list(crew.map(Squarer.die, range(8)))
        with Crew(Squarer, 2, "ray") as crew, pytest.raises(UserError, match=r"no \d, please"):
            list(crew.map(Squarer.fail, range(3)))
    finally:
        ray.shutdown()


# The commands.


def alive(process: int) -> bool:
    try:
        return Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"
    except OSError:
        return False


def children(process: int) -> list[int]:
    """The worker processes of a command (spawned Pythons that are not the resource tracker)."""
    found = []
    for path in Path("/proc").glob("[0-9]*"):
        try:
            parent = int((path / "stat").read_text().rsplit(")", 1)[1].split()[1])
            command = (path / "cmdline").read_bytes()
        except (OSError, ValueError):
            continue
        if parent == process and b"spawn_main" in command:
            found.append(int(path.name))
    return found


def start(*arguments: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-m", "hedline", *arguments]
    pipes = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    return subprocess.Popen(command, **pipes, start_new_session=True)  # type: ignore[call-overload,no-any-return]


def first_child(process: subprocess.Popen[bytes]) -> int:
    for _ in range(1200):
        if found := children(process.pid):
            return found[0]
        if process.poll() is not None:
            pytest.fail(f"it ended before it had workers: {process.communicate()}")
        time.sleep(0.05)
    pytest.fail("no worker was started")


needs_proc = pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")


@pytest.fixture(scope="module")
def model(tmp_path_factory) -> Path:
    return words_folder(tmp_path_factory.mktemp("pool") / "model")


@needs_proc
def test_summarize_outlives_the_death_of_a_worker(model, tmp_path):
    leads = tmp_path / "many.txt"
    leads.write_text("".join(f"{LEADS[number % 3]} {number}\n" for number in range(1200)))
    alone = start("summarize", str(leads), "--model", str(model), "--workers", "1").communicate(timeout=120)[0]
    process = start("summarize", str(leads), "--model", str(model), "--workers", "2")
    os.kill(first_child(process), signal.SIGKILL)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 0 and out == alone


@needs_proc
def test_summarize_ends_with_a_sentence_when_the_model_is_gone_and_workers_end_with_it(model, tmp_path):
    import shutil

    mine = tmp_path / "mine"
    shutil.copytree(model, mine)
    lines = [f"{LEADS[number % 3]} {number}\n".encode() for number in range(600)]
    process = start("summarize", "-", "--input-format", "text", "--model", str(mine), "--workers", "2")
    assert process.stdout is not None
    assert process.stdin is not None
    process.stdin.write(b"".join(lines[:64]))
    process.stdin.flush()
    process.stdout.readline()  # the parent has its model
    shutil.rmtree(mine)
    _, errors = process.communicate(b"".join(lines[64:]), timeout=60)
    assert process.returncode == 2 and b"Traceback" not in errors
    assert b"there is no model" in errors


@needs_proc
def test_tune_outlives_the_death_of_a_worker(model, tmp_path):
    import shutil

    shutil.copytree(model, tmp_path / "mine")
    pairs = tmp_path / "pairs.jsonl"
    rows = ({"id": str(n), "lead": f"{LEADS[n % 3]} {n}", "headline": LEADS[n % 3][:40]} for n in range(60))
    pairs.write_text("".join(json.dumps(row) + "\n" for row in rows))
    process = start(
        "tune", str(tmp_path / "mine"), str(pairs), "--limit", "40", "--check", "0", "--beam", "5", "--rounds", "1",
        "--restarts", "1", "--workers", "2",
    )  # fmt: skip
    os.kill(first_child(process), signal.SIGKILL)
    _, errors = process.communicate(timeout=120)
    assert process.returncode == 0, errors.decode()
    assert (tmp_path / "mine" / "tuning.json").exists()


@needs_proc
@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGINT])
def test_workers_end_with_the_program(model, tmp_path, how):
    leads = tmp_path / "many.txt"
    leads.write_text("".join(f"{LEADS[number % 3]} {number}\n" for number in range(20_000)))
    process = start("summarize", str(leads), "--model", str(model), "--workers", "2", "--out", str(tmp_path / "out"))
    first_child(process)
    workers = children(process.pid)
    os.kill(process.pid, how)
    process.communicate(timeout=60)
    for _ in range(100):
        if not any(map(alive, workers)):
            return
        time.sleep(0.1)
    pytest.fail("workers are left")
