"""Training pairs one by one and as word ids, fits that go on where they stopped, and the headlines' language model."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_pairs import pairs, write_pairs

from hedline.baselines import fitting as module
from hedline.baselines.fitting import (
    Corpus,
    LanguageModel,
    Texts,
    WorkFolder,
    data_identity,
    encode_corpus,
    join_text,
    learn_casing,
    load_array,
    save_array,
    split_text,
    training_pairs,
)
from hedline.corpora.pairs import Pair
from hedline.errors import UserError
from hedline.text.tokenize import normalize
from hedline.text.vocab import SPECIALS


def test_an_interrupted_fit_does_no_step_twice(tmp_path: Path) -> None:
    calls = []

    def make() -> dict[str, np.ndarray]:
        calls.append(1)
        return {"ids": np.arange(3)}

    for settings in ({"order": 3}, {"order": 3}, {"order": 4}):
        assert WorkFolder(tmp_path, settings).arrays("step", make)["ids"].tolist() == [0, 1, 2]
    assert len(calls) == 2


def test_training_pairs_pass_over_bad_lines(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text('{"lead": "A tram derailed.", "headline": "Tram derails"}\nnot json\n', encoding="utf-8")
    assert [pair.headline for pair in training_pairs([file])] == ["Tram derails"]
    (tmp_path / "empty.jsonl").write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="no pairs to learn from"):
        list(training_pairs([tmp_path / "empty.jsonl"]))


def test_a_damaged_array_is_a_sentence(tmp_path: Path) -> None:
    save_array(tmp_path / "a.npy", np.arange(5))
    assert load_array(tmp_path / "a.npy").tolist() == [0, 1, 2, 3, 4]
    (tmp_path / "a.npy").write_bytes(b"no array")
    with pytest.raises(UserError, match="fit the baseline again"):
        load_array(tmp_path / "a.npy")


def test_the_identity_of_data_changes_with_its_files(tmp_path: Path) -> None:
    file = tmp_path / "pairs.jsonl"
    file.write_text("{}\n", encoding="utf-8")
    before = data_identity([file])
    assert data_identity([file]) == before and len(before) == 16
    file.write_text("{}\n{}\n", encoding="utf-8")
    assert data_identity([file]) != before


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    return [write_pairs(tmp_path / f"{seed}.jsonl", 30, seed) for seed in (1, 2)]


def sentences(corpus: Corpus, texts: Texts) -> list[list[str]]:
    return [[corpus.words[word] for word in texts[number]] for number in range(len(texts))]


def test_ids_give_the_words_of_every_pair(files: list[Path], tmp_path: Path) -> None:
    corpus = encode_corpus(files, WorkFolder(tmp_path, {}))
    both = pairs(30, 1) + pairs(30, 2)
    assert sentences(corpus, corpus.leads) == [normalize(lead) for lead, _ in both]
    assert sentences(corpus, corpus.headlines) == [normalize(headline) for _, headline in both]
    assert tuple(corpus.words[:4]) == SPECIALS and len(set(corpus.words)) == len(corpus.words)
    assert corpus.leads.lengths.sum() == len(corpus.leads.owners) == len(corpus.leads.flat)
    assert encode_corpus(files, WorkFolder(tmp_path, {"limit": 40}), limit=40).leads.lengths.tolist() == [
        len(normalize(lead)) for lead, _ in both[:40]
    ]


def test_a_file_read_before_is_not_read_again(
    files: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = encode_corpus(files, WorkFolder(tmp_path / "whole", {}))
    encode_corpus(files[:1], WorkFolder(tmp_path / "half", {}))
    read, encode = [], module._encode_file
    monkeypatch.setattr(module, "_encode_file", lambda path, *more: read.append(path) or encode(path, *more))
    again = encode_corpus(files, WorkFolder(tmp_path / "half", {}))
    assert read == files[1:]
    assert again.words == whole.words
    assert sentences(again, again.leads) == sentences(whole, whole.leads)


def test_rare_words_become_unknown_and_the_commonest_come_first(files: list[Path], tmp_path: Path) -> None:
    corpus = encode_corpus(files, WorkFolder(tmp_path, {}))
    flat = [word for text in sentences(corpus, corpus.leads) + sentences(corpus, corpus.headlines) for word in text]
    few = corpus.frequent(10, most=12)
    counts = [flat.count(word) for word in few.words[4:]]
    assert len(counts) == 12 and counts == sorted(counts, reverse=True) and counts[-1] >= 10
    expected = [[word if word in few.words else "<unk>" for word in text] for text in sentences(corpus, corpus.leads)]
    assert sentences(few, few.leads) == expected


def test_casing_is_learnt_from_the_first_leads() -> None:
    told = [Pair("The mayor of Lund met nurses.", "")] * 5 + [Pair("The mayor of LUND met nurses.", "")] * 20
    assert learn_casing(told, {"lund", "nurses"}, leads=5).form("lund") == "Lund"
    assert learn_casing(told, {"lund", "nurses"}).form("lund") == "LUND"
    assert learn_casing(told, {"nurses"}).form("lund") is None


def test_a_text_survives_as_an_array() -> None:
    assert join_text(split_text("Zoë\nfährt")) == "Zoë\nfährt"


WORDS = ["<pad>", "<unk>", "<s>", "</s>", *"abcdef"]


@pytest.fixture(scope="module", params=[1, 2, 3], ids=lambda order: f"order {order}")
def language(request: pytest.FixtureRequest) -> LanguageModel:
    rng = np.random.default_rng(3)
    lengths = rng.integers(1, 6, 200)
    flat = rng.integers(4, len(WORDS), lengths.sum()).astype(np.int32)
    return LanguageModel.of(Texts(flat, np.concatenate([[0], np.cumsum(lengths)])), WORDS, request.param)


def scores(language: LanguageModel, sentences: np.ndarray) -> np.ndarray:
    """(sentences, words + 1) natural logarithms, all sentences extended together, `</s>` last."""
    states, found = language.begin(len(sentences)), []
    for column in [*sentences.T, np.full(len(sentences), WORDS.index("</s>"))]:
        each, states = language.extend(states, column)
        found.append(each)
    return np.array(found).T


def test_histories_together_score_like_sentences_alone(language: LanguageModel) -> None:
    sentences = np.random.default_rng(4).integers(4, len(WORDS), (20, 5))
    expected = [language.model.score([WORDS[word] for word in row]) * np.log(10) for row in sentences]
    assert scores(language, sentences) == pytest.approx(np.array(expected), rel=1e-5)


def test_a_saved_model_scores_the_same(language: LanguageModel, tmp_path: Path) -> None:
    language.save(tmp_path)
    opened = LanguageModel.load(tmp_path)
    sentences = np.random.default_rng(5).integers(4, len(WORDS), (8, 4))
    assert opened.model.order == language.model.order and opened.model.words == language.model.words
    assert scores(opened, sentences).tolist() == scores(language, sentences).tolist()
