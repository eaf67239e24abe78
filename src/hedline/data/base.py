"""The vocabularies of a model or data folder as the base of new data, so that a model can be trained further on it."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path

from hedline.errors import UserError
from hedline.text.controls import CONTROLS
from hedline.text.subword import Subwords
from hedline.text.truecase import Truecaser
from hedline.text.vocab import Vocabulary

VOCABULARIES = ("vocab.input.txt", "vocab.output.txt")


@dataclass(frozen=True)
class BaseVocabulary:
    """Where vocabularies are taken from; digest: of all that is taken, 16 hexadecimal digits."""

    folder: Path
    units: str
    digest: str

    @classmethod
    def open(cls, folder: Path) -> BaseVocabulary:
        """Look at a model folder or a data folder."""
        missing = [name for name in VOCABULARIES if not (folder / name).is_file()]
        if missing:
            raise UserError(f"{folder} has no {missing[0]}; --vocabulary-from takes a model or a data folder")
        digest = hashlib.sha256()
        for name in (*VOCABULARIES, "merges.txt", "truecase.tsv"):
            if (folder / name).is_file():
                digest.update(name.encode() + (folder / name).read_bytes())
        units = "subwords" if (folder / "merges.txt").is_file() else "words"
        return cls(folder, units, digest.hexdigest()[:16])

    def words(self) -> tuple[Vocabulary, Vocabulary]:
        """Input and output vocabularies, for units `words`."""
        inputs, outputs = (Vocabulary.load(self.folder / name) for name in VOCABULARIES)
        return inputs, outputs

    def subwords(self) -> Subwords:
        """The pieces, for units `subwords`."""
        pieces = Subwords.load(self.folder)
        if not set(CONTROLS) <= set(pieces.ids):
            raise UserError(
                f"the pieces of {self.folder} lack the control tokens of prepared data; choose another base"
            )
        return pieces

    def complete_casings(self, path: Path) -> None:
        """Add to `truecase.tsv` the spellings of words that the new data had too seldom."""
        base = self.folder / "truecase.tsv"
        if base.is_file():
            forms = Truecaser.load(base).forms | Truecaser.load(path).forms
            Truecaser(forms).save(path)
