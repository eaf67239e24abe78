"""`hedline score` and `hedline compare`: files in, tables out, and one sentence for every mistake."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from hedline.cli.main import run
from hedline.errors import UserError
from hedline.metrics.score import evaluate_outputs

OUTPUTS = ["police kill gunman", "storm hits the northern coast", "minister resigns"]


FIRST = ["police killed a gunman", "storms hit coast", "the minister has resigned"]


SECOND = ["gunman shot dead", "northern coast battered by a storm", "minister quits"]


def lines(path: Path, texts: list[str]) -> Path:
    path.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    return path


def jsonl(path: Path, rows: list[dict]) -> Path:
    return lines(path, [json.dumps(row, ensure_ascii=False) for row in rows])


@pytest.fixture
def files(tmp_path):
    return (
        lines(tmp_path / "out.txt", OUTPUTS),
        lines(tmp_path / "ref0.txt", FIRST),
        lines(tmp_path / "ref1.txt", SECOND),
    )


def call(capsys, *arguments: object) -> str:
    with pytest.raises(SystemExit) as ended:
        run([str(argument) for argument in arguments])
    assert ended.value.code in (0, None)
    return capsys.readouterr().out


def test_score_prints_a_table_and_a_signature(files, capsys):
    text = call(capsys, "score", *files, "--preset", "duc")
    assert "recall*" in text
    assert "ROUGE-L" in text
    assert "limit:75 bytes|refs:2|multi:pool" in text


def test_score_as_json_equals_the_library(files, capsys):
    found = json.loads(call(capsys, "score", *files, "--json", "--metric", "SU4", "--no-stem"))
    assert list(found["scores"]) == ["ROUGE-SU4"]
    assert "stem:no" in found["signature"]
    plain = json.loads(call(capsys, "score", *files, "--json"))
    report = evaluate_outputs(OUTPUTS, list(zip(FIRST, SECOND, strict=True)), "gigaword")
    assert plain["scores"] == report.to_json()["scores"]
    assert report.headline["ROUGE-1"] == pytest.approx(plain["scores"]["ROUGE-1"]["F"]["mean"], abs=1e-3)


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--preset", "duc", "--bytes", "20"], "limit:20 bytes"),
        (["--preset", "duc", "--words", "3"], "limit:3 words"),
        (["--preset", "duc", "--bytes", "0"], "limit:none"),
        (["--multi", "best", "--alpha", "0.8"], "multi:best|alpha:0.8"),
        (["--multi", "mean"], "equals:nothing"),
        (["--jackknife", "--remove-stop-words"], "stop:removed|limit:none|refs:2|multi:pool+jackknife"),
    ],
)
def test_options_show_in_the_signature(files, capsys, options, part):
    assert part in call(capsys, "score", *files, *options)


def test_jsonl_is_matched_by_id_and_gives_support(tmp_path, capsys):
    rows = [{"id": n, "lead": f"The {text}.", "references": [text]} for n, text in enumerate(FIRST)]
    references = jsonl(tmp_path / "set.jsonl", rows)
    outputs = jsonl(tmp_path / "out.jsonl", [{"id": n, "headline": FIRST[n]} for n in (2, 0, 1)])
    found = json.loads(call(capsys, "score", outputs, references, "--json"))
    assert found["scores"]["ROUGE-1"]["F"]["mean"] == 100.0
    assert found["extractiveness"]["ext"] == 100.0


def fails(*arguments: object) -> str:
    with pytest.raises(UserError) as error:
        run([str(argument) for argument in arguments])
    message = str(error.value)
    assert "\n" not in message
    return message


def test_files_of_different_lengths(files, tmp_path):
    short = lines(tmp_path / "short.txt", OUTPUTS[:2])
    message = fails("score", short, files[1])
    assert "short.txt holds 2 items" in message
    assert "ref0.txt 3" in message
    assert "short.txt ends after item 2" in fails("score", files[0], files[1], short)


def test_a_missing_reference_names_its_line(files, tmp_path):
    holes = lines(tmp_path / "holes.txt", [FIRST[0], "  ", FIRST[2]])
    assert "holes.txt:2: the reference is missing" in fails("score", files[0], holes)
    rows = jsonl(tmp_path / "none.jsonl", [{"references": ["a"]}, {"references": []}, {"references": ["b"]}])
    assert "none.jsonl:2" in fails("score", files[0], rows)


@pytest.mark.parametrize(
    ("name", "content", "part"),
    [
        (
            "bytes.txt",
            b"fine\n\xff\xfe bad\nfine\n",
            "bytes.txt:2: invalid UTF-8 at byte 1 of the line; save the file as UTF-8",
        ),
        ("empty.txt", b"", "empty.txt is empty"),
        ("broken.jsonl", b'{"headline": "a"}\n{"headline"\n', "broken.jsonl:2: not JSON"),
        ("list.jsonl", b"[1]\n", "list.jsonl:1: not a JSON object"),
        ("field.jsonl", b'{"summary": "a"}\n', "field.jsonl:1: field 'headline' is missing"),
        ("number.jsonl", b'{"headline": 3}\n', "number.jsonl:1: field 'headline'"),
    ],
)
def test_unreadable_outputs(files, tmp_path, name, content, part):
    path = tmp_path / name
    path.write_bytes(content)
    assert part in fails("score", path, files[1])


def test_other_mistakes(files, tmp_path):
    assert "does not exist; check the name" in fails("score", tmp_path / "nowhere.txt", files[1])
    assert "unknown metric 'X'" in fails("score", *files, "--metric", "X")
    assert "not both" in fails("score", *files, "--bytes", "5", "--words", "5")
    assert "between 0 and 100" in fails("score", *files, "--confidence", "100")
    assert "at least two" in fails("compare", files[0], "-r", files[1])
    assert "twice" in fails("compare", files[0], files[0], "-r", files[1])
