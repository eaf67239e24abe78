"""What a server tells about itself: its models, an OpenAPI schema, a page of documentation, and measurements.

The page needs no network. The measurements are counts and timings in Prometheus' text format.
"""

from __future__ import annotations

import json
import resource
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from html import escape
from pathlib import Path
from typing import Any

from hedline.server.settings import ServeSettings
from hedline.server.shapes import option_schema

TEXTS = {"oneOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}}]}
ERROR = {"type": "object", "properties": {"error": {"type": "string"}, "field": {"type": "string"}}}
RECORD = {
    "id": "string: the text's id, else its number",
    "lead": "string: the text",
    "headline": "string",
    "score": "number",
    "tokens": "list of strings: the headline's words",
    "alignment": "list of lists: for each word of the headline its weights over the words that were read",
    "copied": "list of strings: words that stand in the text",
    "novel": "list of strings: words that do not",
    "nbest": "list of objects: candidates, best first, with headline, score and features",
    "doubt": "number from 0 to 1, where the model can tell: how likely it thinks its headline is to be unsound",
    "unsupported": "list of strings, where there are any: numbers and names that the text does not have",
    "notes": "list of strings, where there are any: what a reader should know",
}
EXAMPLE = "The city council voted on Tuesday to close the old harbour bridge for six months of repairs."
SENTENCES = {
    200: "The answer.",
    400: "The body is not a JSON object.",
    401: "A key is needed, or not known.",
    413: "The body is too large, or holds too many texts.",
    422: "A field is wrong; the sentence names it.",
    429: "Too busy; the header Retry-After says for how many seconds.",
    503: "Still loading, or shutting down.",
    504: "No answer in time.",
}
SECOND_BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0)
BATCH_BOUNDS = (1, 2, 4, 8, 16, 32, 64, 128, 256)


def model_entries(folders: Mapping[str, str]) -> list[dict[str, Any]]:
    """What is known of each model: name, family, units, size; the first is the default."""
    entries = []
    for place, (name, folder) in enumerate(folders.items()):
        config = json.loads((Path(folder) / "config.json").read_text(encoding="utf-8"))
        size = sum(path.stat().st_size for path in Path(folder).glob("*.safetensors"))
        facts = {"family": config.get("family"), "units": config.get("units"), "bytes": size}
        entries.append({"name": name, "default": place == 0, **facts})
    return entries


def api_schema(settings: ServeSettings) -> dict[str, Any]:
    """The OpenAPI document."""
    from hedline import __version__

    headlines = {
        "type": "object",
        "required": ["texts"],
        "properties": {
            "texts": TEXTS,
            "ids": {"type": "array", "description": "One id for each text; numbers from 1 otherwise."},
            "options": {"type": "object", "properties": option_schema(), "additionalProperties": False},
            "model": {"type": "string", "description": "One of /v1/models; the first otherwise."},
            "explain": {"type": "boolean", "description": "Also the words that were read, and all candidates' words."},
        },
    }
    hugging_face = {
        "type": "object",
        "required": ["inputs"],
        "properties": {"inputs": TEXTS, "parameters": {"type": "object", "properties": option_schema()}},
    }
    reports = {
        "/v1/models": "Models and options.",
        "/health": "Whether the server is alive.",
        "/ready": "Whether it answers requests: 200, or 503 while it loads or shuts down.",
        "/metrics": "Measurements in Prometheus' text format.",
    }
    paths: dict[str, Any] = {
        "/v1/headlines": _post("Headlines for one text or many.", headlines, {"texts": [EXAMPLE]}),
        "/summarize": _post("The same in the shape of Hugging Face's task.", hugging_face, {"inputs": EXAMPLE}),
    }
    for path, text in reports.items():
        paths[path] = {"get": {"summary": text, "responses": {"200": {"description": "The answer."}}}}
    info = {"title": "hedline", "version": __version__, "description": "Turns a sentence into a headline."}
    document: dict[str, Any] = {"openapi": "3.1.0", "info": info, "paths": paths}
    if settings.keys:
        schemes = {"bearer": {"type": "http", "scheme": "bearer"}}
        document |= {"components": {"securitySchemes": schemes}, "security": [{"bearer": []}]}
    return document


