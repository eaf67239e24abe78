"""Whatever the bytes, a reader yields pairs and bad lines and never raises; filters and cleaners take any text."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from hedline.corpora.cleaners import CLEANERS, clean_pair
from hedline.corpora.filters import FILTERS, Candidate, FilterSettings
from hedline.corpora.gigaword import AnnotatedGigaword, Gigaword
from hedline.corpora.pairs import BadLine, Pair, pairs_of
from hedline.corpora.tables import Delimited, JsonLines
from hedline.text.tokenize import normalize

PIECES = st.sampled_from(
    [
        b'{"lead": "a b", "headline": "c"}',
        b'{"lead": ',
        b"lead,headline\n",
        b'"',
        b",",
        b"\n",
        b"\r\n",
        b"\t",
        b"\0",
        b"\xff",
        b'<DOC id="X_Y_20000101.1">\n',
        b"<HEADLINE>\n",
        b"</HEADLINE>\n",
        b"<P>\n",
        b"</P>\n",
        b"(S (NN a) (. .))\n",
        b"&AMP;",
    ]
)
BYTES = st.one_of(st.binary(max_size=200), st.lists(PIECES, max_size=30).map(b"".join))
READERS = {
    "jsonl": lambda path: JsonLines(path),
    "csv": lambda path: Delimited(path, ","),
    "tsv": lambda path: Delimited(path, "\t"),
    "agiga": AnnotatedGigaword,
    "gigaword": Gigaword,
}
QUICK = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@pytest.mark.parametrize("name", READERS)
@QUICK
@given(data=BYTES)
def test_any_bytes_give_pairs_or_bad_lines(tmp_path: Path, name: str, data: bytes) -> None:
    path = tmp_path / "file"
    path.write_bytes(data)
    for item in pairs_of(READERS[name](path)):
        assert isinstance(item, Pair | BadLine)
        if isinstance(item, Pair):
            f"{item.lead}{item.headline}".encode()
        else:
            assert item.line >= 1 and item.file == str(path)


@QUICK
@given(lead=st.text(max_size=80), headline=st.text(max_size=60), source=st.text(max_size=8))
def test_filters_and_cleaners_take_any_text(lead: str, headline: str, source: str) -> None:
    pair = clean_pair(Pair(lead, headline, "", source), tuple(CLEANERS), {})
    candidate = Candidate(pair, normalize(pair.lead), normalize(pair.headline))
    for test in FILTERS.values():
        assert test(candidate, FilterSettings()) in {True, False}
    assert clean_pair(pair, ("dateline",), {}).lead in pair.lead
