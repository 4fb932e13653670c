"""The reference side of the request seam: the requests of the official package.

Runs under the Python of .venv-peer only, and shares no code with the pipeline:

    python -m tests.peer.request_reference QUESTIONS ANSWERS

A question is a `part` of the seam, a `category` and `show`: the key of a case, or null. An answer is
`cases`, the sha256 of each case by its key (or the case to show in full, as JSON), and `categories`: all
official ones.
"""

import hashlib
import json
from copy import deepcopy

from bfcl_eval.constants.category_mapping import ALL_CATEGORIES
from bfcl_eval.constants.enums import ModelStyle
from bfcl_eval.constants.type_mappings import GORILLA_TO_OPENAPI
from bfcl_eval.model_handler.api_inference.claude import ClaudeHandler
from bfcl_eval.model_handler.api_inference.gemini import GeminiHandler
from bfcl_eval.model_handler.api_inference.openai_completion import OpenAICompletionsHandler
from bfcl_eval.model_handler.api_inference.openai_response import OpenAIResponsesHandler
from bfcl_eval.model_handler.utils import convert_to_tool, system_prompt_pre_processing_chat_model
from bfcl_eval.utils import (
    get_all_format_sensitivity_configs,
    is_agentic,
    is_format_sensitivity,
    is_multi_turn,
    load_dataset_entry,
)

from tests.peer.reference_process import answer_questions

WIRES = {
    "openai_chat": (ModelStyle.OPENAI_COMPLETIONS, OpenAICompletionsHandler),
    "openai_responses": (ModelStyle.OPENAI_RESPONSES, OpenAIResponsesHandler),
    "anthropic": (ModelStyle.ANTHROPIC, ClaudeHandler),
    "gemini": (ModelStyle.GOOGLE, GeminiHandler),
}


def prompt_messages(category):
    """Prompt mode of every scored single-turn entry in every format."""
    formats = get_all_format_sensitivity_configs()
    if is_format_sensitivity(category) or is_multi_turn(category) or is_agentic(category):
        return
    for entry in load_dataset_entry(category):
        for fmt in formats:
            yield f"{category} {entry['id']} {fmt}", with_system_prompt(entry, f"x_0:{fmt}:{entry['id']}")


def format_sensitivity_messages(category):
    """Prompt mode of the entries of format_sensitivity, as they are loaded."""
    for entry in load_dataset_entry(category) if is_format_sensitivity(category) else ():
        yield entry["id"], with_system_prompt(entry, entry["id"])


def with_system_prompt(entry, entry_id):
    return system_prompt_pre_processing_chat_model(
        deepcopy(entry["question"][0]), entry["function"], entry_id
    )


def tool_schemas(category):
    """The tools of every entry in every wire format."""
    for entry in load_dataset_entry(category):
        for wire, (style, _) in WIRES.items():
            tools = convert_to_tool(entry["function"], GORILLA_TO_OPENAPI, style)
            yield f"{category} {entry['id']} {wire}", tools


def wire_messages(category):
    """The first turn of every entry in every wire format, in both modes."""
    handlers = {
        wire: handler(model_name="any", temperature=0, registry_name="any", is_fc_model=True)
        for wire, (_, handler) in WIRES.items()
    }
    for entry in load_dataset_entry(category):
        for wire, handler in handlers.items():
            key = f"{category} {entry['id']} {wire}"
            yield f"{key} prompt", first_turn_prompting(handler, deepcopy(entry))
            if not is_format_sensitivity(category):
                yield f"{key} fc", first_turn_fc(handler, deepcopy(entry))


def first_turn_prompting(handler, entry):
    sent = handler._pre_query_processing_prompting(entry)
    return plain(handler.add_first_turn_message_prompting(sent, entry["question"][0]))


def first_turn_fc(handler, entry):
    sent = handler._pre_query_processing_FC({}, entry)
    return plain(handler.add_first_turn_message_FC(sent, entry["question"][0]))


def plain(sent):
    messages = [
        message
        if isinstance(message, dict)
        else {"role": message.role, "parts": [{"text": part.text} for part in message.parts]}
        for message in sent["message"]
    ]
    return {"system": sent.get("system_prompt"), "messages": messages}


PARTS = {
    "prompt messages": (prompt_messages, True),
    "format_sensitivity messages": (format_sensitivity_messages, True),
    "tool schemas": (tool_schemas, False),
    "wire messages": (wire_messages, True),
}
"""Each part's cases, and whether the order of keys is without meaning (a model sees that of a schema)."""


def answer(question):
    """The cases of a part and category."""
    cases, sort_keys = PARTS[question["part"]]
    found = {}
    for key, value in cases(question["category"]):
        if question["show"] is None:
            text = json.dumps(value, sort_keys=sort_keys)
            found[key] = hashlib.sha256(text.encode()).hexdigest()
        elif question["show"] == key:
            found[key] = json.dumps(value)
    return {"cases": found, "categories": sorted(ALL_CATEGORIES)}


if __name__ == "__main__":
    answer_questions(answer)
