"""Distillation: what teachers write, which headlines are kept, the folder that comes out, resuming."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
import torch

from hedline.cli.main import run as hedline
from hedline.data.dataset import Dataset, SplitWriter
from hedline.errors import UserError
from hedline.models.model import build_model, save_model
from hedline.text.subword import CONTROLS, SPECIALS, Subwords, byte_letters, pair_controls
from hedline.training import distill as module
from hedline.training.distill import best_supported, distill, relabelled
from hedline.training.labelling import Teachers
from hedline.training.options import DistillRequest, LabelSettings
from hedline.training.sampling import generate

LEADS = ["a cat sat on a mat in Lund", "the dog ran home", "a red hat", "he ran to a tree at noon", "it is hot in Lund"]


HEADLINES = ["cat sat in Lund", "dog elsewhere", "red hat", "king runs abroad", "hot in Lund"]


@pytest.fixture(scope="module")
def subwords() -> Subwords:
    specials = [*SPECIALS, *CONTROLS]
    return Subwords([*specials, *byte_letters().values()], [], len(specials))


@pytest.fixture(scope="module")
def data(tmp_path_factory, subwords) -> Path:
    folder = tmp_path_factory.mktemp("distill") / "data"
    folder.mkdir()
    subwords.save(folder)
    for split, times in (("train", 4), ("valid", 1)):
        inputs, outputs = [], []
        for lead, headline in zip(LEADS * times, HEADLINES * times, strict=True):
            controls = [subwords.ids[name] for name in pair_controls(lead, headline)]
            inputs.append(np.array([*controls, *subwords.encode(lead)]))
            outputs.append(np.array(subwords.encode(headline)))
        tokens = (sum(map(len, inputs)), sum(map(len, outputs)))
        writer = SplitWriter(folder, split, len(inputs), tokens, (len(subwords),) * 2)
        for side, rows in enumerate((inputs, outputs)):
            writer.write(side, np.concatenate(rows), np.array([len(row) for row in rows]))
        writer.close()
    sizes = {"input": len(subwords), "output": len(subwords)}
    settings = {"format": 1, "settings": {"units": "subwords"}, "vocabulary": sizes, "fingerprint": "made-up"}
    (folder / "settings.json").write_text(json.dumps(settings))
    return folder


@pytest.fixture(scope="module")
def teachers(data, subwords) -> list[Path]:
    """Two small random transformers whose headlines end."""
    folders = []
    for seed in (1, 2):
        torch.manual_seed(seed)
        shape = {"width": 16, "inner": 16, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}
        shape |= {"controls": 4, "control_any": [subwords.ids[name] for name in CONTROLS if name.endswith(":any>")]}
        model = build_model("transformer", shape, subwords.names, subwords.names)
        with torch.no_grad():
            model.bias[3] = 2.0
            model.bias[subwords.ids["Ġ"]] = model.bias[subwords.ids["a"]] = 2.0
        folder = data.parent / f"teacher{seed}"
        texts = {name: (data / name).read_text() for name in ("vocab.input.txt", "vocab.output.txt", "merges.txt")}
        save_model(model, folder, "subwords", texts, {}, "")
        folders.append(folder)
    return folders


def test_teachers_write_for_every_input_in_its_place(data, teachers):
    pairs = Dataset.open(data).split("train")
    rows = [pairs.input(index) for index in range(len(pairs))]
    ours = Teachers(teachers, LabelSettings(pieces=12), "cpu")
    together, alone = ours.write(rows, batch=3), [ours.write([row])[0] for row in rows]
    assert together == alone
    single = generate(ours.models, torch.from_numpy(np.array([rows[0]], np.int64)), most=12).ids[0, 0].tolist()
    assert together[0] == (single[: single.index(3)] if 3 in single else None)


@pytest.mark.parametrize("method", ["greedy", "beam", "mbr"])
def test_the_folder_trains_and_says_what_changed(data, teachers, subwords, tmp_path, method):
    settings = LabelSettings(method, beam=2, samples=3, pieces=12)
    report = distill(DistillRequest(teachers[:1], data, tmp_path / "out", settings, device="cpu", block=7))
    before, after = Dataset.open(data).split("train"), Dataset.open(tmp_path / "out").split("train")
    assert report["pairs"] == len(after) == len(before) == sum(report["reasons"].values())
    changed = [i for i in range(len(after)) if list(after.output(i)) != list(before.output(i))]
    assert len(changed) == report["reasons"].get("taken", 0)
    for index in range(len(after)):
        lead, headline = subwords.decode(after.input(index)), subwords.decode(after.output(index))
        names = [subwords.names[piece] for piece in after.input(index) if piece < subwords.specials]
        assert names == pair_controls(lead, headline) and lead == LEADS[index % len(LEADS)]
    assert (tmp_path / "out/valid.inputs.npy").read_bytes() == (data / "valid.inputs.npy").read_bytes()
    assert Dataset.open(tmp_path / "out").fingerprint != "made-up"


def test_own_headlines_stay_where_the_teachers_are_supported_less(data, subwords):
    pairs = Dataset.open(data).split("train")
    block = module.Block(pairs, module.Job(0, 5, [0, 1, 2, 3]), subwords)
    for index, text in enumerate(["king sat", "dog ran home", "red hat", ""]):
        block.judge(index, subwords.encode(text) if text else None)
    assert dict(block.reasons) == {"less supported": 1, "taken": 1, "equal": 1, "no end": 1, "not asked": 1}
    assert [subwords.decode(row) for row in block.outputs] == [HEADLINES[0], "dog ran home", *HEADLINES[2:]]
    assert block.sums["support after"] > block.sums["support before"]
    assert block.examples == [{"lead": LEADS[1], "own": HEADLINES[1], "teacher": "dog ran home"}]


def test_an_interrupted_run_resumes_with_the_blocks_it_has(data, teachers, tmp_path, monkeypatch):
    request = DistillRequest(
        teachers, data, tmp_path / "out", LabelSettings("mbr", samples=2, pieces=8), device="cpu", block=6
    )
    whole = distill(DistillRequest(teachers, data, tmp_path / "whole", request.settings, device="cpu", block=6))
    calls = []
    write = Teachers.write

    def failing(self, inputs, batch=0):
        calls.append(len(inputs))
        if len(calls) == 3:
            raise KeyboardInterrupt
        return write(self, inputs, batch)

    monkeypatch.setattr(Teachers, "write", failing)
    with pytest.raises(KeyboardInterrupt):
        distill(request)
    assert not (tmp_path / "out").exists()
    assert distill(request) == whole and len(calls) == 5  # of four blocks two were there
    for name in ("train.inputs.npy", "train.outputs.npy"):
        assert (tmp_path / "out" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    assert distill(request) == whole and len(calls) == 5  # all is there


def test_the_best_supported_are_asked_for_first(data, subwords):
    pairs = Dataset.open(data).split("train")
    asked = best_supported(pairs, subwords, 12)
    assert asked.sum() == 12
    assert {index % 5 for index in np.flatnonzero(asked)} == {0, 2, 4}  # those whose every word stands in the lead
    assert best_supported(pairs, subwords, 0).all()


def test_relabelling_keeps_groups_it_is_not_told_of(subwords):
    ids = np.array([subwords.ids["<len:5>"], subwords.ids["<case:title>"], 200])
    names = [subwords.names[index] for index in relabelled(ids, subwords, ["<len:9>", "<sup:1>"])[:2]]
    assert names == ["<len:9>", "<case:title>"]


def test_command_line(data, teachers, tmp_path, capsys):
    arguments = [
        "distill",
        *map(str, teachers),
        str(data),
        "--out",
        str(tmp_path / "out"),
        "--limit",
        "10",
        "--pieces",
        "9",
    ]
    with pytest.raises(SystemExit) as end:
        hedline([*arguments, "--device", "cpu"])
    said = capsys.readouterr().out
    assert end.value.code == 0 and "20 pairs, teachers: teacher1, teacher2" in said and "10 were not asked for" in said


@pytest.mark.parametrize(
    ("arguments", "wanted"),
    [
        (["{data}"], "at least one teacher"),
        (["{teacher}", "{data}", "--method", "luck"], "greedy, beam, mbr"),
        (["{teacher}", "{data}", "--controls", "mine"], "own, usual"),
        (["{teacher}", "{data}", "--method", "mbr", "--samples", "1"], "at least 2"),
        (["default", "{data}"], "other vocabularies"),
        (["{teacher}", "{teacher}"], "no data folder"),
    ],
)
def test_mistakes_are_named(data, teachers, tmp_path, arguments, wanted):
    named = [argument.format(data=data, teacher=teachers[0]) for argument in arguments]
    with pytest.raises(UserError, match=wanted):
        hedline(["distill", *named, "--out", str(tmp_path / "out")])


def test_blocks_can_be_made_through_ray(data, teachers, tmp_path):
    ray = pytest.importorskip("ray")
    settings = LabelSettings(pieces=8)
    here = distill(DistillRequest(teachers, data, tmp_path / "here", settings, device="cpu", block=6))
    try:
        there = distill(DistillRequest(teachers, data, tmp_path / "ray", settings, device="cpu", block=6, engine="ray"))
    finally:
        ray.shutdown()
    assert here == there
    assert (tmp_path / "here/train.outputs.npy").read_bytes() == (tmp_path / "ray/train.outputs.npy").read_bytes()
