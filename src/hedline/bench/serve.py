"""`hedline serve` under 1,000 clients, against `hedline summarize` on the same texts and cores; and a lone request.

Every client keeps one connection and sends one text after the other until all are answered. Both systems write the
same JSON lines and take turns, each as often first as second, so that a busy machine slows both alike; the clients'
own work counts against the server, since they run on the same cores. The share by processor time (what summarize needs
for the texts, of what server and clients need) is the one to quote from a machine that does other things as well.
Every answer is compared with the command line's, byte for byte.
"""

from __future__ import annotations

import asyncio
import json
import math
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from hedline.errors import UserError

CLIENTS = 1000
ROUNDS = 6
SECONDS = 240.0  # of one round, after which no new request is sent
LONE = 100  # requests one by one


@dataclass
class Load:
    """What 1,000 clients met: seconds in all, answers by place, latencies in seconds, statuses that were not 200."""

    seconds: float = 0.0
    answers: dict[int, bytes] = field(default_factory=dict)
    latencies: list[float] = field(default_factory=list)
    refused: int = 0
    failed: int = 0


def run(
    model: str | None = None, data: Path | None = None, limit: int = 2000, threads: int | None = None
) -> dict[str, Any]:
    """Measure.

    model: name or folder; data: JSONL of pairs whose leads are sent, without it sentences of our own; limit: how many
    texts in a round; threads: worker processes, as many as cores without it.
    """
    from hedline.api import find_model

    texts, folder = read_inputs(data, limit), str(find_model(model))
    workers = threads or os.cpu_count() or 1
    raise_file_limit()
    with serving(folder, workers) as (url, process), summarizing(folder, workers) as summarize:
        memory_before = memory(process.pid)
        rounds = [measure_round(number, url, process.pid, summarize, texts) for number in range(ROUNDS)]
        memory_after = memory(process.pid)
        lone = measure_lone(url, process.pid, folder, texts)
    facts = {"texts": len(texts), "clients": CLIENTS, "workers": workers, "model": Path(folder).name}
    memories = {"memory_mb": [memory_before, memory_after]}
    return {**facts, "rounds": rounds, "total": total(rounds), **memories, "lone": lone}


def measure_round(
    number: int, url: str, server: int, summarize: Callable[[Sequence[str]], list[bytes]], texts: Sequence[str]
) -> dict[str, Any]:
    """All texts through both systems; in every other round the server begins. server: its process."""
    load, expected = Load(), [b""]
    seconds, used, theirs = 0.0, 0.0, 0.0
    for serves in (False, True) if number % 2 == 0 else (True, False):
        started, before = time.perf_counter(), processor_seconds(os.getpid(), {server})
        if serves:
            before += processor_seconds(server)
            load = asyncio.run(send_all(url, texts))
            theirs = processor_seconds(os.getpid(), {server}) + processor_seconds(server) - before
        else:
            expected = summarize(texts)
            seconds, used = time.perf_counter() - started, processor_seconds(os.getpid(), {server}) - before
    return {**judge(load, expected, seconds), "summarize_processor_s": used, "serve_processor_s": theirs}


