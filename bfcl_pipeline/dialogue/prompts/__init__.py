"""Builds requests: system prompts, function docs, language hints, tool schemas, messages.

Pure functions from entries and the release's texts to text and JSON. They send nothing, read no file
and do not change their inputs; a result may share parts with an input.
"""

from bfcl_pipeline.dialogue.prompts.requests import fc_request, offered_functions, prompt_request
from bfcl_pipeline.dialogue.prompts.schemas import WireFormat, tool_schemas
from bfcl_pipeline.dialogue.prompts.texts import Texts, load_texts, with_memory
from bfcl_pipeline.dialogue.prompts.wire import joined_users, messages_for

__all__ = [
    "Texts",
    "WireFormat",
    "fc_request",
    "joined_users",
    "load_texts",
    "messages_for",
    "offered_functions",
    "prompt_request",
    "tool_schemas",
    "with_memory",
]
