"""The sentence splitter against the usual traps."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.text.sentences import first_sentence, split_sentences

# Sentences of each text; joined with a space they are the input.
TEXTS = [
    ["It rained.", "Then it stopped."],
    ["Mr. Brown met Dr. Green and Sen. White.", "They talked."],
    ["J. K. Doe and George W. Roe won.", "Nobody else did."],
    ["U.S. President Doe left the U.S. on Jan. 5.", "He returned."],
    ["He moved to the U.S.", "The rest stayed."],
    ["Acme Inc. sued Apex Corp. over 3.5 million euros.", "It lost."],
    ["It opens at 9 a.m. Monday.", "Bring No. 5 and $2.50."],
    ['"I quit."', "She meant it."],
    ['He said: "Go away!"', '"Why?"', "No answer."],
    ["(It was late.)", "[So it was.]", "Done."],
    ["Wait... what?!", "Yes."],
    ["See https://example.org/a.b?c=d. for more."],
    ["Version 2.0 shipped at example.com today.", "Users cheered."],
    ["Smith vs. Jones is the case, e.g. The Harbour case, says St. John."],
    ["They voted yes.", "5 people disagreed."],
    ["The answer is no.", "Nobody asked."],
    ["So did I.", "They knew."],
    ["“Enough.”", "‘Really?’", "Yes."],
    ["Ms. Roe, Ph.D., spoke.", "All listened…", "No one left."],
    ["no capitals here. nothing to split"],
    ["日本語です。"],
]


@pytest.mark.parametrize("sentences", TEXTS, ids=lambda sentences: sentences[0][:20])
def test_splits(sentences: list[str]) -> None:
    assert split_sentences(" ".join(sentences)) == sentences


@given(st.text(st.characters(codec=None)))
def test_no_text_is_lost(text: str) -> None:
    sentences = split_sentences(text)
    assert "".join("".join(sentences).split()) == "".join(text.split())
    assert all(sentence == sentence.strip() and sentence for sentence in sentences)


def test_first_sentence() -> None:
    assert first_sentence("One. Two.") == "One."
    assert first_sentence(" \n") == ""
    assert first_sentence("  The bridge\nfell. Nobody was hurt.") == "The bridge\nfell."
