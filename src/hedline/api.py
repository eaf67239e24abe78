"""The Python interface: `hedline.load()` gives a Summarizer, a Summarizer gives headlines.

summarizer = hedline.load()
summarizer("The city council voted on Tuesday to close the old harbour bridge.")
summarizer.summarize(texts, bytes=75, nbest=5)[0].nbest
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from hedline.decoding.engine import (
    Defaults,
    decode,
    resolve_guard,
    resolve_penalty,
    resolve_rerank,
    resolve_weights,
)
from hedline.decoding.intake import LONGEST, Intake, take_in
from hedline.decoding.lexicon import Lexicon
from hedline.decoding.options import RERANKS, DecodeOptions
from hedline.decoding.scorer import Scorer
from hedline.decoding.summary import Hypothesis, Summary, make_summary
from hedline.decoding.supported import CANDIDATES as NAMED
from hedline.decoding.supported import invents, supported_first
from hedline.errors import UserError
from hedline.files import is_file

if TYPE_CHECKING:
    from hedline.runtime.folder import ModelFolder

BATCH = 32
SHIPPED = Path(__file__).parent / "shipped"
WIDER = 6  # times the beam, where a narrow one found nothing that fits


class Reader(Protocol):
    """Raw texts to lexicons, for one kind of units."""

    units: str

    def read(self, text: str, longest: int) -> tuple[Any, bool]:
        """A text as the model sees it, and whether it was cut; falsy (no length) when nothing is left."""

    def words(self, source: Any) -> tuple[str, ...]:
        """The input's words as printed."""

    def foreign(self, source: Any) -> bool:
        """Whether the model does not know so many of the input's ordinary words that they are of another language."""

    def open(self, sources: Sequence[Any], options: DecodeOptions, weights: Mapping[str, float]) -> Lexicon:
        """The lexicon of a batch."""


