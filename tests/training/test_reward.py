"""The reward on the device against hedline's own ROUGE on texts, and its penalties by hand."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from hedline.metrics.rouge import RougeScorer
from hedline.text.subword import SPECIALS, Subwords, byte_letters
from hedline.training.reward import Refusals, Reward, WordReader, hash_of, is_refused, rouge

MERGES = [
    ("Ġ", "t"),
    ("Ġt", "h"),
    ("Ġth", "e"),
    ("a", "n"),
    ("Ġ", "b"),
    ("Ġb", "an"),
    ("an", "k"),
    ("Ã", "©"),
    ("1", "2"),
]
CONTROLS = ("<case:sentence>", "<case:title>", "<case:any>")
WORDS = [
    "the",
    "The",
    "bank",
    "band",
    "12",
    "1,200",
    "U.S.",
    "café",
    "né-e",
    "ban's",
    "it's",
    "re-ban",
    "Bank",
    "covid12",
    "naïve",
    "–",
    "'",
    "an'",
    "A",
]


@pytest.fixture(scope="module")
def subwords() -> Subwords:
    specials = [*SPECIALS, *CONTROLS]
    names = [*specials, *byte_letters().values(), *(left + right for left, right in MERGES)]
    return Subwords(names, MERGES, len(specials))


def padded(subwords: Subwords, texts: list[str], end: bool = True) -> torch.Tensor:
    rows = [[*subwords.encode(text), 3] if end else subwords.encode(text) for text in texts]
    width = max(len(row) for row in rows)
    return torch.tensor([row + [0] * (width - len(row)) for row in rows])


def test_scores_are_those_of_the_metric_on_texts(subwords):
    draw = random.Random(4)
    texts = [" ".join(draw.choices(WORDS, k=draw.randint(0, 14))) for _ in range(400)]
    references, candidates = texts[:100], texts[100:]
    reader = WordReader(subwords.pieces, "cpu")
    ours = rouge(reader.read(padded(subwords, candidates)), reader.read(padded(subwords, references), 62), 3)
    scorer = RougeScorer(("1", "2", "L"), stem=False)
    for name, found in enumerate(ours):
        wanted = [scorer.score(text, [references[i // 3]])[name, 2] for i, text in enumerate(candidates)]
        assert np.allclose(found.flatten().numpy(), wanted, atol=1.1e-5)


def test_words_do_not_depend_on_their_pieces(subwords):
    reader = WordReader(subwords.pieces, "cpu")
    whole, bytes_only = subwords.encode("the bank 12"), [subwords.ids[letter] for letter in "ĠtheĠbankĠ12"]
    assert len(whole) < len(bytes_only)
    one, other = (reader.read(torch.tensor([ids])) for ids in (whole, bytes_only))
    assert one.counts.tolist() == other.counts.tolist() == [3]
    assert torch.equal(one.hashes[0, :3], other.hashes[0, :3])
    assert int(one.hashes[0, 1]) % (1 << 64) == hash_of(b"bank") and one.digits[0, :3].tolist() == [False, False, True]


def test_words_beyond_the_limit_are_left_out(subwords):
    words = WordReader(subwords.pieces, "cpu").read(padded(subwords, ["the bank an it"]), 2)
    assert words.counts.tolist() == [2] and words.hashes.shape == (1, 2)


@pytest.mark.parametrize(
    ("headline", "control", "faults"),
    [
        ("Bank in Lund opens", "<case:sentence>", 0),
        ("Bank in Malmo opens", "<case:sentence>", 1),
        ("Malmo bank opens", "<case:sentence>", 0),  # the first word has its capital anyway
        ("Bank in Malmo opens", "<case:title>", 0),
        ("Bank in US opens", "<case:sentence>", 0),  # too short to tell from a short form
        ("Bank opens 13 tills", "<case:title>", 1),
        ("Bank opens 12 tills", "<case:title>", 0),
        ("Bank bank opens opens", "<case:any>", 2),
        ("Bank in Bora Bora", "<case:any>", 0),  # the lead has it so
    ],
)
def test_faults(subwords, headline, control, faults):
    reward = Reward(subwords, "cpu", sentence=subwords.ids["<case:sentence>"])
    lead = [subwords.ids[control], *subwords.encode("A bank of Lund with 12 tills opens in Bora Bora")]
    judged = reward.judge(padded(subwords, [headline])[None], padded(subwords, ["Bank opens"]), torch.tensor([lead]))
    assert judged.faults.tolist() == [[faults]]
    plain = 0.4 * judged.rouge.one + 0.4 * judged.rouge.two + 0.2 * judged.rouge.longest
    assert judged.reward.item() == pytest.approx(plain.item() - 0.1 * faults)


def test_an_empty_headline_is_worth_nothing(subwords):
    judged = Reward(subwords, "cpu").judge(
        torch.tensor([[[3, 0]]]), padded(subwords, ["Bank opens"]), torch.tensor([[4]])
    )
    assert judged.reward.item() == 0 and judged.words.item() == 0


def test_a_limited_headline_is_judged_by_its_recall_within_the_limit(subwords):
    headlines, reference = (
        padded(subwords, ["Bank opens tills in Lund", "Bank"]),
        padded(subwords, ["Bank opens in Lund"]),
    )
    reward = Reward(subwords, "cpu", limit=19)  # "Bank opens tills in" fits
    lead = torch.tensor([[subwords.ids["<case:any>"], *subwords.encode("A bank of Lund opens tills")]])
    within = reward.judge(headlines[None], reference, lead, torch.tensor([True]))
    assert within.rouge.one.tolist() == [[pytest.approx(3 / 4), pytest.approx(1 / 4)]]
    assert within.rouge.two.tolist() == [[pytest.approx(1 / 3), 0]]
    assert within.rouge.longest.tolist() == [[pytest.approx(3 / 4), pytest.approx(1 / 4)]]
    whole = reward.judge(headlines[None], reference, lead, torch.tensor([False]))
    assert whole.rouge.one.tolist() == [[pytest.approx(8 / 9), pytest.approx(2 / 5)]]


LEADS = [
    "The mayor of Lund denied on Monday that she had resigned.",
    "The bank dropped its plan to close 60 branches.",
    'Anna Berg said the plan was "not a tax cut for the rich".',
]
DRAWN = [
    ["Mayor of Lund resigned", "Mayor of Lund denies she resigned"],
    ["Bank to close 60 branches", "Bank drops plan to close 60 branches"],
    ['Berg: "A tax cut for the rich"', 'Berg: Plan "not a tax cut"'],
]


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_refuse_what_turns_the_lead_round(subwords, workers):
    samples = padded(subwords, [text for row in DRAWN for text in row]).view(3, 2, -1)
    with Refusals(subwords, workers) as refusals:
        found = refusals.begin(samples, padded(subwords, LEADS, end=False)).result()
    assert found.tolist() == [[1.0, 0.0]] * 3
    assert [is_refused(row[0], lead) for row, lead in zip(DRAWN, LEADS, strict=True)] == [True] * 3


def test_a_refused_sample_is_worth_less(subwords):
    outputs, inputs = padded(subwords, [DRAWN[1][1]]), padded(subwords, [LEADS[1]], end=False)
    judged = Reward(subwords, "cpu").judge(padded(subwords, DRAWN[1])[None], outputs, inputs)
    less = judged.less(torch.tensor([[1.0, 0.0]]), 0.15)
    assert (judged.reward - less.reward)[0].tolist() == pytest.approx([0.15, 0.0])
