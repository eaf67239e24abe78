"""Judges with a language model of others: what they read, that they learn; and several judges asked together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from hedline.errors import UserError
from hedline.models.reader import Tokens
from hedline.models.transformer import Transformer, TransformerConfig
from hedline.text.subword import ANY, SPECIALS, Subwords, byte_letters
from hedline.training.judge import Judge, learn, ranking, verdicts_of
from hedline.training.panel import Panel, ReaderJudge, control_token, open_judge, until_end
from hedline.training.verdicts import Verdict, block_of, labels
from small_reader import VOCABULARY, bytes_of, tiny_reader, write_tokens

CPU = torch.device("cpu")
CONTROLS = ["<len:5>", "<sup:2>", *ANY]
HIDDEN = [299 - (len(SPECIALS) + CONTROLS.index(name)) for name in ANY]  # the tokens of ANY, counted from the last
SIZES = {"width": 16, "inner": 32, "heads": 2, "encoder_layers": 1, "decoder_layers": 1}


def pieces() -> Subwords:
    """Every byte is a piece, and ` z` is one."""
    names = [*SPECIALS, *CONTROLS, *byte_letters().values(), "Ġz"]
    return Subwords(names, [("Ġ", "z")], len(SPECIALS) + len(CONTROLS))


def reader_judge(folder: Path, seed: int = 0, spare: str = "rare", **more) -> ReaderJudge:
    tokens = Tokens(write_tokens(folder, spare).parent)
    judge = ReaderJudge(tiny_reader(seed=seed, **{"layers": 1, **more}), tokens, pieces())
    with torch.no_grad():
        judge.head.weight.mul_(5.0)
    return judge.eval()


def plain_judge(seed: int, vocabulary: int | None = None) -> Judge:
    torch.manual_seed(seed)
    return Judge(Transformer(TransformerConfig(vocabulary or len(pieces()), **SIZES))).eval()


def verdict(lead: str, *headlines: str) -> Verdict:
    """Good headlines; those that hold a `z` are untrue."""
    subwords = pieces()
    controls = [subwords.ids[name] for name in ("<len:5>", "<sup:2>", *ANY[2:])]
    known = [labels("untrue" if "z" in text else "good") for text in headlines]
    return Verdict([*controls, *subwords.encode(lead)], [subwords.encode(text) for text in headlines], known)


def some_verdicts() -> list[Verdict]:
    return [verdict("Lund shut a bridge", "Lund shuts", "Bridge shut zz"), verdict("É – 12 boats", "12 boats", "", "É")]


def made_verdicts(count: int, seed: int) -> list[Verdict]:
    random = np.random.default_rng(seed)
    found = []
    for _ in range(count):
        lead = "".join(random.choice(list("abcdef"), 5))
        found.append(verdict(lead, lead[:2], f"{lead[0]}z" if random.random() < 0.5 else f"z{lead[1]}"))
    return found


def test_pieces_are_read_as_text(tmp_path: Path) -> None:
    judge, block = reader_judge(tmp_path), block_of(some_verdicts(), CPU)
    rows = judge.rows(block.inputs.tolist(), block.headlines.tolist())
    assert HIDDEN == [293, 292, 291, 290]
    texts = [("Lund shut a bridge", ["Lund shuts", "Bridge shut zz", ""]), ("É – 12 boats", ["12 boats", "", "É"])]
    for row, (lead, headlines) in enumerate(texts):
        wanted = HIDDEN + bytes_of(lead)
        for headline in headlines:
            wanted += [1, *bytes_of(headline), 2]
        assert rows.ids[row, : len(wanted)].tolist() == wanted
        assert (rows.owners[row] >= 0).sum() == len(wanted)


def test_what_was_asked_for_and_what_is_behind_the_end_are_hidden(tmp_path: Path) -> None:
    judge, subwords = reader_judge(tmp_path), pieces()
    lead, headline = subwords.encode("A bridge"), subwords.encode("Bridge")
    inputs = [[subwords.ids["<len:5>"], *lead, 0, 0], [subwords.ids["<len:any>"], *lead]]
    rows = judge.rows(inputs, [[[*headline, 3, *lead]], [[*headline, 0, 0]]])
    assert all(torch.equal(part[0], part[1]) for part in rows)
    assert judge.first == len(SPECIALS) + len(CONTROLS)


def test_a_model_without_control_tokens_has_none_before_the_lead(tmp_path: Path) -> None:
    judge = reader_judge(tmp_path)
    judge.subwords = Subwords([*SPECIALS, *byte_letters().values()], [], len(SPECIALS))
    rows = judge.rows([judge.subwords.encode("Lund")], [[judge.subwords.encode("A")]])
    assert rows.ids[0, :9].tolist() == [*bytes_of("Lund"), 1, *bytes_of("A"), 2]


@torch.no_grad()
def test_several_headlines_are_judged_as_each_alone(tmp_path: Path) -> None:
    """The head is given the state that has read the end, and the mean over the headline with its two marks."""
    judge = reader_judge(tmp_path, layers=2)
    block = block_of(some_verdicts(), CPU)
    said = judge(block.inputs, block.headlines)
    texts = [("Lund shut a bridge", ["Lund shuts", "Bridge shut zz"]), ("É – 12 boats", ["12 boats", "", "É"])]
    for row, (lead, headlines) in enumerate(texts):
        begun = HIDDEN + bytes_of(lead)
        for place, headline in enumerate(headlines):
            ids = torch.tensor([[*begun, 1, *bytes_of(headline), 2]])
            states = judge.body(ids, torch.arange(ids.shape[1])[None])[0, len(begun) :]
            wanted = judge.head.weight @ torch.cat([states[-1], states.mean(0)]) + judge.head.bias
            assert torch.allclose(said[row, place], wanted, atol=1e-4)
    assert float(said.std()) > 0.1


def test_a_judge_learns_from_verdicts(tmp_path: Path) -> None:
    judge, held = reader_judge(tmp_path), made_verdicts(40, 9)
    losses = list(learn(judge, made_verdicts(160, 2), epochs=5, rate=1e-2, size=16))
    said, known = verdicts_of(judge, held)
    assert losses[-1] < losses[0] / 2
    assert ranking(said[:, 0], known[:, 0]) > 0.95
    block = block_of(held, CPU)
    worth = judge.unsound(block.headlines, block.inputs)
    assert float(worth[:, 0].mean()) + 0.3 < float(worth[:, 1].mean())
    assert 0 <= float(worth.min()) <= float(worth.max()) <= 1


def test_a_saved_judge_says_the_same_up_to_its_rounding(tmp_path: Path) -> None:
    judge, block = reader_judge(tmp_path), block_of(some_verdicts(), CPU)
    judge.save(tmp_path / "one", tmp_path / "tokenizer.json")
    again = open_judge(tmp_path / "one", CPU, pieces())
    with torch.no_grad():
        for value in judge.parameters():
            value.copy_(value.bfloat16())
    assert isinstance(again, ReaderJudge) and not again.training
    assert torch.allclose(again.unsound(block.headlines, block.inputs), judge.unsound(block.headlines, block.inputs))


def test_a_panel_averages_all_its_judges(tmp_path: Path) -> None:
    block = block_of(some_verdicts(), CPU)
    for name, seed in (("one", 1), ("two", 2)):
        reader_judge(tmp_path / "tokens", seed).save(tmp_path / name, tmp_path / "tokens/tokenizer.json")
    plain_judge(3).save(tmp_path / "three")
    plain_judge(4).save(tmp_path / "four")
    apart = {
        name: open_judge(tmp_path / name, CPU, pieces()).unsound(block.headlines, block.inputs)
        for name in ("one", "two", "three", "four")
    }
    assert min(float((a - b).abs().max()) for a in apart.values() for b in apart.values() if a is not b) > 1e-3
    for asked in (["one"], ["three", "four"], ["one", "two"], ["one", "three", "two"]):
        said = Panel([tmp_path / name for name in asked], CPU, pieces()).unsound(block.headlines, block.inputs)
        assert torch.allclose(said, sum(apart[name] for name in asked) / len(asked), atol=1e-6)
    panel = Panel([tmp_path / name for name in ("one", "three", "two")], CPU, pieces())
    for name in ("one", "three", "two", "one"):
        assert torch.allclose(panel.unsound(block.headlines, block.inputs, in_turn=True), apart[name], atol=1e-6)


def test_judges_that_do_not_fit_are_told_in_one_sentence(tmp_path: Path) -> None:
    plain_judge(1, vocabulary=31).save(tmp_path / "small")
    with pytest.raises(UserError, match=r"the judge .*small reads other pieces than the model; train one from"):
        Panel([tmp_path / "small"], CPU, pieces())
    for name in ("rare", "other"):
        reader_judge(tmp_path / "tokens", spare=name).save(tmp_path / name, tmp_path / "tokens/tokenizer.json")
    assert len(Panel([tmp_path / "rare", tmp_path / "rare"], CPU, pieces()).judges) == 2
    with pytest.raises(UserError, match="read with different language models; name judges that began as the same"):
        Panel([tmp_path / "rare", tmp_path / "other"], CPU, pieces())
    with pytest.raises(UserError, match="holds no judge"):
        Panel([tmp_path], CPU, pieces())


def test_control_tokens_are_the_last_of_the_reader() -> None:
    assert [control_token(control, VOCABULARY) for control in (0, 4, 9)] == [299, 295, 290]


def test_pieces_behind_the_end_are_not_read() -> None:
    assert [until_end(ids) for ids in ([8, 9, 3, 7, 3], [3, 0], [8, 0])] == [[8, 9], [], [8, 0]]
