"""What requests and answers look like; a request that is wrong gets one sentence with the field's name.

The options of a request are the fields of `DecodeOptions`, read from the class: a new one appears here by itself.
"""

from __future__ import annotations

import json
import types
import typing
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any

from hedline.decoding import options as options_module
from hedline.decoding.options import DecodeOptions
from hedline.errors import UserError

# The longest headline a request may ask for: whoever wants more wants no headline, and would hold up the others.
MOST = {"words": 100, "exact_words": 100, "max_words": 100, "bytes": 1_000, "chars": 1_000}
KINDS = {int: "a whole number", float: "a number", bool: "true or false", str: "a string"}
JSON_TYPES = {int: "integer", float: "number", bool: "boolean", str: "string"}
# Parameters of Hugging Face's summarisation task and what they are here; None: nothing corresponds, so it is ignored.
HUGGING_FACE: dict[str, str | None] = {
    "max_length": "words",
    "max_new_tokens": "words",
    "num_beams": "beam",
    "length_penalty": "length_penalty",
    **dict.fromkeys(("min_length", "min_new_tokens", "do_sample", "early_stopping", "temperature", "top_k", "top_p")),
    **dict.fromkeys(("typical_p", "repetition_penalty", "no_repeat_ngram_size", "num_return_sequences", "max_time")),
    **dict.fromkeys(("truncation", "clean_up_tokenization_spaces", "return_text", "return_tensors", "use_cache")),
}


class RequestError(Exception):
    """A request that cannot be answered: an HTTP status, one sentence, and the field it is about."""

    def __init__(self, status: int, sentence: str, field: str = "", retry_after: float | None = None) -> None:
        super().__init__(sentence)
        self.status, self.sentence, self.field, self.retry_after = status, sentence, field, retry_after

    def body(self) -> bytes:
        """The answer's JSON."""
        value = {"error": self.sentence, **({"field": self.field} if self.field else {})}
        return json.dumps(value, ensure_ascii=False).encode()


@dataclass(frozen=True)
class Asked:
    """A request that was understood."""

    texts: tuple[str, ...]
    ids: tuple[str, ...]
    options: str  # JSON of the options that differ from their defaults, keys sorted
    model: str = ""  # empty: the server's default
    kind: str = "record"  # how each text is answered, see `hedline.server.batching`


def read_headlines(body: bytes, max_texts: int, max_width: int) -> Asked:
    """A request of `POST /v1/headlines`."""
    value = read_object(body)
    refuse_unknown(value, ("texts", "ids", "options", "model", "explain"), "")
    if "texts" not in value:
        raise RequestError(422, "texts is missing: give a text or a list of texts", "texts")
    texts = read_texts(value["texts"], "texts", max_texts)
    model, explain = value.get("model") or "", value.get("explain", False)
    if not isinstance(model, str):
        raise RequestError(422, f"model must be a string, not {named(model)}", "model")
    if not isinstance(explain, bool):
        raise RequestError(422, f"explain must be true or false, not {named(explain)}", "explain")
    chosen = read_options(value.get("options"), "options", max_width)
    return Asked(texts, read_ids(value.get("ids"), len(texts)), chosen, model, "detail" if explain else "record")


def read_hugging_face(body: bytes, max_texts: int, max_width: int) -> Asked:
    """A request in the shape of Hugging Face's summarisation task; their `options` (caches) mean nothing here."""
    value = read_object(body)
    refuse_unknown(value, ("inputs", "parameters", "options"), "")
    if "inputs" not in value:
        raise RequestError(422, "inputs is missing: give a text or a list of texts", "inputs")
    texts = read_texts(value["inputs"], "inputs", max_texts)
    try:
        chosen = read_options(_translated(value.get("parameters")), "parameters", max_width)
    except RequestError as error:
        raise _as_named_there(error, value["parameters"]) from None
    return Asked(texts, read_ids(None, len(texts)), chosen, kind="summary_text")


def _translated(parameters: Any) -> dict[str, Any]:
    """Hugging Face's parameters as our options; ours may stand among them."""
    if parameters is None:
        return {}
    if not isinstance(parameters, dict):
        raise RequestError(422, f"parameters must be an object, not {named(parameters)}", "parameters")
    given = dict(parameters)
    inner = given.pop("generate_parameters", None)
    ours = _translated(inner) if inner is not None else {}
    known = {each.name for each in fields(DecodeOptions)}
    for name, value in given.items():
        if name in HUGGING_FACE and (name not in known or HUGGING_FACE[name] == name):
            translated = HUGGING_FACE[name]
            if translated and value is not None:
                is_length = translated == "words" and type(value) is int  # as summaries may be, unlike headlines
                ours.setdefault(translated, min(value, MOST["words"]) if is_length else value)
        else:
            ours[name] = value
    return ours


def _as_named_there(error: RequestError, parameters: Mapping[str, Any]) -> RequestError:
    """The error with the name that the client used for the option it is about."""
    ours = error.field.removeprefix("parameters.")
    theirs = next((name for name, option in HUGGING_FACE.items() if option == ours and name in parameters), ours)
    sentence = error.sentence.replace(f"parameters.{ours}", f"parameters.{theirs}", 1)
    return RequestError(error.status, sentence, f"parameters.{theirs}" if ours != error.field else error.field)


