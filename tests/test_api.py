"""The Python interface on small random models of both kinds of units."""

from __future__ import annotations

import json
import pickle
import re
import subprocess
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest
from small_models import LEADS, subwords_folder, words_folder

import hedline
from hedline.decoding.summary import ABS_WEIGHTS

FREE = {"guard_meaning": False}  # what a network without training writes keeps no meaning


@pytest.fixture(scope="module", params=["words", "subwords"])
def folder(request, tmp_path_factory) -> Path:
    path = tmp_path_factory.mktemp("model")
    return words_folder(path) if request.param == "words" else subwords_folder(path)


def test_three_lines(folder):
    summarizer = hedline.load(folder)
    text = summarizer(LEADS[0], words=8, **FREE)
    result = summarizer.summarize([LEADS[0]], words=8, **FREE)[0]
    assert text == result.text == str(result) and 0 < len(text.split()) <= 8
    assert result.alignment.shape == (len(result.tokens), len(result.source))
    np.testing.assert_allclose(result.alignment.sum(axis=1), 1.0, atol=1e-4)
    assert sorted([*result.copied, *result.novel]) == sorted(result.tokens)
    assert result.nbest[0].text == result.text and not result.notes


def test_n_best_is_distinct_and_falls(folder):
    nbest = hedline.load(folder).summarize([LEADS[1]], bytes=40, nbest=5, **FREE)[0].nbest
    assert len({each.text for each in nbest}) == len(nbest) == 5
    assert [each.key for each in nbest] == sorted((each.key for each in nbest), reverse=True)


def test_json_record(folder):
    record = hedline.load(folder).summarize([LEADS[2]], words=5, nbest=2, **FREE)[0].to_json("7", LEADS[2])
    assert list(json.loads(json.dumps(record))) == [
        "id", "lead", "headline", "score", "tokens", "alignment", "copied", "novel", "nbest",
    ]  # fmt: skip
    assert record["nbest"][0]["headline"] == record["headline"] and len(record["nbest"]) == 2


def test_names_and_numbers_without_support_are_named():
    source = ("Firefighters", "rescued", "twelve", "children", "from", "a", "burning", "school", "in", "Lund", ".")
    summary = hedline.Summary("Crews of NASA rescue 13 children in Texas", source=source)
    assert summary.unsupported == ("13", "NASA", "Texas")
    assert summary.to_json("1", "…")["unsupported"] == ["13", "NASA", "Texas"]
    assert hedline.Summary("Firefighters rescue twelve in Lund", source=source).unsupported == ()


@pytest.mark.parametrize("mode", ["extractive", "compressive"])
def test_modes_use_the_inputs_words_only(folder, mode):
    for result in hedline.load(folder).summarize(LEADS, mode=mode, words=6):
        assert result.text and not result.novel


def test_what_is_not_utf8_is_noted(folder):
    read, fine = hedline.load(folder).summarize(
        ["The caf\ufffd council votes on the old bridge.", LEADS[0]], words=6, **FREE
    )
    assert any("UTF-8" in note for note in read.notes) and not fine.notes


def test_abs_is_the_weights_one_and_zeros(folder):
    summarizer = hedline.load(folder)
    plain = summarizer.summarize(LEADS, words=7, weights=ABS_WEIGHTS, **FREE)
    zeros = summarizer.summarize(
        LEADS, words=7, weights={"log_prob": 1, "unigram": 0, "bigram": 0, "trigram": 0, "reorder": 0}, **FREE
    )
    assert [each.text for each in plain] == [each.text for each in zeros]
    assert [each.score for each in plain] == [each.score for each in zeros]
    assert all(each.score == pytest.approx(each.features["log_prob"], abs=1e-4) for each in plain)


def test_tuned_weights_and_the_dial(tmp_path):
    folder = words_folder(tmp_path / "model")
    plain = hedline.load(folder).summarize(LEADS, words=6, **FREE)
    tuning = {"weights": {"log_prob": 1.0, "unigram": 4.0}, "decoding": {"length_penalty": 0.0}}
    (folder / "tuning.json").write_text(json.dumps(tuning))
    tuned = hedline.load(folder)
    copied = [len(each.copied) / len(each.tokens) for each in tuned.summarize(LEADS, words=6, **FREE)]
    assert np.mean(copied) > np.mean([len(each.copied) / len(each.tokens) for each in plain])
    assert [each.text for each in tuned.summarize(LEADS, words=6, tuned=False, **FREE)] == [each.text for each in plain]
    (folder / "tuning.json").write_text('{"weights": [1]}')
    with pytest.raises(hedline.UserError, match="holds no feature weights"):
        hedline.load(folder)


def test_special_inputs(folder):
    summarizer = hedline.load(folder)
    empty, short, several, endless = summarizer.summarize(
        ["", "Two words", " ".join([*LEADS, *LEADS, *LEADS]), "storm " * 500], words=9
    )
    assert (empty.text, short.text) == ("", "Two words")
    assert "empty" in empty.notes[0] and "own headline" in short.notes[0]
    assert "only the first" in several.notes[0] and re.search(r"only the first \d+ words", endless.notes[0])
    assert summarizer.summarize([]) == []


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"words": 0}, "words must be a whole number"),
        ({"words": 3, "exact_words": 3}, "not both"),
        ({"mode": "creative"}, "mode must be one of"),
        ({"colour": 1}, "no option is called 'colour'"),
        ({"abstractiveness": 2}, "abstractiveness must be a number between"),
        ({"abstractiveness": "much"}, "abstractiveness must be a number between"),
        ({"fill": "0.8"}, "fill must be a number between"),
        ({"diversity": None}, "diversity must be a number between"),
        ({"length_penalty": float("nan")}, "length_penalty must be a number"),
        ({"length_penalty": "1"}, "length_penalty must be a number"),
        ({"weights": {"magic": 1.0}}, "no feature is called 'magic'"),
    ],
)
def test_mistakes_are_sentences(folder, options, message):
    with pytest.raises(hedline.UserError, match=message):
        hedline.load(folder).summarize(LEADS, **options)


