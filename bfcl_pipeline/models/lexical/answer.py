"""From a request to calls: read it, choose functions, split, fill in, write.

Covers the whole of what lexical does, on a page. It sees the request and nothing else. In a conversation
it reads what the user said since something was last called, and calls once; it reads no results.
"""

from __future__ import annotations

from dataclasses import replace

from bfcl_pipeline.benchmark import Language, ReturnFormat
from bfcl_pipeline.calls import write_calls, write_native
from bfcl_pipeline.calls.spelling import spellings
from bfcl_pipeline.models.lexical.agentic import step
from bfcl_pipeline.models.lexical.functions import Function, Parameter, read_function
from bfcl_pipeline.models.lexical.prompt_docs import PromptReading, later_docs, read_prompt
from bfcl_pipeline.models.lexical.splitting import asked_calls
from bfcl_pipeline.models.transcript_reading import tells_results
from bfcl_pipeline.records import Call, Json, Mode, Request

NO_CALL = "None of the functions seems to be meant."
"""What it says where no function shares enough words with the request."""

_LANGUAGE_FORMATS: dict[Language, ReturnFormat] = {
    Language.JAVA: ReturnFormat.JAVA,
    Language.JAVASCRIPT: ReturnFormat.JAVASCRIPT,
}


def answer(request: Request) -> Json:
    """The result, in the official form, that lexical gives to `request`."""
    offer = _offer(request)
    agentic = step(frozenset(function.name for function in offer.functions), request)
    if isinstance(agentic, str):
        return agentic
    if agentic is not None:
        if request.mode is Mode.FC:
            return write_native(agentic)
        return write_calls(agentic, ReturnFormat.PYTHON)
    text = "\n".join(_unanswered(request))
    calls = [
        Call(one.function.name, _written(one.function, one.values))
        for one in asked_calls(offer.functions, text)
    ]
    if not calls:
        return NO_CALL
    if request.mode is Mode.FC:
        return write_native(calls)
    return write_calls(calls, _format(offer), offer.tool_call_tag)


def _offer(request: Request) -> PromptReading:
    if request.mode is Mode.FC:
        functions = tuple(read_function(tool["function"]) for tool in request.tools)
        return PromptReading(functions, ReturnFormat.PYTHON, False)
    system = next((str(m["content"]) for m in request.messages if m["role"] == "system"), "")
    offer = read_prompt(system)
    later = [doc for text in _said(request) for doc in later_docs(text)]
    return replace(offer, functions=(*offer.functions, *map(read_function, later))) if later else offer


def _said(request: Request) -> list[str]:
    return [str(message["content"]) for message in request.messages if message["role"] == "user"]


def _unanswered(request: Request) -> list[str]:
    """What the user said since the last results of calls; a prompted model is told those as the user."""
    said: list[str] = []
    for message in request.messages:
        content = str(message["content"])
        if tells_results(message):
            said.clear()
        elif message["role"] == "user":
            said.append(content.partition("\n")[2] if later_docs(content) else content)
    return said


def _format(offer: PromptReading) -> ReturnFormat:
    """The asked format; source text of Java and JavaScript functions is written in their language."""
    language = offer.functions[0].language
    if offer.return_format is ReturnFormat.PYTHON:
        return _LANGUAGE_FORMATS.get(language, ReturnFormat.PYTHON)
    return offer.return_format


def _written(function: Function, values: dict[str, Json]) -> dict[str | None, Json]:
    """Values as the function's language writes them: as they are in Python, else as source text."""
    if function.language is Language.PYTHON:
        return dict(values.items())
    known: dict[str, Parameter] = {parameter.name: parameter for parameter in function.parameters}
    return {name: _source_text(known[name], value, function.language) for name, value in values.items()}


def _source_text(parameter: Parameter, value: Json, language: Language) -> str:
    return next(spellings(value, parameter.native_type, parameter.native_item or None, language))