def read_object(body: bytes) -> dict[str, Any]:
    """The JSON object of a body."""
    try:
        value = json.loads(body)
    except (ValueError, RecursionError):
        raise RequestError(400, "the body is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise RequestError(400, f"the body must be a JSON object, not {named(value)}")
    return value


def refuse_unknown(value: Mapping[str, Any], known: Sequence[str], place: str) -> None:
    """Stop at a name that means nothing here: it is a slip, and what was meant would be missing silently."""
    for name in value:
        if name not in known:
            where = f"{place}.{name}" if place else name
            misplaced = not place and is_option(name)
            section = "parameters" if "parameters" in known else "options"
            remedy = f"put it under {section!r}" if misplaced else f"there are {', '.join(known)}"
            raise RequestError(422, f"there is no field {where[:100]!r}; {remedy}", where[:100])


def is_option(name: str) -> bool:
    """Whether a field of a request names an option of decoding."""
    return any(each.name == name for each in fields(DecodeOptions))


def read_texts(value: Any, field: str, most: int) -> tuple[str, ...]:
    """One text or a list of them; what UTF-8 cannot hold (half a surrogate pair) becomes a question mark."""
    items = [value] if isinstance(value, str) else value
    if not isinstance(items, list):
        raise RequestError(422, f"{field} must be a text or a list of texts, not {named(value)}", field)
    if len(items) > most:
        raise RequestError(413, f"{field} holds {len(items)} texts; send at most {most} in one request", field)
    for place, item in enumerate(items):
        if not isinstance(item, str):
            raise RequestError(422, f"{field}[{place}] must be a string, not {named(item)}", f"{field}[{place}]")
    return tuple(item.encode("utf-8", "replace").decode() for item in items)


def read_ids(value: Any, count: int) -> tuple[str, ...]:
    """The ids of the texts: their own, else 1, 2, 3 … as the command line numbers lines."""
    if value is None:
        return tuple(str(number) for number in range(1, count + 1))
    if not isinstance(value, list) or len(value) != count:
        raise RequestError(422, "ids must be a list with one id for each text", "ids")
    for place, item in enumerate(value):
        if not isinstance(item, str | int) or isinstance(item, bool):
            raise RequestError(422, f"ids[{place}] must be a string or a number, not {named(item)}", f"ids[{place}]")
    return tuple(str(item).encode("utf-8", "replace").decode() for item in value)


def read_options(value: Any, place: str, max_width: int) -> str:
    """Options, checked, as JSON of those that differ from their defaults (equal requests have equal JSON)."""
    if value is None:
        return "{}"
    if not isinstance(value, dict):
        raise RequestError(422, f"{place} must be an object, not {named(value)}", place)
    refuse_unknown(value, [each.name for each in fields(DecodeOptions)], place)
    for name, given in value.items():
        check_type(name, given, place)
    try:
        chosen = DecodeOptions(**value)
    except UserError as error:
        first = str(error).split()[0]
        known = {each.name for each in fields(DecodeOptions)}
        field = f"{place}.{first}" if first in known else place
        raise RequestError(422, f"{place}.{error}" if first in known else f"{place}: {error}", field) from None
    if chosen.width > max_width:
        sentence = f"{place} ask for {chosen.width} hypotheses at each step; this server searches at most {max_width}"
        raise RequestError(422, sentence, f"{place}.beam")
    given = {each.name: getattr(chosen, each.name) for each in fields(chosen)}
    changed = {each.name: given[each.name] for each in fields(chosen) if given[each.name] != each.default}
    return json.dumps(changed, sort_keys=True)


def check_type(name: str, value: Any, place: str) -> None:
    """Refuse a value of another type than the option's, and a limit beyond any headline."""
    kind, optional = option_types()[name]
    field = f"{place}.{name}"
    if value is None and optional:
        return
    if kind is dict:
        fine = isinstance(value, dict) and all(_is_number(item) for item in value.values())
        wanted = "an object of numbers"
    else:
        fine = _is_number(value) if kind is float else type(value) is kind
        wanted = KINDS[kind]
    if not fine:
        raise RequestError(422, f"{field} must be {wanted}, not {named(value)}", field)
    if name in MOST and value > MOST[name]:
        raise RequestError(422, f"{field} must be at most {MOST[name]}, not {value}", field)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and abs(value) < 1e300


def named(value: Any) -> str:
    """A JSON value in a sentence: its own text where it is short, its type otherwise."""
    kinds = {dict: "an object", list: "a list", type(None): "null"}
    shown = json.dumps(value, ensure_ascii=True)
    return kinds.get(type(value)) or (shown if len(shown) <= 40 else "that long value")


@cache
def option_types() -> dict[str, tuple[type, bool]]:
    """For each option its type (int, float, bool, str, or dict for a mapping) and whether it may be null."""
    found: dict[str, tuple[type, bool]] = {}
    for name, hint in typing.get_type_hints(DecodeOptions).items():
        parts = typing.get_args(hint) if isinstance(hint, types.UnionType) else (hint,)
        (kind,) = (part for part in parts if part is not type(None))
        found[name] = (kind if kind in KINDS else dict, type(None) in parts)
    return found


@cache
def option_schema() -> dict[str, dict[str, Any]]:
    """JSON schema of each option: type, default, choices, and the help the class gives."""
    schema: dict[str, dict[str, Any]] = {}
    for each in fields(DecodeOptions):
        kind, optional = option_types()[each.name]
        plain = JSON_TYPES.get(kind, "object")
        entry: dict[str, Any] = {"type": [plain, "null"] if optional else plain, "default": each.default}
        choices = each.metadata.get("choices") or getattr(options_module, f"{each.name.upper()}S", None)
        if kind is str and choices:
            entry["enum"] = [*choices, None] if optional else list(choices)
        if each.metadata.get("help"):
            entry["description"] = each.metadata["help"]
        if each.name in MOST:
            entry["maximum"] = MOST[each.name]
        schema[each.name] = entry
    return schema
