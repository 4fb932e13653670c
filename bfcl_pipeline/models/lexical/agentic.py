"""What lexical does with a memory or a web, told by the names of the offered functions.

It notes down every message of the user, and asked for an answer it searches once with the question's own
words and answers with the sentence that shares most of them. No learned weights, no ids, no truth.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from bfcl_pipeline.models.lexical.words import text_stems
from bfcl_pipeline.models.transcript_reading import last_results, tells_results
from bfcl_pipeline.records import Call, Request

NOTED = "Noted."
"""What it says at the end of a turn in which it noted something down."""

UNKNOWN = "I do not know"

_KEY_WORDS = 6
_LONGEST_NOTE = 1_900
_LONGEST_SUMMARY = 9_000
_LONGEST_ANSWER = 120
_WORD = re.compile(r"[a-z]+")
_SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n+")


def step(names: frozenset[str], request: Request) -> Sequence[Call] | str | None:
    """What lexical does next: calls, or a last message; None if it is offered neither memory nor web."""
    if "fetch_url_content" in names:
        return _on_the_web(names, request)
    if "memory_append" in names or "archival_memory_add" in names:
        return _asked(names, request) if _wants_answer(request) else _told(names, request)
    return None


def _wants_answer(request: Request) -> bool:
    """Whether a system message asks for an answer in a form, as it does with every question."""
    return any(
        message["role"] == "system" and "'answer'" in str(message["content"])
        for message in request.messages
    )


def _told(names: frozenset[str], request: Request) -> Sequence[Call] | str:
    """Notes down what the user just said."""
    last = request.messages[-1]
    if last["role"] != "user" or tells_results(last):
        return NOTED
    said = " ".join(str(last["content"]).split())
    if "memory_append" in names:
        return [Call("memory_append", {"text": said[: _LONGEST_SUMMARY // 20] + "\n"})]
    if "core_memory_list_keys" in names:
        key = "_".join(_WORD.findall(said.lower())[:_KEY_WORDS]) or "note"
        return [Call("archival_memory_add", {"key": key, "value": said[:_LONGEST_NOTE]})]
    return [Call("archival_memory_add", {"text": said[:_LONGEST_NOTE]})]


def _asked(names: frozenset[str], request: Request) -> Sequence[Call] | str:
    """Looks once in the memory, a second time for the best key, and answers."""
    question = _question(request)
    results = last_results(request)
    if not results:
        if "memory_retrieve" in names:
            return [Call("memory_retrieve", {})]
        if "core_memory_list_keys" in names:
            return [Call("archival_memory_key_search", {"query": question, "k": 3})]
        return [Call("archival_memory_retrieve", {"query": question, "top_k": 3})]
    keys = _keys(results[0])
    if keys:
        return [Call("archival_memory_retrieve", {"key": key}) for key in keys]
    return _answer(question, results)


def _on_the_web(names: frozenset[str], request: Request) -> Sequence[Call] | str:
    """Pastes the question into the search engine and answers from what is shown of the results."""
    question = _question(request)
    results = last_results(request)
    if results:
        return _answer(question, results)
    search = next((name for name in sorted(names) if name != "fetch_url_content"), None)
    if search is None:
        return _answer(question, [])
    return [Call(search, {"keywords": question, "max_results": 5})]


def _question(request: Request) -> str:
    said = [str(m["content"]) for m in request.messages if m["role"] == "user" and not tells_results(m)]
    return said[-1] if said else ""


def _answer(question: str, results: Sequence[str]) -> str:
    """The sentence of the results that shares most with the question, in the asked form."""
    wanted = frozenset(text_stems(question))
    best, most = UNKNOWN, 0
    for sentence in _sentences(results):
        shared = len(wanted & frozenset(text_stems(sentence)))
        if shared > most:
            best, most = sentence, shared
    return str({"answer": best[:_LONGEST_ANSWER], "context": best})


def _sentences(results: Sequence[str]) -> Iterator[str]:
    for result in results:
        for text in _texts(_read(result)):
            yield from filter(None, map(str.strip, _SENTENCE.split(text)))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list):
        for item in value:
            yield from _texts(item)


def _read(result: str) -> Any:
    """A result as data where it is JSON, else as text."""
    try:
        return json.loads(result)
    except ValueError:
        return result


def _keys(result: str) -> list[str]:
    """The keys that a search by keys found; empty if it is another result."""
    found = re.findall(r"'?\"?(?P<key>[a-z]+(?:_[a-z0-9]+)*)\"?'?\]", result)
    return found if "ranked_results" in result else []