def _post(text: str, schema: Mapping[str, Any], example: Mapping[str, Any]) -> dict[str, Any]:
    answers = {
        str(status): {
            "description": sentence,
            "content": {"application/json": {"schema": {"type": "object"} if status == 200 else ERROR}},
        }
        for status, sentence in SENTENCES.items()
    }
    content = {"application/json": {"schema": schema, "example": example}}
    return {"post": {"summary": text, "requestBody": {"required": True, "content": content}, "responses": answers}}


def docs_page(settings: ServeSettings) -> str:
    """The documentation of the API as one page."""
    key = " -H 'Authorization: Bearer KEY'" if settings.keys else ""
    body = json.dumps({"texts": [EXAMPLE], "options": {"words": 8}})
    shape = json.dumps({"inputs": EXAMPLE})
    fields = _table(("field", "what it is"), RECORD.items())
    rows = [
        (name, _kind(entry), _default(entry), entry.get("description", "")) for name, entry in option_schema().items()
    ]
    options = _table(("option", "type", "default", ""), rows)
    statuses = _table(("status", "meaning"), ((str(status), text) for status, text in SENTENCES.items()))
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>hedline: API</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<link rel="icon" href="page/icon.svg"><link rel="stylesheet" href="page/page.css"></head><body class="docs"><main>
<h1>hedline's API</h1>
<p>Try it on <a href="./">the page</a>; the same as a machine reads it: <a href="openapi.json">openapi.json</a>.</p>
<h2>POST /v1/headlines</h2>
<p>One text or many, with any option of <code>hedline summarize</code>. <code>Accept: application/jsonl</code> gives one
record per line, byte for byte what the command line prints with <code>--format jsonl</code>.</p>
<pre tabindex="0">curl{key} http://HOST:PORT/v1/headlines -d {escape(_quoted(body))}</pre>
<p>The answer is <code>{{"headlines": [record, …]}}</code>:</p>{fields}
<h3>Options</h3>{options}
<h2>POST /summarize</h2>
<p>The shape of Hugging Face's summarisation task: existing clients work with this address as their model.
<code>max_length</code> counts words here; the options above may stand among the parameters.</p>
<pre tabindex="0">curl{key} http://HOST:PORT/summarize -d {escape(_quoted(shape))}</pre>
<h2>Answers</h2>{statuses}
<p>An error is <code>{{"error": "one sentence", "field": "where"}}</code>.</p>
<h2>GET /health, /ready, /v1/models, /metrics</h2>
<p>Alive; ready (503 while loading); models and options; measurements for Prometheus.</p>
</main></body></html>
"""


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "'\\''") + "'"


def _table(head: Any, rows: Any) -> str:
    cells = "".join(f"<th scope='col'>{escape(name)}</th>" for name in head)
    lines = "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)
    return f"<div class='wide' tabindex='0'><table><thead><tr>{cells}</tr></thead><tbody>{lines}</tbody></table></div>"


def _kind(entry: Mapping[str, Any]) -> str:
    if "enum" in entry:
        return ", ".join(str(each) for each in entry["enum"] if each is not None)
    kind = entry["type"]
    return kind if isinstance(kind, str) else str(kind[0])


def _default(entry: Mapping[str, Any]) -> str:
    return "the model's, or none" if entry["default"] is None else json.dumps(entry["default"])


class Counter:
    """A number that only grows, one per combination of label values."""

    kind = "counter"

    def __init__(self, name: str, text: str, *labels: str) -> None:
        self.name, self.text, self.labels = name, text, labels
        self.values: dict[tuple[str, ...], float] = {} if labels else {(): 0.0}

    def add(self, amount: float = 1.0, *values: str) -> None:
        """Grow the number of these label values."""
        self.values[values] = self.values.get(values, 0.0) + amount

    def lines(self) -> Iterator[str]:
        """The samples as lines."""
        for values, number in self.values.items():
            yield f"{self.name}{_labels(self.labels, values)} {number:.10g}"


class Gauge(Counter):
    """A number that goes up and down."""

    kind = "gauge"

    def set(self, value: float, *values: str) -> None:
        """Set the number of these label values."""
        self.values[values] = value


class Histogram:
    """How often a measurement fell below each bound, with its sum and count."""

    kind = "histogram"

    def __init__(self, name: str, text: str, bounds: Sequence[float], *labels: str) -> None:
        self.name, self.text, self.bounds, self.labels = name, text, tuple(bounds), labels
        self.counts: dict[tuple[str, ...], list[int]] = defaultdict(lambda: [0] * (len(self.bounds) + 1))
        self.sums: dict[tuple[str, ...], float] = defaultdict(float)
        if not labels:
            _ = self.counts[()]

    def observe(self, value: float, *values: str) -> None:
        """Count one measurement."""
        place = next((i for i, bound in enumerate(self.bounds) if value <= bound), len(self.bounds))
        self.counts[values][place] += 1
        self.sums[values] += value

    def lines(self) -> Iterator[str]:
        """Buckets, sum and count as lines."""
        for values, counts in self.counts.items():
            total = 0
            for bound, count in zip((*self.bounds, "+Inf"), counts, strict=True):
                total += count
                shown = bound if isinstance(bound, str) else f"{bound:g}"
                yield f"{self.name}_bucket{_labels((*self.labels, 'le'), (*values, shown))} {total}"
            yield f"{self.name}_sum{_labels(self.labels, values)} {self.sums[values]:.10g}"
            yield f"{self.name}_count{_labels(self.labels, values)} {total}"


def _labels(names: Sequence[str], values: Sequence[str]) -> str:
    """`{name="value",…}`, empty without labels."""
    pairs = ",".join(f'{name}="{_escaped(value)}"' for name, value in zip(names, values, strict=True))
    return f"{{{pairs}}}" if pairs else ""


def _escaped(value: str) -> str:
    return value.replace("\\", r"\\").replace('"', r"\"").replace("\n", r"\n")


class Metrics:
    """All measurements of one server."""

    def __init__(self) -> None:
        self.requests = Counter("hedline_requests_total", "Requests answered.", "path", "status")
        self.seconds = Histogram("hedline_request_seconds", "Time from request to answer.", SECOND_BOUNDS, "path")
        self.texts = Counter("hedline_texts_total", "Texts summarised.")
        self.refused = Counter("hedline_refused_total", "Requests refused, by reason.", "reason")
        self.left = Counter("hedline_hung_up_total", "Requests whose client went away before the answer.")
        self.batches = Histogram("hedline_batch_texts", "Texts searched together.", BATCH_BOUNDS)
        self.waited = Histogram("hedline_queue_seconds", "Time a text waited for a worker.", SECOND_BOUNDS)
        self.queued = Gauge("hedline_queue_texts", "Texts that wait now.")
        self.in_flight = Gauge("hedline_requests_in_flight", "Requests being answered now.")
        self.workers = Gauge("hedline_workers", "Worker processes that are ready.")
        self.replaced = Counter("hedline_workers_replaced_total", "Worker processes that died or hung.")
        self.memory = Gauge("process_peak_resident_memory_bytes", "Largest memory of the serving process so far.")

    def render(self) -> str:
        """The page that Prometheus reads."""
        self.memory.set(peak_memory())
        lines = []
        for each in vars(self).values():
            lines += [f"# HELP {each.name} {each.text}", f"# TYPE {each.name} {each.kind}", *each.lines()]
        return "\n".join(lines) + "\n"


def peak_memory() -> int:
    """Largest resident memory of this process so far, in bytes."""
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
