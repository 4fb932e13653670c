"""The oracle: answers from the ground truth, as well as the rules allow.

Covers conversations, with the calls in the truth of each turn, single answers, with one acceptable value
for every parameter, in both modes and all formats, and calls that are executed, as the truth has them. Its
score is the upper limit: an entry that the oracle fails cannot be passed. Its answer to such an entry has
the most natural values.
"""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from bfcl_pipeline.ask.generation import Model, Responder
from bfcl_pipeline.ask.models.oracle_agentic import (
    FactsBySession,
    question_step,
    session_step,
    web_step,
    write_result,
)
from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import (
    Call,
    DecodeFailure,
    Entry,
    Exchange,
    FunctionDoc,
    Json,
    Mode,
    Request,
    Response,
    Rules,
)
from bfcl_pipeline.dialogue.calls import decode_step, write_calls, write_native
from bfcl_pipeline.judge.scoring import answer_format, judge, truth_calls
from bfcl_pipeline.judge.scoring.candidates import candidate_values
from bfcl_pipeline.world.executables import read_call

NO_CALL = "None of the functions offered here can answer this request."
"""Its answer where a call would be wrong; no decoder reads a call in it."""

DONE = "All of it is done."
"""Its answer at the end of a turn."""

_PLACEHOLDERS: dict[str, Json] = {
    "string": "text",
    "String": "text",
    "any": "text",
    "char": "c",
    "integer": 1,
    "byte": 1,
    "short": 1,
    "long": 1,
    "Bigint": 1,
    "float": 1.0,
    "number": 1.0,
    "double": 1.0,
    "boolean": True,
    "Boolean": True,
}
"""A value of each scalar type in the release."""

_OBJECTS = ("dict", "object", "HashMap", "Hashtable")


class Oracle(Model):
    """A model that reads its answers from the ground truth."""

    def __init__(self, row: ModelRow) -> None:
        super().__init__(row)
        self.facts = FactsBySession()

    def prepare(self, entries: Sequence[Entry]) -> None:
        """Finds the facts that each memory session has to store for later questions."""
        self.facts.learn(entries)

    def responder(self, entry: Entry) -> Responder:
        """Answers the requests of `entry` from its truth."""
        if CATEGORIES[entry.category].check is Check.MULTI_TURN:
            return _turn_responder(truth_calls(entry))

        def respond(request: Request) -> Exchange:
            return Exchange(request, self._result(entry, request))

        return respond

    def _result(self, entry: Entry, request: Request) -> Json:
        if entry.prerequisite:
            return session_step(entry, self.facts, request)
        match CATEGORIES[entry.category].check:
            case Check.MEMORY:
                return question_step(entry, request)
            case Check.WEB_SEARCH:
                return web_step(entry, request)
        return answer(entry, request.mode)


def _turn_responder(truth: Sequence[Sequence[Call]]) -> Responder:
    """Makes all calls in the truth of a turn in its first step, then ends the turn."""
    called: set[int] = set()

    def respond(request: Request) -> Exchange:
        calls = truth[request.turn]
        if not calls:
            return Exchange(request, NO_CALL)
        if request.turn in called:
            return Exchange(request, DONE)
        called.add(request.turn)
        return Exchange(request, write_result(calls, request.mode))

    return respond


def answer(entry: Entry, mode: Mode) -> Json:
    """A result that passes `entry` under the official rules, if there is one.

    That of an entry whose calls are executed has the calls of its truth, whatever the web returns for them.
    """
    if CATEGORIES[entry.category].executes:
        return _written(_executed_calls(entry), entry, mode)
    check = CATEGORIES[entry.category].check
    if check is Check.IRRELEVANCE:
        return NO_CALL
    if check is Check.RELEVANCE:
        return _written((placeholder_call(entry.functions),), entry, mode)
    natural = _written([_call(entry, named) for named in entry.truth], entry, mode)
    if _passes(entry, natural, mode):
        return natural
    tried = _written([_call(entry, named, tried_in=mode) for named in entry.truth], entry, mode)
    return tried if _passes(entry, tried, mode) else natural


