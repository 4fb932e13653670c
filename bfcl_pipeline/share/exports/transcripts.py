"""The messages of one response, from the first request to the last answer.

Covers entries whose requests follow from the answers: single turns, and several turns, which are played
again in their simulated world. The tables of a run do not have the results of calls to memories and the
web, so of agentic entries there are the question and the model's answers only. Messages have the form of
chat completions: the tables have the calls of open weights, not the text in which their family writes them.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass

from bfcl_pipeline.ask.generation.asking import ChatAsking
from bfcl_pipeline.ask.generation.conversation import answer_message, conversation
from bfcl_pipeline.base.text import loaded_json, valid_unicode
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Message, Response
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.judge.scoring.multi_turn import MODEL_OWNER
from bfcl_pipeline.world.tools import Constants, World, WorldConfig


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of one response."""

    request: tuple[Message, ...]  # what the model was sent first
    messages: tuple[Message, ...]  # all, with those of the first request
    complete: bool  # whether the results of all calls are among them


def transcript(entry: Entry, response: Response, texts: Texts, constants: Constants) -> Transcript:
    """The messages of a response to `entry`. Raises MalformedRelease if the entry cannot be played."""
    answers = list(_answers(entry, response))
    if CATEGORIES[entry.category].group == "agentic":
        question = entry.turns[0] if entry.turns else ()
        replies = (answer_message(answer, place) for place, answer in enumerate(answers))
        return Transcript(question, (*question, *replies), complete=False)
    world = World.for_entry(entry, WorldConfig(constants), MODEL_OWNER)
    talk = conversation(entry, ChatAsking(response.mode), texts, world)
    request = first = next(talk)
    messages = list(first.messages)
    for answer in answers:
        messages = [*request.messages, answer_message(answer, len(request.messages))]
        try:
            request = talk.send(Exchange(request, answer))
        except StopIteration:
            break
        messages = list(request.messages)
    return Transcript(first.messages, tuple(messages), complete=True)


def _answers(entry: Entry, response: Response) -> Iterator[Json]:
    """The model's answers in order, each a text or a list of calls."""
    if response.result_json is None:
        return
    result = loaded_json(response.result_json, default=response.result_json)
    turns = [[result]] if CATEGORIES[entry.category].single_turn or not isinstance(result, list) else result
    for turn in turns:
        yield from map(_answer, turn if isinstance(turn, list) else [turn])


def _answer(result: Json) -> str | list[dict[str, str]]:
    """A result as a conversation takes it; what is neither text nor calls becomes JSON text."""
    if isinstance(result, list) and all(isinstance(call, dict) for call in result):
        return [{valid_unicode(name): _text(value) for name, value in call.items()} for call in result]
    return _text(result)


def _text(value: Json) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return valid_unicode(text)
