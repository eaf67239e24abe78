"""TOPIARY and Trimmer as systems: limits, topics, folders."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lead_trees import FILE, parsed, tree_of

from hedline.baselines.salience import WordChances
from hedline.baselines.system import Limit, find_system, open_baseline
from hedline.baselines.topiary import Topiary, Trimmer
from hedline.corpora.sets import EvaluationItem, read_evaluation_set, write_evaluation_set
from hedline.errors import UserError

CHANCES = WordChances(
    {"larkhaven": (20, 18), "river": (20, 16), "move": (50, 1), "surprise": (50, 2), "bridges": (9, 4)}
)
ITEMS = [EvaluationItem(str(number), tree.text, ()) for number, tree in enumerate(parsed())]


def test_topics_are_nouns_by_their_chance() -> None:
    topics = Topiary(CHANCES).topics(tree_of("In a surprise"))
    assert [word.text for word in topics] == ["Larkhaven", "river", "bridges", "mayor"]


def test_with_the_article_topics_are_its_commonest_words() -> None:
    article = "The river rose. The river fell. A move was made, a second move and a third move."
    topics = Topiary(CHANCES).topics(tree_of("In a surprise"), article)
    assert [word.text for word in topics] == ["move", "river"]


def test_topics_stand_in_front_and_are_not_repeated() -> None:
    text = Topiary(CHANCES).headline(tree_of("In a surprise"), Limit(bytes=47))
    front, _, sentence = text.partition(": ")
    assert (front, sentence) == ("River", "Mayor of Larkhaven closed two bridges")


def test_nothing_is_put_in_front_of_a_sentence_that_says_all() -> None:
    assert ":" not in Topiary(WordChances({})).headline(tree_of("Three smugglers"), Limit(bytes=75))


@given(st.integers(1, 90), st.one_of(st.none(), st.integers(1, 12)))
def test_limits_hold_on_every_output(bytes: int, words: int | None) -> None:
    limit = Limit(bytes=bytes, words=words)
    topiary = Topiary(CHANCES)
    for tree in (tree_of("In a surprise"), tree_of("Marta"), tree_of("Storm over")):
        assert limit.fits(topiary.headline(tree, limit))


@pytest.mark.parametrize("limit", [Limit(), Limit(bytes=75), Limit(bytes=30), Limit(words=5)])
def test_systems_write_one_headline_per_lead(limit: Limit) -> None:
    for system in (Trimmer(str(FILE)), Topiary(CHANCES, str(FILE))):
        found = system.headlines(ITEMS, limit)
        assert len(found) == len(ITEMS) and all(found)
        assert all((limit if limit != Limit() else Limit(bytes=75)).fits(text) for text in found)


def test_a_fitted_folder_opens_as_it_was(tmp_path: Path) -> None:
    data = tmp_path / "pairs.jsonl"
    rows = [{"lead": "Storm closes the harbour of Larkhaven.", "headline": "Storm shuts Larkhaven harbour"}] * 3
    data.write_text("".join(json.dumps(row) + "\n" for row in rows))
    folder = find_system("topiary").fit([data], tmp_path / "topiary", {})
    opened = open_baseline(folder)
    assert isinstance(opened, Topiary)
    assert opened.chances.counts["storm"] == (3, 3) and opened.chances.counts["closes"] == (3, 0)


def test_trimmer_needs_no_folder_and_topiary_says_so(tmp_path: Path) -> None:
    assert isinstance(find_system("trimmer").open(None), Trimmer)
    with pytest.raises(UserError, match="fit"):
        find_system("topiary").open(None)
    with pytest.raises(UserError, match="learns nothing"):
        find_system("trimmer").fit([], tmp_path, {})


def test_a_set_may_hold_articles(tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    items = [EvaluationItem("1", "A lead.", ("A headline",), "A lead. And more."), EvaluationItem("2", "B.", ("C",))]
    write_evaluation_set(path, items)
    assert read_evaluation_set(path) == items
    assert "article" not in json.loads(path.read_text().splitlines()[1])
