"""The Python interface: `hedline.load()` gives a Summarizer, a Summarizer gives headlines.

summarizer = hedline.load()
summarizer("The city council voted on Tuesday to close the old harbour bridge.")
summarizer.summarize(texts, bytes=75, nbest=5)[0].nbest

`summarize_records` does the same for more texts than memory holds, in several processes.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import cached_property, lru_cache, partial
from itertools import chain, islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from hedline.decoding.decode import Engine, Found, Reader, cut_at_limit
from hedline.decoding.messages import NO_NEWS, message_title
from hedline.decoding.options import BEAM, SUBWORD_PENALTY, DecodeOptions, Defaults, check_weights
from hedline.decoding.own_words import own_words
from hedline.decoding.reading import LONGEST, UNREADABLE, Intake, take_in
from hedline.decoding.summary import Hypothesis, Summary, make_summary
from hedline.errors import UserError
from hedline.files import is_file
from hedline.runtime import Scorer
from hedline.text.clean import foreign_language

if TYPE_CHECKING:
    from hedline.runtime.folder import ModelFolder

BATCH = 32
CHUNK = 256  # texts that a worker process gets at once
MOST_ROWS = 4096  # hypotheses of a batch at once: a step's scores of all pieces take 400 MB
TUNING_FORMAT = 2
# Of 804 headlines that the default doubted so much, held out when its doubt was fitted, 650 were untrue or broken, of
# 1,808 doubted below 0.2 326 were.
DOUBTED = 0.6
DOUBTFUL = "the model doubts this headline; compare it with the text"
SHIPPED = Path(__file__).parent / "shipped"


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
        if options is not None and not isinstance(options, DecodeOptions):
            raise UserError(f"options must be DecodeOptions, not {type(options).__name__}; or give them by name")
        if not isinstance(batch, int) or isinstance(batch, bool) or batch < 1:
            raise UserError(f"batch must be a whole number of at least 1, not {str(batch)[:40]!r}")
        chosen = self.defaults.settle((options or DecodeOptions()).but(**changes))
        batch = max(1, min(batch, MOST_ROWS // chosen.width))
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
        """Search a batch of non-empty texts under settled options."""
        read = [self.reader.read(take.text, LONGEST) for take in taken]
        engine = Engine(self.scorer, self.reader, self.casing)
        found = engine.find_headlines([source for source, _ in read], options)
        both = zip(taken, read, found, strict=True)
        found = [self._if_message(source, each, options, take.letter) for take, (source, _), each in both]
        found = [self._if_foreign(source, each, options) for (source, _), each in zip(read, found, strict=True)]
        return [
            make_summary(nbest, self.reader.words(source), [*self._notes(take, source, cut, nbest, options), *more])
            for take, (source, cut), (nbest, more) in zip(taken, read, found, strict=True)
        ]

    def _if_message(self, source: Any, found: Found, options: DecodeOptions, letter: bool) -> Found:
        """What a model of news prints of a letter, a ticket or an offer: a title of the text's own words.

        A model of the user's may know such texts. letter: as in `Intake`.
        """
        if not (self.path and self.path.parent == SHIPPED and options.guard_meaning and found.nbest):
            return found
        own = message_title(self.reader.text(source), self.reader.words(source), options, letter)
        own = [cut_at_limit(each, options) for each in own]
        rest = [each for each in found.nbest if each.text not in {title.text for title in own}]
        return Found([*own, *rest][: options.nbest], (NO_NEWS,)) if own else found

    def _if_foreign(self, source: Any, found: Found, options: DecodeOptions) -> Found:
        """What is printed of a text in a language that the model does not know: its own first words, with a note."""
        if not self.reader.foreign(source):
            return found
        text = self.reader.text(source)
        language = foreign_language(text)
        note = "the model does not know many of these words; is this the language it was trained on?"
        if language:
            note = f"this looks like {language}, which the model does not know; these are the text's own words"
        whole = list(own_words(text, self.reader.words(source), options))[:1] if language else []
        own = [cut_at_limit(each, options) for each in whole]
        return Found(own or found.nbest, (note,) if own else (note, *found.notes))

    def _notes(
        self, take: Intake, source: Any, cut: bool, nbest: Sequence[Hypothesis], options: DecodeOptions
    ) -> list[str]:
        """What a reader should know about one result."""
        notes = list(take.notes)
        if cut:
            unread = [note for note in notes if note == UNREADABLE]  # any other speaks of sentences that were not cut
            notes = [f"only the first {len(self.reader.words(source))} words were read", *unread]
        if not nbest:
            notes.append("no word fits the limit, so the headline is empty")
        elif options.exact_words and (missed := _missing(nbest[0], options)):  # to fill a limit is a wish
            notes.append(f"what was asked cannot be reached; this headline misses it by {missed}")
        if nbest and (nbest[0].doubt or 0.0) >= DOUBTED:
            notes.append(DOUBTFUL)
        return notes

    @cached_property
    def casing(self) -> Mapping[str, str] | None:
        """How words are usually written inside sentences, by their lower-case form; None without such a table."""
        return usual_forms(self.path) or None if self.path else None


def _missing(headline: Hypothesis, options: DecodeOptions) -> int:
    """How many words a headline has too few or too many; a lone mark may have joined the word beside it."""
    words = 0 if options.cut else abs((options.exact_words or 0) - len(headline.text.split()))
    return headline.short or words


def _strings(texts: str | Iterable[str]) -> list[str]:
    """One text or many as a list, checked."""
    if isinstance(texts, bytes) or not isinstance(texts, Iterable):
        raise UserError(f"a text to summarise must be a string, not {type(texts).__name__}")
    items = [texts] if isinstance(texts, str) else list(texts)
    for item in items:
        if not isinstance(item, str):
            raise UserError(f"a text to summarise must be a string, not {type(item).__name__}")
    return items


def load(model: str | Path | None = None, scorer: Scorer | None = None) -> Summarizer:
    """Load a model by name (`abs`), by path, or the default one; no network is used.

    scorer: use this one (a torch scorer on a GPU, say) instead of the folder's numpy runtime.
    """
    from hedline.runtime.folder import ModelFolder

    path = find_model(model)
    folder = ModelFolder.open(path)
    defaults = read_defaults(path)
    if folder.config.units == "subwords":
        defaults = replace(defaults, alone=SUBWORD_PENALTY)
    reader = _word_reader(folder) if folder.config.units == "words" else _subword_reader(folder, defaults)
    name, origin = path.name, None if scorer else path.resolve()
    return Summarizer(scorer or load_scorer(folder), reader, defaults, name, origin)


def load_scorer(folder: ModelFolder) -> Scorer:
    """The numpy scorer of a model folder; only its family's module is imported."""
    family = folder.config.family
    if family == "feedforward":
        from hedline.runtime.feedforward import FeedForwardScorer

        return FeedForwardScorer(folder)
    if family == "recurrent":
        from hedline.runtime.recurrent import RecurrentScorer

        return RecurrentScorer(folder)
    if family == "transformer":
        from hedline.runtime.transformer import TransformerScorer

        return TransformerScorer(folder)
    raise UserError(f"{folder.path}: no runtime for the model family {family!r}")


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
    from hedline.files import read_json

    value = read_json(path / "tuning.json")
    try:
        _check_format(path, value)
        short = value.get("presets", {}).get("duc")
        return _defaults(value, None if short is None else _defaults(short))
    except (KeyError, TypeError, ValueError, AttributeError):
        raise UserError(
            f"{path / 'tuning.json'} holds no feature weights or wrong decoding settings; tune again or delete it"
        ) from None


