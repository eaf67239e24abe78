"""The paper's own sentences with our headlines: the alignment of Figure 1, and the eleven examples of its Figure 4."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from hedline.api import load
from hedline.corpora.sets import EvaluationItem
from hedline.decoding.heatmap import svg_map, terminal_map
from hedline.decoding.summary import Summary
from hedline.experiments.record import Request, Results, Row
from hedline.experiments.report import Section
from hedline.experiments.systems import ABS_SYSTEMS, System, headlines, measure_systems

FIGURE1 = "figure1"
# The input of Figure 1, and the headline the paper's model wrote for it.
FIGURE1_INPUT = (
    "russian defense minister ivanov called sunday for the creation of a joint front for combating global terrorism"
)
FIGURE1_HEADLINE = "russia calls for joint front against terrorism"


def run_figure1(request: Request) -> Results:
    """Decode the sentence and keep the alignment."""

    def measure(_: str, folder: Path, options: dict[str, Any]) -> Row:
        return _to_row(load(folder).summarize([FIGURE1_INPUT], **options)[0])

    return measure_systems(FIGURE1, ABS_SYSTEMS, "the paper's sentence", request, measure)


def _to_row(summary: Summary) -> Row:
    alignment = [[round(float(weight), 4) for weight in line] for line in summary.alignment]
    return {
        "headline": summary.text,
        "tokens": list(summary.tokens),
        "source": list(summary.source),
        "novel": list(summary.novel),
        "alignment": alignment,
    }


def _from_row(row: dict[str, Any]) -> Summary:
    alignment = np.array(row["alignment"], dtype=np.float32).reshape(len(row["tokens"]), -1)
    return Summary(
        row["headline"],
        tokens=tuple(row["tokens"]),
        alignment=alignment,
        source=tuple(row["source"]),
        novel=tuple(row["novel"]),
    )


def draw_figure1(rows: dict[str, Row]) -> dict[str, str]:
    """`figure1-<row>.svg`: each alignment as a heat map."""
    return {_figure_name(key): svg_map(_from_row(row)) for key, row in rows.items()}


def _figure_name(key: str) -> str:
    return f"{FIGURE1}-{key.lower().replace(' ', '-')}.svg"


def render_figure1(rows: dict[str, Row]) -> list[Section]:
    """The sentence, the paper's headline and ours, and each alignment, drawn and in block characters."""
    lines = [f"Input: {FIGURE1_INPUT}", "", f"- paper: {FIGURE1_HEADLINE}"]
    lines += [f"- ours, {system.label}: {rows[key]['headline']}" for key, system in ABS_SYSTEMS.items() if key in rows]
    sections = [Section("Figure 1: alignment", body="\n".join(lines))]
    for key, system in ABS_SYSTEMS.items():
        if key in rows:
            drawn = terminal_map(_from_row(rows[key])).rstrip("\n").splitlines()
            body = "\n".join(f"    {line}".rstrip() for line in drawn)
            sections.append(Section(f"Figure 1: {system.label}", body=body, picture=_figure_name(key)))
    return sections


@dataclass(frozen=True)
class Example:
    """An input, its true headline, and what ABS and ABS+ of the paper wrote; digits are `#` there."""

    lead: str
    headline: str
    abs: str
    abs_plus: str


