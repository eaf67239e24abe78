"""scripts/rules.py: which rules refuse a headline, and what is counted of them."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest
from rules import Judged, judge_news, judge_traps, leaf_rules, main, refusing, shown, table, unguarded

from hedline.corpora.sets import EvaluationItem
from hedline.experiments.traps import Trap
from hedline.text.clauses import torn
from hedline.text.statements import wrong_relations

LEAD = "The mayor of Lund did not resign on Monday, her office said."


@pytest.mark.parametrize(
    ("headline", "lead", "rule"),
    [
        ("Mayor of Lund resigns on Monday", LEAD, "lost negation"),
        ("Mayor of Lund did not resign by", LEAD, "form"),
        ('Mayor of Lund "will never" resign', LEAD, "quotation"),
        ("Lund mayor", LEAD, "crumb"),
        ("Mill sues paper", "The mill was sued by a paper for libel.", "made_active"),
        (
            "Boats crossed the strait",
            "The report that boats crossed the strait is a hoax, the navy said.",
            "called_false",
        ),
    ],
)
def test_the_rule_that_refuses_is_named(headline: str, lead: str, rule: str) -> None:
    assert rule in refusing(headline, lead)


def test_a_headline_that_may_be_printed_is_refused_by_none() -> None:
    assert refusing("Mayor of Lund did not resign on Monday", LEAD) == frozenset()
    assert refusing("", LEAD) == frozenset()


def test_a_later_sentence_of_the_lead_is_refused_by_none() -> None:
    lead = "Aides deny the report The post Aides discuss ousting Lind over report appeared first on The Herald ."
    assert refusing("Aides discuss ousting Lind over report", lead) == frozenset()
    assert refusing("Aides discuss the report", lead)


def test_the_leaves_are_all_that_the_guard_asks() -> None:
    pairs = [
        ("Mill sues paper", "The mill was sued by a paper for libel."),
        ("North Korea stole emails", "Hackers working for North Korea stole emails."),
        ("Mayor did not resign, office says", LEAD),
        ("How to sell your boat", "You can sell your boat if you tried to sell it before."),
    ]
    names = {name for name, _, _ in leaf_rules()}
    for headline, lead in pairs:
        refused = bool(wrong_relations(headline, lead) or torn(headline, lead))
        assert bool(refusing(headline, lead) & names) == refused


def test_the_table_counts_alone_and_together() -> None:
    judged = [
        Judged("a", "b", "news", frozenset(["form"])),
        Judged("a", "b", "news", frozenset(["form", "crumb"])),
        Judged("a", "b", "people", frozenset()),
        Judged("a", "b", "untrue", frozenset(["crumb"])),
        Judged("a", "b", "true", frozenset(["form"])),
    ]
    rows = {line[:18].strip(): line[18:].split() for line in table(judged).splitlines()}
    assert rows["form"] == ["2", "1", "0", "0", "0", "0", "1", "1"]
    assert rows["crumb"] == ["1", "0", "0", "0", "1", "1", "0", "0"]
    assert rows["refused"] == ["2", "0", "1", "1"] and rows["of"] == ["2", "1", "1", "1"]


def test_people_count_where_the_lead_supports_them() -> None:
    item = EvaluationItem("1", LEAD, ("Mayor did not resign, office said", "Chaos grips town hall again"))
    columns = [(each.column, each.headline) for each in judge_news([item], ["Mayor resigns"])]
    assert columns == [("news", "Mayor resigns"), ("people", "Mayor did not resign, office said")]


def test_traps_are_untrue_or_true() -> None:
    trap = Trap("a", "negation", "dev", LEAD, when="resign", then="{neg}")
    judged = [*judge_traps([trap, trap], ["Mayor of Lund resigns", "Mayor of Lund does not resign"])]
    assert [(each.column, "lost negation" in each.rules) for each in judged] == [("untrue", True), ("true", False)]


def test_headlines_are_kept_and_taken_from_the_file(tmp_path: Path) -> None:
    kept = tmp_path / "kept.json"
    first = unguarded("tiny", [LEAD], kept)
    known = json.loads(kept.read_text(encoding="utf-8"))
    assert known == {f"tiny: {LEAD}": first[0]}
    kept.write_text(json.dumps({f"tiny: {LEAD}": "What the file says"}), encoding="utf-8")
    assert unguarded("tiny", [LEAD], kept) == ["What the file says"]


def test_the_command_shows_what_one_rule_refuses(tmp_path, monkeypatch, capsys) -> None:
    news, kept = tmp_path / "news.jsonl", tmp_path / "kept.json"
    news.write_text(json.dumps({"lead": LEAD, "headline": "Mayor stays"}) + "\n", encoding="utf-8")
    unguarded("tiny", [LEAD], kept)
    monkeypatch.setattr("rules.read_traps", lambda: ())
    kept.write_text(json.dumps({f"tiny: {LEAD}": "Mayor of Lund did not resign by"}), encoding="utf-8")
    command = ["rules.py", str(news), "--model", "tiny", "--keep", str(kept)]
    monkeypatch.setattr(sys, "argv", [*command, "--show", "form", "5"])
    main()
    assert capsys.readouterr().out == f"news: Mayor of Lund did not resign by\n    {LEAD}\n"
    for wrong, message in ((["nothing", "5"], "no rule"), (["form", "many"], "needs a number")):
        monkeypatch.setattr(sys, "argv", [*command, "--show", *wrong])
        with pytest.raises(SystemExit):
            main()
        assert message in capsys.readouterr().err


def test_only_that_rule_is_shown() -> None:
    judged = [
        Judged("One", "Lead", "news", frozenset(["form"])),
        Judged("Two", "Lead", "news", frozenset(["form", "x"])),
    ]
    assert shown(judged, "form", 9) == "news: One\n    Lead"


def test_judged_headlines_have_a_column_for_each_verdict(tmp_path: Path) -> None:
    pytest.importorskip("torch")
    from rules import VERDICTS, judge_verdicts

    file = tmp_path / "judged.tsv"
    lead = "The mayor of Lund will not resign unless the council votes against her."
    file.write_text(f"{lead}\t\tgood:{lead}\tuntrue:Mayor of Lund will resign\n")
    rows = {
        line[:18].strip(): line[18:].split() for line in table(list(judge_verdicts(file, 0, 9)), VERDICTS).splitlines()
    }
    assert rows["of"] == ["1", "0", "0", "1"] and rows["refused"] == ["1", "0", "0", "0"]
