"""`hedline summarize`: headlines for texts, files and pipes."""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import IO, Annotated, Any

import typer

from hedline.cli.main import output_file
from hedline.corpora.rows import (
    PLAIN,
    ParquetWriter,
    Row,
    TableWriter,
    check_name,
    columns_of,
    kind_of,
    open_table,
    refuse_others,
    style_of,
)
from hedline.decoding.options import Checked, DecodeOptions
from hedline.decoding.summary import Summary, zmert_lines
from hedline.errors import UserError
from hedline.files import atomic_path, is_file
from hedline.progress import track
from hedline.settings import setting
from hedline.stream import Reading, Record, RowRecord, read_sources, remembered, unfinished

MOST_MAPS = 200  # heat maps in one file


class Printer:
    """Writes summaries as they come, notes to stderr, and heat maps at the end.

    explain: FILE.html, FILE.svg, or `-` for the terminal; show: the same as `-`.
    """

    def __init__(self, file: IO[str], form: str, nbest: int, explain: str | None, show: bool) -> None:
        self.file, self.form, self.nbest = file, form, nbest
        self.in_terminal = show or explain == "-"
        self.path = None if explain in (None, "-") else Path(str(explain))
        if self.path is not None and self.path.suffix not in (".html", ".svg"):
            raise UserError(f"--explain writes FILE.html or FILE.svg (or - for the terminal), not {explain}")
        self.count = 0
        self.maps: list[tuple[str, Summary]] = []

    def show(self, record: Record, summary: Summary) -> None:
        """Write one result."""
        if self.maps and self.path is not None and self.path.suffix == ".svg":
            raise UserError("an SVG shows one text; write --explain FILE.html for several")
        for note in summary.notes:
            print(f"hedline: text {record.id}: {note}", file=sys.stderr)
        self.write(record, summary)
        self.count += 1
        if self.in_terminal:
            from hedline.decoding.heatmap import terminal_map

            print(terminal_map(summary), file=self.file)
        self.file.flush()  # who reads a pipe gets each headline when it is there
        if self.path is not None and len(self.maps) < MOST_MAPS:
            self.maps.append((record.lead, summary))

    def write(self, record: Record, summary: Summary) -> None:
        """Write the lines of one result."""
        if self.form == "jsonl":
            print(json.dumps(summary.to_json(record.id, record.lead), ensure_ascii=False), file=self.file)
        elif self.form == "zmert":
            for line in zmert_lines(self.count, summary.nbest):
                print(line, file=self.file)
        elif self.nbest > 1 and summary.nbest:
            for hypothesis in summary.nbest:
                print(f"{record.id}\t{hypothesis.score:.4f}\t{hypothesis.text}", file=self.file)
        else:
            print(summary.text, file=self.file)

    def go_on(self, records: Iterable[Record]) -> None:
        """Pass over the records that an interrupted run has written."""
        for _ in records:
            pass

    def close(self) -> None:
        """Write the heat maps."""
        if self.path is None:
            return
        from hedline.decoding.heatmap import html_page, svg_map
        from hedline.files import write_text

        if self.path.suffix == ".svg":
            write_text(self.path, svg_map(self.maps[0][1]) if self.maps else "")
        else:
            write_text(self.path, html_page([summary for _, summary in self.maps]))


class RowPrinter(Printer):
    """Writes the rows of a table with their headlines.

    memory: where the headlines are kept until the table is whole; known: those that an interrupted run has left there.
    """

    def __init__(
        self,
        table: TableWriter | ParquetWriter,
        lead_field: str,
        explain: str | None,
        sources: Sequence[str],
        memory: IO[str] | None = None,
        known: Sequence[str] = (),
    ) -> None:
        super().__init__(memory or sys.stdout, "rows", 1, None if explain == "-" else explain, False)
        self.table, self.lead_field, self.sources, self.memory, self.known = table, lead_field, sources, memory, known

    def go_on(self, records: Iterable[Record]) -> None:
        """Write the rows whose headlines are known."""
        for record, headline in zip(records, self.known, strict=False):
            self._write_row(record, headline)

    def write(self, record: Record, summary: Summary) -> None:
        """One row, and its headline for a run that may have to go on."""
        self._write_row(record, summary.text)
        if self.memory is not None:
            print(json.dumps(summary.text), file=self.memory)

    def _write_row(self, record: Record, headline: str) -> None:
        """A plain line of text is a row with one column."""
        row = record.row if isinstance(record, RowRecord) else Row({self.lead_field: record.lead})
        self.table.write(row, headline)

    def close(self) -> None:
        """End the table, and write the heat maps."""
        paths = [Path(source) for source in self.sources if kind_of(Path(source))]
        empty = not self.count and not self.known
        self.table.close(columns_of(paths[0], kind_of(paths[0])) if paths and empty else ())
        super().close()


