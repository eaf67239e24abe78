"""The model folder: saved whole even when killed, read back exactly, and refused with a clear sentence when damaged."""

from __future__ import annotations

import json
import shutil
import time
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from random_folders import feedforward_architecture, random_folder, vocabulary_text

from hedline import files
from hedline.api import load_scorer
from hedline.errors import UserError
from hedline.files import staged
from hedline.runtime.export import quantize_tensors
from hedline.runtime.folder import ModelFolder, save_folder


def edit_config(folder: ModelFolder, **changes) -> None:
    path = folder.file("config.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def edit_header(path: Path, change) -> None:
    """Rewrite the safetensors header through `change(dict)`, keeping the data bytes."""
    content = path.read_bytes()
    length = int.from_bytes(content[:8], "little")
    header = json.loads(content[8 : 8 + length])
    change(header)
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 8)
    path.write_bytes(len(text).to_bytes(8, "little") + text + content[8 + length :])


def refuse(folder: ModelFolder, *words: str) -> None:
    with pytest.raises(UserError) as caught:
        ModelFolder.open(folder.path)
    message = str(caught.value)
    assert "\n" not in message
    for word in words:
        assert word in message


def test_round_trip(folder):
    again = ModelFolder.open(folder.path)
    assert again.config == folder.config
    assert (again.vocab_in, again.vocab_out) == (30, 40)
    assert set(again.tensors) == set(folder.tensors)
    for name in again.tensors:
        np.testing.assert_array_equal(again.tensors[name], folder.tensors[name])
    again.verify()


def test_tensors_are_views_of_the_file_and_read_only(folder):
    weight = folder.tensors["E.weight"]
    assert not weight.flags.owndata
    with pytest.raises(ValueError, match="read-only"):
        weight[0] = 0


def test_quantized_tensors_come_back_close():
    generator = np.random.default_rng(1)
    plain = generator.normal(size=(40, 200)).astype(np.float32)
    quantized = quantize_tensors({"x.weight": plain, "x.bias": plain[0]})
    assert quantized["x.weight"].dtype == np.int8 and quantized["x.bias"].dtype == np.float32
    restored = quantized["x.weight"] * quantized["x.weight.scale"][:, None]
    worst = np.abs(plain).max(axis=1) / 127 / 2
    assert (np.abs(restored - plain).max(axis=1) <= worst * 1.001).all()


def test_a_row_of_zeros_stays_zero():
    quantized = quantize_tensors({"x.weight": np.zeros((64, 64), np.float32)})
    assert not quantized["x.weight"].any() and not quantized["x.weight.scale"].any()


def test_saving_again_replaces_everything(folder):
    before = folder.config.weights_id
    again = random_folder(folder.path, "feedforward", feedforward_architecture("bow"), 30, 40, seed=5)
    assert again.config.weights_id != before
    assert "encoder.P.weight" not in ModelFolder.open(folder.path).tensors


def test_missing_folder_and_missing_files(folder, tmp_path):
    with pytest.raises(UserError, match="no model folder at"):
        ModelFolder.open(tmp_path / "nowhere")
    for name in ("config.json", "model.safetensors", "vocab.input.txt", "vocab.output.txt"):
        copy = tmp_path / f"without-{name}"
        shutil.copytree(folder.path, copy)
        (copy / name).unlink()
        with pytest.raises(UserError, match=name):
            ModelFolder.open(copy)


def test_config_from_another_version(folder):
    edit_config(folder, format=2)
    refuse(folder, "format 2", "upgrade")


@pytest.mark.parametrize(
    "changes",
    [
        {"family": "oracle"},
        {"family": 7},
        {"units": "letters"},
        {"architecture": []},
        {"architecture": {}},
        {"architecture": feedforward_architecture("telepathy")},
        {"architecture": feedforward_architecture("attention") | {"H": -8}},
        {"architecture": feedforward_architecture("attention") | {"H": True}},
        {"architecture": feedforward_architecture("attention") | {"H": 1 << 60}},
        {"architecture": feedforward_architecture("attention") | {"C": 4}},
        {"architecture": feedforward_architecture("attention") | {"heads": 3}},
        {"architecture": feedforward_architecture("conv") | {"L": 1 << 19}},
        {"training": "long"},
        {"checksums": {"vocab.input.txt": "0"}},
    ],
)
def test_config_that_lies(folder, changes):
    edit_config(folder, **changes)
    start = time.monotonic()
    refuse(folder)
    assert time.monotonic() - start < 5


