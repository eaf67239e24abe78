"""The documentation cannot go stale: its commands run, its links and references lead somewhere.

Every `sh` and `python` block of README.md, docs/*.md and the model cards is run, page by page in a folder of its own.
A block marked `<!-- needs: … -->` or `<!-- setup -->` is parsed instead: the command exists and takes these options.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import typer
from doc_blocks import PAGES, ROOT, RUN, Block, read_blocks, shell_commands

from hedline.cli.main import COMMANDS, build_app

BLOCKS = [block for page in PAGES for block in read_blocks(page)]
WAITING = [block for block in BLOCKS if block.language == "sh" and block.needs]
LIVE = sorted({block.page for block in BLOCKS if block.language in RUN and not block.needs})
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)(?:#[^)]*)?\)")
REFERENCE = re.compile(r"`((?:[\w./-]+/)?[\w-]+\.(?:py|c|h))::([\w.]+)`")


def name_of(value: object) -> str:
    return value.name if isinstance(value, Block) else str(value.relative_to(ROOT))  # type: ignore[attr-defined]


@pytest.mark.slow
@pytest.mark.parametrize("page", LIVE, ids=name_of)
def test_commands_run(page: Path, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples")
    for block in read_blocks(page):
        if block.language in RUN and not block.needs:
            done = run_block(block, tmp_path)
            assert done.returncode == 0, (
                f"{block.name} failed:\n{block.text}\n{done.stdout[-2000:]}{done.stderr[-2000:]}"
            )
            assert "Traceback" not in done.stderr, block.name


def run_block(block: Block, folder: Path) -> subprocess.CompletedProcess[str]:
    text = block.at_small_size()
    python = str(Path(sys.executable).parent)
    environment = {**os.environ, "PATH": f"{python}{os.pathsep}{os.environ['PATH']}", "NO_COLOR": "1"}
    command = ["bash", "-euo", "pipefail", "-c", text] if block.language == "sh" else [sys.executable, "-c", text]
    return subprocess.run(
        command, cwd=folder, env=environment, capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=900
    )


@pytest.mark.parametrize("block", WAITING, ids=name_of)
def test_commands_that_wait_parse(block: Block) -> None:
    commands = shell_commands(block.text)
    assert commands, f"{block.name} holds no command"
    for words in commands:
        check_command(words, block.name)


def check_command(words: list[str], where: str) -> None:
    """The program is known; hedline's command takes exactly these arguments."""
    while words and re.fullmatch(r"[A-Z_]+=.*", words[0]):
        words = words[1:]
    if words[:1] == ["torchrun"]:
        words = ["hedline", *words[words.index("hedline") + 1 :]]
    if not words:
        return
    program, *arguments = words
    if program == "make":
        makefile = (ROOT / "Makefile").read_text("utf-8")
        assert all(re.search(rf"^{name}:", makefile, re.M) for name in arguments), f"{where}: make {arguments}"
    elif program in ("python", "bash") and arguments[0].endswith((".py", ".sh")):
        assert (ROOT / arguments[0]).is_file(), f"{where}: there is no {arguments[0]}"
    elif program.startswith("scripts/"):
        assert (ROOT / program).is_file(), f"{where}: there is no {program}"
    elif program == "hedline":
        parse(arguments, where)
    else:
        known = "pip cd git mkdir cp xz sed grep for do done curl docker ray"
        assert program in known.split(), f"{where}: unknown program {program}"


def parse(arguments: list[str], where: str) -> None:
    """Parse a hedline command line without running it."""
    name, rest = (arguments[0], arguments[1:]) if arguments[0] in COMMANDS else ("summarize", ["--text", *arguments])
    command = typer.main.get_command(build_app([name])).commands[name]  # type: ignore[attr-defined]
    try:
        command.make_context(name, list(rest))
    except Exception as error:
        pytest.fail(f"{where}: hedline {' '.join(arguments)}: {error}")


def test_the_parser_finds_mistakes() -> None:
    with pytest.raises(pytest.fail.Exception, match="no-such-option"):
        parse(["train", "data", "--out", "model", "--no-such-option", "1"], "here")
    assert shell_commands("a 'b c' \\\n  d | e > f && g") == [["a", "b c", "d"], ["e"], ["g"]]


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_links_and_references_exist(page: Path) -> None:
    text = page.read_text("utf-8")
    for target in LINK.findall(text):
        assert (page.parent / target).exists(), f"{page.name} links to {target}, which does not exist"
    for file, name in REFERENCE.findall(text):
        assert has_name(file, name), f"{page.name} names {file}::{name}, which does not exist"


def has_name(file: str, dotted: str) -> bool:
    """Whether a source file (from the root, from src/hedline or from tests) defines the name."""
    found = [base / file for base in (ROOT, ROOT / "src/hedline", ROOT / "tests") if (base / file).is_file()]
    if not found:
        return False
    last = re.escape(dotted.rsplit(".", 1)[-1])
    return re.search(rf"^\s*(?:def|class) {last}\b|^\s*{last}\b\s*[:=]", found[0].read_text("utf-8"), re.M) is not None


def _build_docs() -> Any:
    spec = importlib.util.spec_from_file_location("build_docs", ROOT / "scripts/build_docs.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_generated_pages_are_fresh() -> None:
    assert _build_docs().stale() == [], "run `make docs`"


@pytest.mark.slow
@pytest.mark.parametrize(("system", "extra"), _build_docs().SETTINGS.items())
def test_examples_are_what_the_model_writes(system: str, extra: list[str]) -> None:
    page = (ROOT / "docs/examples.md").read_text("utf-8")
    shown = re.findall(rf"^\| {re.escape(system)} \| (.*?) \|", page, re.M)
    command = [sys.executable, "-m", "hedline", "summarize", str(ROOT / "examples/leads.txt"), *extra]
    written = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    same = sum(ours == theirs for ours, theirs in zip(shown, written, strict=True))
    # Another machine may round one near-tie otherwise; a changed model changes many.
    assert same >= len(written) - 1, "docs/examples.md is stale; run `make docs`"


def test_every_command_block_is_understood() -> None:
    languages = {block.language for block in BLOCKS}
    assert languages <= {"sh", "python", "py", "text", "json", "ini", "nginx", "yaml", ""}, languages
    assert {"README.md", "guide-headlines.md", "guide-own-data.md"} <= {page.name for page in LIVE}


def test_the_guides_other_texts_are_what_the_model_writes() -> None:
    import hedline

    page = (ROOT / "docs/guide-headlines.md").read_text("utf-8")
    table = page[page.index("| kind | text begins |") :]
    shown = re.findall(r"^\| [^|]+ \| [^|]+ … \| ([^|]+) \|", table, re.M)[:-1]  # the last one is in another language
    texts = (ROOT / "examples/other-texts.txt").read_text("utf-8").splitlines()
    written = [each.text for each in hedline.load("default").summarize(texts[: len(shown)])]
    same = sum(ours == theirs for ours, theirs in zip(shown, written, strict=True))
    assert len(shown) == 10 and same >= 9, "the table of docs/guide-headlines.md is stale"
