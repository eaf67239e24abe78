"""`hedline summarize`: headlines for texts, files and pipes."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import IO, TYPE_CHECKING, Annotated, Any

import typer

from hedline.cli.option import option
from hedline.decoding.options import DecodeOptions
from hedline.decoding.sources import read_sources, read_texts
from hedline.decoding.stream import CHUNK, Job, Reading, Record, summarize_records
from hedline.decoding.summary import Summary
from hedline.errors import UserError
from hedline.files import atomic_path
from hedline.progress import Progress

if TYPE_CHECKING:
    from hedline.cli.showing import Printer

CHOICES = {
    "format": ("text", "jsonl", "zmert"),
    "engine": ("local", "ray"),
    "input_format": ("auto", "text", "jsonl"),
}
LEAST = {"batch": 1, "workers": 0}


Sources = Annotated[
    list[str] | None,
    typer.Argument(metavar="[FILE|-]", help="Files of texts (lines, JSONL, CSV, TSV, Parquet); - reads a pipe."),
]
Text = Annotated[bool, option("The arguments are the texts themselves.", "--text")]
Model = Annotated[str | None, option("Name or folder of a model; the default model otherwise.")]
Words = Annotated[int | None, option("At most N words.")]
ExactWords = Annotated[int | None, option("Exactly N words.")]
Bytes = Annotated[int | None, option("At most N bytes of UTF-8.")]
Chars = Annotated[int | None, option("At most N characters.")]
Fill = Annotated[float, option("Share of the limit a headline should use, 0 to 1.")]
Mode = Annotated[str, option("abstractive, extractive or compressive.")]
Decoder = Annotated[str, option("beam, greedy or exact.")]
Beam = Annotated[int, option("Hypotheses kept at each step.")]
Nbest = Annotated[int, option("Candidates for each text.", "--nbest", "--n-best")]
Diversity = Annotated[float, option("How much candidates must differ: 0.5, no two share more than half. 0 to 1.")]
Abstractiveness = Annotated[float | None, option("1: the model alone, 0: as tuned, down to -1: copies more.")]
LengthPenalty = Annotated[float | None, option("Exponent of the length normalisation.")]
Rerank = Annotated[
    str | None, option("mbr: the candidate the beam agrees on; none: the best scored; or the model's way.")
]
Variant = Annotated[str, option("Feature definitions: paper or namas.")]
BlockRepeats = Annotated[bool, option("No content word twice.")]
GuardNumbers = Annotated[bool, option("No number the text does not have.")]
GuardNames = Annotated[bool | None, option("Print no name the text does not have; automatic: as the model was set.")]
CopyUnknown = Annotated[bool, option("Copy words the vocabulary lacks.")]
FullVocabulary = Annotated[bool, option("Search all words instead of the shortlist.")]
Format = Annotated[str, option("text, jsonl or zmert (n-best lines).")]
InputFormat = Annotated[str, option("auto (by name and first line), text or jsonl.")]
LeadField = Annotated[str, option("Field or column that holds the text.")]
Out = Annotated[Path | None, option("Write here instead of standard output.")]
Explain = Annotated[str | None, option("Write the alignment heat map: FILE.html, FILE.svg, or - to print it.")]
Show = Annotated[bool, option("Print the heat map of each headline here.", "--show")]
Batch = Annotated[int, option("Texts searched at once.")]
Workers = Annotated[int, option("Processes; 0 uses all cores when there is enough to do.")]
EngineName = Annotated[str, option("local, or ray on a cluster.")]


def summarize(
    sources: Sources = None,
    text: Text = False,
    model: Model = None,
    words: Words = None,
    exact_words: ExactWords = None,
    bytes: Bytes = None,
    chars: Chars = None,
    fill: Fill = 0.0,
    mode: Mode = "abstractive",
    decoder: Decoder = "beam",
    beam: Beam = 5,
    nbest: Nbest = 1,
    diversity: Diversity = 0.0,
    abstractiveness: Abstractiveness = None,
    length_penalty: LengthPenalty = None,
    rerank: Rerank = None,
    variant: Variant = "paper",
    block_repeats: BlockRepeats = True,
    guard_numbers: GuardNumbers = True,
    guard_names: GuardNames = None,
    copy_unknown: CopyUnknown = True,
    full_vocabulary: FullVocabulary = False,
    format: Format = "text",
    input_format: InputFormat = "auto",
    lead_field: LeadField = "lead",
    out: Out = None,
    explain: Explain = None,
    show: Show = False,
    batch: Batch = 32,
    workers: Workers = 0,
    engine: EngineName = "local",
) -> None:
    """Headlines, a line each, for a text, a file or a pipe.

    \b
    Examples:
      hedline "The city council voted on Tuesday to close the old harbour bridge for repairs."
      hedline summarize leads.txt --bytes 75 > headlines.txt
      cat leads.jsonl | hedline summarize - --format jsonl --nbest 5 --out candidates.jsonl
      hedline "…" --mode extractive --words 8 --explain why.html
    """
    given = dict(locals())
    check_choices(given)
    options = DecodeOptions(**{each.name: given[each.name] for each in fields(DecodeOptions) if each.name in given})
    from hedline.api import find_model, load
    from hedline.cli.showing import Printer

    job = Job(str(find_model(model)), options, batch, load)
    given_texts = text and sources not in (None, [], ["-"])
    records = (
        read_texts(sources or []) if given_texts else read_sources(sources or [], Reading(input_format, lead_field))
    )
    with _output(out) as file:
        printer = Printer(file, format, nbest, explain, show)
        show_all(summarize_records(records, job, workers, engine), printer, quiet=out is None and sys.stdout.isatty())


def check_choices(given: dict[str, Any]) -> None:
    """Options that name one of a few things, and counts."""
    for name, known in CHOICES.items():
        if given[name] not in known:
            raise UserError(f"--{name.replace('_', '-')} must be one of {', '.join(known)}, not {given[name]!r}")
    for name, least in LEAST.items():
        if given[name] < least:
            raise UserError(f"--{name} must be at least {least}, not {given[name]}")


def show_all(summaries: Iterable[tuple[Record, Summary]], printer: Printer, quiet: bool) -> None:
    """Write the results as they come, with progress where they do not scroll by themselves."""
    progress = Progress("summarizing", unit="texts")
    for record, summary in summaries:
        printer.show(record, summary)
        if not quiet:
            progress.advance()
    printer.close()
    if progress.done > CHUNK:
        progress.close()


@contextmanager
def _output(out: Path | None) -> Iterator[IO[str]]:
    """Standard output, or a file that appears whole or not at all."""
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper):  # an ASCII terminal prints what it can
            sys.stdout.reconfigure(errors="replace")
        yield sys.stdout
        return
    with atomic_path(out) as temporary, temporary.open("w", encoding="utf-8") as file:
        yield file
