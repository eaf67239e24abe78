"""Faithfulness: the share of headlines with a number or a capitalised name that the input does not support."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hedline.baselines.parses import names_by_tagger
from hedline.errors import UserError
from hedline.experiments.record import EvaluationSet, Request, Results, Row
from hedline.experiments.report import NOT_MEASURED, Grid, Section, by_set, number
from hedline.experiments.systems import ABS_SYSTEMS, System, headlines
from hedline.metrics.support import copied_tokens, unsupported_names, unsupported_numbers

NAME = "faithfulness"
GUARD_OFF, GUARD_ON = ({"guard_numbers": on, "guard_names": False} for on in (False, True))
BOTH_ON = {"guard_numbers": True, "guard_names": True}
ALL_ON = {**BOTH_ON, "guard_meaning": True}

SYSTEMS = {
    **{name: replace(system, options=GUARD_OFF) for name, system in ABS_SYSTEMS.items()},
    "ABS+ options guarded": System("ABS+ with our options, number guard", "options", GUARD_ON, plus=True),
    "transformer": System("Transformer", "transformer", GUARD_OFF),
    "transformer guarded": System("Transformer, number guard", "transformer", GUARD_ON),
    "transformer named": System("Transformer, number and name guard", "transformer", BOTH_ON),
    "transformer all": System("Transformer, all guards", "transformer", ALL_ON),
}
PEOPLE = "people"
COLUMNS = ("numbers", "names", "either", "tagged", "ext")


def run(request: Request) -> Results:
    """Measure every system that is there, and the human headlines, on every set."""
    request.check_models()
    results = request.open(NAME)
    for chosen in request.evaluation_sets("faithfulness"):
        for key, system in {**SYSTEMS, PEOPLE: None}.items():
            if not request.systems or key in request.systems:
                _measure(f"{chosen.name}/{key}", system, chosen, request, results)
    return results


def _measure(key: str, system: System | None, chosen: EvaluationSet, request: Request, results: Results) -> None:
    folder = system.find(request) if system else None
    if system and folder is None:
        return
    options = system.decode_options(request.options) if system else {}

    def outputs() -> list[str]:
        if system is None:
            return [item.references[0] for item in chosen.items]
        return headlines(folder, chosen.items, options, request.workers)

    who = chosen.identify(options, folder, request)
    results.measure(key, who, outputs, lambda found: support(found, chosen.leads))


def support(outputs: Sequence[str], leads: Sequence[str]) -> Row:
    """Per cent of headlines with an unsupported number, name, either, name by the tagger; Ext. %."""
    pairs = list(zip(outputs, leads, strict=True))
    numbers = [bool(unsupported_numbers(*pair)) for pair in pairs]
    names = [bool(unsupported_names(*pair)) for pair in pairs]
    copied = [copied_tokens(*pair) for pair in pairs]
    share = 100 / len(pairs)
    either = sum(a or b for a, b in zip(numbers, names, strict=True))
    return {
        "items": len(pairs),
        "numbers": round(share * sum(numbers), 2),
        "names": round(share * sum(names), 2),
        "either": round(share * either, 2),
        "tagged": tagged(outputs, leads),
        "ext": round(100 * sum(known for known, _ in copied) / max(sum(all_ for _, all_ in copied), 1), 2),
    }


def tagged(outputs: Sequence[str], leads: Sequence[str]) -> float | None:
    """Per cent of headlines with a name, found by the parser's tagger, that has a word the input lacks.

    A judge that shares nothing with the name guard's own rules, and stricter: it takes no short forms and no plurals.
    None where no parser is installed.
    """
    try:
        found = [names_by_tagger(output) for output in outputs]
    except UserError:
        return None
    unknown = [
        any(not _letters(name) <= _letters(lead) for name in names) for names, lead in zip(found, leads, strict=True)
    ]
    return round(100 * sum(unknown) / len(unknown), 2)


def _letters(text: str) -> set[str]:
    """The words of a text in small letters, `U.S.` also as `us`; a single letter (the s of a possessive) is no word."""
    small = text.lower()
    return {word for form in (small, small.replace(".", "")) for word in re.findall(r"\w+", form) if len(word) > 1}


def render(rows: dict[str, Row]) -> list[Section]:
    """One table for each set."""
    return by_set("Faithfulness", rows, _grid, lambda name, rows: NOTES)


NOTES = (
    "Per cent of headlines with at least one number, or capitalised name, that nothing in the input supports. "
    "Names are found by capitals, as in `hedline evaluate`; a headline in title case has none.",
    "The name guard knows that rule, so another judge stands beside it: names found by spaCy's tagger, with a word "
    "that the input does not have (`hedline[parse]`).",
    "The last row is the headlines people wrote: they knew the whole article, the systems only its first sentence.",
)


def _grid(set_name: str, rows: dict[str, Row]) -> Grid:
    grid = [["System", "number, %", "name, %", "either, %", "name by a tagger, %", "Ext. %"]]
    labels = {key: system.label for key, system in SYSTEMS.items()} | {PEOPLE: "People"}
    for key, label in labels.items():
        row = rows.get(f"{set_name}/{key}")
        cells = [number(row.get(name), 1) for name in COLUMNS] if row else [NOT_MEASURED, *["–"] * (len(COLUMNS) - 1)]
        grid.append([label, *cells])
    return grid
