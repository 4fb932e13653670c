"""What a memory adds to the first turn of a conversation: whose assistant the model is, and what it has
in mind.

Covers the system message of memory entries. How a function-calling or a prompted model gets it together
with the functions is `requests`.
"""

from __future__ import annotations

from dataclasses import replace

from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.prompts.texts import Texts
from bfcl_pipeline.records import Entry

ONE_TEXT = "memory_rec_sum"
"""The category whose memory is one text; the others have a core and an archival part."""


def with_memory(entry: Entry, texts: Texts, content: str) -> Entry:
    """`entry` with the memory's system message first.

    content: what the memory holds that is always in mind. A system message that is already there goes on
    after it. Raises MalformedRelease if the entry's scenario is unknown.
    """
    setting = texts.memory_settings.get(entry.scenario or "")
    if setting is None:
        raise MalformedRelease(
            f"{entry.entry_id}: scenario: expected one of {', '.join(texts.memory_settings)}, "
            f"got {entry.scenario!r}. Stage the release again (bfcl-pipeline stage)."
        )
    one_text = entry.category == ONE_TEXT
    template = texts.memory_in_one_text if one_text else texts.memory_in_two_parts
    system = template.format(scenario_setting=setting, memory_content=content)
    first, *later = entry.turns
    if first and first[0]["role"] == "system":
        own, *rest = first
        first = ({**own, "content": f"{system}\n\n{own['content']}"}, *rest)
    else:
        first = ({"role": "system", "content": system}, *first)
    return replace(entry, turns=(tuple(first), *later))
