"""Text speed as a ratio to NLTK's `TreebankWordTokenizer`, and how often the two agree, in one run."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any

from hedline.errors import UserError, require
from hedline.files import open_binary
from hedline.text.clean import split_sentences
from hedline.text.tokenize import clear_caches, normalize, read_source, tokenize, words

LIMIT = 20_000
ROUNDS = 3
_PEERS = {"nltk": "NLTK TreebankWordTokenizer", "nltk_offsets": "the same with offsets"}
_NAMES = ("Adeyemi", "Borg", "Castellanos", "Dvorak", "Eriksen", "Farrugia", "Girard", "Holm", "Ivanova", "Kovac")
_PLACES = ("Aberdeen", "Bergen", "Córdoba", "Dakar", "Esbjerg", "Freiburg", "Galway", "Haifa", "Izmir", "Jena")
_TEMPLATES = (
    "{place} (Reuters) - Mayor {name} said on Tuesday that the {n}-year-old bridge won't reopen before {m} p.m.",
    "“We can't afford it,” said {name}, whose firm lost ${n}.{m} million in the U.S. last year.",
    "The {place} council voted {n}-{m} to close the harbour's oldest ferry line, officials announced.",
    "Shares of {name} & Sons Inc. fell {m}% to {n},{m}00 points; analysts (most of them) blamed the strike.",
    '{name}\'s "quiet" resignation came {n} days after a court in {place} cleared her of all charges.',
    "It's the {m}th storm since Jan. {n}, and {place} residents say they're used to it -- or nearly so.",
)


def built_in(count: int) -> list[str]:
    """Sentences of our own, all different, for machines without data."""

    def sentence(i: int) -> str:
        name, place = _NAMES[i % 10], _PLACES[i // 10 % 10]
        return _TEMPLATES[i % 6].format(name=name, place=place, n=10 + i * 7 % 89, m=1 + i * 13 % 97)

    return [sentence(i) for i in range(count)]


def read_leads(path: Path, count: int) -> list[str]:
    """The first `count` leads of a JSONL file of pairs; a line that is no pair is an error with its number."""
    with open_binary(path) as stream:
        return list(islice(_leads(path, stream), count))


def _leads(path: Path, lines: Any) -> Iterator[str]:
    try:
        for number, line in enumerate(lines, 1):
            record = json.loads(line)
            if not isinstance(record, dict) or not isinstance(record.get("lead"), str):
                raise UserError(f"{path}, line {number}: not a JSON object with a text field 'lead'")
            yield record["lead"]
    except (ValueError, OSError, EOFError) as error:
        raise UserError(f"{path} cannot be read as JSON lines ({error})") from None


def run(data: Path | None = None, limit: int = LIMIT) -> dict[str, Any]:
    """Measure speeds, in texts a second of CPU time on one core, and agreement with NLTK.

    data: JSONL of pairs; without it, sentences of our own. The first pass begins with empty caches and decides the
    ratio, against the fastest of NLTK's three passes; the fastest pass is reported beside it.
    """
    try:
        from nltk.tokenize import TreebankWordTokenizer
    except ImportError:
        raise require("nltk", "dev", "hedline bench text") from None
    texts = read_leads(data, limit) if data else built_in(limit)
    if not texts:
        raise UserError(f"{data} holds no pairs: nothing to measure")
    peer = TreebankWordTokenizer()
    functions: dict[str, Callable[[str], Any]] = {
        "nltk": peer.tokenize,
        "nltk_offsets": lambda text: _nltk_offsets(peer, text),
        "words": words,
        "tokenize": tokenize,
        "normalize": normalize,
        "read_source": read_source,
        "split_sentences": split_sentences,
    }
    first_round = {name: _seconds(function, texts, cold=True) for name, function in functions.items()}
    rounds = [first_round, *({n: _seconds(f, texts) for n, f in functions.items()} for _ in range(ROUNDS - 1))]
    fastest = {name: len(texts) / min(seconds[name] for seconds in rounds) for name in functions}
    first = {name: len(texts) / first_round[name] for name in functions}
    return {
        "texts": len(texts),
        "data": data.name if data else "built-in sentences",
        "first_pass_per_second": {name: round(speed) for name, speed in first.items()},
        "fastest_pass_per_second": {name: round(speed) for name, speed in fastest.items()},
        "ratio": round(first["words"] / fastest["nltk"], 2),
        "ratio_with_offsets": round(first["tokenize"] / fastest["nltk_offsets"], 2),
        "agreement": round(sum(words(text) == peer.tokenize(text) for text in texts) / len(texts), 6),
    }


def _nltk_offsets(peer: Any, text: str) -> list[tuple[int, int]]:
    """NLTK's tokens with offsets; it cannot find its own tokens in some texts with old-style quotes."""
    try:
        return list(peer.span_tokenize(text))
    except ValueError:
        return []


def _seconds(function: Callable[[str], Any], texts: list[str], cold: bool = False) -> float:
    """CPU seconds of one pass (other work on a shared machine would blur wall time); cold: with empty caches."""
    if cold:
        clear_caches()
    start = time.process_time()
    for text in texts:
        function(text)
    return max(time.process_time() - start, 1e-9)


def render(result: dict[str, Any]) -> str:
    """The numbers as a small table."""
    first, fastest = result["first_pass_per_second"], result["fastest_pass_per_second"]
    lines = [
        f"text: {result['texts']:,} texts ({result['data']}), one core",
        "",
        f"  {'texts a second':<28} {'first pass':>10} {'x NLTK':>7} {'fastest':>10} {'x NLTK':>7}",
    ]
    for name, speed in first.items():
        label = _PEERS.get(name, f"hedline {name}")
        ratios = speed / fastest["nltk"], fastest[name] / fastest["nltk"]
        lines.append(f"  {label:<28} {speed:>10,} {ratios[0]:>7.2f} {fastest[name]:>10,} {ratios[1]:>7.2f}")
    offsets = result["ratio_with_offsets"]
    lines += [
        "",
        f"  tokeniser {result['ratio']:.2f} x NLTK; with offsets {offsets:.2f} x NLTK with offsets",
        f"  the same tokens as NLTK on {result['agreement']:.3%} of texts",
    ]
    return "\n".join(lines)
