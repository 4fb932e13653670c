"""Lexical: a small deterministic function caller without any learned weights.

It compares the words of a request with those of the offered functions and their parameters: the floor that
a model must pass to have understood anything. It reads requests only, not entries, ids or ground truths.
"""

from bfcl_pipeline.ask.generation import Model, Responder
from bfcl_pipeline.ask.models.lexical.agentic import agentic_step
from bfcl_pipeline.ask.models.lexical.arguments import items_of, properties
from bfcl_pipeline.ask.models.lexical.selection import requested_calls
from bfcl_pipeline.ask.models.transcript_reading import user_text
from bfcl_pipeline.benchmark.definition import Language, ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Entry, Exchange, Json, Mode, Request
from bfcl_pipeline.dialogue.calls import write_calls, write_native
from bfcl_pipeline.dialogue.calls.spelling import spellings

NO_CALL = "None of the functions matches the request."
"""The answer to a request that shares too few words with every function."""

_LANGUAGES = {ReturnFormat.JAVA: Language.JAVA, ReturnFormat.JAVASCRIPT: Language.JAVASCRIPT}


class Lexical(Model):
    """A model that compares words."""

    def responder(self, entry: Entry) -> Responder:  # noqa: ARG002  # the entry is hidden from it
        """The same function for every entry."""
        return lambda request: Exchange(request, answer(request))


def answer(request: Request) -> Json:
    """The result of `request` in the official form: native calls, call text, or a sentence."""
    return_format = ReturnFormat(request.return_format)
    step = agentic_step(request)
    if step is None:
        calls = requested_calls(request.functions, "".join(map(user_text, request.messages[-1:])))
        if return_format in _LANGUAGES:
            calls = [_spelled(call, request, _LANGUAGES[return_format]) for call in calls]
        step = calls or NO_CALL
    if isinstance(step, str):
        return step
    if request.mode is Mode.FC:
        return write_native(step)
    return write_calls(step, return_format, request.tool_call_tag)


def _spelled(call: Call, request: Request, language: Language) -> Call:
    """`call` with its values as source text of `language`."""
    doc = next(doc for doc in request.functions if doc["name"] == call.name)
    arguments: dict[str | None, Json] = {}
    for name, value in call.arguments.items():
        about = properties(doc["parameters"])[str(name)]
        arguments[name] = next(
            spellings(value, str(about.get("type")), items_of(about).get("type"), language)
        )
    return Call(call.name, arguments)
