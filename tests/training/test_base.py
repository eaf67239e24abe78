"""Training a model further: `prepare --vocabulary-from`, `train --from`."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_corpus import made_rows, write_rows

from hedline.api import load
from hedline.cli.main import run as hedline
from hedline.data.dataset import Dataset
from hedline.data.options import build_request
from hedline.data.prepare import prepare
from hedline.errors import UserError
from hedline.runtime.export import ExportSettings, export_folder
from hedline.runtime.folder import ModelFolder
from hedline.text.casing import Truecaser
from hedline.training.options import TrainRequest
from hedline.training.perplexity import perplexity_of_folder
from hedline.training.run import train

TINY = {"epochs": 1, "batch": 16, "D": 4, "H": 8, "C": 2}
TRANSFORMER = {"epochs": 1, "batch": 256, "width": 8, "inner": 8, "heads": 1, "encoder_layers": 1, "decoder_layers": 1}


def corpus(folder: Path, pairs: int, seed: int) -> Path:
    return write_rows(folder / f"pairs-{seed}.jsonl", made_rows(pairs, seed))


@pytest.fixture(scope="module")
def base(tmp_path_factory) -> Path:
    """A tuned word model and the data it was trained on."""
    folder = tmp_path_factory.mktemp("base")
    prepare(build_request(sources=[corpus(folder, 120, 1)], out=folder / "data", workers=1))
    train(TrainRequest(folder / "data", folder / "model", settings=TINY, samples=0))
    (folder / "model" / "tuning.json").write_text('{"format": 1, "weights": {"log_prob": 1.0, "unigram": 2.0}}')
    return folder


@pytest.fixture(scope="module")
def further(base) -> Path:
    """Other pairs, prepared with the model's vocabularies."""
    request = {"sources": [corpus(base, 80, 2)], "out": base / "more", "workers": 1}
    prepare(build_request(**request, vocabulary_from=base / "model"))
    return base / "more"


def test_data_takes_the_vocabularies_and_spellings_of_the_model(base, further):
    for name in ("vocab.input.txt", "vocab.output.txt"):
        assert (further / name).read_bytes() == (base / "model" / name).read_bytes()
    known, ours = Truecaser.load(base / "model/truecase.tsv").forms, Truecaser.load(further / "truecase.tsv").forms
    assert known.keys() <= ours.keys() and ours["lund"] == "Lund"
    data = Dataset.open(further)
    assert data.fingerprint != Dataset.open(base / "data").fingerprint
    assert int(data.split("train").outputs.max()) < data.output_size


def test_training_begins_with_the_models_weights(base, further, tmp_path, capsys):
    before = perplexity_of_folder(base / "model", further).closed
    place = train(TrainRequest(further, tmp_path / "own", settings={"lr": 1e-9}, base=base / "model", samples=0))
    assert place.history[0]["valid"] == pytest.approx(before, rel=1e-4)
    assert f"from: model, valid perplexity {before:.2f}" in capsys.readouterr().out
    old, new = ModelFolder.open(base / "model"), ModelFolder.open(tmp_path / "own")
    assert new.config.architecture == old.config.architecture
    assert new.config.training["base"] == {"model": "model", "weights": old.config.weights_id}
    for name in old.tensors:
        np.testing.assert_allclose(new.tensors.float(name), old.tensors.float(name), atol=1e-6)


def test_it_learns_and_keeps_the_feature_weights(base, further, tmp_path):
    before = perplexity_of_folder(base / "model", further).closed
    place = train(TrainRequest(further, tmp_path / "own", settings={"lr": 0.01}, base=base / "model", samples=0))
    assert place.best < before
    assert load(tmp_path / "own").defaults.weights["unigram"] == 2.0
    assert "Trained further from the model `model`" in (tmp_path / "own/README.md").read_text()


