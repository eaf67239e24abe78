"""Random texts with random options through the API of the shipped models: what breaks?

    python scripts/attack.py --count 1000                         # 1,000 texts, half for each model
    python scripts/attack.py --seconds 3600 --state attack.json   # goes on where attack.json stopped

Round R of seed S always has the same model, texts and options, so `--seed S --first R --count 1` repeats a failure.
Texts are searched in batches, every tenth again and alone. Counted as failures: an exception; a headline beyond its
limits; a line break, a control character or `<unk>` in it; no headline and no note; another answer alone than in the
batch (text, candidates, scores and alignment); a number the text does not have, where numbers are guarded.
"""

from __future__ import annotations

import argparse
import json
import random
import re
import time
import traceback
import unicodedata
from collections import Counter
from pathlib import Path
from typing import Any

import hedline
from hedline.bench.text import built_in
from hedline.errors import UserError
from hedline.text.clean import clean

MODELS = ("default", "abs", "tiny")
TOGETHER, ALONE = 60, 6  # texts of a round; those of them that are searched a second time, alone
SHOWN = 20  # failures kept in the state
STRANGE = [
    "🚢🔥👩‍👩‍👧", "北京市政府星期二宣布", "<p class='x'>", "</p>&nbsp;&amp;", "\x00\x07\x1b[31m", "Mr. O'Neil's",
    "¥1,200.50", "﷽", "e\u0301", "\u202eabc\u202c", "ＡＢＣ１２３", "١٢٣", "don't", "(see [1])", "``quoted''", "#hash",
    "@you", "ß", "http://x.org/a?b=1", "\ud800", "İstanbul", "ŉ", "$5", "...", "—", "’", "a", "I", "12", "2021",
    "the", "storm", "\t", "Council", "\u2028", "\u00a0", "\r", "not", "unless", "alleged", "“never”",
    "'s", "n't", "-", "--", "U.S.", "Zxqv",
    "3rd", "1/2", "O", "\u0085", "\ufffd",
]  # fmt: skip
WORDS = [
    "the", "a", "of", "in", "to", "and", "for", "on", "with", "by", "after", "says", "will", "not", "mayor", "council",
    "storm", "police", "harbour", "bridge", "ferry", "court", "minister", "bank", "workers", "strike", "votes",
    "closes", "opens", "Lund", "Dakar", "Smith", "Chen", "Tuesday", "May", "12", "3.5", "million", "per", "cent",
    "million-dollar",
]  # fmt: skip
DIGITS = re.compile(r"[0-9]+(?:[.,:/][0-9]+)*")
FEATURES = ("log_prob", "unigram", "bigram", "trigram", "reorder", "length", "unsupported", "repeat", "coverage")


def random_text(pick: random.Random, sentences: list[str]) -> str:
    """Ordinary sentences, sentences with strange places, word salads, heaps of characters, next to nothing."""
    kind = pick.random()
    if kind < 0.2:
        return " ".join(pick.choice(sentences) for _ in range(pick.choice((1, 1, 1, 2))))
    if kind < 0.5:
        return _damaged(pick, pick.choice(sentences))
    if kind < 0.75:
        return " ".join(pick.choice(pick.choice((WORDS, WORDS, STRANGE))) for _ in range(pick.randrange(1, 30)))
    if kind < 0.9:
        return "".join(chr(pick.randrange(pick.choice((0x80, 0x800, 0x110000)))) for _ in range(pick.randrange(1, 60)))
    if kind < 0.903:
        return pick.choice(STRANGE) * pick.randrange(1, 3000)
    return pick.choice(["", " ", "\n", "\x00", "\u200b", "\ufeff", *STRANGE, "word"])


def _damaged(pick: random.Random, text: str) -> str:
    letters = list(text)
    for _ in range(pick.randrange(1, 8)):
        place = pick.randrange(len(letters))
        letters[place : place + pick.choice((0, 0, 1, 5))] = pick.choice((*STRANGE, " ", "\n", "."))
    return "".join(letters)


def random_options(pick: random.Random) -> dict[str, Any]:
    """Valid options, most of them left as they are."""
    options: dict[str, Any] = {"beam": pick.choice((1, 1, 2, 2, 3))}
    limits: dict[str, Any] = {
        "words": pick.randrange(1, 16), "exact_words": pick.randrange(1, 16), "bytes": pick.randrange(1, 120),
        "chars": pick.randrange(1, 120), "max_words": pick.randrange(1, 24),
    }  # fmt: skip
    for name in pick.sample(sorted(limits), pick.choice((0, 1, 1, 1, 2))):
        if {name, *options} < {"words", "exact_words", "beam"} or not {"words", "exact_words"} <= {name, *options}:
            options[name] = limits[name]
    others: dict[str, Any] = {
        "fill": pick.random(), "cut": True, "mode": pick.choice(("extractive", "compressive")),
        "nbest": pick.randrange(2, 6), "decoder": "greedy", "tuned": False, "variant": "namas",
        "abstractiveness": pick.uniform(-1, 1),
        "length_penalty": pick.uniform(-5, 5), "recombine": False, "block_repeats": False, "guard_numbers": False,
        "guard_names": pick.random() < 0.5, "guard_meaning": False, "copy_unknown": False, "capitalize": False,
        "case": pick.choice(("sentence", "title", "as-trained")), "rerank": pick.choice(("none", "mbr", "overlap")),
        "diversity": pick.random(), "weights": {name: pick.uniform(0, 2) for name in pick.sample(FEATURES, 3)},
    }  # fmt: skip
    return options | {name: others[name] for name in pick.sample(sorted(others), pick.choice((0, 1, 2, 3)))}