@dataclass(frozen=True)
class Output:
    """Where the results go, and in which form.

    files: the sources that can be read again, so that an interrupted run can go on; empty for texts given as words.
    """

    settings: SummarizeSettings
    form: str
    nbest: int
    files: Sequence[str]

    @contextmanager
    def printer(self, asked: dict[str, Any]) -> Iterator[tuple[Printer, int]]:
        """What writes the results, and how many of them an interrupted run with the same question has written."""
        out, settings = self.settings.out, self.settings
        if self.form in ROWS:
            if self.nbest > 1:
                raise UserError("a table has one headline in each row; leave --nbest out, or say --format jsonl")
            with self._memory(asked) as (memory, known), self._table() as table:
                printer = RowPrinter(table, settings.lead_field, settings.explain, self.files, memory, known)
                yield printer, len(known)
        elif out is not None and self.is_resumable:
            with unfinished(out, asked) as (file, done):
                yield self._plain(file), done
        else:
            with _output(out) as file:
                yield self._plain(file), 0

    def _memory(self, asked: dict[str, Any]) -> AbstractContextManager[tuple[IO[str] | None, list[str]]]:
        """A file for the headlines of a table, and those that an interrupted run has left in it."""
        out = self.settings.out
        return remembered(out, asked) if out and self.is_resumable else nullcontext((None, []))

    def _table(self) -> AbstractContextManager[TableWriter | ParquetWriter]:
        form = "jsonl" if self.form == "rows" else self.form
        style = style_of(Path(self.files[0])) if self.files else PLAIN
        return open_table(self.settings.out, form, self.settings.headline_field, style)

    def _plain(self, file: IO[str]) -> Printer:
        return Printer(file, self.form, self.nbest, self.settings.explain, self.settings.show)

    @property
    def is_resumable(self) -> bool:
        """Whether every text of files gives one line or row in a file, so that these tell how far it went."""
        plain = (self.form == "text" and self.nbest == 1) or self.form in ("jsonl", *ROWS)
        out, shown = self.settings.out, self.settings.explain or self.settings.show
        a_file = out is not None and (is_file(out) or not out.exists())
        return plain and a_file and not shown and bool(self.files) and "-" not in self.files


ROWS = ("csv", "tsv", "parquet", "rows")


@dataclass(frozen=True)
class SummarizeSettings(Checked):
    """How texts are read, shared out and written; how headlines are made is in DecodeOptions."""

    format: str = setting(
        "auto",
        "text, jsonl, zmert (n-best lines), csv, tsv or parquet (the rows with headlines); auto: by --out's name.",
        choices=("auto", "text", "jsonl", "zmert", "csv", "tsv", "parquet"),
    )
    input_format: str = setting(
        "auto",
        "auto (by name and first line), text, jsonl, csv, tsv or parquet.",
        choices=("auto", "text", "jsonl", "csv", "tsv", "parquet"),
    )
    lead_field: str = setting("lead", "Field or column that holds the text.")
    headline_field: str = setting("headline", "Column that tables get.")
    out: Path | None = setting(None, "Write here instead of standard output.")
    explain: str | None = setting(None, "Write the alignment heat map: FILE.html, FILE.svg, or - to print it.")
    show: bool = setting(False, "Print the heat map of each headline here.", names=("--show",))
    batch: int = setting(32, "Texts searched at once.", least=1)
    workers: int = setting(0, "Processes; 0 uses all cores when there is enough to do.", least=0)
    engine: str = setting("local", "local, or ray on a cluster.", choices=("local", "ray"))
    on_error: str = setting("stop", "What cannot be read: stop there, or skip it and say so.", choices=("stop", "skip"))


@dataclass(frozen=True)
class Asked:
    """What the arguments are, and who writes."""

    text: bool = setting(False, "The arguments are the texts themselves.", names=("--text",))
    model: str | None = setting(None, "Name or folder of a model; the default model otherwise.")


