import json

import numpy as np
import pytest

from hedline.data.dataset import Dataset, SplitWriter, SubsetSettings, make_subset
from hedline.errors import UserError
from hedline.text.vocab import SPECIALS, Vocabulary

INPUT_WORDS = [*SPECIALS, "the", "mayor", "resigned", "bridge", "of", "lund"]
OUTPUT_WORDS = [*SPECIALS, "of", "mayor", "quits", "lund", "bridge"]
PAIRS = [
    ("the mayor of lund resigned", "lund mayor"),
    ("the mayor of lund resigned", "quits bridge of"),
    ("the bridge of lund", "bridge quits"),
]


@pytest.fixture
def folder(tmp_path):
    path = tmp_path / "data"
    path.mkdir()
    words = [Vocabulary(INPUT_WORDS), Vocabulary(OUTPUT_WORDS)]
    encoded = [[v.encode(text.split()) for v, text in zip(words, pair, strict=True)] for pair in PAIRS]
    for split in ("train", "valid"):
        tokens = [sum(len(pair[side]) for pair in encoded) for side in (0, 1)]
        writer = SplitWriter(path, split, len(encoded), (tokens[0], tokens[1]), (len(words[0]), len(words[1])))
        for side in (0, 1):
            flat = np.array([i for pair in encoded for i in pair[side]])
            writer.write(side, flat, np.array([len(pair[side]) for pair in encoded]))
        writer.close()
    for name, vocabulary in zip(("input", "output"), words, strict=True):
        vocabulary.save(path / f"vocab.{name}.txt")
    sizes = {"input": len(INPUT_WORDS), "output": len(OUTPUT_WORDS)}
    record = {"format": 1, "fingerprint": "abc", "settings": {"units": "words"}, "vocabulary": sizes}
    (path / "settings.json").write_text(json.dumps(record))
    (path / "stats.json").write_text("{}")
    return path


def test_support_counts_content_words_and_filters_training_alone(folder, tmp_path):
    kept = make_subset(folder, tmp_path / "half", SubsetSettings(min_support=0.5))
    assert kept == {"train": 2, "valid": 3}
    train = Dataset.open(tmp_path / "half").split("train")
    titles = Vocabulary(OUTPUT_WORDS)
    assert [titles.decode(train.output(i)) for i in range(2)] == [["lund", "mayor"], ["bridge", "quits"]]


def test_smaller_vocabularies_turn_the_rest_into_unknown(folder, tmp_path):
    make_subset(folder, tmp_path / "small", SubsetSettings(input_words=6, output_words=7))
    small = Dataset.open(tmp_path / "small")
    assert (small.input_size, small.output_size) == (6, 7)
    assert small.split("train").output(0).tolist() == [1, 5]
    assert small.split("train").input(0).tolist() == [4, 5, 1, 1, 1]
    assert Vocabulary.load(tmp_path / "small" / "vocab.output.txt").words == OUTPUT_WORDS[:7]


def test_every_split_filters_valid_too(folder, tmp_path):
    kept = make_subset(folder, tmp_path / "all", SubsetSettings(min_support=0.5, every_split=True))
    assert kept == {"train": 2, "valid": 2}


def test_settings_change_the_fingerprint(folder, tmp_path):
    make_subset(folder, tmp_path / "a", SubsetSettings(min_support=0.5))
    make_subset(folder, tmp_path / "b", SubsetSettings(min_support=0.6))
    assert Dataset.open(tmp_path / "a").fingerprint != Dataset.open(tmp_path / "b").fingerprint


def test_an_existing_target_is_never_overwritten(folder, tmp_path):
    (tmp_path / "there").mkdir()
    with pytest.raises(UserError, match="exists already"):
        make_subset(folder, tmp_path / "there", SubsetSettings())
