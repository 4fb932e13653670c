"""The conversation over one entry, sans-IO: it yields requests, takes exchanges, ends in a result.

Covers single-turn entries, whose conversation is one request, and entries of several turns, in which
calls run in a simulated world and their results go back to the model. It uses no model, clock or
disk: the caller (`generate.run_entries`) supplies the exchanges.
Source: the release's inference loop.
"""

from collections.abc import Generator
from dataclasses import replace
from typing import TypeAlias

from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.calls import decode_step
from bfcl_pipeline.generation.messages import answer_message, more_functions_message, outcome_messages
from bfcl_pipeline.prompts import (
    Texts,
    WireFormat,
    fc_request,
    prompt_request,
    tool_schemas,
    with_memory,
)
from bfcl_pipeline.records import DecodeFailure, Entry, Exchange, Json, Mode, Request
from bfcl_pipeline.tools import World

STEP_LIMIT = 20
"""Steps with calls that a turn may have; one more ends the whole conversation."""

Conversation: TypeAlias = Generator[Request, Exchange, Json]
"""Yields requests, receives their exchanges, returns the result in the official form: for a single turn the
result itself, for several turns a list of the results of each turn's steps."""


def conversation(
    entry: Entry, mode: Mode, texts: Texts, world: World, wire: WireFormat = WireFormat.OPENAI_CHAT
) -> Conversation:
    """The conversation over `entry`.

    world: new, for this entry alone. wire: the form of function definitions; messages are always those of
    `records.Message`.
    """
    if world.memory is not None:
        entry = with_memory(entry, texts, world.memory.context_text())
    request = fc_request(entry, wire) if mode is Mode.FC else prompt_request(entry, texts)
    if CATEGORIES[entry.category].single_turn:
        exchange = yield request
        return exchange.result
    return (yield from _turns(entry, request, texts, world, wire))


def _turns(entry: Entry, first: Request, texts: Texts, world: World, wire: WireFormat) -> Conversation:
    """Every turn is a number of steps: the model answers, its calls run, their outcomes are sent back.

    A turn ends with an answer without calls, or without calls that can be read. A turn of too many steps
    ends the conversation: the turns after it are missing from the result.
    """
    mode, tools, history = first.mode, first.tools, list(first.messages)
    functions = first.functions
    turns: list[list[Json]] = []
    for turn, messages in enumerate(entry.turns):
        appeared = entry.held_out.get(str(turn), ())
        if appeared:
            tools += tool_schemas(appeared, wire) if mode is Mode.FC else ()
            functions += appeared
            history.append(more_functions_message(mode, appeared, texts))
        elif turn > 0:  # the first turn's messages are in the first request
            history.extend(messages)
        turns.append([])
        for _ in range(STEP_LIMIT + 1):
            exchange = yield replace(
                first, messages=tuple(history), tools=tools, turn=turn, goes_on=True, functions=functions
            )
            turns[turn].append(exchange.result)
            answer = exchange.reply or answer_message(exchange.result, len(history))
            history.append(answer)
            calls = decode_step(exchange.result, mode)
            if isinstance(calls, DecodeFailure) or not calls:
                break
            outcomes = [world.run(call) for call in calls]
            history.extend(outcome_messages(mode, answer, calls, outcomes))
        else:
            break
    return turns
