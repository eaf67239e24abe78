"""What the package must never do: unpickle, use a network, write where it was not told to, trust a model folder."""

from __future__ import annotations

import ast
import json
import os
import shutil
import subprocess
import sys
import textwrap
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from small_models import LEADS, subwords_folder, words_folder

import hedline
from hedline.runtime.folder import file_checksum

SOURCE = Path(hedline.__file__).parent
UNPICKLERS = {"pickle", "cPickle", "dill", "cloudpickle", "joblib", "shelve", "marshal"}


# --- no pickle ---


def calls(tree: ast.AST) -> Iterator[tuple[str, ast.Call]]:
    """(dotted name, call) of every call of a dotted name."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield ast.unparse(node.func), node


@pytest.mark.parametrize("path", sorted(SOURCE.rglob("*.py")), ids=lambda path: str(path.relative_to(SOURCE)))
def test_nothing_unpickles(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        assert not {name.split(".")[0] for name in names} & UNPICKLERS, f"{path}:{getattr(node, 'lineno', 0)}"
    for name, call in calls(tree):
        given_ = {word.arg: ast.unparse(word.value) for word in call.keywords}
        assert name not in {"torch.load", "torch.save", "np.save"}, f"{path}:{call.lineno} {name} can pickle"
        assert given_.get("allow_pickle", "False") == "False", f"{path}:{call.lineno}"
        if name in {"np.load", "numpy.load"}:
            assert given_.get("allow_pickle") == "False", f"{path}:{call.lineno} says nothing about pickle"


def test_no_model_holds_a_pickle() -> None:
    for file in (SOURCE / "shipped").rglob("*"):
        assert file.suffix in {".json", ".safetensors", ".txt", ".tsv", ".md", ""}, file


# --- no network, no writes ---

# Runs hedline's main under an audit hook, which sees every file opened and every socket used, from C code too.
WATCHED = """
import os, sys
seen = []
WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
CHANGES = {"os.mkdir", "os.rename", "os.remove", "os.rmdir", "os.symlink", "os.link", "os.truncate", "shutil.move"}

def watch(event, arguments):
    if event.startswith("socket.") and event not in {"socket.gethostname"}:
        raise RuntimeError(f"network: {event}")
    if event in {"pickle.find_class", "subprocess.Popen", "os.system"}:
        raise RuntimeError(f"forbidden: {event}")
    if event in CHANGES:
        seen.append(str(arguments[0]))
    if event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITES:
        if not isinstance(arguments[0], int):  # a number is an already open file: standard output
            seen.append(str(arguments[0]))

sys.addaudithook(watch)
from hedline.cli.main import main
try:
    main()
except SystemExit as left:
    code = left.code
else:
    code = 0