class Summarizer:
    """A loaded model. Call it with a text, or use `summarize` for many texts and for everything about them."""

    def __init__(
        self,
        scorer: Scorer,
        reader: Reader,
        defaults: Defaults | None = None,
        name: str = "",
        path: Path | None = None,
    ) -> None:
        """path: the folder that `load` would make the same from, so that other processes can get a copy."""
        self.scorer, self.reader, self.name, self.path = scorer, reader, name, path
        self.defaults = defaults or Defaults()

    def __repr__(self) -> str:
        """The model's name and kind."""
        return f"<hedline.Summarizer {self.name or 'without a name'}, {self.reader.units}>"

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel between processes as the folder's path; the receiver loads it anew."""
        if self.path is None:
            raise TypeError("a Summarizer with a scorer of its own cannot be sent to a process; load it there")
        return load, (self.path,), {"defaults": self.defaults}

    def __call__(self, text: str, **options: Any) -> str:
        """The headline of one text."""
        return self.summarize([text], **options)[0].text

    def summarize(
        self, texts: str | Iterable[str], options: DecodeOptions | None = None, *, batch: int = BATCH, **changes: Any
    ) -> list[Summary]:
        """Headlines of texts, in order.

        options, or the same by name (`words=8`, `bytes=75`, `mode="extractive"`, `nbest=5`, …): see DecodeOptions;
        batch: how many texts are searched at once (results do not depend on it).
        """
        chosen = (options or DecodeOptions()).but(**changes)
        items = _strings(texts)
        taken = [take_in(item, chosen) for item in items]
        results: list[Summary | None] = [
            Summary(take.text, notes=take.notes) if take.finished else None for take in taken
        ]
        for places in self._batches(taken, batch):
            summaries = self._search([taken[place] for place in places], chosen)
            for place, summary in zip(places, summaries, strict=True):
                results[place] = summary
        return [result for result in results if result is not None]

    def _batches(self, taken: Sequence[Intake], batch: int) -> Iterator[list[int]]:
        """Places of the texts to search, texts of similar length together."""
        open_ = [place for place, take in enumerate(taken) if not take.finished]
        open_.sort(key=lambda place: len(taken[place].text))
        for start in range(0, len(open_), max(batch, 1)):
            yield open_[start : start + max(batch, 1)]

    def _search(self, taken: Sequence[Intake], options: DecodeOptions) -> list[Summary]:
        """Search a batch of non-empty texts."""
        options = options.but(rerank=resolve_rerank(options, self.defaults))
        weights = resolve_weights(options, self.defaults)
        penalty = resolve_penalty(options, self.defaults, weights)
        read = [self.reader.read(take.text, LONGEST) for take in taken]
        lexicon = self.reader.open([source for source, _ in read], options, weights)
        found = decode(self.scorer, lexicon, options, weights, penalty)
        self._try_again(read, found, options, weights, penalty)
        if resolve_guard(options, self.defaults):
            self._guard_names([source for source, _ in read], found, options, weights, penalty)
        summaries = []
        for take, (source, cut), nbest in zip(taken, read, found, strict=True):
            notes = list(take.notes)
            if cut:
                notes = [f"only the first {len(self.reader.words(source))} words were read"]
            if self.reader.foreign(source):
                notes.append("the model does not know many of these words; is this the language it was trained on?")
            if not nbest:
                notes.append("no word fits the limit, so the headline is empty")
            elif nbest[0].short:
                notes.append(f"what was asked cannot be reached; this headline misses it by {nbest[0].short}")
            summaries.append(make_summary(nbest, self.reader.words(source), notes))
        return summaries

    def _guard_names(
        self,
        sources: Sequence[Any],
        found: list[list[Hypothesis]],
        options: DecodeOptions,
        weights: Mapping[str, float],
        penalty: float,
    ) -> None:
        """Where the best headline invents a name, in place: a better candidate, else one of the input's own words."""
        leads = [" ".join(self.reader.words(source)) for source in sources]
        wide = options.but(nbest=max(options.nbest, NAMED))
        for harder in (wide, wide.but(mode="extractive")):
            missed = [place for place, lead in enumerate(leads) if invents(found[place], lead, self.casing)]
            if not missed:
                return
            lexicon = self.reader.open([sources[place] for place in missed], harder, weights)
            for place, nbest in zip(missed, decode(self.scorer, lexicon, harder, weights, penalty), strict=True):
                found[place] = supported_first([*found[place], *nbest], leads[place], self.casing)[: options.nbest]

    @cached_property
    def casing(self) -> Mapping[str, str] | None:
        """How words are usually written inside sentences, by their lower-case form; None without such a table."""
        return usual_forms(self.path) or None if self.path else None

    def _try_again(
        self,
        read: Sequence[tuple[Any, bool]],
        found: list[list[Hypothesis]],
        options: DecodeOptions,
        weights: Mapping[str, float],
        penalty: float,
    ) -> None:
        """Search harder, in place, where a narrow beam ran into dead ends: wider, then with repeats allowed."""
        wider = options.but(beam=max(WIDER * options.beam, WIDER * 5), decoder="beam")  # a greedy one stays narrow
        for relaxed in (wider, wider.but(block_repeats=False)):
            missed = [place for place, nbest in enumerate(found) if _missed(nbest, options)]
            if not missed or options.decoder == "exact":
                return
            lexicon = self.reader.open([read[place][0] for place in missed], relaxed, weights)
            for place, nbest in zip(missed, decode(self.scorer, lexicon, relaxed, weights, penalty), strict=True):
                if nbest and (not found[place] or nbest[0].short < found[place][0].short):
                    found[place] = nbest


def _strings(texts: str | Iterable[str]) -> list[str]:
    """One text or many as a list, checked."""
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise UserError(f"a text to summarise must be a string, not {type(texts).__name__}")
    items = [texts] if isinstance(texts, str) else list(texts)
    for item in items:
        if not isinstance(item, str):
            raise UserError(f"a text to summarise must be a string, not {type(item).__name__}")
    return items


def _missed(nbest: Sequence[Hypothesis], options: DecodeOptions) -> bool:
    """Whether there is no headline, or none of the exact length that was asked for."""
    return not nbest or bool(options.exact_words and nbest[0].short)