def test_a_shipped_int8_model_is_a_base_too(base, further, tmp_path):
    export_folder(ModelFolder.open(base / "model"), ExportSettings(tmp_path / "int8"))
    place = train(TrainRequest(further, tmp_path / "own", base=tmp_path / "int8", samples=0))
    assert place.history and not any(name.endswith(".scale") for name in ModelFolder.open(tmp_path / "own").tensors)


def test_resuming_needs_no_base_and_equals_one_run(base, further, tmp_path):
    whole = TrainRequest(further, tmp_path / "whole", settings={"epochs": 2}, base=base / "model", samples=0)
    train(whole)
    parts = TrainRequest(further, tmp_path / "parts", settings={"epochs": 2}, base=base / "model", samples=0)
    with pytest.MonkeyPatch.context() as patch, pytest.raises(UserError, match="interrupted"):
        from hedline.training.folder_writer import FolderWriter

        usual = FolderWriter.hooks

        def stopping(self, stopped):
            hooks = usual(self, stopped)
            hooks.stop = lambda: self.trainer.place.total == 2
            return hooks

        patch.setattr(FolderWriter, "hooks", stopping)
        train(parts)
    train(TrainRequest(further, tmp_path / "parts", resume=True, samples=0))
    one, other = ModelFolder.open(tmp_path / "whole"), ModelFolder.open(tmp_path / "parts")
    for name in one.tensors:
        np.testing.assert_array_equal(one.tensors.float(name), other.tensors.float(name))
    assert other.config.training["base"] == one.config.training["base"]


def test_other_vocabularies_and_other_architectures_are_refused(base, further, tmp_path):
    prepare(build_request(sources=[corpus(tmp_path, 60, 3)], out=tmp_path / "data", workers=1))
    with pytest.raises(UserError, match="prepare it anew with --vocabulary-from model"):
        train(TrainRequest(tmp_path / "data", tmp_path / "own", base=base / "model"))
    with pytest.raises(UserError, match="keeps the model's architecture; it cannot set D"):
        train(TrainRequest(further, tmp_path / "own", base=base / "model", settings={"D": 8}))
    with pytest.raises(UserError, match="--min-count makes a new vocabulary"):
        build_request(sources=[], out=tmp_path / "x", vocabulary_from=base / "model", min_count=2)
    with pytest.raises(UserError, match="takes a model or a data folder"):
        build_request(sources=[], out=tmp_path / "x", vocabulary_from=tmp_path)


def test_the_same_by_command(base, tmp_path, capsys):
    source = corpus(tmp_path, 60, 4)
    hedline_(["prepare", source, "--out", tmp_path / "data", "--vocabulary-from", base / "data", "--workers", 1])
    hedline_(["train", tmp_path / "data", "--out", tmp_path / "own", "--from", base / "model", "--epochs", 1])
    assert "from: model" in capsys.readouterr().out
    assert load(tmp_path / "own")("The mayor of Lund closed the old bridge on Monday for 5 million kronor.")


def hedline_(arguments: list[object]) -> None:
    try:
        hedline([str(argument) for argument in arguments])
    except SystemExit as left:
        assert left.code in (0, None)


def test_a_transformer_over_pieces(tmp_path):
    request = {"sources": [corpus(tmp_path, 60, 5)], "workers": 1}
    prepare(build_request(**request, out=tmp_path / "data", units="subwords", vocabulary_size=400))
    model = TrainRequest(tmp_path / "data", tmp_path / "model", decoder="transformer", settings=TRANSFORMER, samples=0)
    train(model)
    request = {"sources": [corpus(tmp_path, 40, 6)], "workers": 1}
    prepare(build_request(**request, out=tmp_path / "more", vocabulary_from=tmp_path / "model"))
    assert Dataset.open(tmp_path / "more").units == "subwords"
    own = TrainRequest(tmp_path / "more", tmp_path / "own", settings={"epochs": 1}, base=tmp_path / "model", samples=0)
    train(own)
    assert ModelFolder.open(tmp_path / "own").config.family == "transformer"
