"""The server over HTTP, as clients meet it."""

from __future__ import annotations

import http.client
import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from urllib.parse import urlsplit

import pytest

from .conftest import LEAD, LEADS, Running, stop

SLOW = {"beam": 100, "nbest": 20}  # takes a while, so that something can happen meanwhile


def test_answers_are_the_command_lines_byte_for_byte(server: Running, tmp_path: Path) -> None:
    leads = [*LEADS, "Short text.", "", "Ein Satz in einer anderen Sprache, den das Modell nicht lesen kann, sagt er."]
    path = tmp_path / "leads.txt"
    path.write_text("".join(f"{lead}\n" for lead in leads), encoding="utf-8")
    command = [sys.executable, "-m", "hedline", "summarize", str(path), "--model", "abs", "--format", "jsonl"]
    printed = subprocess.run([*command, "--nbest", "3", "--words", "9"], capture_output=True, check=True).stdout
    request = {"texts": leads, "options": {"nbest": 3, "words": 9}}
    together = server.post("/v1/headlines", request, accept="application/jsonl")
    assert together == (200, printed)

    def alone(number: int) -> bytes:
        one = {**request, "texts": leads[number], "ids": [number + 1]}
        return server.post("/v1/headlines", one, accept="application/x-ndjson")[1]

    with ThreadPoolExecutor(7) as threads:
        assert b"".join(threads.map(alone, range(len(leads)))) == printed
    status, value = server.post("/v1/headlines", request)
    assert status == 200
    assert value["headlines"] == [json.loads(line) for line in printed.splitlines()]


def test_the_other_model_is_asked_by_name(server: Running) -> None:
    status, value = server.post("/v1/headlines", {"texts": LEAD, "model": "default"})
    assert status == 200 and value["headlines"][0]["headline"]
    status, value = server.post("/v1/headlines", {"texts": LEAD, "model": "gpt"})
    assert (status, value["error"]) == (422, "model must be one of abs, default, not 'gpt'")


def test_explain_gives_words_and_alignments_of_every_candidate(server: Running) -> None:
    request = {"texts": LEAD, "options": {"nbest": 3, "diversity": 0.3}, "explain": True}
    _, value = server.post("/v1/headlines", request)
    (answer,) = value["headlines"]
    for candidate in answer["nbest"]:
        assert len(candidate["tokens"]) == len(candidate["known"]) == len(candidate["alignment"])
        assert all(len(row) == len(answer["source"]) for row in candidate["alignment"])


def test_hugging_faces_own_client(server: Running) -> None:
    hub = pytest.importorskip("huggingface_hub", reason="needs huggingface_hub, the client to please")
    expected = server.post("/v1/headlines", {"texts": LEAD, "options": {"words": 7}})[1]["headlines"][0]["headline"]
    for address in (f"{server.url}/summarize", server.url):
        client = hub.InferenceClient(model=address, token="none")
        answer = client.summarization(LEAD, generate_parameters={"max_length": 7}, truncation="longest_first")
        assert answer.summary_text == expected
    assert client.summarization(LEAD, generate_parameters={"max_length": 900, "min_length": 30}).summary_text
    with pytest.raises(hub.errors.HfHubHTTPError, match=r"there is no field 'parameters\.max_words_please'"):
        client.summarization(LEAD, generate_parameters={"max_words_please": 900})


def test_several_inputs_in_hugging_faces_shape(server: Running) -> None:
    status, value = server.post("/summarize", {"inputs": LEADS})
    assert status == 200 and len(value) == len(LEADS) and all(list(each) == ["summary_text"] for each in value)


def test_a_text_too_long_gets_a_note(server: Running) -> None:
    status, value = server.post("/v1/headlines", {"texts": f"{LEAD} " * 400})
    (answer,) = value["headlines"]
    assert status == 200 and answer["headline"] and "sentence" in answer["notes"][0]


def test_wrong_requests_are_sentences(server: Running) -> None:
    status, value = server.post("/v1/headlines", {"texts": LEAD, "options": {"weights": {"charm": 1}}})
    assert status == 422 and "charm" in value["error"] and value["field"] == "options"
    assert server.post("/v1/headlines", b"no json")[1] == {"error": "the body is not JSON in UTF-8"}
    status, body = server.get("/nowhere?key=secret")
    assert (status, json.loads(body)) == (404, {"error": "there is nothing at /nowhere; see /docs"})
    status, body = server.get("/summarize")
    assert status == 405 and b"does not take GET" in body


def test_reports(server: Running) -> None:
    assert server.get("/health") == (200, b'{"status":"alive"}')
    assert server.get("/ready") == (200, b'{"status": "ready"}')
    models = json.loads(server.get("/v1/models")[1])
    assert [each["name"] for each in models["models"]] == ["abs", "default"]
    assert models["options"]["nbest"]["default"] == 1 and models["limits"]["texts"] == 1000
    before = server.metric("hedline_texts_total")
    server.post("/summarize", {"inputs": LEADS[:2]})
    assert server.metric("hedline_texts_total") == before + 2
    assert server.metric("hedline_workers") == 1


