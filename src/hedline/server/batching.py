"""Texts that wait for a worker, which of them are searched together, and how a worker answers such a batch.

Texts with the same model and options may share a search. A free worker takes the text that is due first and fills the
batch with those of about its length, as the command line sorts them too. A request of many texts does not stand in the
way of a single one: its n-th text is due after n others have been served.

A batch goes to a worker as a JSON job and comes back as one JSON line for each text. The lines are what
`hedline summarize --format jsonl` prints, byte for byte: the same function makes them.
"""

from __future__ import annotations

import asyncio
import json
import math
import time
from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from hedline.api import Summarizer
from hedline.decoding.options import DecodeOptions
from hedline.decoding.summary import Hypothesis, Summary, make_summary
from hedline.errors import UserError
from hedline.metrics.support import unsupported_names, unsupported_numbers

WINDOW = 8  # times the batch: of this many texts that are due first, those of similar length are searched together
ATTEMPTS = 2  # searches of a text before it is given up, when workers die on it

Key = tuple[str, str]  # model, options
# How a line begins: an answer, a mistake of the user, a failure of ours.
FINE, WRONG, FAILED = b"+", b"?", b"!"
Item = Sequence[str]  # kind, id, lead
Casing = Mapping[str, str] | None  # lower-case word to its usual form


class QueueFullError(Exception):
    """There is no room for these texts now; retry_after: seconds until there may be."""

    def __init__(self, retry_after: float) -> None:
        super().__init__(retry_after)
        self.retry_after = retry_after


@dataclass(eq=False)
class Ticket:
    """One text on its way to its answer."""

    key: Key
    kind: str
    id: str
    lead: str
    future: asyncio.Future[bytes]
    due: float = 0.0  # texts served before its turn
    number: int = 0
    arrived: float = field(default_factory=time.monotonic)
    attempts: int = 0
    patience: float = 0.0  # seconds it may wait for company

    @property
    def order(self) -> tuple[float, int]:
        """Place in the line."""
        return self.due, self.number