EXAMPLES = (
    Example(
        "a detained iranian-american academic accused of acting against national security has been released "
        "from a tehran prison after a hefty bail was posted , a top judiciary official said tuesday .",
        "iranian-american academic held in tehran released on bail",
        "detained iranian-american academic released from jail after posting bail",
        "detained iranian-american academic released from prison after hefty bail",
    ),
    Example(
        "ministers from the european union and its mediterranean neighbors gathered here under heavy security"
        " on monday for an unprecedented conference on economic and political cooperation .",
        "european mediterranean ministers gather for landmark conference by julie bradford",
        "mediterranean neighbors gather for unprecedented conference on heavy security",
        "mediterranean neighbors gather under heavy security for unprecedented conference",
    ),
    Example(
        "the death toll from a school collapse in a haitian shanty-town rose to ## after rescue workers "
        "uncovered a classroom with ## dead students and their teacher , officials said saturday .",
        "toll rises to ## in haiti school unk : official",
        "death toll in haiti school accident rises to ##",
        "death toll in haiti school to ## dead students",
    ),
    Example(
        "australian foreign minister stephen smith sunday congratulated new zealand 's new prime "
        "minister-elect john key as he praised ousted leader helen clark as a `` gutsy '' and respected "
        "politician .",
        "time caught up with nz 's gutsy clark says australian fm",
        "australian foreign minister congratulates new nz pm after election",
        "australian foreign minister congratulates smith new zealand as leader",
    ),
    Example(
        "two drunken south african fans hurled racist abuse at the country 's rugby sevens coach after the "
        "team were eliminated from the weekend 's hong kong tournament , reports said tuesday .",
        "rugby union : racist taunts mar hong kong sevens : report",
        "south african fans hurl racist taunts at rugby sevens",
        "south african fans racist abuse at rugby sevens tournament",
    ),
    Example(
        "christian conservatives -- kingmakers in the last two us presidential elections -- may have less "
        "success in getting their pick elected in #### , political observers say .",
        "christian conservatives power diminished ahead of #### vote",
        "christian conservatives may have less success in #### election",
        "christian conservatives in the last two us presidential elections",
    ),
    Example(
        "the white house on thursday warned iran of possible new sanctions after the un nuclear watchdog "
        "reported that tehran had begun sensitive nuclear work at a key site in defiance of un resolutions .",
        "us warns iran of step backward on nuclear issue",
        "iran warns of possible new sanctions on nuclear work",
        "un nuclear watchdog warns iran of possible new sanctions",
    ),
    Example(
        "thousands of kashmiris chanting pro-pakistan slogans on sunday attended a rally to welcome back a "
        "hardline separatist leader who underwent cancer treatment in mumbai .",
        "thousands attend rally for kashmir hardliner",
        "thousands rally in support of hardline kashmiri separatist leader",
        "thousands of kashmiris rally to welcome back cancer treatment",
    ),
    Example(
        "an explosion in iraq 's restive northeastern province of diyala killed two us soldiers and wounded "
        "two more , the military reported monday .",
        "two us soldiers killed in iraq blast december toll ###",
        "# us two soldiers killed in restive northeast province",
        "explosion in restive northeastern province kills two us soldiers",
    ),
    Example(
        "russian world no. # nikolay davydenko became the fifth withdrawal through injury or illness at the "
        "sydney international wednesday , retiring from his second round match with a foot injury .",
        "tennis : davydenko pulls out of sydney with injury",
        "davydenko pulls out of sydney international with foot injury",
        "russian world no. # davydenko retires at sydney international",
    ),
    Example(
        "russia 's gas and oil giant gazprom and us oil major chevron have set up a joint venture based in "
        "resource-rich northwestern siberia , the interfax news agency reported thursday quoting gazprom "
        "officials .",
        "gazprom chevron set up joint venture",
        "russian oil giant chevron set up siberia joint venture",
        "russia 's gazprom set up joint venture in siberia",
    ),
)


NAME = "examples"

SYSTEMS = {
    **ABS_SYSTEMS,
    "transformer": System("Transformer", "transformer"),
}


def run(request: Request) -> Results:
    """Headlines of every system that is there for the paper's inputs, exactly as printed in it."""
    items = [EvaluationItem(str(number), example.lead, ()) for number, example in enumerate(EXAMPLES)]

    def measure(_: str, folder: Path, options: dict[str, Any]) -> Row:
        return {"headlines": headlines(folder, items, options)}

    return measure_systems(NAME, SYSTEMS, "the paper's examples", request, measure)


def render(rows: dict[str, Row]) -> list[Section]:
    """Each input with all its headlines."""
    blocks = []
    for index, example in enumerate(EXAMPLES):
        lines = [f"**I({index + 1}):** {example.lead}", ""]
        printed = {"people": example.headline, "paper, ABS": example.abs, "paper, ABS+": example.abs_plus}
        ours = {f"ours, {SYSTEMS[key].label}": rows[key]["headlines"][index] for key in SYSTEMS if key in rows}
        lines += [f"- {who}: {headline}" for who, headline in (printed | ours).items()]
        blocks.append("\n".join(lines))
    notes = (
        "The inputs are the paper's: lower-cased, tokenised, digits as `#`. Models that read ordinary text are at a "
        "disadvantage on them, above all the transformer.",
    )
    return [Section("The paper's examples", body="\n\n".join(blocks), notes=notes)]
