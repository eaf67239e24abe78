"""Fenced blocks of the Markdown pages, and what their markers ask for."""

from __future__ import annotations

import re
import shlex
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
CARDS = sorted((ROOT / "src/hedline/shipped").glob("*/README.md"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *CARDS]
RUN = ("sh", "python")
MARKER = re.compile(r"<!-- (?:(setup)|needs: ([\w-]+)|small: (.+?) => (.+?)) -->")


class Block(NamedTuple):
    """A fenced block: where it stands, its language and text, and what keeps it from running here ("" when nothing)."""

    page: Path
    line: int
    language: str
    text: str
    needs: str
    small: tuple[tuple[str, str], ...]

    @property
    def name(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"

    def at_small_size(self) -> str:
        """The text with the replacements its markers name; one that changes nothing is a mistake in the page."""
        text = self.text
        for old, new in self.small:
            assert old in text, f"{self.name}: nothing to replace by {new!r}: {old!r} is not in the block"
            text = text.replace(old, new)
        return text


def read_blocks(page: Path) -> list[Block]:
    """All fenced blocks of a page; markers stand on the lines right before the fence."""
    blocks, markers, inside, language, start = [], [], None, "", 0
    for number, line in enumerate(page.read_text("utf-8").splitlines(), 1):
        if inside is not None:
            if line.strip() == "```":
                blocks.append(make_block(page, start, language, inside, markers))
                inside, markers = None, []
            else:
                inside.append(line)
        elif line.startswith("```"):
            inside, language, start = [], line[3:].strip(), number
        else:
            markers = [*markers, line] if line.startswith("<!--") else []
    assert inside is None, f"{page.name}: the block of line {start} is never closed"
    return blocks


def make_block(page: Path, line: int, language: str, text: list[str], markers: list[str]) -> Block:
    """A block with its markers understood."""
    found = [match for marker in markers if (match := MARKER.fullmatch(marker.strip()))]
    needs = next((match[2] or match[1] for match in found if match[1] or match[2]), "")
    small = tuple((match[3], match[4]) for match in found if match[3])
    return Block(page, line, language, "\n".join(text) + "\n", needs, small)


def shell_commands(text: str) -> list[list[str]]:
    """The simple commands of a shell block as words: continuation lines joined, pipes and && taken apart."""
    joined = re.sub(r"\\\n\s*", " ", text)
    commands: list[list[str]] = []
    for line in joined.splitlines():
        lexer = shlex.shlex(line, posix=True, punctuation_chars="|&;<>")
        lexer.whitespace_split = True
        command: list[str] = []
        for word in [*lexer, ";"]:
            if word in ("|", "&&", "||", ";", "&"):
                commands += [command] if command else []
                command = []
            else:
                command.append(word)
    return [without_redirection(command) for command in commands]


def without_redirection(command: list[str]) -> list[str]:
    """A command's words without `> file` and `< file`."""
    kept, skip = [], False
    for word in command:
        if word in (">", ">>", "<", "2>"):
            skip = True
        elif skip:
            skip = False
        else:
            kept.append(word)
    return kept
