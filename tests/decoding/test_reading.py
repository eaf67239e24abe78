"""What of a raw text is read, what a user is told about it, and the control tokens a model gets."""

from __future__ import annotations

import numpy as np
import pytest

from hedline.api import load
from hedline.decoding.options import DecodeOptions, Defaults
from hedline.decoding.reading import MOST_WORDS, UNREADABLE, UNSPACED, SubwordReader, WordReader, take_in
from hedline.text.casing import Truecaser
from hedline.text.subword import ANY, CONTROLS, END, GROUPS, SPECIALS, Subwords, byte_letters
from hedline.text.vocab import Vocabulary

SENTENCE = "The harbour board sold the old ferry to a museum in Visby on Monday."


@pytest.mark.parametrize(
    ("text", "note"),
    [
        ("", "the input is empty"),
        ("  \n <p></p> ", "the input is empty"),
        ("Ferry sold", "its own headline"),
        ("港湾局は月曜日に古いフェリーを博物館に売却した", UNSPACED),
    ],
)
def test_what_cannot_be_shortened_is_the_answer(text: str, note: str) -> None:
    taken = take_in(text, DecodeOptions())
    assert taken.finished and note in taken.notes[0]


def test_a_short_text_is_no_answer_where_a_limit_is_smaller() -> None:
    assert not take_in("Ferry sold", DecodeOptions(bytes=5)).finished
    assert not take_in("Ferry sold", DecodeOptions(exact_words=1)).finished
    assert take_in("Ferry sold", DecodeOptions(exact_words=2)).text == "Ferry sold"


def test_sentences_are_read_up_to_a_number_of_words_and_the_first_one_always() -> None:
    taken = take_in(" ".join([SENTENCE] * 10), DecodeOptions())
    assert taken.text == " ".join([SENTENCE] * (MOST_WORDS // 13)) and taken.notes == (
        "only the first 4 sentences were read",
    )
    long = "The board " + "and the council " * 40 + "sold a ferry."
    taken = take_in(f"{long} {SENTENCE}", DecodeOptions())
    assert taken.text == long and taken.notes == ("only the first sentence was read",)


def test_characters_that_could_not_be_read_are_told() -> None:
    assert take_in(SENTENCE.replace("board", "b\N{REPLACEMENT CHARACTER}ard"), DecodeOptions()).notes == (UNREADABLE,)


@pytest.fixture(scope="module")
def pieces() -> Subwords:
    specials = [*SPECIALS, *CONTROLS]
    return Subwords([*specials, *byte_letters().values()], [], len(specials))


def test_a_subword_reader_cuts_after_words_or_twice_as_many_pieces(pieces: Subwords) -> None:
    reader = SubwordReader(pieces)
    source, cut = reader.read("a b c d", 3)
    assert (reader.words(source), reader.text(source), cut) == (("a", "b", "c"), "a b c", True)
    source, cut = reader.read("ab cd", 3)  # three pieces each, the space before a word counts
    assert reader.words(source) == ("ab", "cd") and not cut
    assert reader.words(reader.read("abcd efgh", 3)[0]) == ("abcd",)
    assert len(reader.read("abcdefgh", 3)[0].pieces) == 6  # a first word that is too long is cut


def test_capitals_alone_are_calmed_before_they_are_read(pieces: Subwords) -> None:
    reader = SubwordReader(pieces, casing=lambda: {"visby": "Visby"})
    source, _ = reader.read("HARBOUR BOARD SELLS OLD FERRY TO MUSEUM IN VISBY ON MONDAY", 100)
    assert "harbour board" in reader.text(source).lower() and "HARBOUR" not in reader.text(source)
    assert "Visby" in reader.words(source)


def test_control_tokens_follow_the_question_and_the_text(pieces: Subwords) -> None:
    reader = SubwordReader(pieces, controls={"polarity": GROUPS[3][0]})

    def named(text: str, **options: object) -> list[str]:
        return [pieces.names[index] for index in reader.control_ids(DecodeOptions(**options), text)]

    assert named(SENTENCE)[0] == ANY[0]
    eight = named(SENTENCE, words=8)[0]
    assert eight != ANY[0] and named(SENTENCE, words=20)[0] not in (eight, ANY[0])
    assert named(SENTENCE, bytes=52)[0] == eight  # 6.5 bytes for a word
    assert named(SENTENCE)[3] == ANY[3]
    assert named(SENTENCE.replace("sold", "did not sell"))[3] == GROUPS[3][0] != ANY[3]


@pytest.mark.parametrize("listed", [[], [0], [3, 9], [3, *range(4, 200)]])
def test_the_pieces_of_the_text_and_the_end_are_always_candidates(pieces: Subwords, listed: list[int]) -> None:
    reader = SubwordReader(pieces, lambda _: np.array(listed, np.int64))
    source = reader.read(SENTENCE, 100)[0]
    options = Defaults().settle(DecodeOptions())
    (candidates,) = reader.open([source], options).candidates
    assert candidates.tolist() == sorted({*listed, *source.pieces, END})


def test_barred_words_are_no_candidates_unless_the_text_has_their_piece() -> None:
    reader = load("tiny").reader
    assert isinstance(reader, SubwordReader)
    source, options = reader.read(SENTENCE, 100)[0], Defaults().settle(DecodeOptions(full_vocabulary=False))
    first = [reader.subwords.encode(word)[0] for word in ("Trump", "police", "Xq")]
    barred = reader.barring(source, ["Trump", "police", "Xq", *source.words])
    before, after = (set(reader.open([each], options).candidates[0].tolist()) for each in (source, barred))
    assert before - after == before & set(first[:2]) != set()  # the piece of "Xq" begins too many words
    assert reader.barring(source, []) is source


def test_a_word_reader_tells_another_language_by_its_unknown_words() -> None:
    known = Vocabulary(
        [
            *SPECIALS,
            *["the", "harbour", "board", "sold", "old", "ferry", "to", "a", "museum", "in", "on", "monday", "."],
        ]
    )
    reader = WordReader(known, known, Truecaser())
    source, cut = reader.read(SENTENCE, 5)
    assert cut and reader.words(source) == ("The", "harbour", "board", "sold", "the")
    assert reader.text(source) == "The harbour board sold the"
    assert not reader.foreign(reader.read(SENTENCE, 100)[0])
    assert reader.foreign(reader.read("Le port a vendu son vieux bateau au musée de la ville lundi matin.", 100)[0])


def test_a_text_in_capitals_or_small_letters_is_read_as_usually_written_by_a_word_model() -> None:
    words = Vocabulary(["<pad>", "<unk>", "<s>", "</s>", "ferry"])
    reader = WordReader(words, words, Truecaser({"lund": "Lund"}))
    source, cut = reader.read("THE OLD FERRY OF LUND IS SOLD", 100)
    assert reader.text(source) == "The old ferry of Lund is sold" and not cut
    assert reader.text(reader.read("the old ferry of lund is sold", 100)[0]) == "The old ferry of Lund is sold"
    assert reader.text(reader.read("the old ferry of lund 's is sold", 100)[0]).startswith("the old")  # tokens


def test_unreadable_characters_are_told_of_a_long_text_too() -> None:
    summary = load("abs").summarize(["Caf\N{REPLACEMENT CHARACTER} " + "sells ferry " * 80])[0]
    assert UNREADABLE in summary.notes and any("words were read" in note for note in summary.notes)