class Queue:
    """All waiting texts of a server, for one event loop."""

    def __init__(self, most: int, batch: int, max_wait: float, clock: Callable[[], float] = time.monotonic) -> None:
        """most: texts that may wait; batch: texts searched together; max_wait: seconds to wait for company."""
        self.most, self.batch, self.max_wait, self.clock = most, batch, max_wait, clock
        self.waiting = 0
        self._groups: dict[Key, list[Ticket]] = {}
        self._served, self._number = 0, 0
        self._rate = 0.0  # texts per second, lately
        self._last_served = clock()
        self._arrival = asyncio.Event()
        self._turn = asyncio.Lock()
        self._free = 0  # workers that wait for a batch
        self._searched = 0  # texts that workers have now

    def admit(self, tickets: Iterable[Ticket]) -> None:
        """Let texts of one request in line, all or none."""
        tickets = list(tickets)
        if self.waiting + len(tickets) > self.most:
            raise QueueFullError(self.seconds_for(self.waiting))
        now = self.clock()
        # Where nobody else is being served nobody is expected: a client that asks again and again alone never waits.
        patience = self.max_wait if self.waiting or self._searched else 0.0
        for place, ticket in enumerate(tickets):
            ticket.patience, ticket.arrived = patience, now
            ticket.due, self._number = self._served + place, self._number + 1
            ticket.number = self._number
            self._insert(ticket)

    def put_back(self, tickets: Iterable[Ticket]) -> list[Ticket]:
        """Tickets of a search that died wait again, each alone; gives those that were tried too often."""
        lost = []
        for ticket in tickets:
            self._searched -= 1
            ticket.attempts += 1
            if ticket.attempts >= ATTEMPTS:
                lost.append(ticket)
            elif not ticket.future.done():
                self._insert(ticket)
        return lost

    def withdraw(self, tickets: Iterable[Ticket]) -> None:
        """Texts whose client has gone leave the line."""
        for ticket in tickets:
            ticket.future.cancel()
            group = self._groups.get(ticket.key, [])
            place = bisect_left(group, ticket.order, key=lambda each: each.order)
            if place < len(group) and group[place] is ticket:
                self._remove(ticket.key, [ticket])

    def seconds_for(self, texts: int) -> float:
        """How long `count` texts will take at the present rate; at least 1 s, at most a minute."""
        return min(max(texts / self._rate, 1.0), 60.0) if self._rate else 1.0

    async def take(self) -> list[Ticket]:
        """The next batch: at once when it is full, its first text has waited long enough, or came alone."""
        self._free += 1
        try:
            async with self._turn:
                while True:
                    if (wait := self._wait()) <= 0:
                        return self._cut()
                    self._arrival.clear()
                    try:
                        await asyncio.wait_for(self._arrival.wait(), None if math.isinf(wait) else wait)
                    except TimeoutError:
                        continue
        finally:
            self._free -= 1

    def served(self, count: int) -> None:
        """Count texts that were answered; keeps the rate for `seconds_for`."""
        self._searched -= count
        now = self.clock()
        rate = count / max(now - self._last_served, 1e-3)
        self._rate = rate if not self._rate else 0.9 * self._rate + 0.1 * rate
        self._last_served = now

    def _insert(self, ticket: Ticket) -> None:
        insort(self._groups.setdefault(ticket.key, []), ticket, key=lambda each: each.order)
        self.waiting += 1
        self._arrival.set()

    def _remove(self, key: Key, tickets: list[Ticket]) -> None:
        gone = set(map(id, tickets))
        self._groups[key] = [ticket for ticket in self._groups[key] if id(ticket) not in gone]
        if not self._groups[key]:
            del self._groups[key]
        self.waiting -= len(tickets)

    def _first_group(self) -> list[Ticket]:
        return min(self._groups.values(), key=lambda group: group[0].order)

    def _wait(self) -> float:
        """Seconds until the next batch should go; infinite when nobody waits."""
        if not self._groups:
            return math.inf
        group = self._first_group()
        if len(group) >= self.batch or group[0].attempts:
            return 0.0
        return group[0].arrived + group[0].patience - self.clock()

    def _cut(self) -> list[Ticket]:
        """Take the batch that is due out of the line; free workers share what there is."""
        group = self._first_group()
        first = group[0]
        if first.attempts:
            chosen = [first]
        else:
            fresh = [ticket for ticket in group[: WINDOW * self.batch] if not ticket.attempts]
            size = min(self.batch, math.ceil(len(fresh) / max(self._free, 1)))
            chosen = _nearest(fresh, size)
        self._served += len(chosen)
        self._searched += len(chosen)
        self._remove(first.key, chosen)
        return chosen


def _nearest(tickets: list[Ticket], size: int) -> list[Ticket]:
    """The first ticket and the size - 1 others whose texts are nearest to it in length."""
    first = len(tickets[0].lead)
    return sorted(tickets, key=lambda ticket: abs(len(ticket.lead) - first))[:size]


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
        lines = _search_texts(summarizer, options, items)
    except UserError as error:
        lines = [WRONG + str(error).encode("utf-8", "replace")] * len(items)
    return b"\n".join(line.replace(b"\n", b" ") for line in lines)


def _search_texts(summarizer: Summarizer, options: DecodeOptions, items: Sequence[Item]) -> list[bytes]:
    """Search all texts together; where that fails, each alone, so that one text cannot spoil the others."""
    try:
        summaries = summarizer.summarize([lead for _, _, lead in items], options)
        return [_answer_line(summarizer, summary, *item) for summary, item in zip(summaries, items, strict=True)]
    except UserError:
        raise
    except Exception as error:
        if len(items) > 1:
            return [line for item in items for line in _search_texts(summarizer, options, [item])]
        return [FAILED + f"the search failed on this text ({type(error).__name__})".encode()]


def _answer_line(summarizer: Summarizer, summary: Summary, kind: str, id: str, lead: str) -> bytes:
    value = KINDS[kind](summary, id, lead, summarizer.casing)
    return FINE + json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
