"""DUC 2003 and 2004, task 1: newswire documents with four headlines each, as an evaluation set.

Documents lie in `docs/<docset>/<DOCNO>` (2003: below `docs.without.headlines/`). References for 2004 lie in `models/1/`
as `<DOCSET without its last letter>.P.10.T.<annotator>.<DOCNO>`, for 2003 in `models/` as
`<DOCSET>.P.10.<selector>.<annotator>.<DOCNO>.html`.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError
from hedline.settings import REQUIRED, setting
from hedline.text.clean import split_sentences

EXPECTED = {2003: 624, 2004: 500}
REFERENCES = 4
SHORT_CHARACTERS = 130

_REFERENCE = re.compile(r"^(?P<docset>[^.]+)\.P\.10\.[^.]+\.(?P<annotator>[^.]+)\.(?P<docno>.+?)(?:\.html)?$", re.I)
_TEXT = re.compile(r"<TEXT>(.*?)(?:</TEXT>|\Z)", re.S | re.I)
_TAG = re.compile(r"<[^>]*>")
_DASH = re.compile(r" (?:--|-|_) ")


@dataclass(frozen=True)
class DucSettings:
    """Where a year's files lie, where its set goes, and how leads are made of its documents."""

    year: int = setting(REQUIRED, "2003 or 2004.")
    docs: Path = setting(REQUIRED, "Folder of document sets.")
    models: Path = setting(REQUIRED, "Folder of references.")
    out: Path = setting(REQUIRED, "The evaluation set to write, .jsonl.")
    join_short: bool = setting(True, f"Join a first sentence under {SHORT_CHARACTERS} characters with the next.")
    strip_dateline: bool = setting(True, "Take datelines off.")

    def __post_init__(self) -> None:
        if self.year not in EXPECTED:
            raise UserError(f"--year is 2003 or 2004, not {self.year}")


@dataclass(frozen=True)
class DucSet:
    """The items found, and in `problems` each way in which they are not what the year should hold."""

    items: list[EvaluationItem]
    problems: list[str]


def read_duc(settings: DucSettings) -> DucSet:
    """Read a year's task 1; documents in order of their paths, references in order of their file names."""
    references = read_references(settings.models)
    items: list[EvaluationItem] = []
    problems: list[str] = []
    for path in document_paths(settings.docs):
        docset, docno = path.parent.name, path.name
        found = references.get((docset.upper(), docno)) or references.get((docset[:-1].upper(), docno)) or []
        if len(found) != REFERENCES:
            problems.append(f"{docset}/{docno} has {len(found)} references, not {REFERENCES}")
        lead = first_sentences(document_text(path), settings)
        if found and lead:
            items.append(EvaluationItem(f"{docset}/{docno}", lead, tuple(found)))
        elif not lead:
            problems.append(f"{docset}/{docno} has no text")
    if not items:
        raise UserError(f"no document of {settings.docs} has a reference in {settings.models}; check both folders")
    return DucSet(items, [*_count_problem(settings.year, len(items)), *problems])


def _count_problem(year: int, count: int) -> list[str]:
    if count == EXPECTED[year]:
        return []
    other = next((y for y, number in EXPECTED.items() if number == count), None)
    hint = f" (that is DUC-{other}'s number)" if other else ""
    return [f"DUC-{year} task 1 has {EXPECTED[year]} documents, {count} were found with references{hint}"]


def document_paths(docs: Path) -> list[Path]:
    """Documents below `docs`, sorted by path; looks inside `docs.without.headlines` or `docs` when they are there."""
    if not docs.is_dir():
        raise UserError(f"{docs} is no folder; --docs names the folder of document sets")
    inner = [docs / name for name in ("docs.without.headlines", "docs") if (docs / name).is_dir()]
    root = inner[0] if inner else docs
    paths = sorted(path for path in root.glob("*/*") if path.is_file() and not path.name.startswith("."))
    if not paths:
        raise UserError(f"{root} holds no documents; expected <docset>/<DOCNO> inside")
    return paths


def read_references(models: Path) -> dict[tuple[str, str], list[str]]:
    """References by (document set in capitals, DOCNO), in order of file name; looks in `1/` when it is there."""
    if not models.is_dir():
        raise UserError(f"{models} is no folder; --models names the folder of references")
    root = models / "1" if (models / "1").is_dir() else models
    references: dict[tuple[str, str], list[str]] = defaultdict(list)
    for path in sorted(root.iterdir()):
        match = _REFERENCE.match(path.name)
        if match and path.is_file():
            text = read_text(path)
            if path.suffix.lower() == ".html":
                text = html.unescape(_TAG.sub(" ", text))
            references[match["docset"].upper(), match["docno"]].append(" ".join(text.split()))
    if not references:
        raise UserError(f"{root} holds no task-1 references; expected names such as D30001.P.10.T.A.<DOCNO>")
    return dict(references)


def document_text(path: Path) -> str:
    """What stands in `<TEXT>`, tags and entities left out, white space folded."""
    match = _TEXT.search(read_text(path))
    words = _TAG.sub(" ", match[1]).split() if match else []
    return " ".join(word for word in words if not word.startswith("&"))


def first_sentences(text: str, settings: DucSettings) -> str:
    """The first sentence, prepared as in the original evaluation.

    join_short: under 130 characters, its last character is cut and the second sentence joined with ` , `;
    strip_dateline: where a `)` (in 2003 also a `_`) stands, all up to the first ` -- `, ` - ` or ` _ ` goes.
    """
    sentences = split_sentences(text)
    lead = sentences[0] if sentences else ""
    if settings.join_short and len(sentences) > 1 and len(lead) < SHORT_CHARACTERS:
        lead = f"{lead[:-1].rstrip()} , {sentences[1]}"
    if settings.strip_dateline and (")" in lead or (settings.year == 2003 and "_" in lead)):
        lead = _DASH.split(lead, maxsplit=1)[-1]
    return lead.replace("_", ",").strip()


def read_text(path: Path) -> str:
    """A small text file: UTF-8, or Latin-1 as some of the old files are."""
    try:
        raw = path.read_bytes()
    except OSError as error:
        raise UserError(f"cannot read {path}: {error.strerror or error}") from None
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError:
        return raw.decode("latin-1")
