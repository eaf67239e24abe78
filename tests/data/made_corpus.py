"""A corpus of our own making: leads and headlines from a few sentence patterns, seeded."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

PLACES = ["Lund", "Visby", "Kiruna", "Umeå", "Falun", "Ystad", "Motala", "Skara"]
PEOPLE = ["mayor", "bishop", "harbour chief", "school board", "fire service", "city council", "union", "museum"]
ACTS = [("closed", "closes"), ("bought", "buys"), ("repaired", "repairs"), ("sold", "sells"), ("opened", "opens")]
THINGS = ["old bridge", "ferry line", "swimming hall", "library", "tram depot", "market square", "clock tower"]
DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]


def made_rows(count: int, seed: int = 1) -> list[dict[str, Any]]:
    """So many different pairs with ids, sources and dates."""
    dice = random.Random(seed)
    rows = []
    for number in range(count):
        place, who, thing, day = (dice.choice(group) for group in (PLACES, PEOPLE, THINGS, DAYS))
        did, does = dice.choice(ACTS)
        cost = dice.randrange(2, 900)
        lead = (
            f"The {who} of {place} {did} the {thing} on {day} for {cost} million kronor, item {seed}-{number}, it said."
        )
        headline = f"{place} {who} {does} {thing} in deal {seed}-{number}"
        date = f"20{dice.randrange(10, 24)}-{dice.randrange(1, 13):02d}-{dice.randrange(1, 29):02d}"
        rows.append({"lead": lead, "headline": headline, "id": f"{seed}-{number}", "source": "Made", "date": date})
    return rows


def write_rows(path: Path, rows: list[dict[str, Any]]) -> Path:
    """Rows as JSONL."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return path


def folder_bytes(folder: Path) -> dict[str, bytes]:
    """Every file of a folder with its content."""
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir())}
