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
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for
from bfcl_pipeline.show.entry.entry_page import find_entry
from bfcl_pipeline.show.entry.sent import FirstRequests
from bfcl_pipeline.show.playback.conditions import default_conditions

TemplateOfServer = Callable[[Sequence[Json], Sequence[Json]], str]
"""What a server's chat template makes of messages and tools, with the beginning of an answer."""


class PromptPart(StrEnum):
    """What two prompts may differ in."""

    START = "mark at the beginning"  # which a server adds to a completion, too
    FUNCTIONS = "functions: other content"
    FORM = "functions: the same JSON written otherwise"
    DATE = "date"
    SPACE = "white space"
    BEFORE = "text before the question"
    QUESTION = "the question itself"
    AFTER = "text after the question"


_START = re.compile(
    r"\A\s*(?:<s>|<bos>|<\|(?:begin_of_text|startoftext)\|>|<\uff5cbegin\u2581of\u2581sentence\uff5c>)"
)
_DATE = re.compile(r"\d{1,2} [A-Z][a-z]{2,8} \d{4}|[A-Z][a-z]{2,8} \d{1,2}, \d{4}|\d{4}-\d\d-\d\d")
_SAME = "the same prompt"
_DECODER = json.JSONDecoder()


def differences(prompt: str, of_server: str, question: str) -> list[PromptPart]:
    """In what two prompts with the same question differ; nothing if they are equal."""
    texts = [_START.sub("", text) for text in (prompt, of_server)]
    same_start = prompt.removesuffix(texts[0]) == of_server.removesuffix(texts[1])
    found = set[PromptPart]() if same_start else {PromptPart.START}
    places = [text.rfind(question) for text in texts]
    if min(places) < 0:
        return [*found, PromptPart.QUESTION]
    parts = [_without_functions(text[:place]) for text, place in zip(texts, places, strict=True)]
    (before, of_before), functions = [rest for rest, _ in parts], [found for _, found in parts]
    after, of_after = (text[place + len(question) :] for text, place in zip(texts, places, strict=True))
    if functions[0] != functions[1]:
        sorted_keys = [[json.dumps(json.loads(one), sort_keys=True) for one in each] for each in functions]
        found.add(PromptPart.FORM if sorted_keys[0] == sorted_keys[1] else PromptPart.FUNCTIONS)
    for kind, *pair in ((PromptPart.BEFORE, before, of_before), (PromptPart.AFTER, after, of_after)):
        if pair[0] != pair[1]:
            first, second = (_DATE.sub("", text) for text in pair)
            other = PromptPart.SPACE if first.split() == second.split() else kind
            found.add(PromptPart.DATE if first == second else other)
    return [kind for kind in PromptPart if kind in found]


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
        kinds = differences(ours.prompt, of_server, str(theirs.messages[-1]["content"]).strip())
        if entry_id:
            yield f"{entry.entry_id}: {', '.join(kinds) or _SAME}"
            first, second = ours.prompt.splitlines(), of_server.splitlines()
            yield from difflib.unified_diff(first, second, model.name, server.name, n=1, lineterm="")
        for kind in (*kinds,) or (_SAME,):
            counts[kind].append(entry.entry_id)
    if not entry_id:
        order: list[str] = [_SAME, *PromptPart]
        rows = [[kind, str(len(counts[kind])), counts[kind][0]] for kind in order if kind in counts]
        yield text_table(["difference", "entries", "first entry"], rows, right={1})
