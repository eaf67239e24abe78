"""Numbers in documents: made from results, the same in every page, and none outside what is made."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from hedline.experiments.quoted import BLOCK, BLOCKS, fill, make

ROOT = Path(__file__).resolve().parents[2]
CARDS = sorted((ROOT / "src/hedline/shipped").glob("*/README.md"))
GENERATED = ROOT / "docs/reproduction.md"
PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *CARDS] if page != GENERATED]


def system(name: str, value: float, **counts: float) -> dict[str, Any]:
    rouge = {
        metric: {"value": value / place, "low": value / place - 1, "high": value / place + 1}
        for place, metric in enumerate(("ROUGE-1", "ROUGE-2", "ROUGE-L"), 1)
    }
    texts = {"ext": 90.0, "words": 9.5, "bad_numbers": 0.5, "bad_names": 1.5, **counts}
    return {"name": name, **({} if name == "human" else rouge), **texts}


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Results in which every value can be told by eye."""
    human = system("human", 0, ext=40.0, bad_numbers=17.0, bad_names=32.0)
    gains = {f"ROUGE-{metric}": {"relative": value, "p": 0.0} for metric, value in (("1", 40.0), ("2", 80), ("L", 44))}
    rows = {
        f"{name}/{preset}/{model}": {
            "inputs": 2000,
            "systems": [
                system(model, {"default": 36.0, "tiny": 33.0, "abs": 30.0}[model]),
                system("PREFIX", 24.0),
                human,
            ],
            "against_prefix": gains,
        }
        for name in ("test", "wire2004")
        for preset in ("gigaword", "duc")
        for model in ("default", "tiny", "abs")
    }
    (tmp_path / "quality.json").write_text(json.dumps({"name": "quality", "rows": rows}))
    traps = {
        f"{model}/{label}": {"failed": failed, "traps": 200, "quotations": 0, "numbers": 1}
        for model in ("default", "tiny", "abs")
        for label, failed in (("with guards", 3), ("without guards", 20))
    }
    (tmp_path / "meaning.json").write_text(json.dumps({"name": "meaning", "rows": traps}))
    return tmp_path


def write_benches(results: Path) -> None:
    named = {"decode-default": "hedline default", "decode-tiny": "hedline tiny", "decode": "hedline abs"}
    named["decode-news"] = "hedline default"
    for name, ours in named.items():
        speeds = {ours: 40.0, f"{ours}, no shortlist": 20.0, "t5-small": 10.0, "t5-small, mapped": 16.0}
        both = {batch: {**speeds, "t5-small, in pieces": 5.0, "distilbart-6-6": 4.0} for batch in ("1", "32")}
        bench = {"decode": {"runs": [{"sentences_per_second": both}]}}
        (results / f"bench-{name}.json").write_text(json.dumps(bench))
    rouge = {"summaries": 2000, "references": 4, "times_faster": {"ROUGE-1.5.5.pl": 25.0}}
    (results / "bench-rouge.json").write_text(json.dumps({"rouge": rouge}))
    (results / "bench-text.json").write_text(json.dumps({"text": {"ratio": 8.0, "texts": 20, "data": "a.jsonl"}}))
    whole = {"share": 0.95, "median_share": 0.96, "processor_share": 0.91, "lost": 0, "failed": 1, "different": 2}
    facts = {"texts": 2000, "clients": 1000, "workers": 2, "model": "default", "memory_mb": [65, 95]}
    lone = {"serve_ms": 28.0, "api_ms": 25.0, "difference_ms": 3.1, "serve_processor_ms": 26.5, "api_processor_ms": 24}
    load = {**facts, "rounds": [{"share": 0.9}, {"share": 1.0}], "total": whole, "lone": lone}
    (results / "bench-serve.json").write_text(json.dumps({"serve": load}))


def test_every_block_says_what_the_results_say(results: Path) -> None:
    write_benches(results)
    text = {name: make(name, results) or "" for name in BLOCKS}
    assert "| **`default`: transformer** | test | 36.00 [35.00, 37.00] | 18.00 [17.00, 19.00]" in text["quality"]
    assert text["quality"].count("| PREFIX (first 75 bytes) |") == 2
    assert "40.0 / 80.0 / 44.0 % on test" in text["gains"] and "`abs` 30.00 / 15.00 / 10.00" in text["gains"]
    assert "17.0 % of the human headlines hold a number and 32.0 % a name" in text["people"]
    assert "fail\n1.5 % with the guards and 10.0 % without" in text["meaning"] and "3 numbers" in text["meaning"]
    assert "| **abs**, recall at 75 bytes | wire2004 | 30.00" in text["card abs"]
    assert "4.0 × and 4.0 ×" in text["speed"] and "2.0 × and 2.0 ×" in text["speed"] and "2.5 ×" in text["speed"]
    assert "1,000 clients got 0.95 of" in text["serve"] and "(rounds 0.90 to 1.00, median 0.96)" in text["serve"]
    assert "failed 1,\nother than the command line's 2. Memory" in text["serve"] and "+3.1 ms" in text["serve"]
    assert "of processor time 26.5 and 24.0 ms" in text["serve"]


def test_a_page_is_filled_and_what_was_not_measured_stays(results: Path) -> None:
    page = "a\n<!-- made: people -->\nstale\n<!-- /made -->\nb\n<!-- made: speed -->\nkept\n<!-- /made -->\n"
    filled = fill(page, results)
    assert filled.startswith("a\n<!-- made: people -->\nOn `test` 17.0 %") and "stale" not in filled
    assert "<!-- made: speed -->\nkept\n<!-- /made -->" in filled
    assert fill(filled, results) == filled


def test_a_block_with_an_unknown_name_is_a_mistake(results: Path) -> None:
    with pytest.raises(ValueError, match="no block 'qualty'"):
        fill("<!-- made: qualty -->\n<!-- /made -->\n", results)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_documents_agree_with_the_results(page: Path) -> None:
    text = page.read_text("utf-8")
    assert fill(text, ROOT / "results") == text, "run `make docs`"


SCORES = re.compile(r"\d+\.\d\d \[\d+\.\d\d, \d+\.\d\d\]|\d+\.\d\d / \d+\.\d\d / \d+\.\d\d")
PRINTED = {"docs/differences.md"}  # quotes the paper's numbers


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_scores_stand_only_where_they_are_made(page: Path) -> None:
    """A ROUGE score written by hand goes stale: it stands in a made block, or in the generated report."""
    if str(page.relative_to(ROOT)) in PRINTED:
        return
    outside = BLOCK.sub("", page.read_text("utf-8"))
    assert not SCORES.findall(outside)
