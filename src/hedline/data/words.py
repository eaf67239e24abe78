"""`--units words`: two vocabularies from the counts, and the chunks' word tables mapped onto them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from hedline.data.arrays import SplitWriter
from hedline.data.blocks import ROLES, TRAIN
from hedline.data.chunkfile import Summary, open_chunk
from hedline.data.division import Division
from hedline.data.settings import PrepareSettings
from hedline.data.tally import Tally, token_mask
from hedline.progress import track
from hedline.text.vocab import UNKNOWN, Vocabulary


def automatic_min_count(pairs: int) -> int:
    """The paper's 5 for large corpora, less where a word has less chance to recur."""
    for bound, count in ((2_000, 1), (50_000, 2), (200_000, 3)):
        if pairs < bound:
            return count
    return 5


def build_vocabularies(result: Tally, settings: PrepareSettings) -> tuple[Vocabulary, Vocabulary, int]:
    """Input and output vocabularies, and the least count of a word in them."""
    minimum = settings.min_count or automatic_min_count(result.totals[TRAIN].pairs)
    inputs = Vocabulary.build(result.inputs.items(), minimum, settings.input_words)
    outputs = Vocabulary.build(result.outputs.items(), minimum, settings.output_words)
    return inputs, outputs, minimum


def write_words(
    folder: Path,
    chunks: Sequence[tuple[Path, Summary]],
    division: Division,
    result: Tally,
    vocabularies: tuple[Vocabulary, Vocabulary],
) -> dict[str, dict[str, int]]:
    """Write the arrays of all splits; gives the number of `<unk>` on each side of each split."""
    sizes = (len(vocabularies[0]), len(vocabularies[1]))
    totals = result.totals
    writers = {
        role: SplitWriter(folder, role, t.pairs, (t.input_tokens, t.output_tokens), sizes) for role, t in totals.items()
    }
    unknown = {role: {"input": 0, "output": 0} for role in ROLES}
    jobs = zip(chunks, division.codes, strict=True)
    for (path, _), codes in track(jobs, "writing arrays", len(chunks), "chunks"):
        with open_chunk(path) as chunk:
            words = chunk.lines("words")
            for side, name in enumerate(("input", "output")):
                table = np.array(vocabularies[side].encode(words), np.int32)
                ids, lengths = chunk[f"{name}s"], chunk[f"{name}_lengths"]
                for code, role in enumerate(ROLES):
                    mask = codes == code
                    if mask.any():
                        mapped = table[ids[token_mask(mask, lengths)]]
                        writers[role].write(side, mapped, lengths[mask])
                        unknown[role][name] += int((mapped == UNKNOWN).sum())
    for writer in writers.values():
        writer.close()
    return unknown