def test_config_that_is_not_json_or_endless(folder):
    folder.file("config.json").write_text("[" * 100_000)
    refuse(folder)
    folder.file("config.json").write_text('{"format": 1')
    refuse(folder, "config.json")
    folder.file("config.json").write_bytes(b"\xff\xfe\x00")
    refuse(folder, "config.json")


def test_swapped_weights_of_the_same_shape(folder, tmp_path):
    other = random_folder(tmp_path / "other", "feedforward", feedforward_architecture("attention"), 30, 40, seed=9)
    shutil.copy(other.file("model.safetensors"), folder.file("model.safetensors"))
    refuse(folder, "another config.json")


def test_swapped_vocabularies(folder):
    one, two = folder.file("vocab.input.txt"), folder.file("vocab.output.txt")
    content = one.read_text()
    one.write_text(two.read_text())
    two.write_text(content)
    refuse(folder, "vocab.input.txt")


def test_edited_vocabulary_of_the_same_length(folder):
    path = folder.file("vocab.output.txt")
    path.write_text(path.read_text().replace("w3\n", "q3\n"))
    refuse(folder, "vocab.output.txt")


def test_truncated_weights_at_every_length(folder):
    content = folder.file("model.safetensors").read_bytes()
    for length in {0, 1, 7, 8, 9, 100, len(content) // 2, len(content) - 1}:
        folder.file("model.safetensors").write_bytes(content[:length])
        refuse(folder, "model.safetensors")


def test_header_that_claims_the_world(folder):
    path = folder.file("model.safetensors")
    content = path.read_bytes()
    for claim in (1 << 20, 1 << 40, (1 << 64) - 1):
        path.write_bytes(claim.to_bytes(8, "little") + content[8:])
        refuse(folder, "model.safetensors")


def change_entry(**values):
    return lambda header: header["E.weight"].update(values)


@pytest.mark.parametrize(
    "change",
    [
        change_entry(shape=[1 << 40, 1 << 40]),
        change_entry(shape=[-40, -6]),
        change_entry(shape=[6, 40]),
        change_entry(shape="40x6"),
        change_entry(shape=[True] * 2),
        change_entry(shape=[1] * 1000),
        change_entry(dtype="PICKLE"),
        change_entry(dtype="I8"),
        change_entry(dtype=["F32"]),
        change_entry(data_offsets=[0, 1 << 45]),
        change_entry(data_offsets=[-960, 0]),
        change_entry(data_offsets=[960, 0]),
        change_entry(data_offsets=[0]),
        lambda header: header.update({"E.weight": None}),
        lambda header: header.pop("E.weight"),
        lambda header: header.update({"evil": header["E.weight"]}),
        lambda header: header.update({"E.weight.scale": header["U.bias"]}),
        lambda header: header.update({"__metadata__": {"weights_id": "0"}}),
        lambda header: header.update({"__metadata__": 5}),
    ],
)
def test_header_that_lies(folder, change):
    edit_header(folder.file("model.safetensors"), change)
    refuse(folder)


def test_int8_without_scales(tmp_path):
    architecture = feedforward_architecture("none")
    folder = random_folder(tmp_path / "model", "feedforward", architecture, 30, 40)
    tensors = {name: np.array(folder.tensors[name]) for name in folder.tensors}
    tensors["V.weight"] = tensors["V.weight"].astype(np.int8)
    texts = {"vocab.input.txt": vocabulary_text(30), "vocab.output.txt": vocabulary_text(40)}
    with pytest.raises(UserError, match="scale"):
        save_folder(
            tmp_path / "bad",
            family="feedforward",
            units="words",
            architecture=architecture,
            training={},
            tensors=tensors,
            texts=texts,
        )


def test_verify_finds_a_flipped_bit_and_values_that_are_no_numbers(folder):
    path = folder.file("model.safetensors")
    content = bytearray(path.read_bytes())
    content[-3] ^= 0x10
    path.write_bytes(content)
    opened = ModelFolder.open(folder.path)
    with pytest.raises(UserError, match="damaged"):
        opened.verify()
    content[-3] ^= 0x10
    path.write_bytes(content)
    tensors = {name: np.array(folder.tensors[name]) for name in folder.tensors}
    tensors["U.bias"][2] = np.nan
    texts = {"vocab.input.txt": vocabulary_text(30), "vocab.output.txt": vocabulary_text(40)}
    broken = save_folder(
        folder.path,
        family="feedforward",
        units="words",
        architecture=folder.config.architecture,
        training={},
        tensors=tensors,
        texts=texts,
    )
    with pytest.raises(UserError, match="finite"):
        broken.verify()


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_random_damage_is_an_error_or_harmless(folder, tmp_path, data):
    """Bits flipped anywhere in the small files or in the header: a clear sentence, or a model that still works."""
    copy = tmp_path / "copy"
    shutil.rmtree(copy, ignore_errors=True)
    shutil.copytree(folder.path, copy)
    name = data.draw(st.sampled_from(["config.json", "model.safetensors", "vocab.input.txt", "vocab.output.txt"]))
    content = bytearray((copy / name).read_bytes())
    limit = 8 + int.from_bytes(content[:8], "little") if name == "model.safetensors" else len(content)
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, limit - 1))] ^= 1 << data.draw(st.integers(0, 7))
    (copy / name).write_bytes(content)
    try:
        opened = ModelFolder.open(copy)
        scorer = load_scorer(opened)
        state = scorer.start([np.array([4, 5, 6])], None)
        scorer.step(state, np.array([2]))
    except UserError as error:
        assert "\n" not in str(error)


