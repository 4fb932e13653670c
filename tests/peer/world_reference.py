"""Runs calls through the official package's simulated APIs. Runs under `.venv-peer` only.

    python -m tests.peer.world_reference QUESTIONS ANSWERS

A question is a trajectory: `owner` (two texts, of which the official code names its instances), `apis`,
`initial`, `long_context`, `today`, `calls` ([name, arguments] pairs) and `full` (whether states and long
results are wanted in full). An answer is `results`, a text for each call, and `states`: a list of digests,
one for each API, before the first call and after every call. Every trajectory runs as in a fresh process.
"""

from __future__ import annotations

import decimal
import importlib
import inspect
import pickle
import signal
from collections.abc import Iterator
from datetime import date, datetime
from types import FrameType
from typing import Any

import mpmath
from bfcl_eval.constants.executable_backend_config import BACKEND_PATH_PREFIX, CLASS_FILE_PATH_MAPPING
from bfcl_eval.eval_checker.multi_turn_eval import multi_turn_utils
from bfcl_eval.model_handler.utils import convert_to_function_call

from tests.peer.reference_process import answer_questions
from tests.peer.world_digest import StateDigests, frozen, shortened

LIMIT_SECONDS = 20

APIS = (
    "GorillaFileSystem",
    "MathAPI",
    "MessageAPI",
    "TwitterAPI",
    "TicketAPI",
    "TradingBot",
    "TravelAPI",
    "VehicleControlAPI",
)

MODULES = {
    name: importlib.import_module(name)
    for name in (f"{BACKEND_PATH_PREFIX}.long_context", *(CLASS_FILE_PATH_MAPPING[api] for api in APIS))
}


class TimeIsUp(BaseException):
    """Raised by the alarm; not an Exception, so that the official code does not catch it."""


def _alarm(signum: int, frame: FrameType | None) -> None:
    raise TimeIsUp


class Shared:
    """Objects that the official code changes for a whole process: fillers, mutable default arguments."""

    def __init__(self) -> None:
        self._values = [value for value in _shared_values() if isinstance(value, list | dict | set)]
        self._fresh = [frozen(value) for value in self._values]
        self._contents = [pickle.dumps(value) for value in self._values]

    def refresh(self) -> None:
        """Restores the initial content of every changed object."""
        for value, fresh, content in zip(self._values, self._fresh, self._contents, strict=True):
            if frozen(value) != fresh:
                value.clear()
                (value.extend if isinstance(value, list) else value.update)(pickle.loads(content))


def _shared_values() -> Iterator[Any]:
    for module in MODULES.values():
        yield from (value for name, value in vars(module).items() if not name.startswith("__"))
    for api in APIS:
        for _, method in inspect.getmembers(api_class(api), inspect.isfunction):
            yield from method.__defaults__ or ()


def api_class(api: str) -> Any:
    """The official class of that name."""
    return vars(MODULES[CLASS_FILE_PATH_MAPPING[api]])[api]


def refresh(shared: Shared, today: date) -> None:
    """Restores the state of a fresh process, on that day."""

    class Clock(datetime):
        @classmethod
        def today(cls) -> Clock:
            return cls(today.year, today.month, today.day)

    vars(MODULES[CLASS_FILE_PATH_MAPPING["TravelAPI"]])["datetime"] = Clock
    decimal.setcontext(decimal.DefaultContext.copy())
    mpmath.mp.prec = 53
    shared.refresh()
    for name in [name for name in vars(multi_turn_utils) if name.endswith("_instance")]:
        delattr(multi_turn_utils, name)


def answer(row: dict[str, Any], shared: Shared) -> dict[str, Any]:
    """The official code's results and states for the calls of one trajectory."""
    refresh(shared, date.fromisoformat(row["today"]))
    model, entry_id = row["owner"]
    digests = StateDigests(row["full"])
    states = []

    def observe() -> None:
        instances = {
            api: vars(multi_turn_utils)[f"{model}_{entry_id}_{api}_instance"] for api in row["apis"]
        }
        states.append([digests.of(api, public(instance)) for api, instance in instances.items()])

    def texts() -> Iterator[str]:
        """The calls as the official handlers write them, each generated after the previous one was run."""
        observe()
        for name, arguments in row["calls"]:
            yield from convert_to_function_call([{name: arguments}])
            observe()

    signal.setitimer(signal.ITIMER_PROF, LIMIT_SECONDS)
    try:
        results, _ = multi_turn_utils.execute_multi_turn_func_call(
            texts(), row["initial"], row["apis"], model, entry_id, long_context=row["long_context"]
        )
    except TimeIsUp:
        return {"timeout": True}
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return {"results": results if row["full"] else [shortened(text) for text in results], "states": states}


def public(instance: Any) -> dict[str, Any]:
    """The attributes that the official checker compares."""
    return {name: value for name, value in vars(instance).items() if not name.startswith("_")}


if __name__ == "__main__":
    signal.signal(signal.SIGPROF, _alarm)
    shared = Shared()
    answer_questions(lambda row: answer(row, shared))
