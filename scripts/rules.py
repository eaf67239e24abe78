"""Which rules of the meaning guard refuse what: a model's headlines, people's own, and the traps.

    python scripts/rules.py news.jsonl.xz --first 2000 --count 700    # a table; pairs or an evaluation set
    python scripts/rules.py news.jsonl --model abs --keep headlines.json    # write them once, judge them again
    python scripts/rules.py news.jsonl --show swapped 10    # ten headlines that only this rule refuses, lead below
    python scripts/rules.py examples/judged.tsv --count 4000    # judged headlines (.tsv), a column for each verdict

Columns, each with "only" for what no other rule refuses: `news`, headlines that the model writes for the leads with the
guard of meaning off; `people`, the set's own headlines where at least 80 % of the content words stand in the lead;
`untrue` and `true`, the model's headlines of the traps that fall into them, or do not. A rule earns its place when it
refuses untrue headlines that no other one sees; what it refuses of people's headlines and of true ones is its price.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import hedline
from hedline.corpora.sets import EvaluationItem, read_evaluation_set
from hedline.decoding.choice import CRUMB, form_faults, invented_frame, lead_cues, says_little, says_what
from hedline.errors import UserError
from hedline.experiments.traps import Trap, faults, read_traps
from hedline.files import write_text
from hedline.text import amounts, borrowed, clauses, doubts, hanging, roles, speakers, splices, statements, subordinate
from hedline.text.clean import without_footer
from hedline.text.meaning import altered_quotations, judge_polarity, laid_on, read_words
from hedline.text.subword import support

SUPPORTED = 0.8  # share of a person's content words that the lead must have
GROUPS = {
    "doubts": doubts.RULES, "subordinate": subordinate.RULES, "spoken_of": speakers.RULES, "spliced": splices.RULES,
    "hanging": hanging.RULES, "borrowed": (*borrowed.RULES, *roles.RULES, *amounts.RULES),
}  # fmt: skip
COLUMNS = ("news", "people", "untrue", "true")
VERDICTS = ("untrue", "broken", "weak", "good")


class Judged(NamedTuple):
    """A headline, its lead, the column it counts in and the rules that refuse it."""

    headline: str
    lead: str
    column: str
    rules: frozenset[str]


def leaf_rules() -> Iterator[tuple[str, statements.Rule, statements.Rule]]:
    """Every rule about what words a headline joins: its name, itself, and the group that asks for it, if any."""
    for rule in (*statements.RULES, *clauses.RULES):
        name = rule.__name__.lstrip("_")
        for leaf in GROUPS.get(name, (rule,)):
            yield leaf.__name__.lstrip("_"), leaf, rule


def refusing(headline: str, lead: str) -> frozenset[str]:
    """The names of all rules that refuse a headline, asked as the guard asks them."""
    lead = without_footer(lead)
    said, told = read_words(headline), read_words(lead)
    if not said.raw or not told.raw:
        return frozenset()
    places = laid_on(said, told)
    found = {
        name
        for name, leaf, group in leaf_rules()
        if any(leaf(said, told, places)) and (leaf is group or any(group(said, told, places)))
    }
    if said.lower[:2] == ("how", "to") and not statements.wrong_relations(headline, lead):
        found -= {name for name, _, group in leaf_rules() if group in statements.RULES}  # advice states nothing
    if clauses.is_sentence(headline, lead):
        return frozenset(_formal(headline, lead))
    cues = lead_cues(lead)
    kinds = {cue.word: cue.kind for cue in cues}
    lost = judge_polarity(cues, lead, headline)[0]
    return frozenset(found | {f"lost {kinds.get(word, 'nothing')}" for word in lost} | set(_formal(headline, lead)))


def _formal(headline: str, lead: str) -> Iterator[str]:
    """Rules about the headline's form."""
    rules: Mapping[str, Callable[[str, str], object]] = {
        "form": form_faults, "quotation": altered_quotations, "frame": invented_frame, "little": says_little,
        "no verb": lambda headline, lead: lead_cues(lead) and not says_what(headline, lead),
        "crumb": lambda headline, lead: len(headline.split()) < CRUMB,
    }  # fmt: skip
    return (name for name, rule in rules.items() if rule(headline, lead))


def judge_news(items: Sequence[EvaluationItem], headlines: Sequence[str]) -> Iterator[Judged]:
    """The model's headlines, and those of people that the lead supports."""
    for item, headline in zip(items, headlines, strict=True):
        yield Judged(headline, item.lead, "news", refusing(headline, item.lead))
        for own in item.references:
            if support(item.lead, own) >= SUPPORTED:
                yield Judged(own, item.lead, "people", refusing(own, item.lead))