class Killed(BaseException):
    """Stands for kill -9: nothing of ours runs after it."""


def save(folder: ModelFolder, seed: int) -> ModelFolder:
    return random_folder(folder.path, "feedforward", feedforward_architecture("attention"), 30, 40, seed=seed)


def test_killed_while_writing_the_old_model_stays(folder):
    before = folder.config.weights_id
    stage = folder.path / files.SAVING  # what a kill in the middle of writing leaves
    stage.mkdir()
    (stage / "config.json").write_text("{")
    (folder.path / ".config.json.x.part").write_text("{")
    opened = ModelFolder.open(folder.path)
    opened.verify()
    assert opened.config.weights_id == before
    assert save(folder, 5).config.weights_id != before
    assert not [path for path in folder.path.iterdir() if path.name.startswith(".")]


@pytest.mark.parametrize("after", range(4))
def test_killed_while_moving_the_new_model_is_found(folder, monkeypatch, after):
    before, moved, replace = folder.config.weights_id, [], Path.replace

    def replace_until_killed(self: Path, target: Path) -> Path:
        if self.parent.name == files.SAVED:
            if len(moved) == after:
                raise Killed
            moved.append(self.name)
        return replace(self, target)

    monkeypatch.setattr(Path, "replace", replace_until_killed)
    with pytest.raises(Killed):
        save(folder, 5)
    monkeypatch.setattr(Path, "replace", replace)
    opened = ModelFolder.open(folder.path)
    opened.verify()
    assert opened.config.weights_id != before and not (folder.path / files.SAVED).exists()


def test_a_failed_save_leaves_no_trace(folder):
    with pytest.raises(UserError), staged(folder.path) as stage:
        (stage / "config.json").write_text("{}")
        raise UserError("no space")
    ModelFolder.open(folder.path).verify()
    assert not (folder.path / files.SAVING).exists()


def test_equal_models_give_equal_bytes(folder, tmp_path):
    folders = [
        random_folder(tmp_path / name, "feedforward", feedforward_architecture("attention"), 30, 40, seed=3)
        for name in "ab"
    ]
    for path in folders[0].path.iterdir():
        assert path.read_bytes() == (folders[1].path / path.name).read_bytes()
