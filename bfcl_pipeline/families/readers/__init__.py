"""Readers of answers, by the name in families.yaml. Families that write alike share them."""

from collections.abc import Mapping

from bfcl_pipeline.families.readers.answers import Reader, as_it_is, plain
from bfcl_pipeline.families.readers.falcon import FALCON
from bfcl_pipeline.families.readers.function_call_marks import FUNCTION_CALL_MARKS
from bfcl_pipeline.families.readers.function_gemma import FUNCTION_GEMMA
from bfcl_pipeline.families.readers.mistral import MISTRAL
from bfcl_pipeline.families.readers.python_statements import PYTHON_STATEMENTS
from bfcl_pipeline.families.readers.tagged import TOOL_CALL_TAGS
from bfcl_pipeline.families.readers.two_lines import TWO_LINES

READERS: Mapping[str, Reader] = {
    "falcon": FALCON,
    "function_call_marks": FUNCTION_CALL_MARKS,
    "function_gemma": FUNCTION_GEMMA,
    "mistral": MISTRAL,
    "python_statements": PYTHON_STATEMENTS,
    "text": Reader(plain, as_it_is),
    "tool_call_tags": TOOL_CALL_TAGS,
    "two_lines": TWO_LINES,
}
