"""Random trajectories of calls for the simulated APIs, valid and invalid in many ways; deterministic.

Covers their initial states and calls; the arguments come from `world_values`. A trajectory is generated
call by call, since likely arguments come from the results so far (a token, the number of an order). The
same entries and seed give the same trajectories, with any hash seed and in any process.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from bfcl_pipeline.benchmark.records import Call, Entry
from tests.peer.world_scenes import (
    API_OF,
    METHODS,
    PARAMETERS,
    Arguments,
    Drawing,
    Scene,
    is_failure,
    scene_of,
    truth_calls,
)
from tests.peer.world_values import (
    KNOWN_CALLS,
    KNOWN_TEXTS,
    ODD_TEXTS,
    RELATED,
    WORDS_BEFORE_BRACKETS,
    Known,
    anything,
    edge,
    enumerated,
    typed,
    words,
)

MIN_CALLS = 5
MAX_CALLS = 40

EVALUATED_NAMES = ("dict", "len", "str", "sorted", "json.dumps", "func_call", "None", "pwd()", "")
"""Names of calls that mean something to an interpreter, or are expressions; harmless ones."""

_ODD_NAMES = (
    "foo", "kill", "exit", "a.remove", "os.path.unlink", "kill ", "TicketAPI.create_ticket", "functions.ls",
    "ls.ls", "ls ", " pwd", "\npwd", "mean\n", "ﬁnd", "Ls", "get tweet", "2fast", "for", "naïve", "add-1",
    "x.y.z", "_load_scenario", "__init__", *EVALUATED_NAMES,
)  # fmt: skip

_ODD_PARAMETERS = (
    "x", "self", "class", "dir name", "", "2", "file-name", "None", "naïve", "ls", "kwargs", "*",
    "ﬁle_name", " name", "x\n",
)  # fmt: skip

_OPENINGS: Mapping[str, Sequence[tuple[str, Arguments]]] = {
    "MessageAPI": (("message_login", {}),),
    "TicketAPI": (("ticket_login", {}), ("create_ticket", {})),
    "TradingBot": (("trading_login", {}),),
    "TravelAPI": (("authenticate_travel", {}), ("register_credit_card", {}), ("book_flight", {})),
    "VehicleControlAPI": (
        ("lockDoors", {"unlock": False, "door": ["driver", "passenger", "rear_left", "rear_right"]}),
        ("pressBrakePedal", {"pedalPosition": 1.0}),
        ("startEngine", {"ignitionMode": "START"}),
    ),
}
"""Calls after which more of an API's other calls succeed; arguments that are not given are likely ones."""


_FOLLOWED_BY = {"cd": "ls", "mkdir": "rmdir"}
"""Calls that help others to succeed (names in the folder), or succeed only after others."""

_MORE_OFTEN = {
    "cancel_booking": 4,
    "get_credit_card_balance": 2,
    "purchase_insurance": 3,
    "retrieve_invoice": 2,
    "verify_traveler_information": 2,
}
"""How many times as often as others a method is called that seldom succeeds."""