print("\\x00" + "\\x00".join(seen), file=sys.stderr)
sys.exit(code)
"""


def watched(arguments: list[str], home: Path) -> tuple[subprocess.CompletedProcess[str], set[Path]]:
    """Run a command in an empty home; its result and the places it wrote to."""
    environment = {
        **os.environ,
        "HOME": str(home),
        "XDG_CACHE_HOME": str(home / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, *arguments],
        capture_output=True,
        text=True,
        cwd=home,
        env=environment,
        timeout=300,
    )
    _, _, listing = done.stderr.partition("\x00")
    written = {(home / name).resolve() for name in listing.rstrip("\n").split("\x00") if name and name != os.devnull}
    return done, written


def tree(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    (folder / "leads.txt").write_text("".join(f"{lead}\n" for lead in LEADS))
    return folder


@pytest.mark.parametrize(
    "arguments",
    [[LEADS[0]], ["summarize", "leads.txt", "--format", "jsonl"], ["doctor"], ["--version"]],
    ids=["text", "summarize", "doctor", "version"],
)
def test_reading_commands_write_nothing_and_use_no_network(home: Path, arguments: list[str]) -> None:
    before = tree(home)
    done, written = watched(arguments, home)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() and not written
    assert tree(home) == before


def test_outputs_go_where_the_user_said_and_nowhere_else(home: Path) -> None:
    (home / "heads").mkdir()
    done, written = watched(["summarize", "leads.txt", "--out", "heads/h.txt", "--explain", "why.html"], home)
    assert done.returncode == 0, done.stderr
    assert set(tree(home)) == {"leads.txt", "heads/h.txt", "why.html"}
    assert written and all(path.is_relative_to(home) for path in written)
    assert len((home / "heads" / "h.txt").read_text().splitlines()) == len(LEADS)


def test_the_watch_sees_what_it_should(home: Path) -> None:
    """The tests above can fail: a write and a connection are noticed."""
    probe = textwrap.dedent(WATCHED).replace(
        "from hedline.cli.main import main",
        "def main():\n    open('spy.txt', 'w').close()\n    import socket; socket.create_connection(('127.0.0.1', 9))",
    )
    done = subprocess.run([sys.executable, "-c", probe], capture_output=True, text=True, cwd=home, timeout=60)
    assert done.returncode == 1 and "network: socket" in done.stderr and (home / "spy.txt").exists()


# --- model folders from strangers ---


@pytest.fixture(scope="module", params=["words", "subwords"])
def sound(request, tmp_path_factory) -> Path:
    """A sound folder with every file a model can have."""
    path = tmp_path_factory.mktemp("sound")
    if request.param == "words":
        words_folder(path)
        (path / "truecase.tsv").write_text("city\tCity\nstorm\tstorm\n")
    else:
        subwords_folder(path)
    (path / "tuning.json").write_text(json.dumps({"format": 1, "weights": {"log_prob": 1.0, "unigram": 0.5}}))
    sign(path)
    return path


def sign(folder: Path) -> None:
    """Make the checksums right again, as somebody who means harm would."""
    path = folder / "config.json"
    config = json.loads(path.read_text())
    names = [
        name
        for name in ("vocab.input.txt", "vocab.output.txt", "merges.txt", "truecase.tsv")
        if (folder / name).is_file()
    ]
    config["checksums"] = {name: file_checksum(folder / name) for name in (*names, "model.safetensors")}
    path.write_text(json.dumps(config))


def use(folder: Path) -> str | None:
    """A headline by this folder, or None where it was refused in one sentence; anything else is raised."""
    try:
        text = hedline.load(folder)(LEADS[0], bytes=40)
    except hedline.UserError as error:
        assert "\n" not in str(error) and len(str(error)) < 2000
        return None
    assert len(text.encode()) <= 40
    return text


def damage(content: bytes, data: st.DataObject) -> bytes:
    """Flip bits, cut, repeat or replace a part."""
    place = data.draw(st.integers(0, max(len(content) - 1, 0)))
    kind = data.draw(st.sampled_from(["flip", "cut", "repeat", "replace", "empty"]))
    if kind == "flip" and content:
        return content[:place] + bytes([content[place] ^ 1 << data.draw(st.integers(0, 7))]) + content[place + 1 :]
    if kind == "repeat":
        return content[:place] + content[place : place + 40] * data.draw(st.integers(2, 50)) + content[place:]
    if kind == "replace":
        junk = [
            b"\xff",
            b"\x00",
            b"NaN",
            b"1e999",
            b"-1",
            b"9" * 400,
            b"[" * 3000,
            b"\t\t",
            b"\r\n",
            "é\u2028".encode(),
        ]
        return content[:place] + data.draw(st.sampled_from(junk)) + content[place + data.draw(st.integers(0, 8)) :]
    return content[:place] if kind == "cut" else b""


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_damaged_and_signed_again_is_refused_or_harmless(sound: Path, tmp_path: Path, data: st.DataObject) -> None:
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(sound, copy)
    names = [
        path.name
        for path in sorted(sound.iterdir())
        if path.suffix in {".txt", ".tsv", ".json"} and path.name != "config.json"
    ]
    file = copy / data.draw(st.sampled_from(names))
    file.write_bytes(damage(file.read_bytes(), data))
    sign(copy)
    start = time.process_time()
    use(copy)
    assert time.process_time() - start < 5


@pytest.mark.parametrize(
    "value",
    [
        [], None, 7, {}, {"weights": None}, {"weights": []}, {"weights": {"magic": 1.0}},
        {"weights": {"log_prob": "1"}}, {"weights": {"log_prob": None}}, {"weights": {"log_prob": 10**400}},
        {"weights": {"log_prob": float("nan")}}, {"weights": {"log_prob": float("inf")}},
        {"weights": {"log_prob": 1.0}, "decoding": []},
        {"weights": {"log_prob": 1.0}, "decoding": {"length_penalty": "x"}},
        {"weights": {"log_prob": 1.0}, "decoding": {"length_penalty": float("nan")}},
        {"weights": {"log_prob": 1.0}, "decoding": {"controls": 5}},
    ],
    ids=lambda value: str(value)[:60],
)  # fmt: skip
def test_a_tuning_file_that_lies_is_refused(tmp_path: Path, value: object) -> None:
    folder = words_folder(tmp_path / "model")
    (folder / "tuning.json").write_text(json.dumps(value))
    assert use(folder) is None


HUGE = 1 << 36  # bytes, sparse: reading it whole would take all memory
BOUNDED = """
import resource, sys, time
import hedline, hedline.api
hedline.load(sys.argv[1])(sys.argv[3], bytes=40)
size = int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()
resource.setrlimit(resource.RLIMIT_AS, (size + (1 << 30), size + (1 << 30)))
started = time.process_time()
try:
    hedline.load(sys.argv[2])
except hedline.UserError as error:
    print("refused", time.process_time() - started < 10, "\\n" not in str(error))
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's limit of address space")
@pytest.mark.parametrize(
    "name", ["config.json", "tuning.json", "truecase.tsv", "merges.txt", "vocab.input.txt", "vocab.output.txt"]
)
def test_files_of_absurd_size_cost_neither_time_nor_memory(tmp_path: Path, name: str) -> None:
    """64 GiB that cost nothing to send; the checksums say nothing of them; one GiB of memory is all there is."""
    make = subwords_folder if name == "merges.txt" else words_folder
    good, folder = make(tmp_path / "good"), make(tmp_path / "model")
    config = json.loads((folder / "config.json").read_text())
    (folder / "config.json").write_text(json.dumps(config | {"checksums": {}}))
    with (folder / name).open("ab") as file:
        file.truncate(HUGE)
    done = subprocess.run(
        [sys.executable, "-c", BOUNDED, str(good), str(folder), LEADS[0]], capture_output=True, text=True, timeout=120
    )
    assert done.stdout.split() == ["refused", "True", "True"], done.stderr[-500:]
