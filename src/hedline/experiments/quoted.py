"""Numbers that README, guides and model cards quote, made from the stored results so that each stands in one place.

A page holds `<!-- made: NAME -->`, the text, `<!-- /made -->`; `make docs` writes the text anew, a test fails where it
differs. A block whose results were not measured stays as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from hedline.experiments.quality import LABELS, MODELS, systems
from hedline.experiments.record import Results, Row
from hedline.experiments.report import ROUGE, number, triple, with_interval
from hedline.experiments.traps import GUARDS
from hedline.files import read_json

BLOCK = re.compile(r"(<!-- made: ([\w -]+) -->\n)(.*?)(<!-- /made -->)", re.DOTALL)
SETS = ("test", "wire2004")
PREFIX = "PREFIX (first 75 bytes)"


def fill(page: str, results: Path) -> str:
    """The page with every block as the results give it."""
    return BLOCK.sub(lambda found: found[1] + (make(found[2], results) or found[3]) + found[4], page)


def make(name: str, results: Path) -> str | None:
    """The text of a block, None where it was not measured."""
    if name not in BLOCKS:
        raise ValueError(f"there is no block {name!r}; there are {', '.join(BLOCKS)}")
    try:
        return BLOCKS[name](results).rstrip("\n") + "\n"
    except KeyError:  # a row or a file that is not there yet
        return None


def _quality(results: Path) -> dict[str, Row]:
    return Results(results, "quality").rows


def _bench(results: Path, name: str) -> dict[str, Any]:
    path = results / f"bench-{name}.json"
    if not path.is_file():
        raise KeyError(name)
    stored: dict[str, Any] = read_json(path)
    return stored


def _table(header: str, rows: list[list[str]]) -> str:
    rule = "|" + "---|" * (header.count("|") - 1)
    return "\n".join([header, rule, *("| " + " | ".join(row) + " |" for row in rows)])


def quality(results: Path) -> str:
    """README: F1 of PREFIX and the shipped models on both sets."""
    rows, lines = _quality(results), []
    for name in SETS:
        found = {model: rows[f"{name}/gigaword/{model}"] for model in MODELS}
        command = f"`hedline evaluate {{}} {name}.jsonl.xz --limit {found['default']['inputs']}`"
        lines.append([PREFIX, name, *_scores(systems(found["default"])["PREFIX"]), command.format("default")])
        for model in reversed(MODELS):
            label = f"**{LABELS[model]}**" if model == "default" else LABELS[model]
            lines.append([label, name, *_scores(systems(found[model])["model"]), command.format(model)])
    return _table("| system | set | ROUGE-1 | ROUGE-2 | ROUGE-L | command |", lines)


def _scores(system: Mapping[str, Any]) -> list[str]:
    return [with_interval(system[metric]) for metric in ROUGE]


def _gain(row: Row) -> str:
    return " / ".join(f"{row['against_prefix'][metric]['relative']:.1f}" for metric in ROUGE)


def _triple(system: Mapping[str, Any]) -> str:
    return triple([system[metric]["value"] for metric in ROUGE])


def gains(results: Path) -> str:
    """README: how far the default is above PREFIX, and recall at 75 bytes."""
    rows = _quality(results)
    f1 = [f"{_gain(rows[f'{name}/gigaword/default'])} % on {name}" for name in SETS]
    recall = {model: rows[f"wire2004/duc/{model}"] for model in MODELS}
    return (
        f"The default is above PREFIX by {f1[0]} (ROUGE-1 / 2 / L) and {f1[1]}, all guards on.\n"
        "As the paper measures, recall at 75 bytes (`--preset duc`, wire2004): "
        f"PREFIX {_triple(systems(recall['default'])['PREFIX'])},\n"
        f"`abs` {_triple(systems(recall['abs'])['model'])}, `default` {_triple(systems(recall['default'])['model'])}."
    )


def card(model: str, results: Path) -> str:
    """A model card's scores: PREFIX, the model and people on both sets by F1, and on wire2004 by recall."""
    rows, lines = _quality(results), []
    for name, preset in (("test", "gigaword"), ("wire2004", "gigaword"), ("wire2004", "duc")):
        row = rows[f"{name}/{preset}/{model}"]
        kind = ", recall at 75 bytes" if preset == "duc" else ""
        found = systems(row)
        lines.append([f"{PREFIX}{kind}", name, *_scores(found["PREFIX"]), *_counts(found["PREFIX"])])
        lines.append([f"**{model}**{kind}", name, *_scores(found["model"]), *_counts(found["model"])])
        if preset == "gigaword":
            lines.append(["people", name, "–", "–", "–", *_counts(found["human"])])
    header = "| system | set | ROUGE-1 | ROUGE-2 | ROUGE-L | Ext. % | words | unsupported number | name |"
    gained = "; ".join(f"{_gain(rows[f'{name}/gigaword/{model}'])} % on {name}" for name in SETS)
    return f"{_table(header, lines)}\n\nAbove PREFIX: {gained}; {_gain(rows[f'wire2004/duc/{model}'])} % in recall."