def load(model: str | Path | None = None, scorer: Scorer | None = None) -> Summarizer:
    """Load a model by name (`abs`), by path, or the default one; no network is used.

    scorer: use this one (a torch scorer on a GPU, say) instead of the folder's numpy runtime.
    """
    from hedline.runtime.folder import ModelFolder
    from hedline.runtime.load import load_scorer

    path = find_model(model)
    folder = ModelFolder.open(path)
    defaults = read_defaults(path)
    reader = _word_reader(folder) if folder.config.units == "words" else _subword_reader(folder, defaults)
    name, origin = path.name, None if scorer else path.resolve()
    return Summarizer(scorer or load_scorer(folder), reader, defaults, name, origin)


def shipped_models() -> list[Path]:
    """Folders of the models inside the package, by name."""
    return sorted(path.parent for path in SHIPPED.glob("*/config.json"))


def find_model(model: str | Path | None = None) -> Path:
    """The folder of a model: a path, a shipped model's name, or HEDLINE_MODEL, or the shipped default."""
    wanted = str(model or os.environ.get("HEDLINE_MODEL", "") or "default")
    for folder in (Path(wanted), SHIPPED / wanted):
        if is_file(folder / "config.json"):
            return folder
    names = [path.name for path in shipped_models()]
    if wanted == "default" and names:
        return SHIPPED / names[0]
    raise UserError(
        f"there is no model {wanted[:200]!r}: give the path of a model folder"
        + (f", or one of {', '.join(names)}" if names else " (no model comes with this installation)")
    )


def read_defaults(path: Path) -> Defaults:
    """Weights and decoding settings of `tuning.json`; a model that was not tuned has the plain ones."""
    if not (path / "tuning.json").is_file():
        return Defaults()
    from hedline.decoding.features import check_weights
    from hedline.files import read_json

    value = read_json(path / "tuning.json")
    try:
        weights = check_weights(dict(value["weights"].items()))
        decoding = value.get("decoding", {})
        penalty = decoding.get("length_penalty")
        if penalty is not None and not abs(penalty) <= 100:
            raise ValueError("length_penalty")
        controls = {str(group): str(name) for group, name in decoding.get("controls", {}).items()}
        rerank = str(decoding.get("rerank", "none"))
        if rerank not in RERANKS:
            raise ValueError("rerank")
        guard_names = decoding.get("guard_names", False)
        if not isinstance(guard_names, bool):
            raise ValueError("guard_names")
        return Defaults(weights, None if penalty is None else float(penalty), controls, rerank, guard_names)
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UserError(
            f"{path / 'tuning.json'} holds no feature weights or wrong decoding settings; tune again or delete it"
        ) from None


def _word_reader(folder: ModelFolder) -> Reader:
    from hedline.decoding.word_engine import WordReader
    from hedline.runtime.shortlist import load_shortlist
    from hedline.text.truecase import Truecaser
    from hedline.text.vocab import Vocabulary

    casing = folder.file("truecase.tsv")
    truecaser = Truecaser.load(casing) if casing.is_file() else Truecaser()
    inputs = Vocabulary.load(folder.file("vocab.input.txt"))
    outputs = Vocabulary.load(folder.file("vocab.output.txt"))
    return WordReader(inputs, outputs, truecaser, load_shortlist(folder))


def _subword_reader(folder: ModelFolder, defaults: Defaults) -> Reader:
    from hedline.decoding.subword_engine import SubwordReader
    from hedline.runtime.shortlist import load_shortlist
    from hedline.text.subword import Subwords

    casing = partial(usual_forms, folder.path)
    return SubwordReader(Subwords.load(folder.path), load_shortlist(folder), defaults.controls, casing)


@lru_cache(maxsize=4)
def usual_forms(folder: Path) -> Mapping[str, str]:
    """The casing table of a model folder, lower-case word to usual form; empty where there is none."""
    from hedline.text.truecase import Truecaser

    table = folder / "truecase.tsv"
    return Truecaser.load(table).forms if is_file(table) else {}
