"""The raw text of the held-out splits: `valid.jsonl` and `test.jsonl`, for samples, tuning and scoring."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from hedline.data.chunkfile import Summary, open_chunk
from hedline.data.division import Division


def write_held_out(path: Path, chunks: Sequence[tuple[Path, Summary]], division: Division, code: int) -> None:
    """Write the texts of a split in the order of its arrays; no file when it is empty."""
    if not any((codes == code).any() for codes in division.codes):
        return
    with path.open("w", encoding="utf-8", newline="\n") as stream:
        for (chunk_path, _), codes in zip(chunks, division.codes, strict=True):
            if (codes == code).any():
                with open_chunk(chunk_path) as chunk:
                    texts = zip(chunk["raw_index"].tolist(), chunk.lines("raw"), strict=True)
                    stream.writelines(f"{text}\n" for index, text in texts if codes[index] == code)
