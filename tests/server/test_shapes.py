from __future__ import annotations

import json
from dataclasses import fields
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedline.decoding.options import DecodeOptions
from hedline.server.shapes import Asked, RequestError, option_schema, read_headlines, read_hugging_face


def ask(value: Any) -> Asked:
    return read_headlines(json.dumps(value).encode(), 10, 100)


def ask_hugging_face(value: Any) -> Asked:
    return read_hugging_face(json.dumps(value).encode(), 10, 100)


@pytest.mark.parametrize(
    ("value", "status", "sentence", "field"),
    [
        ([], 400, "the body must be a JSON object, not a list", ""),
        ({}, 422, "texts is missing: give a text or a list of texts", "texts"),
        ({"texts": 5}, 422, "texts must be a text or a list of texts, not 5", "texts"),
        ({"texts": ["a", None]}, 422, "texts[1] must be a string, not null", "texts[1]"),
        ({"texts": ["a"] * 11}, 413, "texts holds 11 texts; send at most 10 in one request", "texts"),
        ({"texts": "a", "ids": ["1", "2"]}, 422, "ids must be a list with one id for each text", "ids"),
        ({"texts": "a", "ids": [True]}, 422, "ids[0] must be a string or a number, not true", "ids[0]"),
        ({"texts": "a", "options": "wide"}, 422, 'options must be an object, not "wide"', "options"),
        ({"texts": "a", "model": 3}, 422, "model must be a string, not 3", "model"),
        ({"texts": "a", "explain": 1}, 422, "explain must be true or false, not 1", "explain"),
    ],
)
def test_a_wrong_request_is_one_sentence_with_the_field(value: Any, status: int, sentence: str, field: str) -> None:
    with pytest.raises(RequestError) as caught:
        ask(value)
    assert (caught.value.status, caught.value.sentence, caught.value.field) == (status, sentence, field)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"beam": "x"}, 'options.beam must be a whole number, not "x"'),
        ({"beam": True}, "options.beam must be a whole number, not true"),
        ({"beam": 0}, "options.beam must be a whole number of at least 1, not 0"),
        ({"nbest": None}, "options.nbest must be a whole number, not null"),
        ({"words": 101}, "options.words must be at most 100, not 101"),
        ({"fill": 2}, "options.fill must be a number between 0 and 1, not 2"),
        ({"mode": "funny"}, "options.mode must be one of abstractive, extractive, compressive, not 'funny'"),
        ({"block_repeats": "yes"}, 'options.block_repeats must be true or false, not "yes"'),
        ({"weights": {"log_prob": "1"}}, "options.weights must be an object of numbers, not an object"),
        ({"words": 3, "exact_words": 3}, "options: give words (at most) or exact_words, not both"),
        ({"nbest": 101}, "options ask for 101 hypotheses at each step; this server searches at most 100"),
    ],
)
def test_a_wrong_option_is_one_sentence_with_its_name(options: dict[str, Any], sentence: str) -> None:
    with pytest.raises(RequestError) as caught:
        ask({"texts": "a", "options": options})
    assert (caught.value.status, caught.value.sentence) == (422, sentence)
    assert caught.value.field.startswith("options")


def test_an_unknown_field_is_named() -> None:
    with pytest.raises(RequestError, match=r"there is no field 'options\.bem'; there are .*beam"):
        ask({"texts": "a", "options": {"bem": 3}})
    with pytest.raises(RequestError, match="there is no field 'txts'"):
        ask({"txts": "a"})
    with pytest.raises(RequestError, match="there is no field 'words'; put it under 'options'"):
        ask({"texts": "a", "words": 3})


def test_equal_options_are_equal_however_they_are_written() -> None:
    plain = ask({"texts": "a"})
    assert ask({"texts": "a", "options": {"nbest": 1, "words": None, "diversity": 0}}).options == plain.options == "{}"
    one = ask({"texts": "a", "options": {"beam": 9, "words": 4}})
    assert one.options == ask({"texts": "b", "options": {"words": 4, "beam": 9}}).options
    assert DecodeOptions(**json.loads(one.options)) == DecodeOptions(beam=9, words=4)


def test_half_a_surrogate_pair_becomes_a_question_mark() -> None:
    assert read_headlines(b'{"texts": "a \\ud800 b"}', 10, 100).texts == ("a ? b",)


@given(st.binary(max_size=60))
def test_no_body_brings_anything_but_a_sentence(body: bytes) -> None:
    with pytest.raises(RequestError):
        read_headlines(body, 10, 100)


@given(st.sampled_from([each.name for each in fields(DecodeOptions)]), st.from_type(object) | st.floats() | st.text())
def test_no_option_value_brings_anything_but_a_sentence(name: str, value: Any) -> None:
    try:
        body = json.dumps({"texts": "a", "options": {name: value}}).encode()
    except (TypeError, ValueError):
        return
    try:
        read_headlines(body, 10, 100)
    except RequestError as error:
        assert error.sentence and "\n" not in error.sentence


def test_hugging_faces_parameters_are_translated() -> None:
    asked = ask_hugging_face(
        {
            "inputs": ["a", "b"],
            "parameters": {
                "truncation": "only_first",
                "generate_parameters": {"max_length": 8, "num_beams": 3, "do_sample": False},
                "mode": "extractive",
            },
            "options": {"use_cache": False},
        }
    )
    assert asked.texts == ("a", "b") and asked.kind == "summary_text"
    assert json.loads(asked.options) == {"beam": 3, "mode": "extractive", "words": 8}
    with pytest.raises(RequestError, match=r"there is no field 'parameters\.max_len'"):
        ask_hugging_face({"inputs": "a", "parameters": {"max_len": 3}})
    with pytest.raises(RequestError, match="parameters must be an object, not a list"):
        ask_hugging_face({"inputs": "a", "parameters": []})


def test_the_schema_has_every_option_with_its_type_and_default() -> None:
    schema = option_schema()
    assert set(schema) == {each.name for each in fields(DecodeOptions)}
    assert schema["nbest"]["type"] == "integer" and schema["nbest"]["default"] == 1
    assert schema["words"]["type"] == ["integer", "null"]
    assert schema["mode"]["enum"] == ["abstractive", "extractive", "compressive"]
    json.dumps(schema)


def test_hugging_faces_lengths_of_whole_summaries_are_no_mistake() -> None:
    assert ask_hugging_face({"inputs": "a", "parameters": {"max_length": 142}}).options == '{"words": 100}'
    with pytest.raises(RequestError, match=r"parameters\.max_length must be a whole number, not 5\.5") as caught:
        ask_hugging_face({"inputs": "a", "parameters": {"max_length": 5.5}})
    assert caught.value.field == "parameters.max_length"
    with pytest.raises(RequestError, match=r"parameters\.num_beams must be a whole number of at least 1, not 0"):
        ask_hugging_face({"inputs": "a", "parameters": {"num_beams": 0}})
