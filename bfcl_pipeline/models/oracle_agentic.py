"""The oracle in conversations with a memory or a web: it does all that is needed, with the real tools.

In the sessions before the questions it stores the facts that will be asked for, when they are told; asked,
it retrieves the fact and answers with what came back. On the web it searches for every hop of a question
and fetches its page. So it fails where the tools do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from bfcl_pipeline.benchmark import ReturnFormat
from bfcl_pipeline.calls import write_calls, write_native
from bfcl_pipeline.models.transcript_reading import last_results
from bfcl_pipeline.records import Call, Entry, Json, Mode, Request

NOTED = "I have noted that."
"""What it says at the end of a turn of a session."""

UNKNOWN = "I do not know"
"""What it answers if a tool did not give what it should."""

_MOST_FACTS = 50
"""Results of a search by meaning: as many as a memory holds."""

_LONGEST = 250
"""Characters of a fact that is stored: the facts of a scenario fit into one text of 10,000."""


def written(calls: Sequence[Call], mode: Mode) -> Json:
    """Calls in the official result form."""
    return write_native(calls) if mode is Mode.FC else write_calls(calls, ReturnFormat.PYTHON)


def final_answer(answer: str, context: str) -> str:
    """A last message in the form that agentic questions ask for."""
    return str({"answer": answer, "context": context})


@dataclass(slots=True)
class Facts:
    """What will be asked, by the session in which it is told."""

    by_session: dict[str, list[Entry]] = field(default_factory=dict)

    def learn(self, entries: Sequence[Entry]) -> None:
        """Takes the questions of `entries` in, and finds the session that tells each answer."""
        sessions = {entry.entry_id: entry for entry in entries if entry.prerequisite}
        for question in entries:
            told_in = [one for one in question.depends_on if one in sessions]
            if told_in and not question.prerequisite:
                tells = (one for one in told_in if _tells(sessions[one], question))
                self.by_session.setdefault(next(tells, told_in[-1]), []).append(question)


def session_step(session: Entry, facts: Facts, request: Request) -> Json:
    """Stores all facts of the session in the first turn's first step; all other steps only end turns."""
    told = facts.by_session.get(session.entry_id, [])
    if request.turn == 0 and told and not last_results(request):
        return written([_store(session.category, question) for question in told], request.mode)
    return NOTED


def question_step(question: Entry, request: Request) -> Json:
    """Retrieves the fact, then answers with what was retrieved."""
    results = last_results(request)
    if not results:
        return written([_retrieve(question)], request.mode)
    remembered = _found(results[0], _number(question))
    return final_answer(remembered or UNKNOWN, "as remembered")


def web_step(entry: Entry, request: Request) -> Json:
    """Searches for the next hop, fetches its page, and answers once all were read.

    The annotations word some answers differently from the truth: what the last page says is only seen to
    be there, and told as the truth has it.
    """
    hops: Sequence[Mapping[str, Any]] = entry.source
    calls = [call for hop in hops for call in _hop_calls(hop)]
    done = sum(message["role"] == "assistant" for message in request.messages)
    if done < len(calls):
        return written([calls[done]], request.mode)
    pages = [str(told.get("content", "")) for told in map(_mapping, last_results(request))]
    seen = any(_plain(str(hops[-1]["answer"])) in _plain(page) for page in pages)
    return final_answer(entry.truth[0] if seen else UNKNOWN, "as read on the pages of every hop")


def _hop_calls(hop: Mapping[str, Any]) -> list[Call]:
    return [
        Call("search_engine_query", {"keywords": hop["subquestion"], "max_results": 5}),
        Call("fetch_url_content", {"url": hop["source"], "mode": "truncate"}),
    ]


def _tells(session: Entry, question: Entry) -> bool:
    told = _plain(" ".join(str(message["content"]) for turn in session.turns for message in turn))
    return any(len(part) > 12 and part in told for part in _plain_parts(str(question.source or "")))


def _plain(text: str) -> str:
    return re.sub(r"\W+", " ", text).strip().lower()


def _plain_parts(source: str) -> list[str]:
    """The stretches that a source quotes, without what is around and between them."""
    return [_plain(part) for part in re.split(r"\.\.\.|…|[\"“”\n]", source)]


def _number(question: Entry) -> str:
    found = re.search(r"_(\d+)-", question.entry_id)
    return found[1] if found else "0"


def _store(category: str, question: Entry) -> Call:
    number, answer = _number(question), str(question.truth[0])[:_LONGEST]
    if category == "memory_kv":
        return Call("archival_memory_add", {"key": f"fact_{number}", "value": answer})
    text = f"fact {number}: {answer} ;\n"
    return Call("memory_append" if category == "memory_rec_sum" else "archival_memory_add", {"text": text})


def _retrieve(question: Entry) -> Call:
    if question.category == "memory_kv":
        return Call("archival_memory_retrieve", {"key": f"fact_{_number(question)}"})
    if question.category == "memory_rec_sum":
        return Call("memory_retrieve", {})
    asked = str(question.turns[-1][-1]["content"])
    return Call("archival_memory_retrieve", {"query": asked, "top_k": _MOST_FACTS})


def _found(result: str, number: str) -> str | None:
    """The fact of that number among what was retrieved."""
    told = _mapping(result)
    if "value" in told:
        return str(told["value"])
    texts = [str(told.get("memory_content", ""))]
    texts += [str(one.get("text", "")) for one in told.get("result", []) if isinstance(one, dict)]
    match = re.search(rf"fact {number}: (.*?) ;\n", "".join(texts), re.DOTALL)
    return match[1] if match else None


def _mapping(result: str) -> dict[str, Any]:
    """A result that is a mapping; an empty one if it is something else, such as an error's text."""
    try:
        told = json.loads(result)
    except ValueError:
        return {}
    return told if isinstance(told, dict) else {}
