"""From file names to readers: formats by name or by suffix, folders expanded in order of their names."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from hedline.corpora.pairs import BadLine, Pair
from hedline.corpora.reader import Reader, pairs_of
from hedline.corpora.tables import Delimited, Fields, JsonLines, Parquet
from hedline.errors import UserError

FORMATS = ("auto", "pairs", "agiga", "gigaword", "duc", "parallel")
COMPRESSIONS = (".gz", ".xz", ".zst")
_TABLES = {".jsonl": "jsonl", ".ndjson": "jsonl", ".json": "jsonl", ".csv": "csv", ".tsv": "tsv"}


def open_readers(sources: Sequence[Path], format: str = "auto", fields: Fields | None = None) -> list[Reader]:
    """One reader a file; a folder stands for its files in order of name."""
    if format not in FORMATS:
        raise UserError(f"unknown format {format!r}; the formats are {', '.join(FORMATS)}")
    fields = fields or Fields()
    files = expand(sources)
    if format == "parallel" or (format == "auto" and _looks_parallel(files)):
        return _parallel(files)
    if format == "duc":
        raise UserError("DUC files are an evaluation set: use `hedline duc --year … --docs … --models … --out …`")
    return [_open_one(path, format, fields) for path in files]


def read_pairs(path: Path, fields: Fields | None = None) -> Iterator[Pair | BadLine]:
    """Stream one pairs file."""
    return pairs_of(_open_one(expand([path])[0], "pairs", fields or Fields()))


def expand(sources: Sequence[Path]) -> list[Path]:
    """Files named directly or lying in a named folder (at any depth, in order of path); missing ones stop."""
    files: list[Path] = []
    for source in sources:
        if source.is_dir():
            inside = sorted(p for p in source.rglob("*") if p.is_file() and not p.name.startswith("."))
            if not inside:
                raise UserError(f"the folder {source} holds no files")
            files.extend(inside)
        elif source.exists():
            files.append(source)
        else:
            raise UserError(f"{source} does not exist; check the name")
    if not files:
        raise UserError("no source file was named")
    return files


def bare_suffix(path: Path) -> str:
    """The suffix that tells the format, below the compression's: `.jsonl` for `a.jsonl.xz`."""
    return Path(path.stem).suffix.lower() if path.suffix in COMPRESSIONS else path.suffix.lower()


def _open_one(path: Path, format: str, fields: Fields) -> Reader:
    suffix = bare_suffix(path)
    if format == "agiga" or (format == "auto" and suffix == ".xml"):
        from hedline.corpora.agiga import AnnotatedGigaword

        return AnnotatedGigaword(path)
    if format == "gigaword" or (format == "auto" and suffix in {".sgml", ".sgm"}):
        from hedline.corpora.gigaword import Gigaword

        return Gigaword(path)
    if suffix == ".parquet":
        return Parquet(path, fields)
    kind = _TABLES.get(suffix)
    if kind == "jsonl":
        return JsonLines(path, fields)
    if kind is not None:
        return Delimited(path, "," if kind == "csv" else "\t", fields)
    raise UserError(
        f"cannot tell the format of {path} by its name; expected .jsonl, .csv, .tsv or .parquet (also .gz, .xz, .zst), "
        "or name the format with --format"
    )


def _looks_parallel(files: Sequence[Path]) -> bool:
    return len(files) == 2 and all(bare_suffix(path) in {".txt", ".src", ".tgt"} for path in files)


def _parallel(files: Sequence[Path]) -> list[Reader]:
    from hedline.corpora.parallel import Parallel

    if len(files) % 2:
        raise UserError(f"parallel text needs files in twos (leads, headlines); {len(files)} were named")
    return [Parallel(files[i], files[i + 1]) for i in range(0, len(files), 2)]
