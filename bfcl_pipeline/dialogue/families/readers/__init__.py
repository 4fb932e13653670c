"""Readers of answers, by the name in families.yaml. Families that write alike share them."""

from collections.abc import Mapping

from bfcl_pipeline.dialogue.families.readers.answers import (
    AFTER_REASONING,
    FENCED_TEXT,
    REASONED_TEXT,
    TWO_LINES,
    Reader,
    as_it_is,
    read_plain_text,
)
from bfcl_pipeline.dialogue.families.readers.marked import (
    ARCH_CALLS,
    FALCON,
    FUNCTION_CALL_MARKS,
    GRANITE_3_CALLS,
    PHI_CALLS,
    TOOL_CALL_TAGS,
    TOOL_CALL_TAGS_ONLY,
)
from bfcl_pipeline.dialogue.families.readers.objects import (
    ARRAY,
    ARRAY_OR_SEMICOLONS,
    HAMMER,
    MISTRAL,
    PYTHON_OR_JSON,
    THINK_AGENT,
)
from bfcl_pipeline.dialogue.families.readers.own_notations import FUNCTION_GEMMA, PYTHON_STATEMENTS

READERS: Mapping[str, Reader] = {
    "arch": ARCH_CALLS,
    "falcon": FALCON,
    "fenced_text": FENCED_TEXT,
    "function_call_marks": FUNCTION_CALL_MARKS,
    "function_gemma": FUNCTION_GEMMA,
    "granite_3": GRANITE_3_CALLS,
    "hammer": HAMMER,
    "json_array": ARRAY,
    "json_array_or_semicolons": ARRAY_OR_SEMICOLONS,
    "mistral": MISTRAL,
    "phi": PHI_CALLS,
    "python_or_json": PYTHON_OR_JSON,
    "python_statements": PYTHON_STATEMENTS,
    "reasoned_text": REASONED_TEXT,
    "text": Reader(read_plain_text, as_it_is),
    "text_after_reasoning": AFTER_REASONING,
    "think_agent": THINK_AGENT,
    "tool_call_tags": TOOL_CALL_TAGS,
    "tool_call_tags_only": TOOL_CALL_TAGS_ONLY,
    "two_lines": TWO_LINES,
}
