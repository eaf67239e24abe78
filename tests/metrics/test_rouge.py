"""ROUGE: the frozen table of the script's scores, the two ways of counting, options and their errors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedline.errors import UserError
from hedline.metrics.measures import parse_measure
from hedline.metrics.rouge import RougeScorer

GOLDEN = json.loads(Path(__file__).with_name("golden_rouge.json").read_text(encoding="utf-8"))
words = st.sampled_from(["a", "b", "c", "cats", "cat", "running", "run", "x-y", "é", "..."])
texts = st.lists(words, max_size=9).map(" ".join)
long_texts = st.lists(words, min_size=60, max_size=80).map(" ".join)


@pytest.mark.parametrize("row", GOLDEN["table"], ids=lambda row: " ".join(row["flags"]) or "plain")
def test_equals_the_frozen_table(row):
    scorer = RougeScorer(GOLDEN["metrics"], **row["options"])
    assert set(scorer.names) - set(row["scores"]) <= {"ROUGE-W-1.2"}
    for number, case in enumerate(GOLDEN["cases"]):
        scores = scorer.score(case["summary"], case["references"])
        for name, ours in zip(scorer.names, scores, strict=True):
            if name in row["scores"]:
                assert ours.tolist() == row["scores"][name][number], (name, case)


@given(
    st.lists(st.tuples(texts, st.lists(texts | long_texts, min_size=1, max_size=4)), min_size=1, max_size=6),
    st.sampled_from([{}, {"stem": False}, {"stop": True}, {"bytes": 7}, {"words": 3}]),
)
@settings(max_examples=100, deadline=None)
def test_bulk_counts_equal_counting_one_by_one(cases, options):
    scorer = RougeScorer(("1", "2", "3", "L"), **options)
    bulk = scorer.statistics_all([case[0] for case in cases], [case[1] for case in cases])
    single = np.array([scorer.statistics(*case) for case in cases])
    assert bulk.tolist() == single.tolist()


def test_grams_too_many_for_one_integer_are_numbered_anew(monkeypatch):
    scorer = RougeScorer(("1", "2", "4", "9"), stem=False)
    cases = [("a b c d e f g h i j", ["b c d e f g h i j k", "a b a b"]), ("x y z", ["y z x y z"])]
    expected = [scorer.statistics(*case).tolist() for case in cases]
    for largest in (1, 10_000, 2**62):
        monkeypatch.setattr("hedline.metrics.bulk.MAX_KEY", largest)
        assert scorer.statistics_all(*zip(*cases, strict=True)).tolist() == expected


def test_references_are_pooled_not_averaged():
    statistics = RougeScorer(("1",), stem=False).statistics("a b", ["a", "a b c d"])
    assert statistics.tolist() == [[3.0, 4.0, 5.0]]


def test_best_takes_the_reference_of_highest_recall():
    scorer = RougeScorer(("1",), stem=False, multi="best")
    assert scorer.score("a b", ["a b c d", "a"])[0].tolist() == [1.0, 0.5, 0.66667]


def test_mean_averages_the_references_scores():
    scorer = RougeScorer(("1",), stem=False, multi="mean")
    assert scorer.score("a b", ["a b c d", "a"])[0].tolist() == [0.75, 0.75, 0.66667]


def test_prepared_references_give_the_same_statistics():
    scorer = RougeScorer(("1", "L", "SU4"), bytes=20)
    references = ["The minister resigned on Monday", "Minister quits"]
    prepared = scorer.prepare(references)
    for candidate in ("minister resigns", "", "Monday's minister quits again and again"):
        assert scorer.statistics(candidate, prepared).tolist() == scorer.statistics(candidate, references).tolist()


def test_rouge_w_of_an_empty_reference_is_zero_where_the_script_stops():
    assert RougeScorer(("W",)).score("some words", [""]).tolist() == [[0.0, 0.0, 0.0]]


def test_corpus_score_is_the_exact_mean():
    scorer = RougeScorer(("1",))
    assert scorer.corpus(["a b", "c"], [["a b"], ["d"]]).tolist() == [[0.5, 0.5, 0.5]]


@pytest.mark.parametrize(
    ("name", "full"),
    [("1", "ROUGE-1"), ("rouge-9", "ROUGE-9"), ("l", "ROUGE-L"), ("W", "ROUGE-W-1.2"), ("W2", "ROUGE-W-2"),
     ("S4", "ROUGE-S4"), ("su*", "ROUGE-SU*")],
)  # fmt: skip
def test_metric_names(name, full):
    assert parse_measure(name).name == full


@pytest.mark.parametrize("name", ["", "0", "10", "S", "X", "W0", "W.", "ROUGE"])
def test_unknown_metrics_are_refused(name):
    with pytest.raises(UserError):
        parse_measure(name)


@pytest.mark.parametrize(
    "options",
    [{"metrics": ()}, {"multi": "worst"}, {"bytes": 5, "words": 5}, {"bytes": 0}, {"words": -1}, {"alpha": 1.5}],
)
def test_impossible_options_are_refused(options):
    with pytest.raises(UserError):
        RougeScorer(**options)


def test_unusable_sets_are_refused():
    scorer = RougeScorer()
    for candidates, references in (([], []), (["a"], []), (["a"], [[]]), (["a"], ["a"])):
        with pytest.raises(UserError):
            scorer.score_all(candidates, references)
    with pytest.raises(UserError):
        RougeScorer(multi="mean").statistics("a", ["a"])


SCRIPTS = [
    "Совет закрыл старый мост",
    "市議会は古い橋を閉鎖する",
    "أغلق المجلس الجسر القديم",
    "परिषद ने पुराना पुल बंद किया",
]


@pytest.mark.parametrize("text", SCRIPTS)
def test_other_scripts_count_in_unicode_mode_and_only_there(text):
    assert RougeScorer().score(text, [text])[:, 2].tolist() == [0.0, 0.0, 0.0]
    scorer = RougeScorer(unicode=True)
    assert scorer.score_all([text], [[text]])[0, :, 2].tolist() == [1.0, 1.0, 1.0]
    assert scorer.score(text, [SCRIPTS[SCRIPTS.index(text) - 1]])[0, 2] == 0.0


def test_unicode_words_compare_without_case_and_in_any_composition():
    scorer = RougeScorer(("1",), unicode=True)
    assert scorer.score("МОСТ закрыт", ["мост открыт"])[0].tolist() == [0.5, 0.5, 0.5]
    assert scorer.score("caf\u00e9 closes", ["CAFE\u0301 closed"])[0, 2] == 1.0  # é twice; English stems as ever
    assert scorer.score("古い橋", ["古い家"])[0, 0] == pytest.approx(2 / 3, abs=1e-5)
    with pytest.raises(UserError, match="words instead"):
        RougeScorer(unicode=True, bytes=75)
