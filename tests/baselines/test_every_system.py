"""What holds for all baselines alike: limits on every output, the pairs that a fit reads, the options it takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from lead_trees import FILE, parsed
from made_pairs import pairs

from hedline.baselines.fitting import load_array
from hedline.baselines.system import SYSTEMS, Baseline, Limit, find_system
from hedline.cli.main import run
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError

UNFITTED = ("prefix", "trimmer")
# The last one's first word alone is longer than 75 bytes.
ODD_LEADS = ("", " ", "…", "Zoë", f"{'Ærøskøbing' * 9} ferry")
LIMITS = [Limit(bytes=75), Limit(words=8), Limit(bytes=75, words=6), Limit(bytes=20), Limit(words=1), Limit(bytes=3)]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Pairs whose leads and headlines both stand in the file of parses, many times over."""
    path = tmp_path_factory.mktemp("every") / "pairs.jsonl"
    leads = [tree.text for tree in parsed()]
    short = [text for text in leads if len(text) < 30]
    rows = [{"lead": lead, "headline": short[n % len(short)]} for n, lead in enumerate(leads * 8)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def finish(*arguments: object) -> None:
    with pytest.raises(SystemExit) as caught:
        run([str(argument) for argument in arguments])
    assert not caught.value.code


def fitted(name: str, data: Path) -> Baseline:
    """A system, fitted by the command unless it learns nothing, that reads its parses from the file."""
    folder = None
    if name not in UNFITTED:
        folder = data.parent / name
        parser = ["--parser", FILE] if name == "wl" else []
        finish("baseline", name, "--fit", data, "--out", folder, *parser)
    system = find_system(name).open(folder)
    if hasattr(system, "parser"):
        system.parser = str(FILE)
    return system


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_headline_keeps_its_limit(name: str, data: Path) -> None:
    if name == "moses":
        pytest.importorskip("thot", reason="the aligner is sil-thot; pip install 'hedline[baselines]'")
    system = fitted(name, data)
    leads = [tree.text for tree in parsed()]
    if not hasattr(system, "parser"):
        leads += [*(lead for lead, _ in pairs(10, seed=3)), *ODD_LEADS]
    items = [EvaluationItem(str(number), lead, ()) for number, lead in enumerate(leads)]
    free = system.headlines(items, Limit())
    assert len(free) == len(items) and all(free[: len(parsed())])
    for limit in LIMITS:
        found = system.headlines(items, limit)
        assert len(found) == len(items)
        assert [text for text in found if not limit.fits(text)] == []
        assert sum(map(bool, found)) > len(parsed()) // 2  # a limit is no reason to say nothing


@pytest.mark.parametrize("name", ["topiary", "compress", "wl"])
def test_a_fit_reads_no_more_pairs_than_its_limit(name: str, data: Path, tmp_path: Path) -> None:
    parser = ["--parser", FILE] if name == "wl" else []
    parser += ["--sample", 1] if name == "wl" else []
    finish("baseline", name, "--fit", data, "--limit", 4, "--out", tmp_path, *parser)
    if name == "compress":
        assert json.loads((tmp_path / "config.json").read_text())["pairs"] == 4
        assert 0 < load_array(tmp_path / "lead_counts.npy").sum() < 60  # words of four leads
    else:
        assert json.loads((tmp_path / "config.json").read_text()).get("sample", 1) == 1
        words = (tmp_path / "chances.txt").read_text().split()
        assert "the" in words and "bridge" not in words


@pytest.mark.parametrize(
    ("name", "option"), [("ir", "tune"), ("topiary", "parser"), ("compress", "tune"), ("banko", "sample")]
)
def test_an_option_that_a_fit_has_no_use_for_is_refused(name: str, option: str, data: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=f"fitting {name} takes no --{option}"):
        value = "3" if option == "sample" else str(data)
        run(["baseline", name, "--fit", str(data), f"--{option}", value, "--out", str(tmp_path)])
