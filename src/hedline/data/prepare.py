"""`prepare` makes a corpus into a data folder: in bounded memory, and the same bytes for any number of workers.

The work is done in a folder beside the output. It is locked while a run uses it, kept when a run is interrupted so that
the next one resumes, and renamed into place at the end.
"""

from __future__ import annotations

import fcntl
import os
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import hedline
from hedline.corpora.tables import open_readers
from hedline.data.chunks import bad_lines
from hedline.data.engine import Engine, Made, Task, open_engine
from hedline.data.settings import FORMAT, ROLES, TEST, TRAIN, VALID, PrepareSettings, Source, file_digest, fingerprint
from hedline.data.splits import Division, divide, write_held_out
from hedline.data.stats import Report, build_stats
from hedline.data.subwords import BaseVocabulary
from hedline.data.words import Tally, tally, write_casings
from hedline.errors import UserError
from hedline.files import read_json, write_json
from hedline.progress import Progress


class WorkFolder:
    """`.<name>.partial` beside the output: `chunks/` survive an interruption, `final/` becomes the output."""

    def __init__(self, out: Path) -> None:
        self.out = out
        self.path = out.parent / f".{out.name}.partial"
        self.chunks = self.path / "chunks"
        self.runs = self.path / "runs"
        self.final = self.path / "final"

    def start(self, key: str) -> bool:
        """Make the folder ready for the preparation `key`; True when earlier chunks of it are there to resume."""
        state = self.path / "state.json"
        resumable = state.is_file() and read_json(state) == {"fingerprint": key}
        if not resumable:
            shutil.rmtree(self.chunks, ignore_errors=True)
            write_json(state, {"fingerprint": key})
        for folder in (self.runs, self.final):
            shutil.rmtree(folder, ignore_errors=True)
            folder.mkdir(parents=True)
        self.chunks.mkdir(exist_ok=True)
        return resumable and any(self.chunks.iterdir())

    def finish(self) -> None:
        """Move the finished folder into place, replacing an earlier data folder, and clear up."""
        for file in self.final.iterdir():
            with file.open("rb") as stream:
                os.fsync(stream.fileno())
        if self.out.exists() and any(self.out.iterdir()):
            old = self.path / "old"
            shutil.rmtree(old, ignore_errors=True)
            self.out.rename(old)
        self.final.replace(self.out)
        self.remove()

    def remove(self) -> None:
        """Clear up, also after a run that ended between its last two steps."""
        shutil.rmtree(self.path, ignore_errors=True)


@contextmanager
def locked(work: WorkFolder) -> Iterator[None]:
    """Hold the folder alone, and turn a full or unwritable disk into a sentence."""
    try:
        work.path.mkdir(parents=True, exist_ok=True)
        with (work.path / "lock").open("w") as lock:
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UserError(f"another `hedline prepare` is writing {work.out}; wait for it to end") from None
            yield
    except OSError as error:
        raise UserError(
            f"cannot write {work.path}: {error.strerror or error}; free some space or check rights, then run the same "
            "command again: it resumes"
        ) from None


ON_ERROR = ("stop", "skip")


@dataclass(frozen=True)
class PrepareRequest:
    """What to prepare and how to run it; only `settings` and the files' contents decide the output.

    base: where the vocabularies come from that `settings.base` is the digest of, None to make new ones.
    """

    sources: Sequence[Path]
    out: Path
    valid: Sequence[Path] = ()
    test: Sequence[Path] = ()
    format: str = "auto"
    settings: PrepareSettings = field(default_factory=PrepareSettings)
    on_error: str = "stop"
    workers: int = 1
    engine: str = "local"
    overwrite: bool = False
    base: BaseVocabulary | None = None


def prepare(request: PrepareRequest) -> Report:
    """Make the data folder, or resume making it; what is already there and equal is left as it is."""
    if request.on_error not in ON_ERROR:
        raise UserError(f"--on-error cannot be {request.on_error!r}; choose from {', '.join(ON_ERROR)}")
    sources = open_sources(request)
    files = [(source.role, path) for source in sources for path in _files(source)]
    listing = [(role, path.name, file_digest(path)) for role, path in files]
    key = fingerprint(request.settings, listing)
    work = WorkFolder(request.out)
    if _already_there(request, key):
        work.remove()
        return Report.of(request.out, fresh=False)
    engine = open_engine(request.engine, request.workers)
    with locked(work):
        resumed = work.start(key)
        chunks = list(_chunks(engine, sources, Task(work.chunks, key, request.settings), request.on_error))
        division = divide(chunks, request.settings)
        _check_sizes(division, chunks)
        counted = tally(chunks, division, work.runs)
        details = _write(work, chunks, division, counted, request, engine)
        stats = build_stats([summary for _, summary in chunks], division, counted, details)
        write_json(work.final / "stats.json", stats)
        write_json(work.final / "settings.json", _settings_json(request.settings, key, listing, details))
        work.finish()
    return Report.of(request.out, fresh=True, resumed=resumed)


