"""Made-up pairs for the tests of the baselines: a small world of sentences of our own."""

from __future__ import annotations

import json
import random
from pathlib import Path

WHO = [
    "The mayor of Lund",
    "A fishing crew",
    "Minister Ada Berg",
    "The Norra bank",
    "Police in Visby",
    "Nurse Ines Holm",
]
DID = ["announced", "rejected", "welcomed", "delayed", "cancelled", "opened"]
WHAT = ["a plan for 30 new trams", "the harbour strike", "a ban on fireworks", "the 2019 budget", "a bridge to Rone"]
WHEN = ["on Monday", "late on Friday", "after a long night", "despite protests"]
VERB = dict(zip(DID, ["unveils", "rejects", "hails", "delays", "scraps", "opens"], strict=True))


def pairs(count: int, seed: int = 1) -> list[tuple[str, str]]:
    """Leads and headlines: who did what when, and who does what."""
    draw = random.Random(seed)
    found = []
    for _ in range(count):
        who, did, what, when = (draw.choice(part) for part in (WHO, DID, WHAT, WHEN))
        short = what.removeprefix("a ").removeprefix("the ")
        found.append((f"{who} {did} {what} {when}, officials said.", f"{who.split()[-1]} {VERB[did]} {short}"))
    return found


def write_pairs(path: Path, count: int, seed: int = 1) -> Path:
    """Write such pairs as JSONL."""
    rows = [{"lead": lead, "headline": headline} for lead, headline in pairs(count, seed)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
