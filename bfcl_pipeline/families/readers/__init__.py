"""Readers of answers, by the name in families.yaml. Families that write alike share them."""

from collections.abc import Mapping

from bfcl_pipeline.families.readers.answers import Reader, as_it_is, plain
from bfcl_pipeline.families.readers.fenced import FENCED_TEXT
from bfcl_pipeline.families.readers.listed import ARCH_CALLS, GRANITE_3_CALLS, PHI_CALLS
from bfcl_pipeline.families.readers.objects import (
    ARRAY,
    ARRAY_OR_SEMICOLONS,
    HAMMER,
    PYTHON_OR_JSON,
    THINK_AGENT,
)
from bfcl_pipeline.families.readers.reasoning import AFTER_REASONING, REASONED_TEXT
from bfcl_pipeline.families.readers.tagged import TOOL_CALL_TAGS, TOOL_CALL_TAGS_ONLY

READERS: Mapping[str, Reader] = {
    "arch": ARCH_CALLS,
    "fenced_text": FENCED_TEXT,
    "granite_3": GRANITE_3_CALLS,
    "hammer": HAMMER,
    "json_array": ARRAY,
    "json_array_or_semicolons": ARRAY_OR_SEMICOLONS,
    "phi": PHI_CALLS,
    "python_or_json": PYTHON_OR_JSON,
    "reasoned_text": REASONED_TEXT,
    "text": Reader(plain, as_it_is),
    "text_after_reasoning": AFTER_REASONING,
    "think_agent": THINK_AGENT,
    "tool_call_tags": TOOL_CALL_TAGS,
    "tool_call_tags_only": TOOL_CALL_TAGS_ONLY,
}