class Draws:
    """Draws trajectories from the docs, states and truths of `entries`."""

    def __init__(self, entries: Sequence[Entry]) -> None:
        self._entries = entries
        self._docs: dict[str, Mapping[str, Any]] = {}
        self._by_api = defaultdict(list)
        self._used: defaultdict[tuple[str, str], list[Any]] = defaultdict(list)  # by method and parameter
        self._known_calls: defaultdict[str, list[Mapping[Any, Any]]] = defaultdict(list)
        for name, known in KNOWN_CALLS.items():
            self._known_calls[name] += known
        for entry in entries:
            offered = [*entry.functions, *(doc for docs in entry.held_out.values() for doc in docs)]
            self._docs.update((doc["name"], doc["parameters"]) for doc in offered)
            for api in entry.apis:
                self._by_api[api].append(entry)
            for call in truth_calls(entry):
                self._known_calls[call.name].append(call.arguments)
                for parameter, value in call.arguments.items():
                    if value not in (used := self._used[call.name, str(parameter)]):
                        used.append(value)

    @property
    def documented(self) -> set[str]:
        """Every function that an entry offers."""
        return set(self._docs)

    def trajectories(self, numbers: Iterable[int], seed: int) -> Iterator[tuple[Scene, Drawing]]:
        """One trajectory for each number."""
        for number in numbers:
            rng = random.Random(f"{seed}:{number}")
            entry = self._entries[number % len(self._entries)]
            scene = self._varied(entry, rng)
            yield scene, self._draw(scene, truth_calls(entry), rng)

    def _varied(self, entry: Entry, rng: random.Random) -> Scene:
        """The entry's start; now and then with more APIs, with all of them, or with default states."""
        own = scene_of(entry)
        apis, initial = [*own.apis], dict(own.initial)
        match rng.choices(("own", "more", "all", "default"), (6, 5, 2, 1))[0]:
            case "more":
                for api in rng.sample(list(METHODS), 2):
                    if api not in apis:
                        apis.append(api)
                        initial |= self._state_from(api, rng)
            case "all":
                apis = list(METHODS)
                for api in apis:
                    if api not in initial:
                        initial |= self._state_from(api, rng)
            case "default":
                initial = {}
        return Scene(own.name, tuple(apis), initial, own.long_context)

    def _state_from(self, api: str, rng: random.Random) -> dict[str, Any]:
        """The state of `api` in some entry."""
        state = rng.choice(self._by_api[api]).initial_state or {}
        return {api: state[api]} if api in state and rng.random() < 0.8 else {}

    def _draw(self, scene: Scene, truth: Sequence[Call], rng: random.Random) -> Drawing:
        known = Known(scene.initial)
        own = [call for call in truth if API_OF.get(call.name) in scene.apis]
        calls = self._openings(scene, known, rng) if rng.random() < 0.75 else iter(())
        last = Call("", {})
        for _ in range(rng.randint(MIN_CALLS, MAX_CALLS)):
            call = next(calls, None)
            if call is None and own and rng.random() < 0.25:
                call = own.pop(0)
                if rng.random() < 0.2:
                    call = Call(call.name, self._spoilt(call.name, dict(call.arguments), rng))
            if call is None:
                follows = _FOLLOWED_BY.get(last.name)
                if follows is not None and rng.random() < 0.5:
                    call = Call(follows, {} if follows == "ls" else last.arguments)
                else:
                    call = self._call(scene, known, rng)
            call = Call(call.name, _bearable(call.name, call.arguments))
            result = yield (last := call)
            known.note_result(result)
            if not is_failure(result):
                # arguments that were accepted once, even unusual ones, are likely later
                known.note(call.arguments)

    def _openings(self, scene: Scene, known: Known, rng: random.Random) -> Iterator[Call]:
        state = scene.initial.get("TwitterAPI", {})
        credentials = {
            "username": state.get("username", "john"),
            "password": state.get("password", "john123"),
        }
        for api in scene.apis:
            openings = (
                (("authenticate_twitter", credentials),) if api == "TwitterAPI" else _OPENINGS.get(api, ())
            )
            for name, arguments in openings:
                yield Call(name, self._likely_arguments(name, known, rng) | arguments)

    def _call(self, scene: Scene, known: Known, rng: random.Random) -> Call:
        api = rng.choice(scene.apis) if rng.random() < 0.98 else rng.choice(list(METHODS))
        names = METHODS[api]
        name = rng.choices(names, [_MORE_OFTEN.get(name, 1) for name in names])[0]
        arguments = self._likely_arguments(name, known, rng)
        if rng.random() < 0.4:
            arguments = self._spoilt(name, arguments, rng)
        return Call(rng.choice(_ODD_NAMES) if rng.random() < 0.015 else name, arguments)

    def _likely_arguments(self, name: str, known: Known, rng: random.Random) -> Arguments:
        """Arguments of a truth, some replaced by values of a state or result; or each generated
        separately."""
        doc = self._docs[name]
        if self._known_calls[name] and rng.random() < 0.4:
            return {
                parameter: self._likely(name, parameter, known, rng)
                if rng.random() < (0.85 if parameter in RELATED else 0.1)
                else value
                for parameter, value in rng.choice(self._known_calls[name]).items()
            }
        return {
            parameter: self._likely(name, parameter, known, rng)
            for parameter in doc["properties"]
            if parameter in doc["required"] or rng.random() < 0.6
        }

    def _likely(self, name: str, parameter: str, known: Known, rng: random.Random) -> Any:
        """A value with which the call may well succeed."""
        spec = self._docs[name]["properties"][parameter]
        kind, items = spec["type"], spec.get("items", {}).get("type")
        live = known.of(parameter, rng)
        sources: list[tuple[int, Sequence[Any]]] = [
            (40 if parameter == "access_token" else 0, live[-1:]),  # the others have expired
            (6, live[-6:]),
            (4, self._used[name, parameter]),
            (4, enumerated(spec["description"])),
            (2, KNOWN_TEXTS.get(parameter, ())),
            (1, words(live) if parameter in ("keyword", "pattern", "name") else ()),
            (1, (typed(kind, items, rng),)),
        ]
        sources = [(weight, values) for weight, values in sources if weight and values]
        values = rng.choices([values for _, values in sources], [weight for weight, _ in sources])[0]
        value = rng.choice(values)
        if kind == "array" and not isinstance(value, list):
            return [value, *rng.sample(values, rng.randint(0, min(2, len(values))))]
        return value

    def _spoilt(self, name: str, arguments: Arguments, rng: random.Random) -> Arguments:
        """The arguments with one thing or two about them changed."""
        for _ in range(rng.choice((1, 1, 2))):
            match rng.choices(("edge", "wrong", "missing", "odd", "text"), (8, 6, 4, 3, 4))[0]:
                case _ if not arguments:
                    arguments[rng.choice(_ODD_PARAMETERS)] = anything(rng)
                case "edge":
                    parameter = rng.choice(list(arguments))
                    spec = self._docs[name]["properties"].get(parameter, {"type": "string"})
                    arguments[parameter] = edge(spec["type"], spec.get("items", {}).get("type"), rng)
                case "wrong":
                    arguments[rng.choice(list(arguments))] = anything(rng)
                case "missing":
                    del arguments[rng.choice(list(arguments))]
                case "odd":
                    odd = (
                        _ODD_PARAMETERS if rng.random() < 0.5 else PARAMETERS[rng.choice(list(PARAMETERS))]
                    )
                    arguments[rng.choice(odd or _ODD_PARAMETERS)] = anything(rng)
                case "text":
                    parameter = rng.choice(list(arguments))
                    told = f"{rng.choice(list(PARAMETERS))}{rng.choice(('(', ' (', '  ()', '(1) '))}"
                    arguments[parameter] = _with_text(arguments[parameter], told, rng)
        return arguments


def _with_text(value: Any, told: str, rng: random.Random) -> Any:
    """`value` with a method's name before a bracket, or replaced by such a text."""
    text = rng.choice((told, told, *WORDS_BEFORE_BRACKETS, *ODD_TEXTS))
    match value:
        case str():
            return rng.choice((text, f"{value} {text}", f"{text}{value}"))
        case list():
            return [*value, text]
    return text


def _bearable(name: str, arguments: Mapping[Any, Any]) -> Arguments:
    """The arguments without those that would keep the official code busy for ever or fill the memory."""
    limit = {"power": 1_000, "round_number": 4_000, "logarithm": 1_000, "square_root": 2_000}.get(name)
    if limit is None:
        return dict(arguments)
    watched = {"power": "exponent", "round_number": "decimal_places"}.get(name, "precision")
    kept = dict(arguments)
    value = kept.get(watched)
    if isinstance(value, int | float) and not abs(value) <= limit:
        kept[watched] = limit // 5
    elif isinstance(value, str) and len(re.sub(r"\D", "", value)) > 2:
        kept[watched] = "12"
    return kept