@pytest.mark.parametrize("texts", [None, 7, b"The storm closes the old bridge in the city.", [None]])
def test_only_strings_are_texts(folder, texts):
    with pytest.raises(hedline.UserError, match=r"must be a string, not (NoneType|int|bytes)"):
        hedline.load(folder).summarize(texts)


def test_a_summarizer_travels_between_processes(folder):
    summarizer = hedline.load(folder)
    copy = pickle.loads(pickle.dumps(summarizer))
    assert [each.text for each in copy.summarize(LEADS)] == [each.text for each in summarizer.summarize(LEADS)]
    with ProcessPoolExecutor(1, get_context("spawn")) as pool:
        assert pool.submit(summarizer, LEADS[0]).result() == summarizer(LEADS[0])
    with pytest.raises(TypeError, match="load it there"):
        pickle.dumps(hedline.load(folder, scorer=summarizer.scorer))
    assert repr(summarizer).startswith("<hedline.Summarizer ")


def test_threads_share_a_summarizer(folder):
    summarizer = hedline.load(folder)
    expected = [summarizer(lead) for lead in LEADS] * 8
    with ThreadPoolExecutor(6) as pool:
        assert list(pool.map(summarizer, LEADS * 8)) == expected


GERMAN = "Der Stadtrat hat am Dienstag nach einer langen Sitzung beschlossen, die alte Brücke sechs Monate zu sperren."
ENGLISH = (
    "The Zambian striker Mwape Chilufya and the Kenyan Wanjiru Kiprotich signed for Bodo, a sporting director said."
)
ARABIC = "أعلن المجلس البلدي يوم الثلاثاء إغلاق الجسر القديم لمدة ستة أشهر بسبب أعمال الصيانة."
JAPANESE = "市議会は火曜日、老朽化した橋を半年間閉鎖することを決定したと発表した。"


@pytest.mark.parametrize("model", ["default", "abs"])
def test_another_language_is_noted(model):
    german, arabic, english, japanese = hedline.load(model).summarize([GERMAN, ARABIC, ENGLISH, JAPANESE])
    assert "German" in german.notes[0] and german.text in GERMAN
    assert "the language it was trained on" in arabic.notes[0] and not english.notes
    assert japanese.text == JAPANESE and "no spaces" in japanese.notes[0]


def test_a_text_in_capitals_is_read_like_any_other():
    text = "The city council of Boston voted on Tuesday to close the old harbour bridge for 16 months of repairs."
    loud = hedline.load("default")(text.upper())
    assert loud.startswith("Boston") and "bridge" in loud.lower() and loud != loud.upper()


def test_markup_is_not_read(folder):
    plain = "The mayor closed the old bridge in Lund after the storm"
    marked = "<p>The <b>mayor</b> closed the [old bridge](https://lund.example/x) in Lund after the storm</p>"
    summarizer = hedline.load(folder)
    assert summarizer(marked) == summarizer(plain)


def test_a_missing_model_is_a_sentence():
    with pytest.raises(hedline.UserError, match="there is no model 'nowhere'"):
        hedline.load("nowhere")


def test_importing_hedline_imports_neither_torch_nor_numpy():
    code = "import sys, hedline; print([name for name in ('torch', 'numpy', 'typer') if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "[]\n"


@pytest.mark.parametrize("mode", ["extractive", "compressive"])
def test_copied_words_begin_as_the_text_does(mode: str) -> None:
    lead = "The company denied that it had planned to sell its stake in the bank to a rival."
    summarizer = hedline.load()
    for nbest in (1, 12):
        (found,) = summarizer.summarize([lead], mode=mode, nbest=nbest)
        assert all(each.text[0].isupper() for each in found.nbest)
        (small,) = summarizer.summarize([lead.lower()], mode=mode, nbest=nbest)
        assert all(each.text[0].isupper() for each in small.nbest)
    lead = "In the capital the police closed two bridges and the airport after the storm."  # "The" can be left out
    (plain,) = summarizer.summarize([lead], mode=mode, nbest=12, capitalize=False)
    assert any(each.text[0].islower() for each in plain.nbest)
    (usual,) = summarizer.summarize([lead], mode=mode, nbest=12)
    assert all(each.text[0].isupper() for each in usual.nbest)


def test_an_exact_length_that_a_mark_took_a_word_of_is_told() -> None:
    text = (
        '\U00013805\th"\U00063d4f|\u0572\u04d3\u024d\U0009a1fe\x15\U0009328f\u053f\u0778\U000174d4\u02a3d\x1d'
        "7\u07bb\u012d\U0006190d\u0356n\U000178b0\u016e\U000e49a6S\x12Z\n\U0003ea19/"
    )
    weights = {"log_prob": 0.3, "unsupported": 1.9, "reorder": 1.8}
    found = hedline.load("abs").summarize([text], exact_words=3, beam=2, rerank="mbr", weights=weights)[0]
    assert len(found.text.split()) == 2 and "misses it by 1" in found.notes[0]
