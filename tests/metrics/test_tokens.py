"""The script's tokens and stems, each against a plain statement of what it should be."""

from __future__ import annotations

import pytest

from hedline.metrics.tokens import STEMMER, Tokenizer, count_words, exceptions, first_words, porter, stop_words


def test_only_ascii_letters_and_digits_make_tokens():
    tokens = Tokenizer(stem=False).joined("The U.S.-led État, 1,200 men_and $5m—CAFÉ")
    assert tokens == ["the", "u", "s", "led", "tat", "1", "200", "men", "and", "5m", "caf"]


def test_a_byte_limit_cuts_words_and_counts_leading_spaces():
    assert Tokenizer(stem=False, byte_limit=8).joined("  police kill") == ["police"]
    assert Tokenizer(stem=False, byte_limit=10).joined("police kill") == ["police", "kil"]
    assert Tokenizer(stem=False, byte_limit=2).joined("éa") == [], "é is two bytes"


def test_leading_white_space_is_a_word_to_the_word_limit():
    assert first_words(b" a b c", 2) == b"a"
    assert first_words(b"a b c", 2) == b"a b"
    assert (count_words(b" a b "), count_words(b"a b"), count_words(b"  ")) == (3, 2, 0)


def test_lines_share_the_limit_in_ngrams_but_not_in_lcs():
    tokenizer = Tokenizer(stem=False, byte_limit=6)
    assert tokenizer.joined("aaaa\nbbbb") == ["aaaa", "bb"]
    assert tokenizer.sentences("aaaa\nbbbb\ncccccccc\ndd") == [["aaaa"], ["bbbb"], ["cccccc"]]


def test_stop_words_go_before_stemming():
    assert Tokenizer(stop=True).joined("he was being painted") == ["paint"]
    assert len(stop_words()) > 500


@pytest.mark.parametrize(
    ("word", "stem"),
    [("governmental", "govern"), ("agreement", "agreem"), ("happily", "happili"), ("nationalization", "nation"),
     ("yelling", "yell"), ("controlling", "control"), ("90s", "90"), ("hopping", "hop"), ("filing", "file")],
)  # fmt: skip
def test_stems_of_the_script(word, stem):
    assert porter(word) == stem


def test_exceptions_are_found_before_the_rules():
    assert len(exceptions()) > 5000
    assert [STEMMER[word] for word in ("geese", "better", "went")] == ["goose", "well", "go"]