def judge_traps(traps: Sequence[Trap], headlines: Sequence[str]) -> Iterator[Judged]:
    """The model's headlines of the traps, untrue or true."""
    for trap, headline in zip(traps, headlines, strict=True):
        column = "untrue" if faults(trap, headline) else "true"
        yield Judged(headline, trap.lead, column, refusing(headline, trap.lead))


def judge_verdicts(path: Path, first: int, count: int) -> Iterator[Judged]:
    """Headlines that somebody judged, see hedline.training.verdicts."""
    from hedline.training.verdicts import read_judged  # which needs torch, the rest of this script does not

    for each in read_judged(path)[first : first + count]:
        for verdict, headline in each.headlines:
            yield Judged(headline, each.lead, verdict, refusing(headline, each.lead))


def table(judged: Sequence[Judged], columns: Sequence[str] = COLUMNS) -> str:
    """How many headlines of each column each rule refuses, and refuses alone; the costliest first."""
    every, alone, total, refused = (
        Counter[tuple[str, str]](),
        Counter[tuple[str, str]](),
        Counter[str](),
        Counter[str](),
    )
    for each in judged:
        total[each.column] += 1
        refused[each.column] += bool(each.rules)
        every.update((rule, each.column) for rule in each.rules)
        alone.update((rule, each.column) for rule in each.rules if len(each.rules) == 1)
    names = {rule for rule, _ in every} | {name for name, _, _ in leaf_rules()}
    order = sorted(names, key=lambda rule: (-sum(alone[rule, column] for column in (*columns[:2], "good")), rule))
    lines = [f"{'rule':18}" + "".join(f"{column:>8}{'only':>6}" for column in columns)]
    lines += [
        f"{rule:18}" + "".join(f"{every[rule, column]:8}{alone[rule, column]:6}" for column in columns)
        for rule in order
    ]
    lines += [f"{'refused':18}" + "".join(f"{refused[column]:8}{'':6}" for column in columns)]
    return "\n".join([*lines, f"{'of':18}" + "".join(f"{total[column]:8}{'':6}" for column in columns)])


def shown(judged: Sequence[Judged], rule: str, most: int) -> str:
    """Headlines that only one rule refuses, each with its lead."""
    known = {name for name, _, _ in leaf_rules()} | {name for each in judged for name in each.rules}
    if rule not in known:
        raise UserError(f"--show {rule!r} is no rule that fires here; the table lists them")
    found = [each for each in judged if each.rules == {rule}][:most]
    return "\n".join(f"{each.column}: {each.headline}\n    {each.lead}" for each in found)


def unguarded(model: str, leads: Sequence[str], kept: Path | None) -> list[str]:
    """The headlines of a model with the guard of meaning off; kept: a file that holds them, or will."""
    known: dict[str, str] = json.loads(kept.read_text(encoding="utf-8")) if kept and kept.exists() else {}
    missing = [lead for lead in dict.fromkeys(leads) if f"{model}: {lead}" not in known]
    if missing:
        found = hedline.load(model).summarize(missing, guard_meaning=False)
        known |= {f"{model}: {lead}": each.text for lead, each in zip(missing, found, strict=True)}
        if kept:
            write_text(kept, json.dumps(known, ensure_ascii=False))
    return [known[f"{model}: {lead}"] for lead in leads]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("set", type=Path, help="pairs or an evaluation set, compressed or not")
    parser.add_argument("--model", default="default")
    parser.add_argument("--first", type=int, default=0, help="leave out so many at the beginning (default: none)")
    parser.add_argument("--count", type=int, default=700, help="how many leads (default: 700)")
    parser.add_argument("--keep", type=Path, help="keep the model's headlines in this file and take them from there")
    parser.add_argument("--show", nargs=2, metavar=("RULE", "N"), help="N headlines that only RULE refuses")
    wanted = parser.parse_args()
    if wanted.show and not wanted.show[1].isdigit():
        parser.error(f"--show {wanted.show[0]} needs a number of headlines, not {wanted.show[1]!r}")
    try:
        print(report(wanted))
    except UserError as error:
        parser.error(str(error))


def report(wanted: argparse.Namespace) -> str:
    """The table, or what one rule refuses."""
    if wanted.set.suffix == ".tsv":
        verdicts = list(judge_verdicts(wanted.set, wanted.first, wanted.count))
        return shown(verdicts, wanted.show[0], int(wanted.show[1])) if wanted.show else table(verdicts, VERDICTS)
    items = read_evaluation_set(wanted.set, limit=wanted.first + wanted.count)[wanted.first :]
    traps = read_traps()
    headlines = unguarded(wanted.model, [item.lead for item in items] + [trap.lead for trap in traps], wanted.keep)
    judged = [*judge_news(items, headlines[: len(items)]), *judge_traps(traps, headlines[len(items) :])]
    return shown(judged, wanted.show[0], int(wanted.show[1])) if wanted.show else table(judged)


if __name__ == "__main__":
    main()
