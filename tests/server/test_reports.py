from __future__ import annotations

import json
from html.parser import HTMLParser

from hedline.server.reports import api_schema, docs_page, model_entries
from hedline.server.settings import ServeSettings
from hedline.server.shapes import option_schema
from hedline.server.workers import model_folders


class Checker(HTMLParser):
    """Notes what a page loads, and that its tags are closed."""

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.loads: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.loads += [value or "" for name, value in attrs if name in ("src", "href")]
        if tag not in ("meta", "link", "br", "hr", "img", "input"):
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_the_docs_name_every_option_and_load_nothing_from_elsewhere() -> None:
    page = docs_page(ServeSettings())
    checker = Checker()
    checker.feed(page)
    assert checker.open == [] and not any("//" in address for address in checker.loads)
    assert all(f"<td>{name}</td>" in page for name in option_schema())


def test_the_schema_is_json_and_says_how_keys_are_sent() -> None:
    schema = json.loads(json.dumps(api_schema(ServeSettings(api_key="x"))))
    assert schema["openapi"].startswith("3.1") and schema["security"] == [{"bearer": []}]
    assert "security" not in api_schema(ServeSettings())
    body = schema["paths"]["/v1/headlines"]["post"]["requestBody"]["content"]["application/json"]["schema"]
    assert set(body["properties"]["options"]["properties"]) == set(option_schema())


def test_models_are_described() -> None:
    first, second = model_entries(model_folders(("abs", "default")))
    assert first["default"] and not second["default"]
    assert (first["family"], second["family"]) == ("feedforward", "transformer")
    assert first["bytes"] > 1e7