def _counts(system: Mapping[str, Any]) -> list[str]:
    shares = [f"{system[name]:.1f} %" for name in ("bad_numbers", "bad_names")]
    return [number(system["ext"], 1), number(system["words"]), *shares]


def people(results: Path) -> str:
    """What the lead does not support of the headlines people wrote."""
    human = systems(_quality(results)["test/gigaword/default"])["human"]
    return (
        f"On `test` {human['bad_numbers']:.1f} % of the human headlines hold a number and {human['bad_names']:.1f} % a "
        f"name that the lead does not support,\nand only {human['ext']:.1f} % of their words stand in it "
        "(`hedline evaluate default test.jsonl.xz`, row `human`)."
    )


def meaning(results: Path) -> str:
    """How many traps the shipped models fall into."""
    rows = Results(results, "meaning").rows
    shares = {
        model: [100 * rows[f"{model}/{label}"]["failed"] / rows[f"{model}/{label}"]["traps"] for label in GUARDS]
        for model in MODELS
    }
    (off, on), (tiny_off, tiny_on), (abs_off, abs_on) = (shares[model] for model in MODELS)
    guarded = [rows[f"{model}/with guards"] for model in MODELS]
    altered = [sum(row[kind] for row in guarded) for kind in ("quotations", "numbers")]
    return (
        f"Meaning: of {guarded[0]['traps']} sentences written to be misread (negations, conditions, hedges, "
        f"quotations, numbers) the default's headlines fail\n{on:.1f} % with the guards and {off:.1f} % without, "
        f"`tiny` {tiny_on:.1f} and {tiny_off:.1f} %, `abs` {abs_on:.1f} and {abs_off:.1f} %;\n"
        f"with the guards {altered[0]} quotations and {altered[1]} numbers are "
        "altered "
        "(`hedline reproduce meaning`).\nThe guards' rules were made on these sentences; on ones never seen one "
        "in ten to one in five is still untrue ([docs/guide-headlines.md](docs/guide-headlines.md#guards))."
    )


