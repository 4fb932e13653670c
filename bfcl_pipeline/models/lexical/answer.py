"""From a request to calls: read it, choose functions, split, fill in, write.

Covers the whole of what lexical does, on a page. It sees the request and nothing else.
"""

from __future__ import annotations

from bfcl_pipeline.benchmark import Language, ReturnFormat
from bfcl_pipeline.calls import write_calls, write_native
from bfcl_pipeline.calls.spelling import spellings
from bfcl_pipeline.models.lexical.functions import Function, Parameter, read_function
from bfcl_pipeline.models.lexical.prompt_docs import PromptReading, read_prompt
from bfcl_pipeline.models.lexical.splitting import asked_calls
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
    text = "\n".join(str(m["content"]) for m in request.messages if m["role"] == "user")
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
    return read_prompt(system)


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
