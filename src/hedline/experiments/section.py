"""A part of the reproduction report: a title, a table or some text, and notes below it."""

from __future__ import annotations

from dataclasses import dataclass

from hedline.experiments.grid import Grid, as_markdown, as_text


@dataclass(frozen=True)
class Section:
    """grid: the table, None for text alone; body: Markdown or plain text after it; notes: small print."""

    title: str
    grid: Grid | None = None
    body: str = ""
    notes: tuple[str, ...] = ()

    def text(self) -> str:
        """For the terminal."""
        parts = [self.title, as_text(self.grid) if self.grid else "", self.body, *self.notes]
        return "\n".join(part for part in parts if part)

    def markdown(self) -> str:
        """For docs/reproduction.md."""
        parts = [f"## {self.title}", as_markdown(self.grid) if self.grid else "", self.body]
        parts.append("\n".join(f"- {note}" for note in self.notes))
        return "\n\n".join(part for part in parts if part) + "\n"
