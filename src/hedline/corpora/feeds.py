"""Pairs from what news sites publish: a folder of RSS feeds, Atom feeds and JSON files of articles.

The title of an item is the headline; the first sentence of its description or text is the lead. An item without a title
or a sentence, or one that repeats an item already read, is counted and left out. Nothing else is judged here: that is
what the filters of `hedline prepare` are for.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from hedline.corpora.pairs import Pair
from hedline.errors import UserError
from hedline.files import atomic_path, open_binary
from hedline.text.clean import clean, first_sentence, strip_markup

# Names under which sites keep the same thing, the best first.
HEADLINES = ("title", "headline", "name")
LEADS = ("description", "summary", "lead", "abstract", "text", "body", "content", "encoded", "articleBody", "maintext")
DATES = ("pubDate", "published", "publishedAt", "date", "updated", "datePublished", "date_publish", "issued")
SOURCES = ("source", "source_domain", "publisher", "site")
LISTS = ("items", "articles", "entries", "results", "data")
SUFFIXES = (".xml", ".rss", ".atom", ".rdf", ".json", ".jsonl", ".ndjson")
COMPRESSIONS = (".gz", ".xz", ".zst")
FEWEST_WORDS = 4  # of a lead
MOST_BYTES = 256 << 20  # of one file, unpacked: feeds are small


@dataclass
class Found:
    """What a folder gave: pairs written, and why items gave none."""

    files: int = 0
    pairs: int = 0
    left_out: Counter[str] = field(default_factory=Counter)

    def text(self) -> str:
        """One line for people."""
        reasons = ", ".join(f"{count:,} {why}" for why, count in self.left_out.most_common())
        return f"{self.pairs:,} pairs from {self.files:,} files" + (f"; left out: {reasons}" if reasons else "")


def build_pairs(folder: Path, out: Path) -> Found:
    """Write the pairs of all feeds and articles below a folder as JSONL, in order of their paths."""
    files = feed_files(folder)
    found, seen = Found(), set[str]()
    with atomic_path(out) as temporary, temporary.open("w", encoding="utf-8") as lines:
        for path in files:
            found.files += 1
            for item in read_items(path, found.left_out):
                pair = pair_of(item, default_source=path.parent.name if path.parent != folder else path.stem)
                why = pair if isinstance(pair, str) else ("repeated" if pair.headline.lower() in seen else "")
                if why or isinstance(pair, str):
                    found.left_out[why] += 1
                    continue
                seen.add(pair.headline.lower())
                found.pairs += 1
                lines.write(json.dumps({k: v for k, v in pair._asdict().items() if v}, ensure_ascii=False) + "\n")
        if not found.pairs:
            raise UserError(f"{folder} gave no pair ({found.text()}); items need a title and a description or text")
    return found


def feed_files(folder: Path) -> list[Path]:
    """The feeds and JSON files below a folder, or the one file it is."""
    if folder.is_file():
        return [folder]
    if not folder.is_dir():
        raise UserError(f"{folder} does not exist; name a folder of RSS, Atom or JSON files")
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and kind_of(path) in SUFFIXES]
    if not files:
        raise UserError(f"{folder} holds no feeds; expected names that end in {', '.join(SUFFIXES)}")
    return files


def kind_of(path: Path) -> str:
    """The suffix below a compression's."""
    suffixes = [suffix for suffix in path.suffixes if suffix not in COMPRESSIONS]
    return suffixes[-1].lower() if suffixes else ""


def read_items(path: Path, left_out: Counter[str]) -> Iterator[Mapping[str, Any]]:
    """The items of a file as mappings from field to text; a damaged file is counted once."""
    try:
        with open_binary(path) as file:
            data = file.read(MOST_BYTES + 1)
        if len(data) > MOST_BYTES:
            raise ValueError("too large")
        yield from _xml_items(data) if kind_of(path) in SUFFIXES[:4] else _json_items(data)
    except (ValueError, ElementTree.ParseError, RecursionError, EOFError, OSError):
        left_out["files that cannot be read"] += 1


def _xml_items(data: bytes) -> Iterator[Mapping[str, Any]]:
    """RSS (`item`, in a channel or, in RDF, beside it) and Atom (`entry`)."""
    if b"<!ENTITY" in data:  # nothing a feed needs, and a way to fill the memory
        raise ValueError("entities")
    for element in ElementTree.fromstring(data).iter():
        if _local(element.tag) in ("item", "entry"):
            found: dict[str, str] = {}
            for child in element:
                found.setdefault(_local(child.tag), "".join(child.itertext()))
            yield found


def _local(tag: object) -> str:
    """A tag's name without its namespace."""
    return str(tag).rpartition("}")[2]


def _json_items(data: bytes) -> Iterator[Mapping[str, Any]]:
    """One article, a list of them, a list under one of the usual names, or one article a line."""
    text = data.decode("utf-8", "replace")
    try:
        values: Iterable[Any] = [json.loads(text)]
    except ValueError:
        values = [json.loads(line) for line in text.split("\n") if line.strip()]
    for value in values:
        yield from (article for article in _articles(value) if isinstance(article, dict))


def _articles(value: Any) -> list[Any]:
    """The articles that a JSON value holds."""
    if isinstance(value, dict):
        return next((value[name] for name in LISTS if isinstance(value.get(name), list)), [value])
    return value if isinstance(value, list) else []


def pair_of(item: Mapping[str, Any], default_source: str = "") -> Pair | str:
    """An item's pair, or why it has none."""
    headline = _text(item, HEADLINES)
    if not headline:
        return "without a title"
    for name in LEADS:
        lead = first_sentence(_text(item, (name,)))
        if len(lead.split()) >= FEWEST_WORDS and lead.lower() != headline.lower():
            return Pair(lead, headline, "", _text(item, SOURCES) or default_source, _date(_text(item, DATES)))
    return "without a sentence of text"


def _text(item: Mapping[str, Any], names: Iterable[str]) -> str:
    """The first of the fields that has text, without markup, on one line."""
    for name in names:
        value = item.get(name)
        if isinstance(value, dict):
            value = value.get("name") or value.get("rendered") or value.get("value")
        if isinstance(value, str) and value.strip():
            plain = " ".join(clean(strip_markup(value)).split())
            if plain:
                return plain
    return ""


def _date(text: str) -> str:
    """`YYYY-MM-DD` of a date as feeds write it, empty where it is none."""
    if match := re.match(r"\d{4}-\d\d-\d\d", text):
        return match[0]
    try:
        moment: datetime = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError):
        return ""
    return (moment.astimezone(UTC) if moment.tzinfo else moment).strftime("%Y-%m-%d")
