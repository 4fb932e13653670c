"""The answers of a scripted model in conversations with a memory or a web; deterministic.

In a session the model stores excerpts of the user's messages, looks them up, changes and removes them. In a
question it looks texts up and answers, and occasionally writes, which must not affect later questions. On
the web it searches for the hops of a question and fetches their pages. Many calls are wrong: unknown and
refused functions, wrong arguments, missing keys and numbers, texts that are too long or name functions,
calls in arguments, too many steps. Turns end as in `conversation_scripts`, or with an answer in the
requested format.
"""

from __future__ import annotations

import random
from collections.abc import Iterator

from bfcl_pipeline.benchmark.records import Call, Entry, FunctionDoc, Json, Mode
from bfcl_pipeline.dialogue.prompts import WireFormat
from tests.peer.conversation_scripts import OVERLONG, Answer, with_calls, without_calls

_KEYS = ("user_name", "budget", "trip", "order_2", "allergies", "last_visit", "goal", "company", "deadline")
_ODD_KEYS = ("", "User Name", "name_", "ключ", "a" * 301, "see core_memory_clear ()")
_NAMING = "use core_memory_add (x), memory_append(y) or fetch_url_content ( z ) and (that)"
_ODD_VALUES: tuple[Json, ...] = (None, True, -1, 2.5, 10**30, "", "it's", [], ["a", 1], {"a": 1})
_REFUSED = ("kill", "exit", "remove", "run", "os.popen")
_REGIONS = ("wt-wt", "us-en", "de-de", "xx", "", None)
_ODD_URLS = (
    "",
    "ftp://a.example/x",
    "en.wikipedia.org/wiki/Tea",
    "https://",
    "https://no.such.example/a(b)",
)
_ODD_MODES = ("html", "", None)
_STARTS = ("core_memory_add", "archival_memory_add", "memory_append")


def agentic_script(entry: Entry, mode: Mode, wire: WireFormat, seed: int = 0) -> list[Answer]:
    """The answers of one session or question over `entry`, limited to those that `wire` can express."""
    rng = random.Random(f"{seed} {entry.entry_id} {mode} {wire}")
    overlong = rng.randrange(len(entry.turns)) if rng.random() < OVERLONG else None
    answers: list[Answer] = []
    for turn in range(len(entry.turns)):
        steps = list(_planned(rng, entry, turn))
        if turn == overlong:
            steps += [_few(rng, entry, turn) for _ in range(rng.randint(19, 24) - len(steps))]
        answers += [with_calls(rng, mode, calls) for calls in steps]
        answers.append(_ending(rng, entry, mode, wire))
    return answers


def _planned(rng: random.Random, entry: Entry, turn: int) -> Iterator[list[Call]]:
    """The steps of a turn before its ending."""
    if entry.prerequisite:  # stores an excerpt of the user's message
        for _ in range(rng.choice((0, 1, 1, 2))):
            names = [doc for doc in entry.functions if doc["name"] in _STARTS]
            yield [_call(rng, entry, turn, rng.choice(names)) for _ in range(rng.choice((1, 1, 2)))]
    for hop in entry.source if isinstance(entry.source, list) else ():
        yield [Call("search_engine_query", {"keywords": hop["subquestion"], **_some_options(rng)})]
        if rng.random() < 0.8:
            ways = rng.choice(({}, {"mode": "raw"}, {"mode": "markdown"}, {"mode": "truncate"}))
            yield [Call("fetch_url_content", {"url": hop["source"], **ways})]
    for _ in range(rng.choice((0, 0, 1, 2)) if entry.prerequisite else rng.choice((0, 1, 1, 2, 3))):
        yield _few(rng, entry, turn)


def _few(rng: random.Random, entry: Entry, turn: int) -> list[Call]:
    """One to three calls of any function, some of them spoilt."""
    calls = []
    for _ in range(rng.choice((1, 1, 2, 3))):
        call = _call(rng, entry, turn, rng.choice(entry.functions))
        if call.name.endswith("_clear") and rng.random() < 0.7:
            call = _call(rng, entry, turn, rng.choice(entry.functions))
        calls.append(_spoilt(rng, entry, call) if rng.random() < 0.2 else call)
    return calls


def _call(rng: random.Random, entry: Entry, turn: int, function: FunctionDoc) -> Call:
    """A call that may well succeed."""
    given = {
        parameter: _value(rng, entry, turn, parameter) for parameter in function["parameters"]["properties"]
    }
    optional = [name for name in given if name not in function["parameters"]["required"]]
    for name in optional:
        if rng.random() < 0.5:
            del given[name]
    return Call(function["name"], given)


def _value(rng: random.Random, entry: Entry, turn: int, parameter: str) -> Json:
    match parameter:
        case "key":
            return rng.choice(_KEYS if rng.random() < 0.9 else _ODD_KEYS)
        case "vec_id":
            return rng.randint(0, 9)
        case "k" | "top_k" | "max_results":
            return rng.choice((1, 2, 3, 10, 0, -1))
        case "region":
            return rng.choice(_REGIONS)
        case "url":
            sources = [hop["source"] for hop in entry.source]
            return rng.choice(sources if rng.random() < 0.6 else _ODD_URLS)
        case "mode":
            return rng.choice(("raw", "markdown", "truncate", *_ODD_MODES))
        case "query" | "keywords":
            return _said(rng, entry, turn, 30) if rng.random() < 0.7 else rng.choice(_KEYS)
        case "old_text":
            return _said(rng, entry, turn, 12)
        case "new_text":
            return _said(rng, entry, turn, 40)
    return _said(rng, entry, turn, rng.choice((60, 60, 200, 400, 2_500)))


def _said(rng: random.Random, entry: Entry, turn: int, longest: int) -> str:
    """An excerpt of the user's message in this turn, or a text that names functions."""
    if rng.random() < 0.05:
        return _NAMING
    told = " ".join(str(message["content"]) for message in entry.turns[turn] if message["role"] == "user")
    told = told or "nothing"
    at = rng.randrange(max(1, len(told) - longest))
    return told[at : at + rng.randint(1, longest)]


def _some_options(rng: random.Random) -> dict[str, Json]:
    options: dict[str, Json] = {"max_results": rng.choice((1, 3, 5)), "region": rng.choice(_REGIONS)}
    return {name: value for name, value in options.items() if rng.random() < 0.5}


def _spoilt(rng: random.Random, entry: Entry, call: Call) -> Call:
    """The call with one thing about it changed."""
    arguments = dict(call.arguments)
    match rng.randrange(6):
        case 0:
            return Call(
                rng.choice(("no_such_function", "core_memory", f"functions.{call.name}")), arguments
            )
        case 1:
            return Call(rng.choice(_REFUSED), arguments)
        case 2:
            return Call(call.name, {**arguments, "unexpected": rng.choice(_ODD_VALUES)})
        case 3:
            return Call(call.name, dict(list(arguments.items())[1:]))
        case 4:
            return Call(call.name, {name: rng.choice(_ODD_VALUES) for name in arguments})
    inner = rng.choice(entry.functions)["name"]
    return Call(call.name, {name: Call(inner, {}) for name in arguments})


def _ending(rng: random.Random, entry: Entry, mode: Mode, wire: WireFormat) -> Answer:
    """An answer that ends a turn: for a question, mostly in the requested format."""
    if entry.prerequisite or rng.random() < 0.4:
        return without_calls(rng, mode, wire)
    answer = rng.choice(entry.truth)
    return Answer(rng.choice((str({"answer": answer, "context": "as told"}), f"It is {answer}.")))
