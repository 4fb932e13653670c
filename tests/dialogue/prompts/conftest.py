"""Short texts in the form of the release's, and a function doc with every feature of a schema."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.dialogue.prompts import Texts, load_texts


def _release() -> dict[str, Any]:
    formats = ("python", "json", "verbose_xml", "concise_xml")
    style = {
        "persona": "Persona.",
        "task": "Task with {braces}.",
        "tool_call_no_tag": "Write {output_format}.{param_types}",
        "tool_call_with_tag": "Write <T>{output_format}</T>.{param_types}",
        "multiturn_behavior": "Go on.",
        "available_tools": "In {format}:\n{functions}\n",
    }
    return {
        "default_prompts": {
            "OUTPUT_FORMAT_MAPPING": {name: f"[{name} {{}}]" for name in formats},
            "PARAM_TYPE_MAPPING": {name: " Types." if "xml" in name else "" for name in formats},
            "PROMPT_STYLE_TEMPLATES": {
                "classic": style,
                "experimental": {**style, "persona": "Other persona."},
            },
            "_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE": (
                "{persona}{task}|{tool_call_format}|{multiturn_behavior}|{available_tools}"
            ),
            "_MARKDOWN_SYSTEM_PROMPT_TEMPLATE": (
                "# {persona}\n{task}\n{tool_call_format}\n{multiturn_behavior}\n{available_tools}"
            ),
            "MEMORY_AGENT_SETTINGS": {"student": "You help a student."},
            "MEMORY_BACKEND_INSTRUCTION_CORE_ARCHIVAL": "{scenario_setting} Two: {memory_content}",
            "MEMORY_BACKEND_INSTRUCTION_UNIFIED": "{scenario_setting} One: {memory_content}",
            "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_FC": "More.",
            "DEFAULT_USER_PROMPT_FOR_ADDITIONAL_FUNCTION_PROMPTING": "{functions} More.",
        }
    }


@pytest.fixture
def release() -> dict[str, Any]:
    """Texts of a release, in the form of texts.json."""
    return _release()


@pytest.fixture(scope="session")
def texts() -> Texts:
    return load_texts(_release())


@pytest.fixture
def trip() -> dict[str, Any]:
    """A Python function with a default, a choice, a list, a nested table and a response."""
    return {
        "name": "travel.plan",
        "description": "Plans a trip.",
        "parameters": {
            "type": "dict",
            "properties": {
                "city": {"type": "string", "description": "Where to, é.", "enum": ["Rome", "Oslo"]},
                "budget": {"type": "float", "description": "In euro.", "default": 1.5},
                "days": {"type": "array", "items": {"type": "integer"}, "description": "Which, if any."},
                "hotel": {
                    "type": "dict",
                    "description": "The hotel.",
                    "properties": {"stars": {"type": "integer", "description": "How many.", "default": 3}},
                    "required": ["stars"],
                },
            },
            "required": ["city", "days"],
        },
        "response": {"properties": {"price": {"type": "float"}}},
    }