def faults(text: str, summary: hedline.Summary, options: dict[str, Any]) -> list[str]:
    """What is wrong with one answer."""
    wrong = []
    bounded = {"words", "exact_words", "bytes", "chars"} & options.keys()
    words = options.get("words") or options.get("exact_words") or (10**9 if bounded else options.get("max_words", 24))
    for headline in {summary.text, *(each.text for each in summary.nbest)}:
        if len(headline.encode("utf-8", "surrogatepass")) > options.get("bytes", 10**9):
            wrong.append("bytes")
        if len(headline) > options.get("chars", 10**9):
            wrong.append("chars")
        if len(headline.split()) > words:
            wrong.append("words")
        if "<unk>" in headline:
            wrong.append("unk")
        if headline != headline.strip() or any(
            unicodedata.category(letter) in ("Cc", "Cs", "Zl", "Zp") for letter in headline
        ):
            wrong.append("control character")
    if not summary.text and not summary.notes:
        wrong.append("empty without a note")
    exact = options.get("exact_words")
    if exact and not options.get("cut") and len(summary.text.split()) != exact and not summary.notes:
        wrong.append("not exact, without a note")
    if options.get("guard_numbers", True) and summary.nbest:
        digits = unicodedata.normalize("NFKC", clean(text))
        if not all(number in digits for number in DIGITS.findall(summary.text)):
            wrong.append("number")
    return wrong


def attack(
    number: int, seed: int, models: list[hedline.Summarizer], sentences: list[str]
) -> tuple[Counter[str], list[Any]]:
    """One round: counts by what happened, and the failures with what repeats them."""
    pick = random.Random(f"{seed} {number}")
    model, options = models[number % len(models)], random_options(pick)
    texts = [random_text(pick, sentences) for _ in range(TOGETHER)]
    batch = pick.randrange(2, TOGETHER + 1)
    counts: Counter[str] = Counter({f"inputs {model.name}": TOGETHER, "searched again alone": ALONE})
    failures = []

    def fail(what: str, text: str) -> None:
        counts[f"failed: {what}"] += 1
        failures.append(
            {"round": number, "what": what, "model": model.name, "options": options, "text": ascii(text[:600])}
        )

    try:
        together = model.summarize(texts, batch=batch, **options)
        for place, (text, summary) in enumerate(zip(texts, together, strict=True)):
            for what in faults(text, summary, options):
                fail(what, text)
            if place < ALONE and model.summarize([text], **options)[0].to_json("1", "") != summary.to_json("1", ""):
                fail("another answer alone", text)
            counts["with a headline"] += bool(summary.text)
            counts["with a note"] += bool(summary.notes)
    except UserError as error:
        fail(f"refused: {str(error)[:80]}", "")
    except Exception:
        fail("exception", traceback.format_exc(limit=-3))
    return counts, failures


def read_state(path: Path | None, first: int) -> dict[str, Any]:
    if path and path.exists():
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        return found
    return {"next": first, "seconds": 0.0, "counts": {}, "failures": []}


def write_state(path: Path | None, state: dict[str, Any]) -> None:
    if path:
        beside = path.with_suffix(".part")
        beside.write_text(json.dumps(state, indent=1) + "\n", encoding="utf-8")
        beside.replace(path)


def run(state: dict[str, Any], args: argparse.Namespace) -> None:
    models, sentences = [hedline.load(name) for name in MODELS], built_in(2000)
    begin, last, before = time.monotonic(), time.monotonic(), state["seconds"]
    counts, rounds = Counter(state["counts"]), -(-args.count // TOGETHER)
    while rounds > 0 and time.monotonic() - begin < args.seconds:
        more, failures = attack(state["next"], args.seed, models, sentences)
        counts.update(more)
        rounds -= 1
        state |= {"next": state["next"] + 1, "counts": dict(sorted(counts.items()))}
        state["failures"] = [*state["failures"], *failures][:SHOWN]
        state["seconds"] = round(before + time.monotonic() - begin, 1)
        if time.monotonic() - last > 10 or failures:
            write_state(args.state, state)
            last = time.monotonic()
    write_state(args.state, state)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=10**9, help="texts of this run")
    parser.add_argument("--seconds", type=float, default=60.0, help="time of this run")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="round to begin with")
    parser.add_argument("--state", type=Path, help="counts and failures so far, to go on from")
    args = parser.parse_args()
    state = read_state(args.state, args.first)
    run(state, args)
    print(json.dumps(state["counts"], indent=1))
    for failure in state["failures"]:
        print(json.dumps(failure))
    return 1 if state["failures"] else 0


if __name__ == "__main__":
    raise SystemExit(main())
