"""The prompt of a family beside what a server's chat template makes of the same entry: what differs.

Covers the first requests. Both are the texts that the model receives, so that the difference of two ways of
asking is known before anything is asked.
"""

import difflib
import json
import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from enum import StrEnum
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import Log, text_table
from bfcl_pipeline.benchmark.config import ModelRow
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES, Check
from bfcl_pipeline.benchmark.records import Json, Request
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for
from bfcl_pipeline.show.entry.entry_page import find_entry
from bfcl_pipeline.show.entry.sent import FirstRequests
from bfcl_pipeline.show.playback.conditions import default_conditions

TemplateOfServer = Callable[[Sequence[Json], Sequence[Json]], str]
"""What a server's chat template makes of messages and tools, with the beginning of an answer."""


class Difference(StrEnum):
    """A kind of difference between two prompts."""

    START = "mark at the beginning"  # which a server adds to a completion, too
    FUNCTIONS = "functions: other content"
    FORM = "functions: the same JSON written otherwise"
    DATE = "date"
    SPACE = "white space"
    BEFORE = "text before the question"
    QUESTION = "the question itself"
    AFTER = "text after the question"


_START = re.compile(
    r"\s*(?:<s>|<bos>|<\|(?:begin_of_text|startoftext)\|>|<\uff5cbegin\u2581of\u2581sentence\uff5c>)"
)
_DATE = re.compile(r"\d{1,2} [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{4}-\d\d-\d\d")
_SAME = "the same prompt"
_DECODER = json.JSONDecoder()


def differences(prompt: str, of_server: str, question: str) -> list[Difference]:
    """The kinds of difference between two prompts with the same question; none if they are equal."""
    starts = [match.group() if (match := _START.match(text)) else "" for text in (prompt, of_server)]
    found = {Difference.START} if starts[0] != starts[1] else set[Difference]()
    texts = [text.removeprefix(start) for text, start in zip((prompt, of_server), starts, strict=True)]
    places = [text.rfind(question) for text in texts]
    if min(places) < 0:
        return [*found, Difference.QUESTION]
    (before, functions), (of_before, of_functions) = (
        _without_functions(text[:place]) for text, place in zip(texts, places, strict=True)
    )
    if functions != of_functions:
        plain, of_plain = (
            [json.dumps(json.loads(one), sort_keys=True) for one in each]
            for each in (functions, of_functions)
        )
        found.add(Difference.FORM if plain == of_plain else Difference.FUNCTIONS)
    rests = [text[place + len(question) :] for text, place in zip(texts, places, strict=True)]
    parts = ((Difference.BEFORE, before, of_before), (Difference.AFTER, rests[0], rests[1]))
    for kind, first, second in parts:
        if first == second:
            continue
        dated = [_DATE.sub("", text) for text in (first, second)]
        if dated[0] == dated[1]:
            found.add(Difference.DATE)
        else:
            found.add(Difference.SPACE if dated[0].split() == dated[1].split() else kind)
    return [kind for kind in Difference if kind in found]


def _without_functions(text: str) -> tuple[str, list[str]]:
    """A text without the function docs that stand in it as JSON, and these as they are written."""
    rest, functions, start = "", list[str](), 0
    while (place := text.find("{", start)) >= 0:
        end = place + 1
        try:
            value, found = _DECODER.raw_decode(text, place)
            if "function" in value or "parameters" in value:
                functions.append(text[place:found])
                rest, start, end = rest + text[start:place], found, found
        except (ValueError, RecursionError):
            pass
        rest, start = rest + text[start:end], end
    return rest + text[start:], functions


def prompt_lines(
    data: Path,
    cache: Path,
    model: ModelRow,
    server: ModelRow,
    template: TemplateOfServer,
    entry_id: str | None,
    log: Log,
) -> Iterator[str]:
    """What differs over one entry, line by line; over all entries that are asked with tools, how often.

    Args:
        model: is sent prompts of its family.
        server: is sent messages and tools, of which `template` makes the prompt.
        entry_id: the entry; None: all.

    Raises ConfigError if a row is of the other kind, TableError if the release is not staged.
    """
    conditions = default_conditions(data, cache)
    told = log if entry_id else lambda _line: None
    asked = [FirstRequests(row, conditions, told) for row in (model, server)]
    names = [name for name in V4_CATEGORIES if CATEGORIES[name].check is not Check.FORMAT_SENSITIVITY]
    each = (entry for name in names for entry in read_entries(entries_path(data, name)))
    counts: dict[str, list[str]] = defaultdict(list)
    for entry in [find_entry(data, entry_id)] if entry_id else each:
        ours, theirs = (one.request(entry) for one in asked)
        if ours.prompt is None or theirs.prompt is not None:
            raise ConfigError(
                f"{model.name} must be sent prompts (`family`), {server.name} chats (`prompting: server`)."
            )
        of_server = template(messages_for(WireFormat.OPENAI_CHAT, theirs.messages).messages, theirs.tools)
        kinds = differences(ours.prompt, of_server, _question(theirs))
        if entry_id:
            yield f"{entry.entry_id}: {', '.join(kinds) or _SAME}"
            first, second = ours.prompt.splitlines(), of_server.splitlines()
            yield from difflib.unified_diff(first, second, model.name, server.name, n=1, lineterm="")
        for kind in (*kinds,) or (_SAME,):
            counts[kind].append(entry.entry_id)
    if not entry_id:
        order: list[str] = [_SAME, *Difference]
        rows = [[kind, str(len(counts[kind])), counts[kind][0]] for kind in order if kind in counts]
        yield text_table(["difference", "entries", "first entry"], rows, right={1})


def _question(request: Request) -> str:
    """The last message of a request."""
    return str(request.messages[-1]["content"]).strip()
