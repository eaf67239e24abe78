"""Trees over headline words: which words belong together, what hangs below, how long a headline is."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lead_trees import parsed, tree_of, trees

from hedline.baselines.trees import NO_HEAD, Tree, Word, byte_length, print_words, with_headline_words
from hedline.text.tokenize import read_source


def test_pieces_of_a_printed_word_are_one_word() -> None:
    tree = tree_of("The firm did not sell")
    words = {word.text: word for word in tree.words}
    assert "four-year-old" in words and "-" not in words
    assert tree.words[words["four-year-old"].head].text == "shop"


def test_quotes_have_their_treebank_forms() -> None:
    assert [word.text for word in tree_of("The head of").words if word.tag in {"``", "''"}] == ["``", "''"]


def test_all_words_together_are_the_lead() -> None:
    for tree in trees():
        assert "".join(tree.headline(range(len(tree))).split()) == "".join(tree.text.split())


def test_every_word_hangs_below_its_root_once() -> None:
    for tree in trees():
        found = [position for root in tree.roots for position in tree.below(root)]
        assert sorted(found) == list(range(len(tree)))
        assert all(position in tree.subtree(head) for position in range(len(tree)) for head in tree.above(position))


@given(st.lists(st.sampled_from(["Storm", "do", "n't", "``", "''", "(", ")", ",", "café", "$", "5", "%"]), max_size=8))
def test_byte_length_is_that_of_the_printed_words(texts: list[str]) -> None:
    assert byte_length(texts) == len(print_words(texts).encode("utf-8"))


@given(st.text(alphabet="ab1-.,'\" ()é", min_size=1, max_size=25), st.data())
def test_any_other_tokenisation_is_fused_without_loss(text: str, data: st.DataObject) -> None:
    """Random words that cover the text: after fusing, each of our tokens stands in exactly one word."""
    solid = [i for i, character in enumerate(text) if not character.isspace()]
    if not solid:
        return
    cuts = [i for i in solid[1:] if i - 1 not in solid or data.draw(st.booleans())]
    starts = [solid[0], *cuts]
    ends = [max(i for i in solid if i < end) + 1 for end in [*cuts, len(text)]]
    words = tuple(
        Word(text[s:e], text[s:e], "X", "X", number - 1 if number else NO_HEAD, "dep", s, e)
        for number, (s, e) in enumerate(zip(starts, ends, strict=True))
    )
    fused = with_headline_words(Tree(text, words))
    ours = [token.text for token in read_source(text).tokens]
    assert (
        "".join(print_words(w.text for w in fused.words).split()).lower() == "".join(print_words(ours).split()).lower()
    )
    assert all(word.head < position for position, word in enumerate(fused.words))


def test_a_clause_has_a_verb_and_a_subject() -> None:
    tree = tree_of("Marta Ilves")
    assert {tree.words[i].text for i in range(len(tree)) if tree.is_clause(i)} == {"won", "retired"}


@pytest.mark.parametrize("tree", parsed(), ids=lambda tree: tree.text[:20])
def test_fusing_twice_changes_nothing(tree: Tree) -> None:
    once = with_headline_words(tree)
    assert [w.head for w in with_headline_words(once).words] == [w.head for w in once.words]