def open_sources(request: PrepareRequest) -> list[Source]:
    """Readers of all named files with the role each was named as."""
    named = ((TRAIN, request.sources), (VALID, request.valid), (TEST, request.test))
    return [
        Source(role, reader)
        for role, paths in named
        if paths
        for reader in open_readers(paths, request.format, request.settings.fields)
    ]


def _files(source: Source) -> list[Path]:
    """All files a reader reads: two for parallel text."""
    second = getattr(source.reader, "headlines", None)
    return [source.reader.path, *([second] if second else [])]


def _already_there(request: PrepareRequest, key: str) -> bool:
    """Whether the output is this very preparation; anything else in its place stops unless it may be replaced."""
    out = request.out
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return False
    if not (out / "settings.json").is_file():
        raise UserError(f"{out} exists and is no data folder; name another --out")
    if read_json(out / "settings.json").get("fingerprint") == key:
        return True
    if not request.overwrite:
        raise UserError(f"{out} holds data made from other files or settings; name another --out or add --overwrite")
    return False


def _chunks(engine: Engine, sources: Sequence[Source], task: Task, on_error: str) -> Iterator[Made]:
    """Chunks in order, with progress; the first bad line stops unless bad lines are to be skipped."""
    progress = Progress("reading", unit="pairs")
    kept = bad = 0
    for path, summary in engine.chunks(sources, task):
        if summary["bad"] and on_error == "stop":
            worst = next(line for line in bad_lines(summary) if not line.harmless)
            raise UserError(f"{worst}; mend the file, or leave such lines out with --on-error skip")
        kept, bad = kept + summary["kept"], bad + summary["bad"]
        progress.advance(summary["read"], note=f"{kept:,} kept" + (f", {bad:,} bad" if bad else ""))
        yield path, summary
    progress.close()


def _check_sizes(division: Division, chunks: Sequence[Made]) -> None:
    sizes = division.sizes()
    if sizes.pop(TRAIN):
        return
    read = sum(summary["read"] for _, summary in chunks)
    if division.shares and (held_out := sum(sizes.values())):
        raise UserError(
            f"no pair is left to train on: of {read:,} lines {held_out:,} passed the filters and all are needed for "
            "valid and test; give more pairs, or --split none"
        )
    bad = sum(summary["bad"] for _, summary in chunks)
    raise UserError(
        f"no pair is left to train on: {read:,} lines read, {bad:,} of them bad, the rest removed by the filters; "
        "check the fields and the filters (--preset none keeps everything)"
    )


def _write(
    work: WorkFolder, chunks: list[Made], division: Division, counted: Tally, request: PrepareRequest, engine: Engine
) -> dict[str, Any]:
    """Vocabularies, arrays and the text of the held-out splits; gives sizes for settings.json and stats.json."""
    for role in (VALID, TEST):
        write_held_out(work.final / f"{role}.jsonl", chunks, division, ROLES.index(role))
    if request.settings.units == "subwords":
        details = _write_subwords(work.final, chunks, division, request, engine)
        known = None
    else:
        details, known = _write_words(work.final, chunks, division, counted, request)
    write_casings(work.final / "truecase.tsv", counted.casings.items(), known)
    if request.base:
        request.base.complete_casings(work.final / "truecase.tsv")
    return details


def _write_subwords(
    final: Path, chunks: list[Made], division: Division, request: PrepareRequest, engine: Engine
) -> dict[str, Any]:
    from hedline.data.subwords import train_subwords, write_subwords

    base = request.base
    subwords = base.subwords() if base else train_subwords(chunks, division, request.settings.vocabulary_size)
    subwords.save(final)
    pieces = write_subwords(final, chunks, division, len(subwords), engine.map)
    return {"vocabulary": {"input": len(subwords), "output": len(subwords)}, "pieces": pieces}


def _write_words(
    final: Path, chunks: list[Made], division: Division, counted: Tally, request: PrepareRequest
) -> tuple[dict[str, Any], set[str]]:
    """Also gives all words of both vocabularies."""
    from hedline.data.words import build_vocabularies, write_words

    least: dict[str, int] = {}
    if request.base:
        inputs, outputs = request.base.words()
    else:
        inputs, outputs, least["min_count"] = build_vocabularies(counted, request.settings)
    inputs.save(final / "vocab.input.txt")
    outputs.save(final / "vocab.output.txt")
    unknown = write_words(final, chunks, division, counted, (inputs, outputs))
    details = {"vocabulary": {"input": len(inputs), "output": len(outputs)}, **least, "unknown": unknown}
    return details, {*inputs.words, *outputs.words}


def _settings_json(
    settings: PrepareSettings, key: str, listing: Sequence[tuple[str, str, str]], details: dict[str, Any]
) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "fingerprint": key,
        "hedline": hedline.__version__,
        "settings": settings.as_json(),
        "sources": [{"role": role, "file": name, "sha256": digest} for role, name, digest in listing],
        "vocabulary": details["vocabulary"],
    }