def summarize(
    asked: Asked,
    options: DecodeOptions,
    settings: SummarizeSettings,
    sources: Annotated[
        list[str] | None,
        typer.Argument(metavar="[FILE|-]", help="Files of texts (lines, JSONL, CSV, TSV, Parquet); - reads a pipe."),
    ] = None,
) -> None:
    """Headlines, one per line, for a text, a file or a pipe.

    \b
    Examples:
      hedline "The city council voted on Tuesday to close the old harbour bridge for repairs."
      hedline summarize leads.txt --bytes 75 > headlines.txt
      hedline summarize mine.csv --lead-field text --out out.csv
      cat leads.jsonl | hedline summarize - --format jsonl --nbest 5 --out candidates.jsonl
      hedline "…" --mode extractive --words 8 --explain why.html
    """
    from hedline.api import CHUNK, Job, find_model, summarize_records

    sources = sources or []
    job = Job(str(find_model(asked.model)), options, settings.batch)
    as_words = asked.text and sources not in ([], ["-"])
    reading = Reading(settings.input_format, settings.lead_field, skip=settings.on_error == "skip")
    records = read_texts(sources) if as_words else read_sources(sources, reading)
    files = () if asked.text else sources
    output = Output(settings, output_form(settings, files), options.nbest, files)
    output_file(Path(settings.explain) if settings.explain else None, files)
    with output.printer(question(settings, options, sources, Path(job.model))) as (printer, done):
        printer.go_on(islice(records, done))
        summaries = summarize_records(records, job, settings.workers, settings.engine)
        quiet = as_words or (settings.out is None and sys.stdout.isatty())
        show_all(
            summaries if quiet else track(summaries, "summarizing", unit="texts", least=CHUNK), printer, bool(done)
        )


def read_texts(texts: Sequence[str]) -> Iterator[Record]:
    """Texts given as arguments; loose words are one text."""
    each = texts if any(" " in text for text in texts) else [" ".join(texts)]
    yield from (Record(str(number), text) for number, text in enumerate(each, 1))


def question(
    settings: SummarizeSettings, options: DecodeOptions, sources: Sequence[str], folder: Path
) -> dict[str, Any]:
    """Everything the lines of an output depend on, as JSON has it."""
    names = ("format", "engine", "input_format", "on_error", "lead_field")
    asked = {**{name: getattr(settings, name) for name in names}, **vars(options)}
    files = [[source, *_identity(Path(source))] for source in sources]
    model = [[name, *_identity(folder / name)] for name in ("config.json", "tuning.json")]
    return {"asked": asked, "files": files, "model": [str(folder.resolve()), model]}


def _identity(path: Path) -> list[int]:
    try:
        found = path.stat()
    except (OSError, ValueError):
        return []
    return [found.st_size, found.st_mtime_ns]


def output_form(settings: SummarizeSettings, sources: Sequence[str]) -> str:
    """How to write: as asked, else by the output's name; `rows` are JSON lines with a headline added to each.

    JSONL as asked for is the contract's record; JSONL by name keeps the rows of a table.
    """
    form, out = settings.format, output_file(settings.out, sources)
    if form != "auto":
        if out is not None and form != "zmert":
            check_name(out, form, "--format")
        return form
    if out is not None:
        refuse_others(out)
    named = kind_of(out) if out is not None else ""
    if named != "jsonl":
        return named or "text"
    is_told = settings.input_format not in ("auto", "text")
    return "rows" if is_told or all(kind_of(Path(source)) for source in sources or ["-"]) else "jsonl"


def show_all(summaries: Iterable[tuple[Record, Summary]], printer: Printer, resumed: bool = False) -> None:
    """Write the results as they come; resumed: some were written by a run before."""
    some = False
    for record, summary in summaries:
        printer.show(record, summary)
        some = True
    printer.close()
    if not some and not resumed:
        print("hedline: there was no text to read, so there is no headline", file=sys.stderr)


@contextmanager
def _output(out: Path | None) -> Iterator[IO[str]]:
    """Standard output, or a file that appears whole or not at all."""
    if out is None:
        if isinstance(sys.stdout, io.TextIOWrapper):  # an ASCII terminal prints what it can
            sys.stdout.reconfigure(errors="replace")
        yield sys.stdout
        return
    with atomic_path(out) as temporary, temporary.open("w", encoding="utf-8", errors="replace") as file:
        yield file
