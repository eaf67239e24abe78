"""Annotated and plain Gigaword, on documents of our own in their formats."""

import gzip
from pathlib import Path

from hedline.corpora.gigaword import AnnotatedGigaword, Gigaword, tree_words
from hedline.corpora.pairs import BadLine, Pair, pairs_of
from hedline.text.tokenize import normalize

AGIGA = """<?xml version="1.0" encoding="UTF-8"?>
<FILE id="tst_eng_200001">
<DOC id="TST_ENG_20000103.0001" type="story" >
<HEADLINE>
(NP (NP (NNP Harbour) (NN bridge)) (VP (VBN closed)))
(NP (NN Second) (NN line))
</HEADLINE>
<DATELINE>
(NP (NNP LUND))
</DATELINE>
<TEXT>
<P>
(ROOT (S (NP (DT The) (NN bridge)) (PRN (-LRB- -LRB-) (VBN built) (CD 1931) (-RRB- -RRB-))))
(ROOT (S (VP (VBD was) (VP (VBN closed) (NP (NNP Monday)))) (. .)) )
(ROOT (S (NP (PRP It)) (VP (MD will) (VP (VB reopen))) (. .)))
</P>
<P>
(ROOT (S (NP (JJ Second) (NN paragraph)) (. .)))
</P>
</TEXT>
<sentences>
<sentence id="1">
<tokens><token id="1"><word>The</word></token></tokens>
</sentence>
</sentences>
</DOC>
<DOC id="TST_ENG_20000103.0002" type="other" >
<HEADLINE>
(NP (NN Orphan) (NN headline))
</HEADLINE>
<TEXT>
(ROOT (NP (NN text)))
</TEXT>
</DOC>
<DOC id="TST_ENG_20000104.0003" type="story" >
<HEADLINE>
(S (NP (NNP Rain)) (VP (VBZ ends)))
</HEADLINE>
<TEXT>
<P>
(ROOT (S (NP (NN Rain)) (VP (VBD ended) (PP (IN without) (NP (DT a) (NN stop))))))
</P>
</TEXT>
</DOC>
</FILE>
"""


def write_gzip(path: Path, text: str) -> Path:
    path.write_bytes(gzip.compress(text.encode()))
    return path


def test_annotated_documents_and_both_defects_of_the_original(tmp_path: Path) -> None:
    path = write_gzip(tmp_path / "tst_eng_200001.xml.gz", AGIGA)
    first, orphan, last = pairs_of(AnnotatedGigaword(path))
    assert first == Pair(
        "The bridge ( built 1931 ) was closed Monday .",
        "Harbour bridge closed",
        "TST_ENG_20000103.0001",
        "TST",
        "2000-01-03",
    )
    # A headline without a paragraph is not given to the next document …
    assert isinstance(orphan, BadLine) and orphan.harmless
    assert orphan.line == AGIGA[: AGIGA.index("20000103.0002")].count("\n") + 1
    assert "TST_ENG_20000103.0002 has no paragraph" in orphan.why
    # … which keeps its own, and a paragraph without a full stop does not end in a `</P>` token.
    assert isinstance(last, Pair)
    assert (last.headline, last.lead) == ("Rain ends", "Rain ended without a stop")


def test_words_of_trees_are_the_models_words() -> None:
    words = tree_words(["(S (`` ``) (NP (PRP He)) (VP (MD ca) (RB n't) (VB go)) ('' '') (-RRB- -RRB-) (. .) (X y))"])
    assert words == ["``", "He", "ca", "n't", "go", "''", ")", "."]
    assert normalize(" ".join(words)) == ["``", "he", "ca", "n't", "go", "''", "-rrb-", "."]


def test_a_paragraph_without_trees_is_bad_with_file_and_line(tmp_path: Path) -> None:
    text = '<DOC id="X">\n<HEADLINE>\n(NN a)\n</HEADLINE>\n<P>\nplain words\n</P>\n</DOC>\n'
    (bad,) = pairs_of(AnnotatedGigaword(write_gzip(tmp_path / "a.xml.gz", text)))
    assert isinstance(bad, BadLine) and not bad.harmless
    assert bad.line == 1 and "holds no parse tree" in bad.why


def test_plain_gigaword(tmp_path: Path) -> None:
    text = """<DOC id="TST_ENG_19981016.0240" type="story" >
<HEADLINE>
Council &AMP; port agree
on new pier
</HEADLINE>
<DATELINE>
LUND, Oct. 16 (TST)
</DATELINE>
<TEXT>
<P>
The city council and the port of St. Olaf agreed
on Friday to build a pier. Work starts in May.
</P>
<P>
More text.
</P>
</TEXT>
</DOC>
<DOC id="TST_ENG_19981016.0241" type="story" >
<TEXT>
<P>
No headline here.
</P>
</TEXT>
</DOC>
"""
    pair, bad = pairs_of(Gigaword(write_gzip(tmp_path / "tst.gz", text)))
    assert pair == Pair(
        "The city council and the port of St. Olaf agreed on Friday to build a pier.",
        "Council & port agree on new pier",
        "TST_ENG_19981016.0240",
        "TST",
        "1998-10-16",
    )
    assert isinstance(bad, BadLine) and "no headline" in bad.why and bad.line == 19


def test_a_gigantic_document_stays_bounded(tmp_path: Path) -> None:
    text = '<DOC id="X">\n<HEADLINE>\nA b c\n</HEADLINE>\n<P>\n' + "some text goes on\n" * 50_000 + "</P>\n</DOC>\n"
    (record,) = Gigaword(write_gzip(tmp_path / "a.gz", text)).records()
    assert not isinstance(record, BadLine)
    assert len(record.raw[2]) == 500
