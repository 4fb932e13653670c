"""The use case: asks one model all tries, in order, and finds what is to blame for those that failed.

Requests are made as in a run, with the options of the row; nothing is journaled. After an error that other
requests would meet, too, the rest is not tried.
"""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from bfcl_pipeline.ask.generation import Adapter, Asking, conversation
from bfcl_pipeline.ask.ping import blame
from bfcl_pipeline.ask.ping.blame import Blame, Found, Plain
from bfcl_pipeline.ask.ping.tries import Try, all_tries, has_calls, named_calls, new_world, text_of
from bfcl_pipeline.base.errors import ModelError, RequestRefused, Transient
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Mode, Request, token_dollars, total
from bfcl_pipeline.dialogue.prompts import Texts, fc_request
from bfcl_pipeline.dialogue.release_texts import read_texts


@dataclass(frozen=True, slots=True)
class Tried:
    """What came of one try."""

    name: str
    asked: str  # what was asked for, in words
    came: str | None = None  # the last answer; None: none came
    blame: Blame | None = None  # None: it is right, or is not judged yet
    why: str | None = None  # what was found, and what to do next
    answers: Sequence[Exchange] = ()  # with their latencies
    raws: Sequence[Json] = ()  # as the server sent them
    error: ModelError | None = None


@dataclass(frozen=True, slots=True)
class Pinged:
    """All tries of one model."""

    row: ModelRow
    tries: tuple[Tried, ...]

    @property
    def blame(self) -> Blame | None:
        """What is to be looked at first; None if all tries are right."""
        return next((each for each in Blame if each in {tried.blame for tried in self.tries}), None)

    @property
    def answers(self) -> list[Exchange]:
        """All answers that came, in order."""
        return [answer for tried in self.tries for answer in tried.answers]

    @property
    def dollars(self) -> float | None:
        """The price of the answers in US dollars; None if prices or token counts are not known."""
        tokens = [(answer.input_tokens, answer.output_tokens) for answer in self.answers]
        prices = [token_dollars(*each, self.row.input_price, self.row.output_price) for each in tokens]
        return None if None in prices else total(prices)


_MOST_REQUESTS = 3  # of a try: a call, an answer to its result, and a call of the second turn
_NO_TEXTS = Texts({}, {}, {}, {}, "", "", {}, "", "")
"""Sufficient where functions are sent as tools."""

_Ask: TypeAlias = Callable[[Request], Awaitable[tuple[Exchange, Json]]]
"""The exchange of one request, and its raw answer. Raises ModelError."""


async def ping(
    adapter: Adapter, row: ModelRow, endpoint: str | None, data: Path, seconds: float, log: Log
) -> Pinged:
    """Tries the model of `row`.

    Args:
        adapter: of the row, at `endpoint` if that is not the row's.
        data: the staged data; models that are sent functions as tools need none.
        seconds: time limit of each request.
        log: receives what a user should know about the server.

    Raises:
        MalformedRelease: the release is not staged, and the texts of prompts are needed.
    """

    async def ask(request: Request) -> tuple[Exchange, Json]:
        started = time.perf_counter()
        try:
            async with asyncio.timeout(seconds):
                raw = await adapter.send(adapter.body(request))
        except TimeoutError:
            raise Transient(f"no answer within {seconds:g} s. Wait longer with --seconds.") from None
        taken = time.perf_counter() - started
        return replace(adapter.read(request, raw), latency_seconds=taken), raw

    asking = adapter.asking
    as_tools = row.family is None and asking.mode is Mode.FC
    texts = _NO_TEXTS if as_tools else read_texts(data)
    made: list[Tried] = []
    plain: Plain = None
    try:
        adapter.open(log)  # imports the client, which may take seconds
        for each in all_tries():
            made.append(await _make(each, asking, texts, ask))
            if not isinstance(made[-1].error, RequestRefused | None):
                break
        answers = [answer for tried in made for answer in tried.answers]
        called = any(has_calls(answer, asking.mode) for answer in answers)
        if as_tools and not called and (answers or isinstance(made[0].error, RequestRefused)):
            try:
                plain, _ = await ask(fc_request(replace(all_tries()[0].entry, functions=())))
            except ModelError as error:
                plain = error
    finally:
        await adapter.close()
    first = next(iter(answers), None)
    if first and len({answer.input_tokens for answer in answers}) == 1:
        first = replace(first, input_tokens=None)  # questions differ in length, so nothing was counted
    tries = []
    for each, tried in zip(all_tries(), made, strict=False):
        found = await _found(each, tried, asking, row, endpoint, plain, first)
        tries.append(replace(tried, blame=found[0], why=found[1]) if found else tried)
    raws = [raw for tried in made for raw in tried.raws if isinstance(raw, Mapping)]
    stated = [raw.get("model") or raw.get("modelVersion") for raw in raws]
    return Pinged(row, (*tries, *await _named(row, endpoint, [name for name in stated if name])))


async def _make(each: Try, asking: Asking, texts: Texts, ask: _Ask) -> Tried:
    """Makes one try with the conversation of a run, up to the first answer of its last turn."""
    answers: list[Exchange] = []
    raws: list[Json] = []
    talk = conversation(each.entry, asking, texts, new_world())
    request = next(talk)
    while True:
        try:
            answer, raw = await ask(request)
        except ModelError as error:
            return Tried(each.name, each.asked, answers=answers, raws=raws, error=error)
        answers.append(answer)
        raws.append(raw)
        if request.turn + 1 == len(each.entry.turns) or len(answers) == _MOST_REQUESTS:
            return Tried(each.name, each.asked, _shown(answer), answers=answers, raws=raws)
        request = talk.send(answer)


async def _found(
    each: Try,
    tried: Tried,
    asking: Asking,
    row: ModelRow,
    endpoint: str | None,
    plain: Plain,
    first: Exchange | None,
) -> Found | None:
    """Why a try failed; None if it is right. first: the first answer of all tries."""
    if tried.error is not None:
        return await blame.of_error(row, endpoint, tried.error, plain, others=first is not None)
    problem = each.problem(tried.answers, asking.mode, asking.name_style)
    if not problem:
        return None
    found = blame.of_answers(each, row, asking.mode, tried.answers, tried.raws[-1], problem)
    if first is None or plain is None or found[0] is not Blame.MODEL or named_calls(tried.answers[0]):
        return found
    return blame.of_tools(first, plain)


async def _named(row: ModelRow, endpoint: str | None, stated: Sequence[str]) -> list[Tried]:
    """The check of the name that the answers state, if they state any."""
    if not stated:
        return []
    other = next((name for name in stated if not blame.same_model(row.model, f"{name}")), None)
    if other is None:
        return [Tried("model name", row.model, f"{stated[0]}")]
    return [Tried("model name", row.model, f"{other}", *await blame.of_name(row, endpoint, f"{other}"))]


def _shown(answer: Exchange) -> str:
    """The calls of an answer with their arguments, or its text as JSON."""
    calls = [f"{name}({given})" for name, given in named_calls(answer)]
    return ", ".join(calls) or json.dumps(text_of(answer), ensure_ascii=False)
