"""Readers of answers, by the name in families.yaml. Families that write alike share them."""

from collections.abc import Mapping

from bfcl_pipeline.families.readers.answers import Reader, as_it_is, plain
from bfcl_pipeline.families.readers.objects import (
    ARRAY,
    ARRAY_OR_SEMICOLONS,
    HAMMER,
    PYTHON_OR_JSON,
    THINK_AGENT,
)
from bfcl_pipeline.families.readers.reasoning import AFTER_REASONING
from bfcl_pipeline.families.readers.tagged import TOOL_CALL_TAGS

READERS: Mapping[str, Reader] = {
    "hammer": HAMMER,
    "json_array": ARRAY,
    "json_array_or_semicolons": ARRAY_OR_SEMICOLONS,
    "python_or_json": PYTHON_OR_JSON,
    "text": Reader(plain, as_it_is),
    "text_after_reasoning": AFTER_REASONING,
    "think_agent": THINK_AGENT,
    "tool_call_tags": TOOL_CALL_TAGS,
}
