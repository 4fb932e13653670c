"""Random trajectories of calls for the three memories, valid and invalid in many ways; deterministic.

A trajectory is generated call by call, since likely keys, numbers and queries come from the memory at that
point. Not generated: values that the embedding library interprets differently (tuples and inner lists of
two as pairs; mappings by modality; lists with more than one invalid item, where it does not report the
first; queries of 20 or more texts, for which FAISS sums in another order), and replacements that grow a
text without limit.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import effects
from bfcl_pipeline.world.tools.api import parameters
from bfcl_pipeline.world.tools.memory import MEMORIES, Memory

BACKENDS = ("kv", "vector", "rec_sum")
LIMITS = {"kv": (7, 50), "vector": (7, 50)}  # entries of the two parts

_WORDS = (
    "user", "name", "favourite", "color", "blue", "trip", "rome", "flight", "budget", "120", "euro",
    "order", "late", "refund", "naïve", "東京", "ß", "dog", "Rex", "allergy", "nuts", "name", "Name",
    "NAME", "name's", "a", "the", "is",
)  # fmt: skip
_KEYS = (
    "user",
    "name",
    "trip_to_rome",
    "order_2",
    "user_name",
    "a",
    "last_order_id",
    "x_1_y",
    "pet_name_2",
)
_ODD_KEYS = (
    "", " ", "Name", "user name", "user__name", "_user", "user_", "1user", "user-name", "name\n", "näme",
    "user_Name", "a" * 400, "a_" * 200 + "b", "core_memory_add (", "user.name", "\n", "None", "kéy_1",
)  # fmt: skip
_ODD_TEXTS = (
    "", " ", "\n", "\x00", "😀", "ls (", "core_memory_add (x)", "see memory_retrieve  ()", "'quoted'",
    'double "quoted" \\ back', "\ud800", "fine \udfff", "{}", "(", "_", "user_name_trip", "\u2028",
)  # fmt: skip
_ODD_NUMBERS = (
    0,
    -1,
    1,
    2,
    3,
    5,
    7,
    50,
    51,
    10**6,
    -7,
    2**31,
    2**63,
    2**70,
    -(2**70),
    0.0,
    1.0,
    2.5,
    -0.5,
    1e300,
)


@dataclass(frozen=True, slots=True)
class Start:
    """The initial state of a trajectory."""

    backend: str
    initial: Mapping[str, Any]  # a snapshot; empty for none

    @property
    def api(self) -> str:
        """The name of the memory."""
        return f"MemoryAPI_{self.backend}"


def start(backend: str, rng: random.Random) -> Start:
    """No snapshot, one of a few entries, or one of a memory that is nearly full."""
    if rng.random() < 0.25:
        return Start(backend, {})
    if backend == "rec_sum":
        return Start(backend, {"memory": _text(rng, rng.choice((0, 20, 300, 9_990)))})
    snapshot = {}
    full = rng.random() < 0.4
    for part, most in zip(("core_memory", "archival_memory"), LIMITS[backend], strict=True):
        size = most - rng.randint(0, 2) if full else rng.randint(0, 8 if most > 8 else most)
        texts = [_text(rng) for _ in range(size)]
        if backend == "kv":
            keys = [rng.choice(_KEYS) if rng.random() < 0.5 else _made_key(rng) for _ in texts]
            snapshot[part] = dict(zip(keys, texts, strict=True))
        else:
            ids = sorted(rng.sample(range(size + 20), size))
            stored = {str(number): text for number, text in zip(ids, texts, strict=True)}
            snapshot[part] = {"next_id": max(ids, default=-1) + 1 + rng.randint(0, 3), "store": stored}
    return Start(backend, snapshot)


class Draw:
    """Draws the calls of one trajectory."""

    def __init__(self, begun: Start, rng: random.Random) -> None:
        self._rng = rng
        self._api = MEMORIES[begun.api]
        self._backend = begun.backend
        self._names = list(effects(self._api))

    def calls(self, memory: Memory) -> Iterator[Call]:
        """Generated calls, each based on the content of the memory at that point."""
        for _ in range(self._rng.randint(5, 60)):
            yield self._call(memory.snapshot(), nested=self._rng.random() < 0.05)

    def _call(self, held: Mapping[str, Any], nested: bool) -> Call:
        rng = self._rng
        name = rng.choice(self._names)
        if name.endswith("clear") and rng.random() < 0.8:
            name = rng.choice(self._names)
        required = {"query", "key", "value", "text", "new_text", "vec_id", "old_text"}
        arguments: dict[Any, Any] = {
            parameter: self._value(name, parameter, held)
            for parameter in parameters(self._api, name)
            if parameter in required or rng.random() < 0.5
        }
        if rng.random() < 0.25:
            arguments = self._spoilt(arguments)
        if nested and arguments:
            arguments[rng.choice(list(arguments))] = self._call(held, nested=False)
        if name == "memory_replace" and _grows(held["memory"], arguments.get("new_text")):
            arguments["new_text"] = "?"
        if rng.random() < 0.01:
            name = rng.choice(("snapshot", "context_text", "_similarity_search", "load", "remove", "state"))
        return Call(name, arguments)

    def _value(self, name: str, parameter: str, held: Mapping[str, Any]) -> Any:
        """A value with which the call may well succeed."""
        rng = self._rng
        part = held.get("core_memory" if name.startswith("core") else "archival_memory", {})
        match parameter:
            case "key":
                keys = list(part)
                known = 0.2 if name.endswith("add") else 0.8
                if keys and rng.random() < known:
                    return rng.choice(keys)
                return rng.choice(
                    (rng.choice(_KEYS), _made_key(rng), _made_key(rng), rng.choice(_ODD_KEYS))
                )
            case "vec_id":
                numbers = [int(number) for number in part["store"]]
                return rng.choice(numbers) if numbers and rng.random() < 0.8 else rng.randint(0, 8)
            case "query":
                texts = (
                    list(part) if self._backend == "kv" else [str(text) for text in part["store"].values()]
                )
                if texts and rng.random() < 0.5:
                    text = rng.choice(texts)
                    return text if rng.random() < 0.3 else " ".join(text.replace("_", " ").split()[:3])
                return _text(rng, 12)
            case "k" | "top_k":
                return rng.choice((1, 2, 3, 5, 10, 60))
            case "old_text":
                memory = held["memory"]
                at = rng.randint(0, len(memory))
                return memory[at : at + rng.randint(1, 9)] if rng.random() < 0.8 else _text(rng, 9)
        if rng.random() < 0.15:
            limit = rng.choice((300, 2_000, 10_000))
            return _text(rng, limit + rng.randint(-1, 1), exact=True)
        return _text(rng)

    def _spoilt(self, arguments: dict[Any, Any]) -> dict[Any, Any]:
        """The arguments with one thing about them changed."""
        rng = self._rng
        if not arguments:
            return {rng.choice(("x", "text", "key", "self")): self._anything()}
        parameter = rng.choice(list(arguments))
        match rng.choices(("odd", "wrong", "missing", "more"), (5, 6, 2, 1))[0]:
            case "odd":
                numbers = parameter in ("k", "top_k", "vec_id")
                arguments[parameter] = rng.choice(_ODD_NUMBERS if numbers else (*_ODD_TEXTS, *_ODD_KEYS))
            case "wrong":
                arguments[parameter] = self._anything()
            case "missing":
                del arguments[parameter]
            case "more":
                arguments[rng.choice(("x", "limit", "vec_id", "text", "self"))] = self._anything()
        return arguments

    def _anything(self) -> Any:
        """A value of any type, without the mappings and lists that the module's docstring excludes."""
        rng = self._rng

        match rng.randrange(9):
            case 0:
                return None
            case 1:
                return rng.random() < 0.5
            case 2 | 3:
                return rng.choice(_ODD_NUMBERS)
            case 4:
                return rng.choice(_ODD_TEXTS)
            case 5:
                return [_text(rng) for _ in range(rng.randint(0, 4))]
            case 6:
                odd = rng.choice((None, 1, 2.5, [], {}, ["a"], {"x": 1}, "\ud800"))
                return rng.choice(([odd], [odd, _text(rng)], [_text(rng), odd, _text(rng)]))
            case 7:
                return tuple(rng.randint(0, 9) for _ in range(rng.choice((0, 1, 3))))
        return {_made_key(rng): rng.choice((1, None, _text(rng))) for _ in range(rng.randint(0, 2))}


def written(value: Any) -> str:
    """A call, or the value of an argument, as the official handlers write it."""
    if isinstance(value, Call):
        arguments = ",".join(f"{name}={written(item)}" for name, item in value.arguments.items())
        return f"{value.name}({arguments})"
    return repr(value)


def _grows(memory: str, new: Any) -> bool:
    """Whether a text that replaces others might make a very long one."""
    length = 10_000 if isinstance(new, Call) else len(str(new))
    return len(memory) * length > 100_000


def _made_key(rng: random.Random) -> str:
    words = [word for word in _WORDS if word.isascii() and word.isalpha() and word.islower()]
    return "_".join(rng.choices(words, k=rng.randint(1, 4)))


def _text(rng: random.Random, length: int = 60, exact: bool = False) -> str:
    """Words; about `length` characters at most, or that many exactly."""
    text = " ".join(rng.choices(_WORDS, k=rng.randint(0, length // 5 + 2)))
    if exact:
        text = (text * (length // max(1, len(text)) + 1)).ljust(length)
    return text[:length]
