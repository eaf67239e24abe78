"""IR against bm25s, an independent BM25, and against its own folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from made_pairs import pairs, write_pairs

from hedline.baselines.corpus import Texts
from hedline.baselines.ir import Retrieval, build_index
from hedline.baselines.system import Limit, open_baseline
from hedline.corpora.sets import EvaluationItem
from hedline.errors import UserError


def random_documents(count: int, words: int, seed: int) -> Texts:
    """Documents whose words follow a Zipf-like law, so that some postings are long."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(3, 40, count)
    flat = np.minimum(rng.zipf(1.3, lengths.sum()) - 1, words - 1).astype(np.int32)
    return Texts(flat, np.concatenate([[0], np.cumsum(lengths)]))


@pytest.mark.parametrize("seed", range(3))
def test_the_best_document_is_bm25s_best(seed: int) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is the oracle; pip install 'hedline[dev]'")
    documents = random_documents(1000, 400, seed)
    oracle = bm25s.BM25(k1=1.2, b=0.75, method="lucene")
    oracle.index([[str(w) for w in documents[i]] for i in range(len(documents))], show_progress=False)
    index = build_index(documents, 400)
    queries = random_documents(150, 500, seed + 10)
    for number in range(len(queries)):
        words = [int(w) for w in queries[number] if w < 400]  # the frequent ones several times
        known = [w for w in words if index.starts[w] < index.starts[w + 1]]
        if not known:
            continue
        theirs = oracle.get_scores([str(w) for w in known])
        document, score = index.best(words)
        assert score == pytest.approx(theirs.max(), rel=1e-5)
        assert theirs[document] == pytest.approx(theirs.max(), rel=1e-5)


def test_equal_documents_give_the_earliest() -> None:
    documents = Texts(np.array([5, 6, 7, 6, 7, 6, 7], np.int32), np.array([0, 3, 5, 7]))
    assert build_index(documents, 9).best([6, 7])[0] == 1
    assert build_index(documents, 9).best([8]) == (-1, 0.0)
    assert build_index(documents, 9).best([]) == (-1, 0.0)


def test_a_word_counts_as_often_as_the_query_has_it() -> None:
    documents = Texts(np.array([5, 8, 6, 8, 7, 8], np.int32), np.array([0, 2, 4, 6]))
    index = build_index(documents, 9)
    assert index.best([5, 6]) == (0, pytest.approx(index.best([6])[1]))
    assert index.best([5, 6, 6]) == (1, pytest.approx(2 * index.best([6])[1]))


def test_a_lead_of_the_training_data_finds_its_own_headline(tmp_path: Path) -> None:
    file = write_pairs(tmp_path / "pairs.jsonl", 200)
    folder = Retrieval.fit([file], tmp_path / "ir", {})
    assert not (folder / "work").exists()
    known = dict(pairs(200))
    items = [EvaluationItem(str(i), lead, ()) for i, lead in enumerate(known)]
    found = open_baseline(folder).headlines(items, Limit())
    assert found == list(known.values())
    short = open_baseline(folder).headlines(items, Limit(bytes=12, words=2))
    assert all(Limit(bytes=12, words=2).fits(text) and text for text in short)


def test_a_lead_of_unknown_words_finds_nothing(tmp_path: Path) -> None:
    folder = Retrieval.fit([write_pairs(tmp_path / "pairs.jsonl", 20)], tmp_path / "ir", {"limit": 10})
    assert Retrieval.open(folder).headlines([EvaluationItem("1", "zzz qqq", ())], Limit()) == [""]
    with pytest.raises(UserError, match="must be fitted first"):
        Retrieval.open(None)
