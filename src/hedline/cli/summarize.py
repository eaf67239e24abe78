"""`hedline summarize`: headlines for texts, files and pipes."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Annotated

import typer

from hedline.decoding.options import DecodeOptions
from hedline.decoding.stream import CHUNK, Job, Reading, Record, read_records, summarize_records
from hedline.errors import UserError
from hedline.files import atomic_path, is_file, open_binary
from hedline.progress import Progress

FORMATS = ("text", "jsonl", "zmert")


def summarize(
    sources: Annotated[
        list[str] | None, typer.Argument(metavar="[FILE|-]", help="File of texts, a line each; - reads a pipe.")
    ] = None,
    text: Annotated[bool, typer.Option("--text", help="The arguments are the texts themselves.")] = False,
    model: Annotated[str | None, typer.Option(help="Name or folder of a model; the default model otherwise.")] = None,
    words: Annotated[int | None, typer.Option(help="At most N words.")] = None,
    exact_words: Annotated[int | None, typer.Option(help="Exactly N words.")] = None,
    bytes_: Annotated[int | None, typer.Option("--bytes", help="At most N bytes of UTF-8.")] = None,
    chars: Annotated[int | None, typer.Option(help="At most N characters.")] = None,
    fill: Annotated[float, typer.Option(help="Share of the limit a headline should use, 0 to 1.")] = 0.0,
    mode: Annotated[str, typer.Option(help="abstractive, extractive or compressive.")] = "abstractive",
    decoder: Annotated[str, typer.Option(help="beam, greedy or exact.")] = "beam",
    beam: Annotated[int, typer.Option(help="Hypotheses kept at each step.")] = 5,
    nbest: Annotated[int, typer.Option(help="Candidates for each text.")] = 1,
    abstractiveness: Annotated[
        float | None, typer.Option(help="1: the model alone, 0: as tuned, down to -1: copies more.")
    ] = None,
    length_penalty: Annotated[float | None, typer.Option(help="Exponent of the length normalisation.")] = None,
    rerank: Annotated[
        str | None,
        typer.Option(help="mbr: the candidate the beam agrees on; none: the best scored; or the model's way."),
    ] = None,
    variant: Annotated[str, typer.Option(help="Feature definitions: paper or namas.")] = "paper",
    block_repeats: Annotated[bool, typer.Option(help="No content word twice.")] = True,
    guard_numbers: Annotated[bool, typer.Option(help="No number the text does not have.")] = True,
    copy_unknown: Annotated[bool, typer.Option(help="Copy words the vocabulary lacks.")] = True,
    full_vocabulary: Annotated[bool, typer.Option(help="Search all words instead of the shortlist.")] = False,
    format_: Annotated[str, typer.Option("--format", help="text, jsonl or zmert (n-best lines).")] = "text",
    input_format: Annotated[str, typer.Option(help="auto, text or jsonl.")] = "auto",
    lead_field: Annotated[str, typer.Option(help="JSONL field that holds the text.")] = "lead",
    out: Annotated[Path | None, typer.Option(help="Write here instead of standard output.")] = None,
    explain: Annotated[
        str | None, typer.Option(help="Write the alignment heat map: FILE.html, FILE.svg, or - to print it.")
    ] = None,
    show: Annotated[bool, typer.Option("--show", help="Print the heat map of each headline here.")] = False,
    batch: Annotated[int, typer.Option(help="Texts searched at once.")] = 32,
    workers: Annotated[int, typer.Option(help="Processes; 0 uses all cores when there is enough to do.")] = 0,
    engine: Annotated[str, typer.Option(help="local, or ray on a cluster.")] = "local",
) -> None:
    """Headlines, a line each, for a text, a file or a pipe.

    \b
    Examples:
      hedline "The city council voted on Tuesday to close the old harbour bridge for repairs."
      hedline summarize leads.txt --bytes 75 > headlines.txt
      cat leads.jsonl | hedline summarize - --format jsonl --nbest 5 --out candidates.jsonl
      hedline "…" --mode extractive --words 8 --explain why.html
    """
    options = DecodeOptions(
        words=words, exact_words=exact_words, bytes=bytes_, chars=chars, fill=fill, mode=mode, decoder=decoder,
        beam=beam, nbest=nbest, abstractiveness=abstractiveness, length_penalty=length_penalty, variant=variant,
        block_repeats=block_repeats, guard_numbers=guard_numbers, copy_unknown=copy_unknown,
        full_vocabulary=full_vocabulary, rerank=rerank,
    )  # fmt: skip
    for name, value, known in (("--format", format_, FORMATS), ("--engine", engine, ("local", "ray")),
                               ("--input-format", input_format, ("auto", "text", "jsonl"))):  # fmt: skip
        if value not in known:
            raise UserError(f"{name} must be one of {', '.join(known)}, not {value!r}")
    from hedline.api import find_model, load
    from hedline.cli.showing import Printer

    job = Job(str(find_model(model)), options, batch, load)
    reading = Reading(input_format, lead_field)
    with _output(out) as file:
        printer = Printer(file, format_, nbest, explain, show)
        records = _records(sources or [], text, reading)
        progress = Progress("summarizing", unit="texts")
        for record, summary in summarize_records(records, job, workers, engine):
            printer.show(record, summary)
            if out is not None or not sys.stdout.isatty():
                progress.advance()
        printer.close()
        if progress.done > CHUNK:
            progress.close()


def _records(sources: list[str], text: bool, reading: Reading) -> Iterator[Record]:
    """The texts given as arguments, or those of a file or pipe."""
    if text and sources not in ([], ["-"]):
        texts = sources if any(" " in source for source in sources) else [" ".join(sources)]
        yield from (Record(str(number), each) for number, each in enumerate(texts, 1))
        return
    if not sources and sys.stdin.isatty():
        raise UserError('give a file, - for standard input, or a text: hedline "Some sentence of news."')
    for source in sources or ["-"]:
        with _lines(source) as lines:
            yield from read_records(lines, Reading(reading.kind, reading.lead_field, source))


@contextmanager
def _lines(source: str) -> Iterator[IO[bytes]]:
    if source == "-":
        yield sys.stdin.buffer
        return
    path = Path(source)
    if not is_file(path):
        raise UserError(
            f"there is no file {source[:200]}; to summarise these words themselves, add --text or leave out summarize"
        )
    with open_binary(path) as file:
        yield file


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
