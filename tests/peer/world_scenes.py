"""What trajectories start from, the calls of the truths, and what there is to be called.

Covers the tables of methods and parameters, reading a truth, and whether a result is a failure. Random
calls are drawn by `world_calls`.
"""

from __future__ import annotations

import ast
import inspect
import re
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from bfcl_pipeline.benchmark.records import Call, Entry
from bfcl_pipeline.world.tools import APIS, effects
from bfcl_pipeline.world.tools.memory import MEMORIES

Arguments: TypeAlias = dict[Any, Any]
"""By parameter, as in a call."""

Drawing: TypeAlias = Generator[Call, str, None]
"""Calls, each drawn after the result of the one before it was sent."""

FAILED = "Error during execution: "
_SAYS_FAILED = (
    r'\[?\{"error":|\[\{\'error\'|\["Error|\[\'Error'
    r'|\{"(login_status|success|status|sent_status|booking_status|authentication_status|cancel_status|'
    r'insurance_status|verification_status|follow_status|unfollow_status|canDrive)": false'
)

_AGENTIC = {"WebSearchAPI", *MEMORIES}

METHODS: Mapping[str, Sequence[str]] = {
    api: tuple(effects(kind)) for api, kind in APIS.items() if api not in _AGENTIC
}
"""The methods of each API of the multi-turn categories."""

API_OF: Mapping[str, str] = {name: api for api, names in METHODS.items() for name in names}
"""The API of each method."""

PARAMETERS: Mapping[str, Sequence[str]] = {
    name: tuple(inspect.signature(vars(APIS[api])[name]).parameters)[1:] for name, api in API_OF.items()
}
"""The parameters of each method, in order."""


@dataclass(frozen=True, slots=True)
class Scene:
    """The initial state of a trajectory."""

    name: str  # its source, for messages
    apis: tuple[str, ...]
    initial: Mapping[str, Any]  # state of each API, as in an entry
    long_context: bool


def is_failure(result: str) -> bool:
    """Whether a result reports that the call failed."""
    return result.startswith(FAILED) or re.match(_SAYS_FAILED, result) is not None


def truths(entries: Iterable[Entry]) -> Iterator[tuple[Scene, Drawing]]:
    """The truth of every entry."""
    for entry in entries:
        yield scene_of(entry), given(truth_calls(entry))


def given(calls: Iterable[Call]) -> Drawing:
    """Calls that do not depend on results."""
    for call in calls:  # noqa: UP028  # `yield from` would send the results to `calls`
        yield call


def truth_calls(entry: Entry) -> list[Call]:
    """The truth's calls, all turns joined; positional arguments are bound as Python does."""
    return [bound(text) for turn in entry.truth for text in turn]


def bound(text: str) -> Call:
    """A call as the truth writes it, with every argument by name."""
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call), text
    assert isinstance(call.func, ast.Name), text
    parameters = PARAMETERS[call.func.id]
    arguments: Arguments = {
        parameter: ast.literal_eval(value) for parameter, value in zip(parameters, call.args, strict=False)
    }
    arguments |= {str(keyword.arg): ast.literal_eval(keyword.value) for keyword in call.keywords}
    return Call(call.func.id, arguments)


def scene_of(entry: Entry) -> Scene:
    """The initial state of the entry itself."""
    long_context = entry.category == "multi_turn_long_context"
    return Scene(entry.entry_id, entry.apis, entry.initial_state or {}, long_context)
