"""The text benchmark: built-in sentences, and data that cannot be read."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedline.bench import text
from hedline.errors import UserError


def test_built_in_sentences_are_measured() -> None:
    result = text.run(limit=300)
    assert result["texts"] == 300 and result["agreement"] == 1.0
    assert len(set(text.built_in(300))) == 300
    assert result["ratio"] > 1
    assert f"{result['ratio']:.2f} x NLTK" in text.render(result)
    json.dumps(result)


@pytest.mark.parametrize("line", ["[1]", '{"lead": 5}', "{", '{"headline": "x"}'])
def test_broken_data(tmp_path: Path, line: str) -> None:
    data = tmp_path / "pairs.jsonl"
    data.write_text(line + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"pairs\.jsonl"):
        text.run(data=data)
    data.write_text("", encoding="utf-8")
    with pytest.raises(UserError, match="holds no pairs"):
        text.run(data=data)
