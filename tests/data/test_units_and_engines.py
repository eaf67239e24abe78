"""Subword units, and the cluster engine beside the local one."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from made_corpus import folder_bytes, made_rows, write_rows

from hedline.data.dataset import Dataset
from hedline.data.prepare import PrepareRequest, prepare
from hedline.data.settings import PrepareSettings, SplitSettings
from hedline.errors import UserError
from hedline.text.clean import clean
from hedline.text.subword import Subwords, pair_controls

SETTINGS = PrepareSettings(units="subwords", vocabulary_size=500, block_records=60, splits=SplitSettings("hash"))


def test_inputs_are_controls_and_pieces_of_the_cleaned_text(tmp_path: Path) -> None:
    rows = made_rows(150)
    rows[3]["lead"] = "“Umeå’s” harbour — the old one — was closed, said the mayor of Umeå on Monday."
    source = write_rows(tmp_path / "a.jsonl", rows)
    prepare(PrepareRequest([source], tmp_path / "data", settings=replace(SETTINGS, splits=SplitSettings())))
    data, subwords = Dataset.open(tmp_path / "data"), Subwords.load(tmp_path / "data")
    train = data.split("train")
    assert data.units == "subwords" and data.input_size == data.output_size == len(subwords)
    for (lead, headline), row in zip(train, rows, strict=True):
        text, title = clean(row["lead"]), clean(row["headline"])
        assert [subwords.names[index] for index in lead[:4]] == pair_controls(text, title)
        assert subwords.decode(lead[4:]) == text
        assert subwords.decode(headline) == title
    stats = json.loads((tmp_path / "data/stats.json").read_text())
    assert stats["pieces"]["train"] == {"input": len(train.inputs), "output": len(train.outputs)}


@pytest.mark.slow
@pytest.mark.parametrize("units", ["words", "subwords"])
def test_ray_gives_the_bytes_of_the_local_engine(tmp_path: Path, units: str, ray_here: None) -> None:
    sources = [write_rows(tmp_path / f"{n}.jsonl", made_rows(130, seed=n)) for n in range(3)]
    for engine in ("local", "ray"):
        settings = replace(SETTINGS, units=units)
        prepare(PrepareRequest(sources, tmp_path / engine, settings=settings, engine=engine, workers=2))
    assert folder_bytes(tmp_path / "local") == folder_bytes(tmp_path / "ray")


@pytest.mark.slow
def test_ray_reports_a_bad_line_as_the_local_engine_does(tmp_path: Path, ray_here: None) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(10))
    with source.open("a") as stream:
        stream.write("[]\n")
    with pytest.raises(UserError, match=r"a\.jsonl:11: not a JSON object"):
        prepare(PrepareRequest([source], tmp_path / "data", settings=SETTINGS, engine="ray"))


@pytest.fixture(scope="module")
def ray_here() -> object:
    """A small local Ray, ended after the tests; skips where Ray is not installed."""
    ray = pytest.importorskip("ray")
    ray.init(
        num_cpus=2, object_store_memory=100 << 20, include_dashboard=False, log_to_driver=False, logging_level="error"
    )
    yield None
    ray.shutdown()


def test_unknown_engines_and_workers_are_sentences(tmp_path: Path) -> None:
    source = write_rows(tmp_path / "a.jsonl", made_rows(10))
    for options, match in (({"engine": "spark"}, "choose local or ray"), ({"workers": 0}, "1 or more")):
        with pytest.raises(UserError, match=match):
            prepare(PrepareRequest([source], tmp_path / "data", **options))  # type: ignore[arg-type]
