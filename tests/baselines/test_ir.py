"""IR against bm25s, an independent BM25, and against its own folder."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from made_pairs import pairs, write_pairs

from hedline.baselines.fitting import Texts
from hedline.baselines.ir import ALL, Retrieval, build_index, content_stems
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


@pytest.mark.parametrize("seed", range(3))
def test_a_headline_of_a_quarter_is_bm25s_over_leads_repeated_four_times(seed: int) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is the oracle; pip install 'hedline[dev]'")
    leads, headlines = random_documents(800, 400, seed), random_documents(800, 400, seed + 20)
    # Four times all counts and four times k1 is the same BM25, and has whole numbers of words.
    oracle = bm25s.BM25(k1=4.8, b=0.75, method="lucene")
    whole = [[*leads[i].tolist() * 4, *headlines[i].tolist()] for i in range(800)]
    oracle.index([[str(w) for w in document] for document in whole], show_progress=False)
    index = build_index(leads, 400, headlines=headlines, weight=0.25)
    queries = random_documents(100, 400, seed + 10)
    for number in range(len(queries)):
        known = [int(w) for w in queries[number] if index.starts[w] < index.starts[w + 1]]
        if not known:
            continue
        theirs = oracle.get_scores([str(w) for w in known])
        document, score = index.best(known)
        assert score == pytest.approx(theirs.max(), rel=1e-5)
        assert theirs[document] == pytest.approx(theirs.max(), rel=1e-5)


def test_a_headline_without_weight_is_not_indexed() -> None:
    leads, headlines = random_documents(50, 40, 1), random_documents(50, 60, 2)
    alone, weightless = build_index(leads, 60), build_index(leads, 60, headlines=headlines, weight=0)
    assert np.array_equal(alone.documents, weightless.documents)
    assert np.array_equal(alone.weights, weightless.weights)


def test_of_equal_leads_the_one_whose_headline_is_nearer_is_found(tmp_path: Path) -> None:
    rows = [("The yard built trams.", "Work for many"), ("The yard built trams.", "New trams from the yard")]
    file = tmp_path / "pairs.jsonl"
    file.write_text("".join(json.dumps({"lead": lead, "headline": text}) + "\n" for lead, text in rows))
    by_both = Retrieval.open(Retrieval.fit([file], tmp_path / "both", {}))
    assert by_both.headline("A yard has trams") == "New trams from the yard"
    by_leads = Retrieval.open(Retrieval.fit([file], tmp_path / "leads", {"headline": 0}))
    assert by_leads.headline("A yard has trams") == "Work for many"  # the first of equals


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


def write_leads(path: Path, *leads: str) -> Path:
    """Pairs whose headline says which lead it belongs to."""
    rows = [{"lead": lead, "headline": f"Headline {number}"} for number, lead in enumerate(leads)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


@pytest.mark.parametrize(("weight", "times", "headlines"), [(0, 1, 0), (0.25, 4, 1), (2, 1, 2)])
def test_a_folder_finds_what_bm25s_finds_in_the_content_words(
    tmp_path: Path, weight: float, times: int, headlines: int
) -> None:
    bm25s = pytest.importorskip("bm25s", reason="bm25s is the oracle; pip install 'hedline[dev]'")

    stems = {"rejects": "rejected", "delays": "delayed", "opens": "opened"}  # all that this small world shares

    def read(text: str) -> list[str]:
        bare = text.lower().replace(",", "").replace(".", "").split()
        return [
            stems.get(word, word) for word in bare if word not in {"the", "a", "of", "in", "on", "after", "for", "to"}
        ]

    oracle = bm25s.BM25(k1=1.2 * times, b=0.75, method="lucene")
    oracle.index([read(lead) * times + read(text) * headlines for lead, text in pairs(150)], show_progress=False)
    file = write_pairs(tmp_path / "pairs.jsonl", 150)
    found = Retrieval.open(Retrieval.fit([file], tmp_path / "ir", {"headline": weight}))
    for lead, _ in pairs(60, seed=2):
        theirs = oracle.get_scores(read(lead))
        document, score = found.index.best([found.ids[word] for word in content_stems(lead)])
        assert score == pytest.approx(theirs.max(), rel=1e-5)
        assert theirs[document] == pytest.approx(theirs.max(), rel=1e-5)


def test_numbers_and_stems_tell_leads_apart_and_function_words_do_not(tmp_path: Path) -> None:
    leads = ("The yard built 30 trams.", "The yard built 45 trams.", "What is it that they did to the trams?")
    file = write_leads(tmp_path / "pairs.jsonl", *leads)
    asked = "A depot says that it is to get 45 trams."
    by_stems = Retrieval.open(Retrieval.fit([file], tmp_path / "stems", {}))
    assert by_stems.headline(asked) == "Headline 1"
    assert by_stems.headline("Builders: one tram more") == "Headline 2"  # the shortest lead with a tram
    assert by_stems.headline("They did it to them.") == ""
    by_all = Retrieval.open(Retrieval.fit([file], tmp_path / "all", {"tokens": ALL}))
    assert by_all.headline(asked) == "Headline 2"  # `that it is to` outweighs the number, which is `##` in two leads


def test_a_folder_without_named_tokens_reads_all_words(tmp_path: Path) -> None:
    leads = ("The yard built 30 trams.", "What is it that they did to the trams?")
    folder = Retrieval.fit([write_leads(tmp_path / "pairs.jsonl", *leads)], tmp_path / "ir", {"tokens": ALL})
    config = json.loads((folder / "config.json").read_text())
    assert config.pop("tokens") == "all"
    (folder / "config.json").write_text(json.dumps(config))
    assert Retrieval.open(folder).headline("They did it to them.") == "Headline 1"


def test_unknown_tokens_are_refused_in_one_sentence(tmp_path: Path) -> None:
    file = write_leads(tmp_path / "pairs.jsonl", "The yard built 30 trams.")
    folder = Retrieval.fit([file], tmp_path / "ir", {})
    config = json.loads((folder / "config.json").read_text())
    assert config["tokens"] == "stems"
    (folder / "config.json").write_text(json.dumps({**config, "tokens": "pieces"}))
    with pytest.raises(UserError, match=r"indexes the tokens 'pieces', .* knows stems and all; fit it again"):
        Retrieval.open(folder)
    with pytest.raises(UserError, match="'pieces'"):
        Retrieval.fit([file], tmp_path / "other", {"tokens": "pieces"})
    assert not (tmp_path / "other").exists()


def test_pairs_without_content_words_cannot_be_indexed(tmp_path: Path) -> None:
    file = write_leads(tmp_path / "pairs.jsonl", "It is what it is.", "They did to us what we did to them.")
    with pytest.raises(UserError, match="no content words to index"):
        Retrieval.fit([file], tmp_path / "ir", {})
