import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.errors import UserError
from hedline.text.subword import (
    ANY,
    CONTROLS,
    GROUPS,
    SPECIALS,
    Subwords,
    case_control,
    dialed_support,
    known_groups,
    length_control,
    pair_controls,
    pretokens,
    support,
)

TEXTS = [
    "The harbour master of Brindle Cove resigned on Monday, the council said.",
    "Council says harbour master's resignation takes effect in 2031",
    "Naïve café owners can't pay £1,200 fines — 'never again'",
] * 4


@pytest.fixture(scope="module")
def subwords():
    pytest.importorskip("tokenizers")
    return Subwords.train(TEXTS, size=len(SPECIALS) + len(CONTROLS) + 256 + 80, controls=CONTROLS)


def test_encoding_is_what_the_tokenizers_package_gives(subwords):
    from tokenizers import Tokenizer, pre_tokenizers
    from tokenizers.models import BPE

    from hedline.text.subword import to_letters

    names = subwords.names[subwords.specials :]
    oracle = Tokenizer(BPE({name: i for i, name in enumerate(names)}, subwords.merges))
    oracle.pre_tokenizer = pre_tokenizers.Split("\n", "removed")
    for text in [*TEXTS, "A councillor's harbourmaster says: 99% unresolved!", "日本 emoji 🎈 ok"]:
        spelt = "\n".join(to_letters(pretoken) for pretoken in pretokens(text))
        expected = [i + subwords.specials for i in oracle.encode(spelt).ids]
        assert subwords.encode(text) == expected


@given(st.text())
def test_every_text_survives_up_to_spacing(text):
    plain = Subwords([*SPECIALS, *byte_names()], [], len(SPECIALS))
    expected = " ".join(text.encode("utf-8", "replace").decode().split())
    assert plain.decode(plain.encode(text)) == expected


def byte_names():
    from hedline.text.subword import byte_letters

    return sorted(byte_letters().values())


def test_save_and_load_give_the_same_vocabulary(subwords, tmp_path):
    subwords.save(tmp_path)
    again = Subwords.load(tmp_path)
    assert (again.names, again.merges, again.specials) == (subwords.names, subwords.merges, subwords.specials)
    assert again.encode(TEXTS[0]) == subwords.encode(TEXTS[0])
    assert (tmp_path / "vocab.input.txt").read_bytes() == (tmp_path / "vocab.output.txt").read_bytes()


@pytest.mark.parametrize("separator", ["\u2028", "\r", "\x85"])
def test_only_a_newline_ends_a_name(subwords, tmp_path, separator):
    subwords.save(tmp_path)
    path = tmp_path / "vocab.input.txt"
    text = path.read_bytes()
    path.write_bytes(text.replace(b"<len:any>", f"<len:{separator}any>".encode()))
    assert len(Subwords.load(tmp_path)) == len(subwords)  # as many rows as the model has
    path.write_bytes(text.removesuffix(b"\n") + f"{separator}\n".encode())
    with pytest.raises(UserError, match="no byte letter"):
        Subwords.load(tmp_path)


def test_a_damaged_vocabulary_is_one_clear_sentence(subwords, tmp_path):
    subwords.save(tmp_path)
    (tmp_path / "merges.txt").write_text("one two three\n")
    with pytest.raises(UserError, match=r"merges\.txt"):
        Subwords.load(tmp_path)
    (tmp_path / "vocab.input.txt").write_text("x\n")
    with pytest.raises(UserError, match="does not begin"):
        Subwords.load(tmp_path)


def test_a_word_is_spelt_alike_first_and_in_the_middle(subwords):
    assert subwords.encode("harbour") == subwords.encode("the harbour")[len(subwords.encode("the")) :]


@pytest.mark.parametrize(
    ("dial", "expected"),
    [(None, "<sup:2>"), (0.0, "<sup:2>"), (1.0, "<sup:2>"), (-0.2, "<sup:2>"), (-0.5, "<sup:3>"), (-1.0, "<sup:4>")],
)
def test_abstractiveness_below_zero_asks_for_more_words_of_the_lead(dial, expected):
    assert dialed_support("<sup:2>", dial) == expected
    assert dialed_support("<sup:4>", dial) == "<sup:4>"


def test_controls_say_length_support_case_and_polarity():
    lead = "The harbour master of Brindle Cove resigned on Monday, the council said."
    assert pair_controls(lead, "Brindle Cove harbour master quits") == [
        "<len:5>", "<sup:3>", "<case:sentence>", "<pol:any>",
    ]  # fmt: skip
    denied = "The harbour master of Brindle Cove did not resign on Monday, the council said."
    assert pair_controls(denied, "Brindle Cove harbour master resigns")[3] == "<pol:lost>"
    assert pair_controls(denied, "Brindle Cove harbour master does not resign")[3] == "<pol:kept>"
    assert support(lead, "Pop star dances") == 0
    assert length_control(12) == "<len:13>"
    assert length_control(40) == "<len:long>"
    assert case_control("Mayor Resigns After Bridge Contract Inquiry") == "<case:title>"
    assert case_control("Mayor resigns after bridge contract inquiry") == "<case:sentence>"
    assert all(name in CONTROLS for name in ANY)


def test_an_older_vocabulary_has_the_groups_it_has():
    older = [name for name in CONTROLS if not name.startswith("<pol:")]
    assert known_groups(older) == GROUPS[:3] and known_groups(CONTROLS) == GROUPS and known_groups([]) == ()
