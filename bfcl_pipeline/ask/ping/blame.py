"""Which of row, server and model is to blame for a try that failed, and what to do next.

An answer is judged by evidence: why it ended, the texts beside its calls, counts of tokens. What is not
shown to be the row's or the server's is the model's.
"""

import difflib
import re
from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from bfcl_pipeline.ask.models.adapters.openai_adapter import COMPATIBLE_KINDS, listed_models
from bfcl_pipeline.ask.ping.tries import Try, has_calls, named_calls, text_of
from bfcl_pipeline.base.errors import (
    AccessDenied,
    ContextOverflow,
    Malformed,
    ModelError,
    NoConnection,
    RateLimited,
    RequestRefused,
)
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.records import Exchange, Json, Mode
from bfcl_pipeline.dialogue.calls import is_written_call

_MAX_LISTED = 8  # models of an endpoint in a message
_FEW_TOKENS = 8  # received with an answer that is truly empty
_AT_LIMIT = ("length", "max_tokens", "MAX_TOKENS", "incomplete")  # reasons of the APIs
_VERSION = re.compile(r"[-@:](latest|preview|\d{3,8}|\d{4}-\d\d-\d\d|\d\d-\d{2,4})$")
_FORCED = {"tool_choice": "required", "parallel_tool_calls": False}  # options with which no model passes


class Blame(StrEnum):
    """What is to be changed after a failed try, in the order in which it is to be looked at."""

    ROW = "row"  # the model's row in a models file, its key included
    SERVER = "server"
    MODEL = "model"

    @property
    def status(self) -> int:
        """The exit status of the command; 2 is that of a wrong command line."""
        return {Blame.ROW: 1, Blame.SERVER: 3, Blame.MODEL: 4}[self]


Found: TypeAlias = tuple[Blame, str]
"""What is to blame for a try that failed; what was found, and what to do next."""

Plain: TypeAlias = Exchange | ModelError | None
"""What the first question led to without functions; None: it was not asked so."""


def of_answers(
    tried: Try, row: ModelRow, mode: Mode, answers: Sequence[Exchange], raw: Json, problem: str
) -> Found:
    """Why answers that came are wrong. raw: the last of them; problem: what is wrong with it."""
    first, last, names = answers[0], answers[-1], [function["name"] for function in tried.entry.functions]
    called, text = has_calls(last, mode) or bool(named_calls(last)), text_of(last)
    written = is_written_call(text, names)
    forced = [name for name, value in _FORCED.items() if row.options.get(name) == value]
    if last.finish_reason in _AT_LIMIT:
        return Blame.ROW, "The answer ended at the limit of new tokens: raise it in `options`."
    if written and row.family is not None:
        said = f"The text has a call, but not as the family {row.family} writes calls. Another `family`"
        return Blame.ROW, f"{said}, or `prompting: server`, asks in another way."
    if written and mode is Mode.PROMPT:
        return Blame.MODEL, "The text has a call, but not in the form that the prompt asks for."
    if written:
        said = "The text has a call that the server did not read: start it with the model's tool parser"
        return Blame.SERVER, f"{said}{' (`vllm: {tool_parser: NAME}`)' if row.kind == 'vllm' else ''}."
    if forced:
        return Blame.ROW, f"{problem} The row sets `{forced[0]}` in `options`."
    if not called and mode is Mode.FC and last.finish_reason == "tool_calls":
        return Blame.SERVER, "It says that it made calls, and lists none: see its tool parser."
    if not called and not text:
        thought = _reasoning(raw)
        if is_written_call(thought, names) or (not thought and (last.output_tokens or 0) > _FEW_TOKENS):
            tokens = f"{last.output_tokens} tokens were counted, and neither text nor call came"
            return Blame.SERVER, f"{tokens}: see its reasoning parser and tool parser."
        return Blame.MODEL, "The answer is empty."
    if 0 < (last.input_tokens or 0) < (first.input_tokens or 0):
        return Blame.SERVER, f"{problem} It counts fewer tokens than before: it drops messages."
    if any(given in ("", "{}", {}) for _, given in named_calls(last)):
        problem += " If the model writes the arguments, its server's tool parser loses them."
    return Blame.MODEL, problem


def _reasoning(raw: Json) -> str:
    match raw:
        case {"choices": [{"message": {"reasoning": str(text)} | {"reasoning_content": str(text)}}, *_]}:
            return text
    return ""


