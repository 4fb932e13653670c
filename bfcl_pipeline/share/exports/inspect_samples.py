"""One response as a sample of an Inspect log: its messages, the truth as target, a score for each rule set.

An entry without an answer has no score, and its status as error. Messages are covered of entries whose
requests follow from the answers: single turns, and several turns, which are played again in their simulated
world. The tables of a run do not have the results of calls to memories and the web, so of agentic entries
there are the question and the model's answers only. Messages have the form of chat completions: the tables
have the calls of open weights, not the text in which their family writes them.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from inspect_ai.log import EvalError, EvalSample
from inspect_ai.model import (
    ChatCompletionChoice,
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageTool,
    ChatMessageUser,
    ModelOutput,
    ModelUsage,
)
from inspect_ai.scorer import CORRECT, INCORRECT, Score
from inspect_ai.tool import ToolCall

from bfcl_pipeline.ask.generation.conversation import ChatAsking, answer_message, conversation
from bfcl_pipeline.base.text import loaded_json, valid_unicode
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Message, Response, Status
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.judge.scoring.multi_turn import MODEL_OWNER
from bfcl_pipeline.world.tools import Constants, World, WorldConfig


@dataclass(frozen=True, slots=True)
class Transcript:
    """The messages of one response."""

    request: tuple[Message, ...]  # what the model was sent first
    messages: tuple[Message, ...]  # all, with those of the first request
    complete: bool  # whether the results of all calls are among them


def sample(
    entry: Entry,
    response: Response,
    model: str,
    talk: Transcript,
    verdicts: Mapping[str, Mapping[str, Any]],
    executed: Sequence[str] | None = None,
) -> EvalSample:
    """The sample of one response.

    Args:
        entry: the entry, of the staged release.
        response: the model's.
        model: its name in the run.
        talk: the messages of the response.
        verdicts: rows of `schemas.VERDICTS` by rule set.
        executed: the calls of the answer with the values that were compared to score it, which the model
            did not see; None: its calls are not executed.
    """
    messages = [_message(entry, place, message) for place, message in enumerate(talk.messages)]
    answers = [message for message in messages if isinstance(message, ChatMessageAssistant)]
    usage = _usage(response)
    return EvalSample(
        id=entry.entry_id,
        epoch=1,
        uuid=f"{model}/{entry.entry_id}",
        input=messages[: len(talk.request)],
        target=json.dumps(entry.truth, ensure_ascii=False) if entry.truth is not None else "",
        messages=messages,
        output=_output(model, answers, usage),
        scores={
            rules: _score(row, response) for rules, row in verdicts.items() if row["valid"] is not None
        },
        metadata={
            "category": entry.category,
            "mode": response.mode.value,
            "status": response.status.value,
            "functions": [doc["name"] for doc in entry.functions],
            "apis": list(entry.apis),
            "web": response.web,
            "results_of_calls": "all" if talk.complete else "not recorded in the tables of the run",
            **({} if executed is None else {"executed_calls": list(executed)}),
        },
        model_usage={} if usage is None else {model: usage},
        total_time=response.latency_seconds,
        error=_error(response),
    )


def _message(entry: Entry, place: int, message: Message) -> ChatMessage:
    """A message in Inspect's form. place: its number, part of its id."""
    identity = f"{entry.entry_id}/{place}"
    content = message.get("content")
    text = content if isinstance(content, str) else "" if content is None else json.dumps(content)
    match message["role"]:
        case "system":
            return ChatMessageSystem(id=identity, content=text)
        case "tool":
            return ChatMessageTool(
                id=identity, content=text, tool_call_id=message["tool_call_id"], function=message["name"]
            )
        case "assistant":
            calls = [_call(call) for call in message.get("tool_calls") or ()]
            return ChatMessageAssistant(
                id=identity, content=text, tool_calls=calls or None, source="generate"
            )
        case _:
            return ChatMessageUser(id=identity, content=text, source="input")


def _call(call: Mapping[str, str]) -> ToolCall:
    """A call; arguments that are not a JSON object are in its error."""
    arguments = loaded_json(call["arguments"])
    if isinstance(arguments, dict):
        return ToolCall(id=call["id"], function=call["name"], arguments=arguments)
    problem = f"The arguments are not a JSON object: {call['arguments']}"
    return ToolCall(id=call["id"], function=call["name"], arguments={}, parse_error=problem)


def _output(model: str, answers: list[ChatMessageAssistant], usage: ModelUsage | None) -> ModelOutput:
    if not answers:
        return ModelOutput(model=model, usage=usage)
    choice = ChatCompletionChoice(
        message=answers[-1], stop_reason="tool_calls" if answers[-1].tool_calls else "stop"
    )
    return ModelOutput(model=model, choices=[choice], usage=usage)


def _usage(response: Response) -> ModelUsage | None:
    if response.input_tokens is None and response.output_tokens is None:
        return None
    sent, received = response.input_tokens or 0, response.output_tokens or 0
    return ModelUsage(input_tokens=sent, output_tokens=received, total_tokens=sent + received)


def _score(row: Mapping[str, Any], response: Response) -> Score:
    """The verdict of one rule set."""
    about = {"error_type": row["error_type"], "answer_class": row["answer_class"]}
    return Score(
        value=CORRECT if row["valid"] else INCORRECT,
        answer=response.result_json,
        explanation=row["error_message"],
        metadata={name: value for name, value in about.items() if value is not None},
    )


def _error(response: Response) -> EvalError | None:
    if response.status is Status.ANSWERED:
        return None
    detail = f": {response.status_detail}" if response.status_detail else ""
    return EvalError(message=f"{response.status.value}{detail}", traceback="", traceback_ansi="")


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
