"""What lexical does with a memory or a web search, recognised by the names of the offered functions.

It stores every message of a session. For a question it searches once, with the words of the question, and
answers with the sentence of the results that shares most words with it.
"""

import re
from collections.abc import Sequence

from bfcl_pipeline.ask.models.lexical.words import keywords
from bfcl_pipeline.ask.models.transcript_reading import last_results, user_text
from bfcl_pipeline.benchmark.records import Call, Request

_SENTENCE_END = re.compile(r'(?<=[.!?;])\s+|\\n|"')  # in JSON text
_FOUND_KEY = re.compile(r"(?<![a-z])([a-z]{1,40}+(?:_[a-z0-9]{1,40}+){0,20})['\"]?\]")


def agentic_step(request: Request) -> Sequence[Call] | str | None:
    """Calls or a final message; None if neither a memory nor a web search is offered."""
    names = {function["name"] for function in request.functions}
    results = last_results(request)
    texts = [user_text(message) for message in request.messages if message["role"] == "user"]
    text = next(filter(None, reversed(texts)), "")
    if "fetch_url_content" in names:
        search = Call(min(names - {"fetch_url_content"}), {"keywords": text, "max_results": 5})
        return _final_answer(text, results) if results else [search]
    if not names & {"memory_append", "archival_memory_add"}:
        return None
    store, search = _memory_calls(names, text)
    systems = (str(message["content"]) for message in request.messages if message["role"] == "system")
    if not any("'answer'" in content for content in systems):  # a session, not a question
        return "Noted." if results else [store]
    if not results:
        return [search]
    keys = _FOUND_KEY.findall(results[0]) if "ranked_results" in results[0] else []
    return [Call("archival_memory_retrieve", {"key": key}) for key in keys] or _final_answer(text, results)


def _memory_calls(names: set[str], text: str) -> tuple[Call, Call]:
    """The calls that store `text` and that search for it, in the kind of memory that is offered."""
    line = " ".join(text.split())
    if "memory_append" in names:
        return Call("memory_append", {"text": line[:450] + "\n"}), Call("memory_retrieve", {})
    if "core_memory_list_keys" in names:
        key = "_".join(re.findall("[a-z]+", line.lower())[:6]) or "note"
        search = Call("archival_memory_key_search", {"query": text, "k": 3})
        return Call("archival_memory_add", {"key": key, "value": line[:1900]}), search
    search = Call("archival_memory_retrieve", {"query": text, "top_k": 3})
    return Call("archival_memory_add", {"text": line[:1900]}), search


def _final_answer(question: str, results: Sequence[str]) -> str:
    sentences = [sentence.strip() for result in results for sentence in _SENTENCE_END.split(result)]
    shared = [len(keywords(question) & keywords(sentence)) for sentence in sentences]
    best = sentences[shared.index(max(shared))] if any(shared) else "I do not know"
    return str({"answer": best[:120], "context": best})
