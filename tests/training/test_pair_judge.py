"""Judges that read lead and headline as one text: what they read, that they learn, and that others are asked beside."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from test_panel import CPU, made_verdicts, pieces, plain_judge, reader_judge, verdict

from hedline.errors import UserError
from hedline.models.batch import END, PAD
from hedline.models.reader import Reader, Tokens
from hedline.training.judge import learn, ranking, verdicts_of, worth_taken
from hedline.training.panel import PairJudge, Panel, ReaderJudge, begin_judge, kind_of, open_judge
from hedline.training.verdicts import FAULTS, Verdict, block_of
from small_encoder import begun, tiny_encoder
from small_reader import tiny_reader, write_tokens

TEXTS = [
    ("Lund shut a bridge", ["Lund shuts", "Bridge shut zz", "A bridge is shut in Lund"]),
    ("É – 12 boats", ["12 boats", "", "É"]),
    ("Rain fell on the harbour town of Ystad for nine days", ["Rain", "Nine days of rain fell on Ystad", "Ystad zz"]),
]


def pair_judge(folder: Path, seed: int = 0, **more) -> PairJudge:
    tokens = Tokens(write_tokens(folder).parent, before="")
    judge = PairJudge(tiny_encoder(seed=seed, **more), tokens, pieces())
    with torch.no_grad():
        judge.head.weight.mul_(5.0)
    return judge.eval()


def some_verdicts() -> list[Verdict]:
    return [verdict(lead, *headlines) for lead, headlines in TEXTS]


def rows(texts: list[str]) -> torch.Tensor:
    """Headlines (S, L) as pieces that end."""
    made = [[*pieces().encode(text), END] for text in texts]
    width = max(map(len, made))
    return torch.tensor([[*row, *[PAD] * (width - len(row))] for row in made])


def test_a_lead_and_a_headline_are_one_text(tmp_path: Path) -> None:
    judge, block = pair_judge(tmp_path), block_of(some_verdicts(), CPU)
    texts, sizes = judge.texts(block.inputs.tolist(), block.headlines.tolist())
    pairs = [(lead, headline) for lead, headlines in TEXTS for headline in headlines]
    assert texts == [[0, *begun(lead), 2, 2, *begun(headline), 2] for lead, headline in pairs]
    assert sizes == [len(headline.encode()) + 1 for _, headline in pairs]


def test_what_was_asked_for_and_what_is_behind_the_end_is_not_read(tmp_path: Path) -> None:
    judge, subwords = pair_judge(tmp_path), pieces()
    lead, headline = subwords.encode("A bridge"), subwords.encode("Bridge")
    inputs = [[subwords.ids["<len:5>"], *lead, PAD, PAD], [subwords.ids["<len:any>"], *lead], lead]
    texts, sizes = judge.texts(inputs, [[[*headline, END, *lead]], [[*headline, PAD, PAD]], [headline]])
    assert texts == [[0, *begun("A bridge"), 2, 2, *begun("Bridge"), 2]] * 3 and sizes == [7] * 3
    assert judge.first == subwords.specials and judge.device == CPU


@torch.no_grad()
def test_the_first_state_and_the_mean_of_the_headlines_are_read(tmp_path: Path) -> None:
    """The mark that ends the headline counts among its states; padding, lead and the marks between do not."""
    judge, block = pair_judge(tmp_path), block_of(some_verdicts(), CPU)
    said = judge(block.inputs, block.headlines)
    assert said.shape == (3, 3, len(FAULTS)) and float(said.std()) > 0.1
    for row, (lead, headlines) in enumerate(TEXTS):
        for place, headline in enumerate(headlines):
            ids = [0, *begun(lead), 2, 2, *begun(headline), 2]
            states = judge.body(torch.tensor([ids]))[0]
            mean = states[len(begun(lead)) + 3 :].mean(0)
            wanted = judge.head.weight @ torch.cat([states[0], mean]) + judge.head.bias
            assert torch.allclose(said[row, place], wanted, atol=1e-4)


@torch.no_grad()
def test_headlines_are_judged_alike_alone_and_together_and_in_any_order(tmp_path: Path) -> None:
    judge, block = pair_judge(tmp_path), block_of(some_verdicts(), CPU)
    said = judge(block.inputs, block.headlines)
    leads, places = torch.tensor([2, 0, 1]), torch.tensor([1, 2, 0])
    turned = judge(block.inputs[leads], block.headlines[leads][:, places])
    assert torch.allclose(turned, said[leads][:, places], atol=1e-4)
    assert float((turned - said).abs().max()) > 0.1
    for row, (_, headlines) in enumerate(TEXTS):
        for place, headline in enumerate(headlines):
            alone = judge(block.inputs[row : row + 1], rows([headline])[None])
            assert torch.allclose(alone[0, 0], said[row, place], atol=1e-4)


@torch.no_grad()
def test_texts_of_about_one_length_are_read_together(tmp_path: Path) -> None:
    judge, block = pair_judge(tmp_path), block_of(some_verdicts(), CPU)
    widths: list[int] = []
    judge.body.register_forward_pre_hook(lambda _, given: widths.extend([given[0].shape[1]] * len(given[0])))
    judge(block.inputs, block.headlines)
    texts, _ = judge.texts(block.inputs.tolist(), block.headlines.tolist())
    assert len(widths) == 9 and sum(widths) < sum(map(len, texts)) + 9 * 12 < 9 * max(widths)


@torch.no_grad()
def test_another_lead_gives_another_verdict(tmp_path: Path) -> None:
    judge, block = pair_judge(tmp_path), block_of(some_verdicts(), CPU)
    same = rows(["Nine days of rain"]).expand(3, 1, -1)
    said = judge(block.inputs, same)[:, 0]
    assert min(float((said[one] - said[two]).abs().max()) for one, two in ((0, 1), (0, 2), (1, 2))) > 0.05


@torch.no_grad()
def test_a_long_lead_is_cut_and_a_headline_is_not(tmp_path: Path) -> None:
    judge, headline = pair_judge(tmp_path, positions=34), rows(["Rain in Ystad"])[None]
    long, longer = (torch.tensor([pieces().encode(text)]) for text in ("abcdefgh" * 4, "abcdefgh" * 9))
    (text,), (size,) = judge.texts(long.tolist(), headline.tolist())
    assert len(text) == 32 and text[-14:] == [*begun("Rain in Ystad"), 2] and size == 14
    assert torch.equal(judge(long, headline), judge(longer, headline))
    short = torch.tensor([pieces().encode("abc")])  # a headline that fills all the room
    assert bool(judge(short, rows(["Nine days of rain " * 4])[None]).isfinite().all())


def test_only_training_drops_parts_and_asking_leaves_no_gradient(tmp_path: Path) -> None:
    judge, block = pair_judge(tmp_path), block_of(some_verdicts(), CPU)
    worth = judge.unsound(block.headlines, block.inputs)
    assert not worth.requires_grad and worth.shape == (3, 3)
    assert 0 <= float(worth.min()) < float(worth.max()) <= 1
    assert torch.equal(worth, judge.unsound(block.headlines, block.inputs))
    assert torch.equal(worth, worth_taken(judge(block.inputs, block.headlines)))
    judge.train()
    assert not torch.equal(judge(block.inputs, block.headlines), judge(block.inputs, block.headlines))
    judge(block.inputs, block.headlines).square().sum().backward()
    felt = {name for name, value in judge.named_parameters() if float(value.grad.abs().max()) > 1e-6}
    assert {name for name, _ in judge.named_parameters() if not name.endswith("key.bias")} <= felt


def test_a_pair_judge_learns_from_verdicts(tmp_path: Path) -> None:
    judge, held = pair_judge(tmp_path, layers=1), made_verdicts(40, 9)
    losses = list(learn(judge, made_verdicts(160, 2), epochs=5, rate=1e-2, size=16))
    said, known = verdicts_of(judge, held)
    assert losses[-1] < losses[0] / 2
    assert ranking(said[:, 0], known[:, 0]) > 0.95
    block = block_of(held, CPU)
    worth = judge.unsound(block.headlines, block.inputs)
    assert float(worth[:, 0].mean()) + 0.3 < float(worth[:, 1].mean())


def test_a_saved_pair_judge_says_the_same_up_to_its_rounding(tmp_path: Path) -> None:
    judge, block = pair_judge(tmp_path, heads=3), block_of(some_verdicts(), CPU)
    judge.save(tmp_path / "one", tmp_path / "tokenizer.json")
    again = open_judge(tmp_path / "one", CPU, pieces())
    with torch.no_grad():
        for value in judge.parameters():
            value.copy_(value.bfloat16())
    assert isinstance(again, PairJudge) and not again.training and again.body.config == judge.body.config
    assert all(value.dtype == torch.float32 for value in again.parameters())
    assert torch.allclose(again.unsound(block.headlines, block.inputs), judge.unsound(block.headlines, block.inputs))


def test_saved_judges_say_of_which_kind_they_are(tmp_path: Path) -> None:
    pair_judge(tmp_path).save(tmp_path / "pair", tmp_path / "tokenizer.json")
    reader_judge(tmp_path).save(tmp_path / "reader", tmp_path / "tokenizer.json")
    plain_judge(1).save(tmp_path / "plain")
    assert list(kind_of(tmp_path / "pair")) == ["encoder"] and list(kind_of(tmp_path / "reader")) == ["reader"]
    assert kind_of(tmp_path) == {} and not {"encoder", "reader"} & set(kind_of(tmp_path / "plain"))
    with pytest.raises(UserError, match="pair holds no judge that reads with a language model; train one with"):
        ReaderJudge.open(tmp_path / "pair", CPU, pieces())
    with pytest.raises(UserError, match="holds no judge; make one with"):
        open_judge(tmp_path, CPU, pieces())


def test_a_judge_begins_with_the_model_that_a_folder_holds(tmp_path: Path) -> None:
    tokens = write_tokens(tmp_path)
    tiny_encoder().save(tmp_path / "encoder", tokens)
    tiny_reader().save(tmp_path / "reader", tokens)
    subwords = pieces()
    pair, single = (begin_judge(tmp_path / name, subwords) for name in ("encoder", "reader"))
    assert isinstance(pair, PairJudge) and pair.tokens.before == "" and pair.subwords is subwords
    assert isinstance(single, ReaderJudge) and single.tokens.before == " " and isinstance(single.body, Reader)
    wanted = tiny_encoder().state_dict()
    assert all(torch.equal(value, wanted[name].bfloat16().float()) for name, value in pair.body.state_dict().items())
    with pytest.raises(UserError, match="holds no reader; make one with"):
        begin_judge(tmp_path, subwords)


def test_a_panel_means_a_pair_judge_and_others(tmp_path: Path) -> None:
    block, tokens = block_of(some_verdicts(), CPU), tmp_path / "tokens/tokenizer.json"
    pair_judge(tokens.parent, 1).save(tmp_path / "one", tokens)
    pair_judge(tokens.parent, 2).save(tmp_path / "two", tokens)
    plain_judge(3).save(tmp_path / "plain")
    reader_judge(tmp_path / "other", 4, spare="other").save(tmp_path / "reader", tmp_path / "other/tokenizer.json")
    apart = {
        name: open_judge(tmp_path / name, CPU, pieces()).unsound(block.headlines, block.inputs)
        for name in ("one", "two", "plain", "reader")
    }
    assert min(float((a - b).abs().max()) for a in apart.values() for b in apart.values() if a is not b) > 1e-3
    for asked in (["one"], ["one", "two"], ["plain", "one"], ["one", "reader"], ["reader", "one", "plain", "two"]):
        panel = Panel([tmp_path / name for name in asked], CPU, pieces())
        said = panel.unsound(block.headlines, block.inputs)
        assert torch.allclose(said, sum(apart[name] for name in asked) / len(asked), atol=1e-6)
        for name in [*asked, asked[0]]:
            assert torch.allclose(panel.unsound(block.headlines, block.inputs, in_turn=True), apart[name], atol=1e-6)