def _defaults(value: Mapping[str, Any], limited: Defaults | None = None) -> Defaults:
    """One table of tuning.json, checked: whatever is wrong with it raises."""
    decoding = value.get("decoding", {})
    penalty, beam, slack = decoding.get("length_penalty"), decoding.get("beam", BEAM), decoding.get("slack")
    # The options hold the rules for these; here a wrong one only must not pass.
    try:
        ways = {name: decoding.get(name) for name in ("fill", "rerank", "doubt", "most_doubt")}
        DecodeOptions(length_penalty=penalty, beam=beam, slack=slack, **ways)
    except UserError as error:
        raise ValueError(str(error)) from None
    guard_names = decoding.get("guard_names", False)
    if not isinstance(guard_names, bool):
        raise ValueError("guard_names")
    return Defaults(
        weights=check_weights(dict(value["weights"].items())),
        length_penalty=None if penalty is None else float(penalty),
        controls={str(group): str(name) for group, name in decoding.get("controls", {}).items()},
        rerank=decoding.get("rerank") or "none",
        guard_names=guard_names,
        beam=beam or BEAM,
        slack=None if slack is None else float(slack),
        doubt=float(decoding.get("doubt") or 0.0),
        most_doubt=1.0 if decoding.get("most_doubt") is None else float(decoding["most_doubt"]),
        fill=float(decoding.get("fill") or 0.0),
        limited=limited,
    )


