"""Word data out of subword data, with given vocabularies: the text is put together again and cut into words.

    python scripts/gpu/words_of_pieces.py SUBWORDS… WORDS OUT  # WORDS: folder of both vocabularies, settings.json

So only one of the two has to be carried to another machine. Training pairs of several SUBWORDS stand one after another;
the validation pairs are those of the first.
"""

from __future__ import annotations

import os
import shutil
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np

from hedline.corpora.filters import DROP, title_words
from hedline.data.dataset import Dataset, SplitWriter
from hedline.files import digest, read_json, write_json
from hedline.text.subword import Subwords, count_specials
from hedline.text.tokenize import normalize
from hedline.text.vocab import Vocabulary

BLOCK = 10_000
state: dict[str, Any] = {}


def begin(subwords: list[Path], words: Path) -> None:
    """Open what a worker needs."""
    state["datasets"], state["pieces"] = [Dataset.open(each) for each in subwords], Subwords.load(subwords[0])
    state["controls"] = sum(
        name.endswith(":any>") for name in state["pieces"].names[: count_specials(state["pieces"].names)]
    )
    state["vocabularies"] = [Vocabulary.load(words / f"vocab.{side}.txt") for side in ("input", "output")]


def encode(job: tuple[int, str, int, int]) -> tuple[np.ndarray[Any, Any], ...]:
    """Word ids and lengths of leads and headlines of a stretch of pairs."""
    which, split, first, last = job
    pairs, pieces, controls = state["datasets"][which].split(split), state["pieces"], state["controls"]
    sides: tuple[list[list[int]], list[list[int]]] = ([], [])
    for index in range(first, last):
        lead, title = pairs[index]
        words = normalize(pieces.decode(lead[controls:].tolist()))
        titles = title_words(normalize(pieces.decode(title.tolist())), DROP)
        for side, (found, vocabulary) in enumerate(zip((words, titles), state["vocabularies"], strict=True)):
            sides[side].append(vocabulary.encode(found))
    flat = [np.array([word for ids in side for word in ids], np.int32) for side in sides]
    return flat[0], np.array([len(ids) for ids in sides[0]]), flat[1], np.array([len(ids) for ids in sides[1]])


def convert(subwords: list[Path], words: Path, out: Path) -> None:
    """Write the word data."""
    began = time.monotonic()
    out.mkdir(parents=True)
    for path in words.iterdir():
        shutil.copyfile(path, out / path.name)
    datasets = [Dataset.open(each) for each in subwords]
    settings = read_json(words / "settings.json")
    made_of = [settings["fingerprint"], *(each.fingerprint for each in datasets)]
    write_json(out / "settings.json", settings | {"fingerprint": digest(made_of)[:16]})
    sizes = [len(Vocabulary.load(words / f"vocab.{side}.txt")) for side in ("input", "output")]
    with ProcessPoolExecutor(max(1, (os.cpu_count() or 2) - 2), initializer=begin, initargs=(subwords, words)) as pool:
        for split, sources in (("train", datasets), ("valid", datasets[:1])):
            counts = [len(each.split(split)) for each in sources]
            jobs = [
                (which, split, first, min(first + BLOCK, count))
                for which, count in enumerate(counts)
                for first in range(0, count, BLOCK)
            ]
            found = list(pool.map(encode, jobs))
            tokens = tuple(sum(len(item[side]) for item in found) for side in (0, 2))
            writer = SplitWriter(out, split, sum(counts), (tokens[0], tokens[1]), (sizes[0], sizes[1]))
            for item in found:
                writer.write(0, item[0], item[1])
                writer.write(1, item[2], item[3])
            writer.close()
    print(f"{out}: {time.monotonic() - began:.1f} s")


if __name__ == "__main__":
    if len(sys.argv) < 4:
        sys.exit(__doc__)
    *pieces, vocabularies, target = map(Path, sys.argv[1:])
    convert(pieces, vocabularies, target)
