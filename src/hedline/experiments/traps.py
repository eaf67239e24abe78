"""Sentences written to be misread, what their headlines may say, and how many of them the shipped models fail.

`traps.jsonl` holds one trap per line: a sentence of our own with a word that a careless headline drops. A trap says
which words make a headline responsible (`when`), what such a headline must then say (`then`) and what none may say
(`never`), as regular expressions without case; a name in braces stands for a list below. Quotations and numbers of
every headline are checked besides. `half` says when a trap was written: the two halves of the first set were read while
the first rules were made; each batch after them was written, run and judged before any rule was made from it.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from pathlib import Path

from hedline.api import shipped_models
from hedline.corpora.sets import EvaluationItem
from hedline.experiments.record import Request, Results, Row, file_fingerprint, identify
from hedline.experiments.report import NOT_MEASURED, Grid, Section, number
from hedline.experiments.systems import headlines
from hedline.metrics.numbers import unsupported_numbers
from hedline.text.meaning import altered_quotations

TRAPS = Path(__file__).with_name("traps.jsonl")

_LISTS = {
    "neg": r"\b(no|not|never|none|nor|neither|nobody|nothing|without|cannot|den(y|ies|ied|ying|ial)|refus\w+|reject\w*"
    r"|fail\w*|unable|declin\w+|scrap\w*|drop(s|ped|ping)?|halt\w*|stop\w*|end(s|ed|ing)?|veto\w*|acquit\w*|clear(s|ed)"
    r"|cancel\w*|abandon\w*|withdr[ae]w\w*|ban(s|ned)?|bar(s|red)|block\w*|oppos\w+|suspend\w*|postpon\w+|delay\w*"
    r"|avoid\w*|avert\w*|prevent\w*|dismiss\w*|overturn\w*|quash\w*|revers\w+|disput\w+|lift(s|ed)?|defeat\w*|shelv\w+"
    r"|neglect\w*|skip\w*|miss(es|ed|ing)?|lack\w*|lose|loses|lost|(rul|call|turn|strik|vot|back|pull|giv|throw)\w*"
    r" (\w+ )?(out|off|down|up)|gave up|against|unlikely|innocent|wrong|false|safe|nix\w*|axe[sd]?"
    r"|ditch\w*|thwart\w*|foil\w*|quits?|pulls?|\w+less|expel\w*|struck down|short of)\b|n['’]t\b",
    "exc": r"\b(except\w*|exclud\w+|but|bar|barring|save|without|nearly|almost|most|apart|other than|exempt\w*|only)\b",
    "cond": r"\b(if|unless|may|might|could|would|should|provided|condition\w*|when|once|until|only|risk\w*|threat\w*"
    r"|warn\w*|faces?|without|pledg\w+|promis\w+|vow\w*|demand\w*|ultimatum|offer\w*|ready|willing|can)\b|\?",
    "hedge": r"\b(suspe\w+|suspicion|alleg\w+|accus\w+|charg\w+|may|might|could|would|report\w*|believ\w+|thought"
    r"|fear\w*|likely|possibl\w+|perhaps|probabl\w+|apparent\w*|seem\w*|appear\w*|rumou?r\w*|claim\w*|expect\w*|indict\w*|probe\w*"
    r"|investigat\w+|purported\w*|trial|potential\w*|mulls?|consider\w*|eyes|can|maybe|denies|plead\w*|hint\w*)\b|\?",
    "less": r"\b(fewer|less|under|below|up to|at most|only|just|no more)\b",
}


@dataclass(frozen=True)
class Trap:
    """One sentence and the regular expressions that judge its headlines; empty ones ask nothing."""

    id: str
    kind: str
    half: str
    lead: str
    when: str = ""
    then: str = ""
    never: str = ""


@cache
def read_traps(path: Path = TRAPS) -> tuple[Trap, ...]:
    """All traps, in the order of the file."""
    return tuple(Trap(**json.loads(line)) for line in path.read_text(encoding="utf-8").splitlines())


def faults(trap: Trap, headline: str) -> tuple[str, ...]:
    """What is wrong with a headline: `meaning`, `quotation`, `number`, `empty`; nothing where it may be printed.

    >>> trap = Trap("a", "negation", "dev", "The mayor will not resign.", when="resign", then="{neg}")
    >>> faults(trap, "Mayor to resign"), faults(trap, "Mayor refuses to resign")
    (('meaning',), ())
    """
    if not headline.strip():
        return ("empty",)
    found = []
    asked = trap.when and _pattern(trap.when).search(headline)
    if (asked and not _pattern(trap.then).search(headline)) or (trap.never and _pattern(trap.never).search(headline)):
        found.append("meaning")
    if altered_quotations(headline, trap.lead):
        found.append("quotation")
    if unsupported_numbers(headline, trap.lead):
        found.append("number")
    return tuple(found)


@lru_cache(maxsize=4096)
def _pattern(text: str) -> re.Pattern[str]:
    for name, words in _LISTS.items():
        text = text.replace("{" + name + "}", words)
    return re.compile(text, re.IGNORECASE)


NAME = "meaning"
GUARDS = {
    "without guards": {"guard_numbers": False, "guard_names": False, "guard_meaning": False},
    "with guards": {"guard_numbers": True, "guard_names": True, "guard_meaning": True},
}


def run(request: Request) -> Results:
    """Measure the models inside the package on the traps inside the package."""
    results, traps = request.open(NAME), read_traps()
    items = [EvaluationItem(trap.id, trap.lead, ()) for trap in traps]
    for folder in shipped_models():
        for label, guards in GUARDS.items():
            options = {**request.options, **guards}
            who = identify({"options": options}, file_fingerprint(TRAPS), folder, request)
            decode = partial(headlines, folder, items, options, request.workers)
            results.measure(f"{folder.name}/{label}", who, decode, partial(judge, traps))
    return results


def judge(traps: Sequence[Trap], outputs: Sequence[str]) -> Row:
    """Counts of traps and of failures, by kind and by half; of altered quotations and numbers; what failed."""
    found = [faults(trap, output) for trap, output in zip(traps, outputs, strict=True)]
    failed = [trap for trap, wrong in zip(traps, found, strict=True) if wrong]
    kinds, wrong_kinds = Counter(trap.kind for trap in traps), Counter(trap.kind for trap in failed)
    halves, wrong_halves = Counter(trap.half for trap in traps), Counter(trap.half for trap in failed)
    return {
        "traps": len(traps),
        "failed": len(failed),
        "kinds": {kind: [wrong_kinds[kind], total] for kind, total in kinds.items()},
        "halves": {half: [wrong_halves[half], total] for half, total in halves.items()},
        "quotations": sum("quotation" in wrong for wrong in found),
        "numbers": sum("number" in wrong for wrong in found),
        "examples": {trap.id: output for trap, output, wrong in zip(traps, outputs, found, strict=True) if wrong},
    }


def render(rows: dict[str, Row]) -> list[Section]:
    """One table: a row per kind of trap, a column per model and guard setting."""
    if not rows:
        return [Section("Meaning", body=NOT_MEASURED)]
    return [Section("Meaning: traps failed, %", _grid(rows), notes=NOTES)]


NOTES = (
    "Sentences written to be misread (`traps.jsonl`), each with what its headline must or must not say; a headline "
    "that alters a quotation or a number fails too. Every failure was read and rules were made from it, so these rates "
    "are in-sample: docs/guide-headlines.md has the rates of each batch before its failures were read.",
)


def _grid(rows: dict[str, Row]) -> Grid:
    first = next(iter(rows.values()))
    grid = [["Traps", "number", *rows]]
    for kind, (_, total) in first["kinds"].items():
        grid.append([kind, str(total), *(_share(*row["kinds"].get(kind, (0, 0))) for row in rows.values())])
    for half, (_, total) in first["halves"].items():
        grid.append([_part(half), str(total), *(_share(*row["halves"].get(half, (0, 0))) for row in rows.values())])
    grid.append(["all", str(first["traps"]), *(_share(row["failed"], row["traps"]) for row in rows.values())])
    for name in ("quotations", "numbers"):
        grid.append([f"altered {name}", "", *(str(row[name]) for row in rows.values())])
    return grid


def _part(half: str) -> str:
    return half if half.startswith("batch") else f"first set, {half}"


def _share(part: int, whole: int) -> str:
    return number(100 * part / whole if whole else None, 1)
