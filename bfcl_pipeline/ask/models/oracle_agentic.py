"""The oracle in conversations with a memory or a web: it makes all necessary calls with the real tools.

In a memory session it stores the facts for later questions; to answer a question it retrieves the fact. On
the web it searches for every hop of a question and fetches the page. So it fails where the tools fail.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bfcl_pipeline.ask.models.transcript_reading import last_results
from bfcl_pipeline.benchmark.config.job import SEARCH_TOOL
from bfcl_pipeline.benchmark.definition import CATEGORIES, MemoryBackend, ReturnFormat
from bfcl_pipeline.benchmark.records import Call, Entry, Json, Mode, Request
from bfcl_pipeline.dialogue.calls import write_calls, write_native

NOTED = "I have noted that."
"""Its answer at the end of a turn of a session."""

UNKNOWN = "I do not know"
"""Its answer if a tool did not return the fact."""

_MOST_FACTS = 50
"""Number of results of a vector search: the capacity of a memory."""

_LONGEST = 250
"""Maximum characters of a stored fact: those of a scenario fit into one text of 10,000 characters."""


def write_result(calls: Sequence[Call], mode: Mode) -> Json:
    """Calls as an official result."""
    return write_native(calls) if mode is Mode.FC else write_calls(calls, ReturnFormat.PYTHON)


def final_answer(answer: str, context: str) -> str:
    """A last message in the format of agentic questions."""
    return str({"answer": answer, "context": context})


@dataclass(slots=True)
class FactsBySession:
    """The questions, by the session that contains the answer."""

    by_session: dict[str, list[Entry]] = field(default_factory=dict)

    def learn(self, entries: Sequence[Entry]) -> None:
        """Finds the session with the answer to each question in `entries`."""
        sessions = {entry.entry_id: entry for entry in entries if entry.prerequisite}
        for question in entries:
            candidates = [entry_id for entry_id in question.depends_on if entry_id in sessions]
            if candidates and not question.prerequisite:
                matching = (entry_id for entry_id in candidates if _contains(sessions[entry_id], question))
                self.by_session.setdefault(next(matching, candidates[-1]), []).append(question)


def session_step(session: Entry, facts: FactsBySession, request: Request) -> Json:
    """Stores all facts of the session in the first step of its first turn; the other steps end turns."""
    questions = facts.by_session.get(session.entry_id, [])
    if request.turn == 0 and questions and not last_results(request):
        return write_result([_store(session.category, question) for question in questions], request.mode)
    return NOTED


def question_step(question: Entry, request: Request) -> Json:
    """Retrieves the fact, then answers with it."""
    results = last_results(request)
    if not results:
        return write_result([_retrieve(question)], request.mode)
    remembered = _fact(results[0], _number(question))
    return final_answer(remembered or UNKNOWN, "as remembered")


def web_step(entry: Entry, request: Request) -> Json:
    """Searches for each hop, fetches its page, and answers when all pages were read.

    The answer is in the words of the truth, which differ from the annotation's; the last page has to
    contain the annotation's words.
    """
    hops: Sequence[Mapping[str, Any]] = entry.source
    calls = [call for hop in hops for call in _hop_calls(hop)]
    done = sum(message["role"] == "assistant" for message in request.messages)
    if done < len(calls):
        return write_result([calls[done]], request.mode)
    pages = [str(result.get("content", "")) for result in map(_mapping, last_results(request))]
    seen = any(_plain(str(hops[-1]["answer"])) in _plain(page) for page in pages)
    return final_answer(entry.truth[0] if seen else UNKNOWN, "as read on the pages of every hop")


def _hop_calls(hop: Mapping[str, Any]) -> list[Call]:
    return [
        Call(SEARCH_TOOL, {"keywords": hop["subquestion"], "max_results": 5}),
        Call("fetch_url_content", {"url": hop["source"], "mode": "truncate"}),
    ]


def _contains(session: Entry, question: Entry) -> bool:
    text = _plain(" ".join(str(message["content"]) for turn in session.turns for message in turn))
    return any(len(part) > 12 and part in text for part in _plain_parts(str(question.source or "")))


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


def _plain_parts(source: str) -> list[str]:
    """The passages that a source quotes."""
    return [_plain(part) for part in re.split(r"\.\.\.|…|[\"“”\n]", source)]


def _number(question: Entry) -> str:
    match = re.search(r"_(\d+)-", question.entry_id)
    return match[1] if match else "0"


def _store(category: str, question: Entry) -> Call:
    number, answer = _number(question), str(question.truth[0])[:_LONGEST]
    backend = CATEGORIES[category].backend
    if backend is MemoryBackend.KEY_VALUE:
        return Call("archival_memory_add", {"key": f"fact_{number}", "value": answer})
    text = f"fact {number}: {answer} ;\n"
    one_text = backend is MemoryBackend.SUMMARY
    return Call("memory_append" if one_text else "archival_memory_add", {"text": text})


def _retrieve(question: Entry) -> Call:
    backend = CATEGORIES[question.category].backend
    if backend is MemoryBackend.KEY_VALUE:
        return Call("archival_memory_retrieve", {"key": f"fact_{_number(question)}"})
    if backend is MemoryBackend.SUMMARY:
        return Call("memory_retrieve", {})
    query = str(question.turns[-1][-1]["content"])
    return Call("archival_memory_retrieve", {"query": query, "top_k": _MOST_FACTS})


def _fact(result: str, number: str) -> str | None:
    """The fact of that number in a retrieval's result."""
    values = _mapping(result)
    if "value" in values:
        return str(values["value"])
    texts = [str(values.get("memory_content", ""))]
    texts += [str(item.get("text", "")) for item in values.get("result", []) if isinstance(item, dict)]
    match = re.search(rf"fact {number}: (.*?) ;\n", "".join(texts), re.DOTALL)
    return match[1] if match else None


def _mapping(result: str) -> dict[str, Any]:
    """A result that is a mapping; an empty mapping for any other, such as an error text."""
    try:
        values = json.loads(result)
    except ValueError:
        return {}
    return values if isinstance(values, dict) else {}
