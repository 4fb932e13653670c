"""The oracle: answers from the ground truth, as well as the rules allow.

Covers conversations, in which it calls what the truth of each turn calls, and single answers: the choice
of one acceptable value for every parameter that the checkers accept, in either mode and every format.
It is the ceiling that what cannot be passed stands out from. For an entry that no answer can pass it
still answers, with the natural values.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import replace

from bfcl_pipeline.benchmark import CATEGORIES, Check
from bfcl_pipeline.calls import write_calls, write_native
from bfcl_pipeline.config import ModelRow
from bfcl_pipeline.generation import Responder
from bfcl_pipeline.models.embedded import EmbeddedModel
from bfcl_pipeline.models.oracle_agentic import (
    Facts,
    question_step,
    session_step,
    web_step,
    written,
)
from bfcl_pipeline.models.specimen import specimen_call
from bfcl_pipeline.records import Call, Entry, Exchange, FunctionDoc, Json, Mode, Request, Response, Rules
from bfcl_pipeline.scoring import answer_format, judge, truth_calls
from bfcl_pipeline.scoring.candidates import candidate_values

NO_CALL = "None of the functions offered here can answer this request."
"""What it says where a call would be wrong; no decoder takes it for one."""


DONE = "All of it is done."
"""What it says at the end of a turn."""


class Oracle(EmbeddedModel):
    """A model that knows the answers."""

    __slots__ = ("facts",)

    def __init__(self, row: ModelRow) -> None:
        super().__init__(row)
        self.facts = Facts()

    def meet(self, entries: Sequence[Entry]) -> None:
        """Learns what will be asked, to store it when it is told."""
        self.facts.learn(entries)

    def responder(self, entry: Entry) -> Responder:
        """Answers the requests of `entry` with what its truth says."""
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
    """Calls all that the truth of a turn calls in its first step, then ends the turn."""
    called: set[int] = set()

    def respond(request: Request) -> Exchange:
        calls = truth[request.turn]
        if not calls:
            return Exchange(request, NO_CALL)
        if request.turn in called:
            return Exchange(request, DONE)
        called.add(request.turn)
        return Exchange(request, written(calls, request.mode))

    return respond


def answer(entry: Entry, mode: Mode) -> Json:
    """A result that passes `entry` under the official rules, if any can."""
    check = CATEGORIES[entry.category].check
    if check is Check.IRRELEVANCE:
        return NO_CALL
    if check is Check.RELEVANCE:
        return _written((specimen_call(entry.functions),), entry, mode)
    natural = _written([_call(entry, named) for named in entry.truth], entry, mode)
    if _passes(entry, natural, mode):
        return natural
    tried = _written([_call(entry, named, tried_in=mode) for named in entry.truth], entry, mode)
    return tried if _passes(entry, tried, mode) else natural


def _call(entry: Entry, named: dict[str, dict[str, list[Json]]], tried_in: Mode | None = None) -> Call:
    """One call of the truth. With `tried_in`, every value is tried with the checker in that mode."""
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
    """Values to try for a parameter, most natural first; none where it is best left out."""
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
    """Whether the checker accepts the value, asked of an entry with this one parameter only."""
    properties = {parameter: doc["parameters"]["properties"][parameter]}
    only = {**doc, "parameters": {**doc["parameters"], "properties": properties, "required": []}}
    asked = replace(entry, functions=(only,), truth=[{doc["name"]: {parameter: acceptable}}])
    return _passes(asked, _written((Call(doc["name"], {parameter: value}),), entry, mode), mode)


def _passes(entry: Entry, result: Json, mode: Mode) -> bool:
    text = json.dumps(result, ensure_ascii=False)
    response = Response(entry.entry_id, entry.category, mode, text)
    return judge(entry, response, Rules.OFFICIAL).valid is True


def _written(calls: Sequence[Call], entry: Entry, mode: Mode) -> Json:
    if mode is Mode.FC:
        return write_native(calls)
    asked = answer_format(entry)
    return write_calls(calls, asked.return_format, asked.tool_call_tag)
