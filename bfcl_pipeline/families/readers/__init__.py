"""Readers of answers, by the name in families.yaml. Families that write alike share them."""

from collections.abc import Mapping

from bfcl_pipeline.families.readers.answers import Reader, as_it_is, plain
from bfcl_pipeline.families.readers.tagged import TOOL_CALL_TAGS

READERS: Mapping[str, Reader] = {
    "text": Reader(plain, as_it_is),
    "tool_call_tags": TOOL_CALL_TAGS,
}
