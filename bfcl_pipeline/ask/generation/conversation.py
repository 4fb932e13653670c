"""The conversation over one entry, sans-IO: it yields requests, takes exchanges, ends in a result.

Covers single-turn entries, whose conversation is one request, and entries of several turns, in which
calls run in a simulated world and their results go back to the model. It uses no model, clock or
disk: the caller (`generate.run_entries`) supplies the exchanges.
Source: the release's inference loop.
"""

from collections.abc import Generator
from dataclasses import replace
from typing import TypeAlias

from bfcl_pipeline.ask.generation.asking import Asking
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import DecodeFailure, Entry, Exchange, Json, Message, Request
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.dialogue.prompts import Texts, with_memory
from bfcl_pipeline.world.tools import World

STEP_LIMIT = 20
"""Steps with calls that a turn may have; one more ends the whole conversation."""

Conversation: TypeAlias = Generator[Request, Exchange, Json]
"""Yields requests, receives their exchanges, returns the result in the official form: for a single turn the
result itself, for several turns a list of the results of each turn's steps."""


def conversation(entry: Entry, asking: Asking, texts: Texts, world: World) -> Conversation:
    """The conversation over `entry` with a model that is asked as `asking` says.

    world: new, for this entry alone.
    """
    if world.memory is not None:
        entry = with_memory(entry, texts, world.memory.context_text())
    request = asking.first(entry, texts)
    if CATEGORIES[entry.category].single_turn:
        exchange = yield asking.written(request, texts)
        return exchange.result
    return (yield from _turns(entry, request, asking, texts, world))


def _turns(entry: Entry, first: Request, asking: Asking, texts: Texts, world: World) -> Conversation:
    """Every turn is a number of steps: the model answers, its calls run, their outcomes are sent back.

    A turn ends with an answer without calls, or without calls that can be read. A turn of too many steps
    ends the conversation: the turns after it are missing from the result.
    """
    tools, functions, history = first.tools, first.functions, list(first.messages)
    turns: list[list[Json]] = []
    for turn, messages in enumerate(entry.turns):
        appeared = entry.held_out.get(str(turn), ())
        if appeared:
            message, more = asking.more_functions(appeared, texts)
            tools += more
            functions += appeared
            history.append(message)
        elif turn > 0:  # the first turn's messages are in the first request
            history.extend(asking.later(messages))
        turns.append([])
        for _ in range(STEP_LIMIT + 1):
            request = replace(
                first, messages=tuple(history), tools=tools, turn=turn, goes_on=True, functions=functions
            )
            exchange = yield asking.written(request, texts)
            turns[turn].append(exchange.result)
            answer = exchange.reply or answer_message(exchange.result, len(history))
            history.append(answer)
            calls = decode_step(exchange.result, first.mode)
            if isinstance(calls, DecodeFailure) or not calls:
                break
            history.extend(asking.outcomes(answer, calls, [world.run(call) for call in calls]))
        else:
            break
    return turns


def answer_message(result: Json, step: int) -> Message:
    """The assistant's message of a result in the official form. step: part of the ids of its calls."""
    if not isinstance(result, list):
        return {"role": "assistant", "content": result}
    written = [item for named in result for item in named.items()]
    calls = [
        {"id": f"call_{step}_{place}", "name": name, "arguments": arguments}
        for place, (name, arguments) in enumerate(written)
    ]
    return {"role": "assistant", "content": None, "tool_calls": calls}