def speed(results: Path) -> str:
    """README: ratios to peers, each measured in one run with its peer."""
    ours, paper = _bench(results, "decode-default")["decode"], _bench(results, "decode")["decode"]
    rouge, text = _bench(results, "rouge")["rouge"], _bench(results, "text")["text"]
    default, abs_ = partial(_times, ours, "hedline default"), partial(_times, paper, "hedline abs")
    tiny = partial(_times, _bench(results, "decode-tiny")["decode"], "hedline tiny")
    news = partial(_times, _bench(results, "decode-news")["decode"], "hedline default")
    command = "`hedline bench decode --model {} --threads 1`"
    in_pieces = "the same reading and writing as many tokens as ours has pieces"
    rows = [
        ["`default`, text to text, one thread, all guards on, batch 1 and 32",
         "CTranslate2 int8, t5-small shape, beam 5, a token a word", default("t5-small"), command.format("default")],
        ["the same without our shortlist of pieces (all scored)", "the same",
         _times(ours, "hedline default, no shortlist", "t5-small"), "the same"],
        ["the same with it", "the same with a vocabulary map of its own", default("t5-small, mapped"), "the same"],
        ["the same with it", in_pieces, default("t5-small, in pieces"), "the same"],
        ["the same with it", "CTranslate2 int8, distilbart-6-6 shape", default("distilbart-6-6"), "the same"],
        ["`default` on leads of `valid`, real news", "CTranslate2 int8, t5-small shape, beam 5, a token a word",
         news("t5-small"), "the same with `--data valid.jsonl.xz`"],
        ["the same", in_pieces, news("t5-small, in pieces"), "the same"],
        ["`tiny`, all guards on", "CTranslate2 int8, t5-small shape, beam 5, a token a word", tiny("t5-small"),
         command.format("tiny")],
        ["the same", in_pieces, tiny("t5-small, in pieces"), "the same"],
        ["ABS of the paper's size, with its shortlist of words", "CTranslate2 int8, t5-small shape",
         abs_("t5-small"), "`hedline bench decode --threads 1`"],
        ["the same with all 50,000 words scored", "the same",
         _times(paper, "hedline abs, no shortlist", "t5-small"), "the same"],
        *([f"ROUGE of {rouge['summaries']:,} summaries, {rouge['references']} references, start-up included", peer,
           f"{ratio:.1f} ×", "`hedline bench rouge`"] for peer, ratio in rouge["times_faster"].items()),
        [f"Treebank tokeniser, first pass over {text['texts']:,} texts", "NLTK", f"{text['ratio']:.1f} ×",
         f"`hedline bench text --data {text['data']} --limit {text['texts']}`"],
    ]  # fmt: skip
    return _table("| what | against | ratio | command |", rows)


def _times(bench: Mapping[str, Any], ours: str, peer: str) -> str:
    """`4.7 × and 2.1 ×`: one text at a time and 32."""
    speeds = bench["runs"][0]["sentences_per_second"]
    return " and ".join(f"{speeds[batch][ours] / speeds[batch][peer]:.1f} ×" for batch in ("1", "32"))


def serve(results: Path) -> str:
    """The server under load against `summarize`, and a lone request against the API."""
    bench = _bench(results, "serve")["serve"]
    whole, lone, (before, after) = bench["total"], bench["lone"], bench["memory_mb"]
    shares = [each["share"] for each in bench["rounds"]]
    return (
        f"`hedline bench serve --limit {bench['texts']}`, model `{bench['model']}`, {bench['workers']} workers, "
        f"{len(shares)} rounds: {bench['clients']:,} clients got {whole['share']:.2f} of `summarize`'s speed by the\n"
        f"clock (rounds {min(shares):.2f} to {max(shares):.2f}, median {whole['median_share']:.2f}) and "
        f"{whole['processor_share']:.2f} by processor time, the clients' own work counted against the server. Lost "
        f"{whole['lost']}, failed {whole['failed']},\nother than the command line's {whole['different']}. Memory of "
        f"the serving process: {before} MB when ready, {after} MB at most. A lone request: {lone['serve_ms']:.1f} ms, "
        f"the API {lone['api_ms']:.1f} ms;\nmedian of the differences {lone['difference_ms']:+.1f} ms; "
        f"of processor time {lone['serve_processor_ms']:.1f} and {lone['api_processor_ms']:.1f} ms."
    )


BLOCKS: dict[str, Callable[[Path], str]] = {
    "quality": quality,
    "gains": gains,
    "meaning": meaning,
    "people": people,
    "speed": speed,
    "serve": serve,
    "card default": partial(card, "default"),
    "card tiny": partial(card, "tiny"),
    "card abs": partial(card, "abs"),
}
