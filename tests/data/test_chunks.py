"""Chunks: a block's words and numbers, read back as they were written, refused where they are damaged."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hedline.corpora.pairs import BadLine, Pair
from hedline.data.chunks import (
    Chunk,
    bad_lines,
    date_number,
    load_summary,
    make_chunk,
    open_chunk,
    prefix_words,
    save_chunk,
    text_key,
)
from hedline.data.settings import Block, PrepareSettings

PAIRS = [
    Pair("The mayor closed the old bridge .", "Mayor closes bridge", "1", "Made", "2024-10-01"),
    Pair("Snow fell on Lund .", "", "2", "Made", ""),
    Pair("Two trains stood still .", "Trains still", "3", "Made", "soon"),
]


@dataclass(frozen=True)
class Reader:
    """Gives the pairs that it is given."""

    def parse(self, record: Pair) -> Pair:
        return record


def chunk_of(*records: Pair | BadLine) -> Chunk:
    return make_chunk(Block(0, 0, "train", Reader(), list(records)), PrepareSettings())


def test_a_chunk_holds_the_pairs_that_stay_as_numbers():
    chunk = chunk_of(*PAIRS)
    arrays = chunk.arrays
    assert len(chunk) == 2 and chunk.counts["removed"] == {"empty": 1} and chunk.counts["read"] == 3
    words = [chunk.words[index] for index in arrays["inputs"]]
    assert words == ["the", "mayor", "closed", "the", "old", "bridge", ".", "two", "trains", "stood", "still", "."]
    assert arrays["input_lengths"].tolist() == [7, 5] and arrays["output_lengths"].tolist() == [3, 2]
    assert arrays["overlap"].tolist() == [2, 2]  # mayor, bridge; trains, still
    assert arrays["dates"].tolist() == [20241001, 0]


def test_a_chunk_is_read_back_as_it_was_written(tmp_path: Path):
    bad = BadLine("pairs.jsonl", 7, "is not JSON")
    chunk = chunk_of(PAIRS[0], bad)
    summary = save_chunk(tmp_path / "chunk.npz", chunk, "key")
    assert load_summary(tmp_path / "chunk.npz", "key") == summary
    assert (summary["kept"], summary["read"], summary["bad"]) == (1, 2, 1)
    assert bad_lines(summary) == [bad]
    with open_chunk(tmp_path / "chunk.npz") as file:
        assert file.lines("words") == chunk.words
        assert file["inputs"].tolist() == chunk.arrays["inputs"].tolist()


def test_a_damaged_chunk_and_one_of_another_preparation_are_made_again(tmp_path: Path):
    path = tmp_path / "chunk.npz"
    assert load_summary(path, "key") is None
    save_chunk(path, chunk_of(PAIRS[0]), "key")
    assert load_summary(path, "another key") is None
    content = bytearray(path.read_bytes())
    content[content.index(b"bridge")] ^= 1
    path.write_bytes(content)
    assert load_summary(path, "key") is None


def test_keys_of_texts_dates_and_prefixes():
    assert text_key("Snow  fell\non LUND") == text_key("snow fell on lund") != text_key("snow fell on lund 2")
    assert [date_number(day) for day in ("2024-10-01T08:00", "20241001", "1 October 2024", "")] == [
        20241001, 20241001, 0, 0,
    ]  # fmt: skip
    assert prefix_words("one two three", 7) == ["one", "two"] and prefix_words("one two", 75) == ["one", "two"]
    assert prefix_words("one two three", 6) == ["one"]  # a word that is cut does not count
