"""Pairs from feeds and news JSON of our own, and every way such a file can be broken."""

from __future__ import annotations

import gzip
import json
from collections import Counter
from pathlib import Path

import pytest

from hedline.corpora.feeds import build_pairs, pair_of, read_items
from hedline.corpora.pairs import Pair
from hedline.errors import UserError

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><title type="html">Snow &amp;amp; ice close pass</title>
<summary>Snow and ice closed the Tarn pass on Monday.</summary><updated>2026-01-05T08:00:00Z</updated></entry></feed>"""


RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#" xmlns="http://purl.org/rss/1.0/"
xmlns:dc="http://purl.org/dc/elements/1.1/"><channel><title>x</title></channel>
<item><title>Ferry sold</title>
<description>The island ferry was sold on Thursday for scrap.</description><dc:date>2026-01-08</dc:date></item>
</rdf:RDF>"""


@pytest.mark.parametrize(
    ("name", "content", "headline", "date"),
    [
        ("a.atom", ATOM, "Snow & ice close pass", "2026-01-05"),
        ("a.rdf", RDF, "Ferry sold", "2026-01-08"),
        ("a.json", json.dumps([{"title": "Mill burns", "body": "A mill in Orrin burnt on Monday."}]), "Mill burns", ""),
        ("a.jsonl", '{"title": "Mill burns", "text": "A paper mill in Orrin burnt on Monday."}\n\n', "Mill burns", ""),
    ],
)  # fmt: skip
def test_each_kind_of_file(tmp_path: Path, name: str, content: str, headline: str, date: str) -> None:
    for path, data in ((tmp_path / name, content.encode()), (tmp_path / f"{name}.gz", gzip.compress(content.encode()))):
        path.write_bytes(data)
        (item,) = read_items(path, Counter())
        pair = pair_of(item)
        assert isinstance(pair, Pair) and (pair.headline, pair.date) == (headline, date)


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.xml", b"<rss><item>"),
        ("a.xml", b'<!DOCTYPE x [<!ENTITY a "aaaa">]><rss><item><title>&a;</title></item></rss>'),
        ("a.json", b'{"title": '),
        ("a.json", b"[" * 100_000),
        ("a.jsonl.gz", b"no archive"),
    ],
)
def test_a_damaged_file_is_counted_and_passed_over(tmp_path: Path, name: str, content: bytes) -> None:
    (tmp_path / "good.json").write_text('{"title": "Mill burns", "text": "A paper mill in Orrin burnt on Monday."}')
    (tmp_path / name).write_bytes(content)
    found = build_pairs(tmp_path, tmp_path / "pairs.jsonl")
    assert (found.pairs, found.files, found.left_out) == (1, 2, {"files that cannot be read": 1})


def test_folders_without_pairs_are_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="does not exist"):
        build_pairs(tmp_path / "nowhere", tmp_path / "pairs.jsonl")
    with pytest.raises(UserError, match="holds no feeds"):
        build_pairs(tmp_path, tmp_path / "pairs.jsonl")
    (tmp_path / "a.json").write_text('{"title": "Weather"}')
    with pytest.raises(UserError, match="gave no pair"):
        build_pairs(tmp_path, tmp_path / "pairs.jsonl")
    assert not (tmp_path / "pairs.jsonl").exists()