def test_other_web_pages_may_not_call_unless_asked(server: Running, starting: Callable[..., Running]) -> None:
    def allowed(running: Running, method: str, **headers: str) -> str | None:
        connection = http.client.HTTPConnection(urlsplit(running.url).netloc)
        connection.request(method, "/v1/models", headers={"Origin": "https://news.example", **headers})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.getheader("Access-Control-Allow-Origin")

    assert allowed(server, "GET") is None
    assert allowed(server, "OPTIONS", **{"Access-Control-Request-Method": "POST"}) is None
    other = starting("--workers", "1", "--cors-origin", "https://news.example")
    assert allowed(other, "GET") == "https://news.example"
    assert allowed(other, "OPTIONS", **{"Access-Control-Request-Method": "POST"}) == "https://news.example"


def test_limits_keys_and_logs(starting: Callable[..., Running]) -> None:
    running = starting(
        "--workers", "1", "--max-body", "3000", "--max-texts", "4", "--max-queue", "4", "--batch", "1",
        HEDLINE_API_KEY="opensesame,other", HEDLINE_LOG="debug",
    )  # fmt: skip
    key = {"authorization": "Bearer opensesame"}
    for path in ("/v1/models", "/metrics", "/docs", "/openapi.json"):
        assert running.get(path)[0] == 401 and running.get(path, **key)[0] == 200
    assert running.get("/health")[0] == running.get("/ready")[0] == running.get("/")[0] == 200
    assert running.post("/summarize", {"inputs": LEAD}, x_api_key="wrong")[0] == 401
    assert running.post("/summarize", {"inputs": LEAD}, x_api_key="other")[0] == 200
    assert running.post("/summarize", {"inputs": "x" * 3000}, **key)[0] == 413
    assert running.post("/summarize", {"inputs": [LEAD] * 5}, **key)[0] == 413

    def fill(_: int) -> tuple[int, str | None]:
        connection = http.client.HTTPConnection(urlsplit(running.url).netloc)
        body = json.dumps({"texts": [LEAD] * 2, "options": SLOW})
        connection.request("POST", "/v1/headlines", body, {"X-API-Key": "other"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status, answer.getheader("Retry-After")

    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(fill, range(8)))
    assert {status for status, _ in answers} == {200, 429}
    assert all(int(wait or 0) >= 1 for status, wait in answers if status == 429)
    code, logged = stop(running)
    assert code == 0 and "POST /summarize 200" in logged
    assert not any(secret in logged for secret in ("opensesame", "other", "harbour", "wrong"))


def test_a_client_that_hangs_up_frees_its_place(starting: Callable[..., Running]) -> None:
    running = starting("--workers", "1", "--batch", "1", "--max-texts", "6", "--max-queue", "6")
    address = urlsplit(running.url)
    body = json.dumps({"texts": [LEAD] * 6, "options": SLOW}).encode()
    head = f"POST /v1/headlines HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n".encode()
    with socket.create_connection((address.hostname, address.port)) as client:
        client.sendall(head + body)
        wait_for(lambda: running.metric("hedline_queue_texts") > 0)
    wait_for(lambda: running.metric("hedline_queue_texts") == 0)
    assert running.metric("hedline_hung_up_total") == 1
    assert running.metric("hedline_texts_total") < 6
    assert running.post("/summarize", {"inputs": [LEAD] * 6})[0] == 200


def test_a_client_is_held_to_its_rate(starting: Callable[..., Running]) -> None:
    running = starting("--workers", "1", "--rate", "0.1")
    assert running.post("/summarize", {"inputs": [LEAD, LEAD]})[0] == 200
    status, value = running.post("/summarize", {"inputs": LEAD})
    assert status == 429 and "too many texts" in value["error"]


def test_sigterm_finishes_what_is_in_flight_and_refuses_the_rest(starting: Callable[..., Running]) -> None:
    running = starting("--workers", "1", "--batch", "1")
    with ThreadPoolExecutor(1) as threads:
        asking = threads.submit(running.post, "/v1/headlines", {"texts": [LEAD] * 6, "options": SLOW})
        wait_for(lambda: running.metric("hedline_queue_texts") > 0)
        running.process.send_signal(signal.SIGTERM)
        wait_for(lambda: refused(running))
        status, value = asking.result()
    assert status == 200 and len(value["headlines"]) == 6
    assert stop(running)[0] == 0


def refused(running: Running) -> bool:
    try:
        return running.get("/ready")[0] == 503
    except OSError:
        return True


def wait_for(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it did not happen"
        time.sleep(0.01)