def of_tools(first: Exchange, plain: Exchange | ModelError) -> Found:
    """Why no call came although functions were sent. plain: what the question without them led to."""
    said = "It answers in words and calls nothing, though mode fc offers a function."
    advice = "A model that cannot call functions belongs in mode prompt (a name without -FC)."
    sent = first.input_tokens
    counted = None if isinstance(plain, ModelError) else plain.input_tokens
    if sent is None or counted is None:
        shown = "The server may ignore `tools`; counts of tokens, which would show it, are missing."
    elif sent == counted:
        said = f"It ignores `tools`: it counts {sent} tokens with the function and without it."
        advice = "Start it with a chat template and tool parser for functions, or use a name without -FC."
        return Blame.SERVER, f"{said} {advice}"
    else:
        shown = f"The function reaches the model: {sent} tokens with it, {counted} without."
    return Blame.MODEL, f"{said} {shown} {advice}"


def same_model(asked: str, stated: str) -> bool:
    """Whether a server's name of its model can be that of the row: a folder or a version may be added."""
    names = {_VERSION.sub("", name.rstrip("/").rpartition("/")[2].casefold()) for name in (asked, stated)}
    return len(names) == 1


async def of_name(row: ModelRow, endpoint: str | None, stated: str) -> Found:
    """Why answers state another model than that of the row."""
    names = await listed_models(row, endpoint)
    if names and row.model not in names:
        advice = f"Set `model` in the row to one of: {_some(names, row.model)}."
        return Blame.ROW, f"The server does not list {row.model!r}. {advice}"
    said = f"Asked for {row.model!r}, it answers as {stated!r}: it may have loaded another model."
    return Blame.SERVER, said


async def of_error(
    row: ModelRow, endpoint: str | None, error: ModelError, plain: Plain, *, others: bool
) -> Found:
    """Why no answer came. others: whether another question was answered."""
    address = endpoint or row.endpoint
    blame, advice = Blame.SERVER, ""
    match error:
        case RateLimited():
            advice = "It is too busy or still starting, or a limit is reached. Runs wait and try again."
        case ContextOverflow():
            advice = "Start it with a longer context (vLLM: --max-model-len); entries need far more."
        case RequestRefused() if isinstance(plain, Exchange) or others:
            answered = "other questions" if others else "the same question without functions"
            options = "--enable-auto-tool-choice --tool-call-parser NAME"
            advice = f"It answers {answered}: start it so that it takes all `tools` (vLLM: {options})."
        case RequestRefused():
            blame, advice = Blame.ROW, "See `kind`, `model` and `options` in the model's row."
        case AccessDenied():
            blame, advice = Blame.ROW, " ".join(await _denied(row, endpoint, error))
        case Malformed() if address is not None and row.kind in COMPATIBLE_KINDS:
            blame = Blame.ROW
            advice = f"Is {address} an API of kind {row.kind}? Most endpoints end in /v1."
        case NoConnection() if address is not None:
            advice = f"Is a server running at {address}?"
    stated = f"{error}".rstrip()
    return blame, f"{stated}{'' if stated.endswith(('.', '!', '?')) else '.'} {advice}".rstrip()


async def _denied(row: ModelRow, endpoint: str | None, error: AccessDenied) -> list[str]:
    """What to do where every request is rejected."""
    address = endpoint or row.endpoint
    lines = [
        "No key was sent: set `key` in the model's row to the environment variable with the key."
        if row.key is None
        else f"The key came from {row.key}."
    ]
    names = await listed_models(row, endpoint)
    if row.family is not None and error.status == 404 and row.model in names:
        said = f"{address} lists the model, but has no /completions, to which prompts are sent."
        return [said, "`prompting: server` sends chat completions instead."]
    if names and row.model not in names:
        return [f"There is no {row.model!r} at {address}; it offers {_some(names, row.model)}.", *lines]
    if address is not None and row.kind in COMPATIBLE_KINDS and not names and error.status == 404:
        lines.insert(0, f"{address} does not list its models either. Most endpoints end in /v1.")
    return lines


def _some(names: tuple[str, ...], wanted: str) -> str:
    """Some of the names, those similar to `wanted` first, and the number of the others."""
    near = difflib.get_close_matches(wanted, names, n=_MAX_LISTED, cutoff=0.3)
    ordered = [*near, *(name for name in names if name not in near)]
    more = len(ordered) - _MAX_LISTED
    return ", ".join(ordered[:_MAX_LISTED]) + (f" and {more} more" if more > 0 else "")