def total(rounds: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """All rounds together: the server's share of summarize's speed by the clock and by processor time."""
    speed = sum(each["answered"] for each in rounds) / sum(each["serve_s"] for each in rounds)
    base = sum(each["answered"] + each["lost"] for each in rounds) / sum(each["summarize_s"] for each in rounds)
    used, theirs = (sum(each[f"{name}_processor_s"] for each in rounds) for name in ("summarize", "serve"))
    counts = {name: sum(each[name] for each in rounds) for name in ("lost", "failed", "refused", "different")}
    return {
        "serve_per_second": speed,
        "summarize_per_second": base,
        "share": speed / base,
        "median_share": statistics.median(each["share"] for each in rounds),
        "processor_share": used / theirs if theirs else 0.0,
        **counts,
    }


def read_inputs(data: Path | None, limit: int) -> list[str]:
    """Texts of two sentences of our own, or the leads of a file."""
    from hedline.bench.text import built_in, read_leads

    if data is not None:
        return read_leads(data, limit)
    sentences = built_in(limit + 7)
    return [f"{sentences[i]} {sentences[i + 7]}" for i in range(limit)]


@contextmanager
def serving(folder: str, workers: int) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A server in a process of its own on a free port of this machine."""
    command = [sys.executable, "-m", "hedline", "serve", "--port", "0", "--model", folder, "--workers", str(workers)]
    process = subprocess.Popen([*command, "--log", "warning", "--timeout", "300"], stdout=subprocess.PIPE, text=True)
    try:
        line = process.stdout.readline() if process.stdout else ""
        if "ready: http" not in line:
            raise UserError("the server did not get ready; its message is above")
        yield line.split()[2], process
    finally:
        process.terminate()
        process.wait(60)


@contextmanager
def summarizing(folder: str, workers: int) -> Iterator[Any]:
    """`hedline summarize --format jsonl` after its start: the same processes, chunks and lines."""
    from hedline.api import CHUNK, Summarizer, load
    from hedline.pool import Crew

    with Crew(partial(load, folder), workers) as crew:
        first = ["The processes load their models before the clock starts to run."]
        list(crew.map(Summarizer.summarize, [first] * (4 * workers)))

        def summarize(texts: Sequence[str]) -> list[bytes]:
            chunks = [list(texts[at : at + CHUNK]) for at in range(0, len(texts), CHUNK)]
            lines = []
            for chunk, summaries in zip(chunks, crew.map(Summarizer.summarize, chunks), strict=True):
                for text, summary in zip(chunk, summaries, strict=True):
                    lines.append(json.dumps(summary.to_json("1", text), ensure_ascii=False).encode() + b"\n")
            return lines

        yield summarize


async def send_all(url: str, texts: Sequence[str]) -> Load:
    """All texts through 1,000 connections at once."""
    load, left = Load(), iter(enumerate(texts))
    started = time.perf_counter()
    await asyncio.gather(*(client(url, left, load, started + SECONDS) for _ in range(min(CLIENTS, len(texts)))))
    load.seconds = time.perf_counter() - started
    return load


async def client(url: str, left: Iterator[tuple[int, str]], load: Load, end: float) -> None:
    """One client: a connection, one request after the other; a refused one is sent again as the server asks."""
    address = urlsplit(url)
    reader, writer = await asyncio.open_connection(address.hostname, address.port)
    try:
        for place, text in left:
            if time.perf_counter() > end:
                return
            started = time.perf_counter()
            status, wait, body = await ask(reader, writer, text)
            while status == 429:
                load.refused += 1
                await asyncio.sleep(wait)
                status, wait, body = await ask(reader, writer, text)
            if status != 200:
                load.failed += 1
                continue
            load.latencies.append(time.perf_counter() - started)
            load.answers[place] = body
    except (OSError, asyncio.IncompleteReadError):
        load.failed += 1
    finally:
        writer.close()
        with suppress(OSError):
            await writer.wait_closed()


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, text: str) -> tuple[int, float, bytes]:
    """Status, seconds to wait, and body of one request."""
    body = json.dumps({"texts": [text]}).encode()
    head = f"POST /v1/headlines HTTP/1.1\r\nHost: x\r\nAccept: application/jsonl\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    lines = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1").split("\r\n")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])}
    answer = await reader.readexactly(int(headers.get("content-length", "0")))
    return int(lines[0].split()[1]), float(headers.get("retry-after", "1")), answer


def judge(load: Load, expected: Sequence[bytes], seconds: float) -> dict[str, Any]:
    """One round as plain numbers."""
    speed, base = len(load.answers) / load.seconds, len(expected) / seconds
    ordered = sorted(load.latencies) or [0.0]
    return {
        "answered": len(load.answers),
        "serve_s": load.seconds,
        "summarize_s": seconds,
        "share": speed / base,
        "lost": len(expected) - len(load.answers),
        "failed": load.failed,
        "refused": load.refused,
        "different": sum(line != expected[place] for place, line in load.answers.items()),
        "median_s": ordered[len(ordered) // 2],
        "p99_s": ordered[math.ceil(0.99 * len(ordered)) - 1],
    }


def measure_lone(url: str, server: int, folder: str, texts: Sequence[str]) -> dict[str, float]:
    """Milliseconds of one request at a time and of the API for the same texts, in turns; server: its process.

    By the clock the median, and of processor time the mean: what the request needs where nothing else runs.
    """
    from hedline.api import load

    summarizer = load(folder)
    taken: dict[str, list[float]] = {"serve": [], "api": []}
    used = {"serve": 0.0, "api": 0.0}

    @contextmanager
    def timed(name: str) -> Iterator[None]:
        started, before = time.perf_counter(), time.process_time()
        yield
        taken[name].append(1e3 * (time.perf_counter() - started))
        used[name] += 1e3 * (time.process_time() - before)

    async def go() -> None:
        address = urlsplit(url)
        reader, writer = await asyncio.open_connection(address.hostname, address.port)
        for text in texts[:LONE]:
            with timed("serve"):
                await ask(reader, writer, text)
            with timed("api"):
                summarizer.summarize([text])
        writer.close()

    before = processor_seconds(server)
    asyncio.run(go())
    used["serve"] += 1e3 * (processor_seconds(server) - before)
    serve, api = (statistics.median(taken[name]) for name in ("serve", "api"))
    pairs = zip(taken["serve"], taken["api"], strict=True)
    return {
        "serve_ms": serve,
        "api_ms": api,
        "difference_ms": statistics.median(a - b for a, b in pairs),
        "serve_processor_ms": used["serve"] / len(taken["serve"]),
        "api_processor_ms": used["api"] / len(taken["api"]),
    }


def processor_seconds(pid: int, without: Container[int] = ()) -> float:
    """Processor time of a process and its children so far; 0 where it cannot be told.

    What others do on the machine hardly changes it, while it changes seconds on the clock a lot.
    """
    ticks = 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            numbers = path.read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            own = int(path.parent.name)
            if (own == pid or int(numbers[1]) == pid) and own not in without:
                ticks += int(numbers[11]) + int(numbers[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def memory(pid: int) -> int:
    """Largest memory of a process so far in MB; 0 where it cannot be told."""
    try:
        text = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:
        return 0
    return next((int(line.split()[1]) // 1024 for line in text.splitlines() if line.startswith("VmHWM")), 0)


def raise_file_limit() -> None:
    """Room for 1,000 connections, as far as the machine allows."""
    import resource

    _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 1 << 16) if hard > 0 else 1 << 16, hard))


def render(result: dict[str, Any]) -> str:
    """The numbers as lines."""
    lines = [
        f"hedline serve, {result['model']}, {result['workers']} workers: {result['texts']:,} texts from "
        f"{min(result['clients'], result['texts']):,} clients at once, against hedline summarize on the same cores"
    ]
    for each in result["rounds"]:
        lines.append(
            f"  server {each['serve_s']:.1f} s, summarize {each['summarize_s']:.1f} s: {each['share']:.2f} of it; "
            f"latency {each['median_s']:.1f} s median, {each['p99_s']:.1f} s 99th percentile"
        )
    whole = result["total"]
    lines += [
        f"  {whole['serve_per_second']:.1f} texts/s, {whole['share']:.2f} of summarize's "
        f"{whole['summarize_per_second']:.1f} (median of the rounds {whole['median_share']:.2f}), "
        f"{whole['processor_share']:.2f} by processor time",
        f"  lost {whole['lost']}, failed {whole['failed']}, refused and sent again {whole['refused']}, "
        f"other than the command line's {whole['different']}",
    ]
    before, after = result["memory_mb"]
    lines.append(f"  memory of the serving process: {before} MB when ready, {after} MB at most")
    lone = result["lone"]
    lines.append(
        f"  a lone request: {lone['serve_ms']:.1f} ms, the API {lone['api_ms']:.1f} ms; "
        f"{lone['difference_ms']:+.1f} ms; "
        f"of processor time {lone['serve_processor_ms']:.1f} ms and {lone['api_processor_ms']:.1f} ms"
    )
    return "\n".join(lines)
