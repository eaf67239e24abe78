"""Writes golden_rouge.json: `python tests/metrics/freeze_rouge.py`. Needs Perl; the test that reads it does not."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

from hedline.bench.rouge import PerlRouge

GOLDEN = Path(__file__).with_name("golden_rouge.json")

CASES: list[tuple[str, list[str]]] = [
    ("police kill gunman in market", ["Police killed a gunman at the market.", "Gunman shot dead by police in market"]),
    ("Harbour bridge closes for repairs", ["Old bridge to close", "City shuts harbour bridge for a year of repairs"]),
    ("the the the the", ["the cat sat on the mat", "the end", "of the people, by the people"]),
    ("governmental agreements adjusted", ["government's agreement and its adjustment"]),
    ("geese went better than mice", ["a goose goes well; a mouse is good", "best geese, best mice"]),
    ("", ["nothing was written here"]),
    ("... !!! --", ["only punctuation was written here"]),
    ("well-known co-operation in 2004-05", ["well known cooperation", "a known co operation 2004 05"]),
    ("État visite à Zürich, 東京 too", ["état visit to zürich", "visit to Tokyo too"]),
    ("1,200 troops cost $4.5m", ["1200 troops cost $4.5 million", "1,200 troops, 4.5 m dollars"]),
    ("one line\nand a second line\nthird line", ["a second line and a third", "one line\nthird line of lines"]),
    ("  leading spaces count as bytes", ["leading space counts as a byte", "  leading spaces count as words"]),
    (
        "a very long headline that runs on and on until it is cut in the middle of some word by the byte limit",
        ["a long headline running on until the limit cuts it in the middle of a word, which nobody would print"],
    ),
    ("x", ["x"]),
    ("yes, yellow yachts yielded yesterday", ["yachts yield yellow", "Yesterday's yacht yielding", "yes", "yet"]),
    ("minister says no to talks, says yes to vote", ["minister says yes to talks and no to vote"] * 2),
]

OPTIONS: list[tuple[list[str], dict[str, object]]] = [
    ([], {"stem": False}),
    (["-m"], {}),
    (["-m", "-b", "75"], {"bytes": 75}),
    (["-m", "-b", "20"], {"bytes": 20}),
    (["-l", "4"], {"stem": False, "words": 4}),
    (["-m", "-s"], {"stop": True}),
    (["-m", "-f", "B"], {"multi": "best"}),
    (["-m", "-p", "0.8"], {"alpha": 0.8}),
]
METRICS = [
    (["-n", "4"], ["1", "2", "3", "4", "L"]),
    (["-x", "-w", "1.2"], ["W1.2"]),
    (["-x", "-2", "4", "-U"], ["S4", "SU4"]),
    (["-x", "-2", "-1", "-U"], ["S*", "SU*"]),
]


def main() -> None:
    """Run the script on every combination and keep what it prints."""
    table = []
    with tempfile.TemporaryDirectory() as folder:
        perl = PerlRouge(Path(folder))
        for flags, ours in OPTIONS:
            scores: dict[str, list[tuple[float, float, float]]] = {}
            for metric_flags, _ in METRICS:
                if "-s" in flags and "-w" in metric_flags:
                    continue  # a reference of stop words only stops the script in ROUGE-W
                scores |= perl.scores(CASES, [*flags, *metric_flags])
            table.append({"flags": flags, "options": ours, "scores": scores})
    cases = [{"summary": summary, "references": references} for summary, references in CASES]
    metrics = [name for _, names in METRICS for name in names]
    value = {"source": "ROUGE-1.5.5.pl", "metrics": metrics, "cases": cases, "table": table}
    GOLDEN.write_text(json.dumps(value, ensure_ascii=False) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