def _executed_calls(entry: Entry) -> tuple[Call, ...]:
    """The expected calls of an entry whose calls are executed, or its reference request."""
    if CATEGORIES[entry.category].check is not Check.REST:
        return tuple(read_call(expected["call"]) for expected in entry.truth)
    request = entry.truth["request"]
    calls = decode_step(f"[{request}]", Mode.PROMPT)
    if isinstance(calls, DecodeFailure) or len(calls) != 1:
        raise MalformedRelease.at(f"{entry.entry_id}: truth", "a request", f"{request!r:.200}")
    return calls


def _call(entry: Entry, named: dict[str, dict[str, list[Json]]], tried_in: Mode | None = None) -> Call:
    """One call of the truth. With `tried_in`, the checker has to accept each value in that mode."""
    ((name, parameters),) = named.items()
    doc = next(doc for doc in entry.functions if doc["name"] == name)
    chosen: dict[str | None, Json] = {}
    for parameter, acceptable in parameters.items():
        for value in _choices(entry, doc, parameter, acceptable):
            if tried_in is None or _accepted(entry, doc, parameter, acceptable, value, tried_in):
                chosen[parameter] = value
                break
    return Call(name, chosen)


def _choices(entry: Entry, doc: FunctionDoc, parameter: str, acceptable: Sequence[Json]) -> Iterator[Json]:
    """Candidate values of a parameter, most natural first; none if the parameter is best left out."""
    properties = doc["parameters"]["properties"]
    required = parameter in doc["parameters"].get("required", ())
    if parameter not in properties or (not required and list(acceptable[:1]) in ([""], [])):
        return
    about = properties[parameter]
    item_type = (about.get("items") or {}).get("type")
    language = CATEGORIES[entry.category].language
    yield from candidate_values(acceptable, about["type"], item_type, language)


def _accepted(
    entry: Entry, doc: FunctionDoc, parameter: str, acceptable: Sequence[Json], value: Json, mode: Mode
) -> bool:
    """Whether the checker accepts the value, in an entry with this parameter alone."""
    properties = {parameter: doc["parameters"]["properties"][parameter]}
    only = {**doc, "parameters": {**doc["parameters"], "properties": properties, "required": []}}
    reduced = replace(entry, functions=(only,), truth=[{doc["name"]: {parameter: acceptable}}])
    return _passes(reduced, _written((Call(doc["name"], {parameter: value}),), entry, mode), mode)


def _passes(entry: Entry, result: Json, mode: Mode) -> bool:
    text = json.dumps(result, ensure_ascii=False)
    response = Response(entry.entry_id, entry.category, mode, text)
    return judge(entry, response, Rules.OFFICIAL).valid is True


def _written(calls: Sequence[Call], entry: Entry, mode: Mode) -> Json:
    if mode is Mode.FC:
        return write_native(calls)
    fmt = answer_format(entry)
    return write_calls(calls, fmt.return_format, fmt.tool_call_tag)


def placeholder_call(functions: Sequence[FunctionDoc]) -> Call:
    """A well-formed call of the first function, with placeholders for its required parameters."""
    doc = functions[0]
    return Call(doc["name"], dict(_required_values(doc["parameters"]).items()))


def _required_values(schema: Mapping[str, Json]) -> dict[str, Json]:
    properties = schema.get("properties") or {}
    return {
        name: _placeholder(properties[name]) for name in schema.get("required") or () if name in properties
    }


def _placeholder(about: Mapping[str, Json]) -> Json:
    if about.get("enum"):
        return about["enum"][0]
    kind = about.get("type", "string")
    if kind in _PLACEHOLDERS:
        return _PLACEHOLDERS[kind]
    if kind in _OBJECTS:
        return _required_values(about)
    return [_placeholder(about.get("items") or {})]
