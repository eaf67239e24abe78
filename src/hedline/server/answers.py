"""A worker's side of the server: JSON jobs in, one JSON line for each text out.

The lines are what `hedline summarize --format jsonl` prints, byte for byte: the same function makes them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from hedline.api import Summarizer
from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import Hypothesis, Summary, make_summary
from hedline.errors import UserError
from hedline.metrics.support import unsupported_names, unsupported_numbers

# How a line begins: an answer, a mistake of the user, a failure of ours.
FINE, WRONG, FAILED = b"+", b"?", b"!"
Item = Sequence[str]  # kind, id, lead
Casing = Mapping[str, str] | None  # lower-case word to its usual form


def record(summary: Summary, id: str, lead: str, casing: Casing) -> dict[str, Any]:
    """The contract's record."""
    return summary.to_json(id, lead)


def detail(summary: Summary, id: str, lead: str, casing: Casing) -> dict[str, Any]:
    """The record with all a page shows: the input's words as read, and every candidate's words and alignment."""
    plain = summary.to_json(id, lead)
    candidates = [_candidate(each, summary.source, plain["nbest"][i], casing) for i, each in enumerate(summary.nbest)]
    return {**plain, "source": list(summary.source), "nbest": candidates}


def _candidate(
    hypothesis: Hypothesis, source: Sequence[str], plain: Mapping[str, Any], casing: Casing
) -> dict[str, Any]:
    """casing: tells names even where every word has a capital, as candidates beyond the best are not guarded."""
    shown, lead = make_summary([hypothesis], source, ()).to_json("", ""), " ".join(source)
    doubtful = (*unsupported_numbers(hypothesis.text, lead), *unsupported_names(hypothesis.text, lead, casing))
    return {
        **plain,
        "tokens": shown["tokens"],
        "known": list(map(bool, hypothesis.known)),
        "alignment": shown["alignment"],
        "unsupported": list(dict.fromkeys(doubtful)),
    }


def summary_text(summary: Summary, id: str, lead: str, casing: Casing) -> dict[str, Any]:
    """Hugging Face's shape."""
    return {"summary_text": summary.text}


KINDS = {"record": record, "detail": detail, "summary_text": summary_text}


def write_job(model: str, options: str, items: Sequence[Item]) -> bytes:
    """A batch for a worker: texts to search with the same model and options (JSON)."""
    return json.dumps({"model": model, "options": options, "items": items}, ensure_ascii=False).encode()


def answer_job(job: bytes, models: Mapping[str, Summarizer]) -> bytes:
    """One line for each text of a batch, in order."""
    value = json.loads(job)
    summarizer, items = models[value["model"]], value["items"]
    try:
        options = DecodeOptions(**json.loads(value["options"]))
        lines = _search(summarizer, options, items)
    except UserError as error:
        lines = [WRONG + str(error).encode("utf-8", "replace")] * len(items)
    return b"\n".join(line.replace(b"\n", b" ") for line in lines)


def _search(summarizer: Summarizer, options: DecodeOptions, items: Sequence[Item]) -> list[bytes]:
    """Search all texts together; where that fails, each alone, so that one text cannot spoil the others."""
    try:
        summaries = summarizer.summarize([lead for _, _, lead in items], options)
        return [_line(summarizer, summary, *item) for summary, item in zip(summaries, items, strict=True)]
    except UserError:
        raise
    except Exception as error:
        if len(items) > 1:
            return [line for item in items for line in _search(summarizer, options, [item])]
        return [FAILED + f"the search failed on this text ({type(error).__name__})".encode()]


def _line(summarizer: Summarizer, summary: Summary, kind: str, id: str, lead: str) -> bytes:
    value = KINDS[kind](summary, id, lead, summarizer.casing)
    return FINE + json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