def _check_format(path: Path, value: Mapping[str, Any]) -> None:
    """Refuse weights found when the length penalty was an exponent: they would give headlines of another length."""
    if value.get("format", TUNING_FORMAT) < TUNING_FORMAT and value.get("decoding", {}).get("length_penalty"):
        raise UserError(
            f"{path / 'tuning.json'} was written when the length penalty divided the score; now it is added, so tune "
            "again or delete the file"
        )


def _word_reader(folder: ModelFolder) -> Reader:
    from hedline.decoding.reading import WordReader
    from hedline.runtime.shortlist import load_shortlist
    from hedline.text.casing import Truecaser
    from hedline.text.vocab import Vocabulary

    casing = folder.file("truecase.tsv")
    truecaser = Truecaser.load(casing) if casing.is_file() else Truecaser()
    inputs = Vocabulary.load(folder.file("vocab.input.txt"))
    outputs = Vocabulary.load(folder.file("vocab.output.txt"))
    return WordReader(inputs, outputs, truecaser, load_shortlist(folder))


def _subword_reader(folder: ModelFolder, defaults: Defaults) -> Reader:
    from hedline.decoding.reading import SubwordReader
    from hedline.runtime.shortlist import load_shortlist
    from hedline.text.subword import Subwords

    casing = partial(usual_forms, folder.path)
    return SubwordReader(Subwords.load(folder.path), load_shortlist(folder), defaults.controls, casing)


@lru_cache(maxsize=4)
def usual_forms(folder: Path) -> Mapping[str, str]:
    """The casing table of a model folder, lower-case word to usual form; empty where there is none."""
    from hedline.text.casing import UsualForms

    table = folder / "truecase.tsv"
    return UsualForms(table) if is_file(table) else {}


class HasLead(Protocol):
    """Whatever carries a text to summarise."""

    @property
    def lead(self) -> str:
        """The text."""


R = TypeVar("R", bound=HasLead)


class Job(NamedTuple):
    """What a worker needs to summarise: the model's path, the options, texts searched at once."""

    model: str
    options: DecodeOptions | None
    batch: int


def open_job(job: Job) -> Callable[[list[str]], list[Summary]]:
    """Load the job's model; the result summarises a chunk of texts."""
    summarizer = load(job.model)
    return lambda texts: summarizer.summarize(texts, job.options, batch=job.batch)


def summarize_records(
    records: Iterable[R],
    job: Job,
    workers: int = 0,
    engine: str = "local",
    work: Callable[[list[str]], list[Summary]] | None = None,
) -> Iterator[tuple[R, Summary]]:
    """Every record with its summary, in order.

    workers: processes, 0 for as many as there are cores; few texts never start any. engine: `local` or `ray`.
    work: an already loaded summariser for the first CHUNK texts and for a single worker, which are searched as they
    come, job.batch at a time.
    """
    records = iter(records)
    wanted = workers or os.cpu_count() or 1
    if engine == "ray":
        yield from _in_processes(_chunks(records, CHUNK), job, wanted, engine)
        return
    work = work or open_job(job)
    alone = records if wanted == 1 else islice(records, CHUNK)
    for chunk in _chunks(alone, min(max(job.batch, 1), CHUNK)):  # by batches: the first headlines come soon
        yield from zip(chunk, work([record.lead for record in chunk]), strict=True)
    yield from _in_processes(_chunks(records, CHUNK), job, wanted)


def _in_processes(
    chunks: Iterator[list[R]], job: Job, workers: int, engine: str = "local"
) -> Iterator[tuple[R, Summary]]:
    """Chunks on processes that each load the model once; none are started for nothing."""
    first = next(chunks, None)
    if first is None:
        return
    from hedline.pool import Crew  # here: a single headline needs no processes

    held: deque[list[R]] = deque()

    def leads() -> Iterator[list[str]]:
        for chunk in chain([first], chunks):
            held.append(chunk)
            yield [record.lead for record in chunk]

    with Crew(partial(_Worker, job), workers, engine) as crew:
        for summaries in crew.map(_Worker.summarize, leads()):
            yield from zip(held.popleft(), summaries, strict=True)


class _Worker:
    """What a process holds: a job's loaded model."""

    def __init__(self, job: Job) -> None:
        self.summarize_texts = open_job(job)

    def summarize(self, texts: list[str]) -> list[Summary]:
        """The summaries of a chunk of texts."""
        return self.summarize_texts(texts)


def _chunks(records: Iterator[R], size: int) -> Iterator[list[R]]:
    while chunk := list(islice(records, size)):
        yield chunk
