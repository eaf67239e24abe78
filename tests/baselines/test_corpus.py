"""Pairs as ids: every word at its place, files already read are not read again, rare words become unknown."""

from __future__ import annotations

from pathlib import Path

import pytest
from made_pairs import pairs, write_pairs

from hedline.baselines import corpus as module
from hedline.baselines.corpus import Corpus, Texts, encode_corpus, join_text, learn_casing, split_text
from hedline.baselines.fitting import WorkFolder
from hedline.corpora.pairs import Pair
from hedline.text.tokenize import normalize
from hedline.text.vocab import SPECIALS


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
