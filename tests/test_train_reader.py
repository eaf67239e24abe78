"""How a reader is taught to write headlines, and which of its headlines become lessons."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT / "scripts/gpu"), str(ROOT / "tests")]

from reader_labels import best_of, overlap, same_length  # noqa: E402
from train_reader import batches, block, loss_of, written_pairs  # noqa: E402

from hedline.text.subword import ANY, Subwords  # noqa: E402
from hedline.training.panel import control_token  # noqa: E402
from hedline.training.verdicts import held_out  # noqa: E402
from small_reader import VOCABULARY, bytes_of, tiny_reader, write_tokens  # noqa: E402

DEFAULT = ROOT / "src/hedline/shipped/default"
LEADS = [f"The mayor of town number {number} resigned on Monday." for number in range(60)]


@pytest.fixture
def reader(tmp_path: Path) -> Path:
    tiny_reader().save(tmp_path / "reader", write_tokens(tmp_path / "made"))
    return tmp_path / "reader"


def test_leads_by_which_judges_are_judged_are_not_taught(tmp_path: Path, reader: Path) -> None:
    file = tmp_path / "judged.tsv"
    file.write_text("".join(f"{lead}\tMayor resigns\tgood:Mayor resigns\n" for lead in LEADS), encoding="utf-8")
    spared = [lead for lead in LEADS if held_out(lead)]
    taught = {tuple(lead[len(ANY) :]) for lead, _ in written_pairs(None, [file], DEFAULT, reader)}
    assert 0 < len(spared) < len(LEADS) / 3
    assert taught == {tuple(bytes_of(lead)) for lead in LEADS if lead not in spared}


def test_a_lesson_begins_with_the_control_tokens_of_use(tmp_path: Path, reader: Path) -> None:
    lead = next(lead for lead in LEADS if not held_out(lead))
    file = tmp_path / "judged.tsv"
    file.write_text(f"{lead}\tMayor resigns\tgood:Mayor resigns\n", encoding="utf-8")
    ids = Subwords.load(DEFAULT).ids
    wanted = [control_token(ids[name], VOCABULARY) for name in ("<len:any>", "<sup:2>", "<case:any>", "<pol:any>")]
    first, *_ = written_pairs(None, [file], DEFAULT, reader)
    assert first == ([*wanted, *bytes_of(lead)], bytes_of("Mayor resigns"))


def test_only_the_headline_and_its_end_are_predicted() -> None:
    model = tiny_reader()
    pairs = [([5, 6, 7], [8, 9]), ([5, 6, 7, 10, 11], [12])]
    made = block(pairs, model, [], hide=False)
    config = model.config
    assert made.ids[0].tolist() == [5, 6, 7, config.after, 8, 9, config.end, config.pad]
    assert made.targets.tolist() == [8, 9, config.end, 12, config.end]
    assert made.ids.flatten()[made.places].tolist() == [config.after, 8, 9, config.after, 12]
    states = model(made.ids, torch.arange(8).expand(2, 8)).flatten(0, 1)[made.places]
    expected = torch.nn.functional.cross_entropy(states @ model.embedding.weight.T, made.targets, reduction="sum")
    assert float(loss_of(model, made).detach()) == pytest.approx(float(expected.detach()), rel=1e-4)


def test_batches_hold_every_pair_once_and_fit() -> None:
    pairs = [([1] * (3 + at % 7), [2] * (1 + at % 3)) for at in range(100)]
    found = list(batches(pairs, 60, 1))
    assert sorted(map(str, (pair for batch in found for pair in batch))) == sorted(map(str, pairs))
    assert all(len(batch) * max(len(one) + len(two) + 2 for one, two in batch) <= 60 for batch in found)


def test_leads_of_a_batch_have_one_length() -> None:
    import random

    pairs = [([1] * (3 + at % 7), [2]) for at in range(100)]
    found = list(same_length(pairs, 30, random.Random(1)))
    assert sum(map(len, found)) == 100
    assert all(len({len(lead) for lead, _ in batch}) == 1 and len(batch) * len(batch[0][0]) <= 30 for batch in found)


def test_the_headline_that_others_agree_with_is_taken_unless_it_is_unsound() -> None:
    texts = ["mayor of Lund resigns on Monday", "mayor of Lund resigns", "mayor wins a second term again"]
    assert best_of(("lead", texts, [0.1, 0.1, 0.1]))["headline"] != texts[2]
    assert best_of(("lead", texts, [0.5, 0.9, 0.1]))["headline"] == texts[0]
    assert best_of(("lead", texts, [0.9, 0.9, 0.9])) is None
    assert best_of(("lead", ["", "", ""], [0.0, 0.0, 0.0])) is None  # drawn headlines that did not end


def test_overlap_is_dices_share() -> None:
    from collections import Counter

    assert overlap(Counter("aab"), Counter("abc")) == pytest.approx(2 * 2 / 6)
    assert overlap(Counter(), Counter()) == 0
