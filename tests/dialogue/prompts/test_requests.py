"""The first request of an entry."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import DEFAULT_FORMAT, FORMATS, Language
from bfcl_pipeline.benchmark.records import Entry, Message, Mode
from bfcl_pipeline.dialogue.prompts import (
    Texts,
    WireFormat,
    fc_request,
    offered_functions,
    prompt_request,
    tool_schemas,
)
from bfcl_pipeline.dialogue.prompts.requests import add_hints
from bfcl_pipeline.dialogue.prompts.texts import system_prompt

USER = {"role": "user", "content": "Go to Rome."}
SYSTEM = {"role": "system", "content": "Be brief."}


def entry(
    *functions: Any, category: str = "simple_python", messages: tuple[Message, ...] = (USER,)
) -> Entry:
    return Entry(f"{category}_0", category, (messages,), functions)


def test_prompt_mode_puts_the_functions_into_a_system_message(texts: Texts, trip: dict[str, Any]) -> None:
    """It comes first, with the entry's own first system message after an empty line; there are no tools."""
    prompt = system_prompt(texts, DEFAULT_FORMAT, add_hints([trip], Language.PYTHON))
    for messages, content, rest in (
        ((USER,), prompt, (USER,)),
        ((SYSTEM, USER), f"{prompt}\n\nBe brief.", (USER,)),
        ((USER, SYSTEM), prompt, (USER, SYSTEM)),
    ):
        request = prompt_request(entry(trip, messages=messages), texts)
        assert (request.mode, request.tools) == (Mode.PROMPT, ())
        assert request.messages == ({"role": "system", "content": content}, *rest)


def test_an_entry_with_its_own_format_uses_it(texts: Texts, trip: dict[str, Any]) -> None:
    """The entry's format replaces the default one; an unknown format or category is an error."""
    asked = replace(entry(trip), prompt_format=FORMATS[0].key)
    content = prompt_request(asked, texts).messages[0]["content"]
    assert content == system_prompt(texts, FORMATS[0], add_hints([trip], Language.PYTHON))
    with pytest.raises(ConfigError, match="not a prompt format"):
        prompt_request(replace(entry(), prompt_format="ret_fmt=yaml"), texts)
    with pytest.raises(ConfigError, match=r"category .simple_pyton.\. Did you mean .simple_python."):
        prompt_request(entry(category="simple_pyton"), texts)


@pytest.mark.parametrize("wire", WireFormat)
def test_function_calling_has_tools_and_the_messages_as_they_are(
    wire: WireFormat, trip: dict[str, Any]
) -> None:
    """The messages are the entry's, the tools its hinted functions in the wire format."""
    request = fc_request(entry(trip, messages=(SYSTEM, USER)), wire)
    assert (request.mode, request.messages) == (Mode.FC, (SYSTEM, USER))
    assert request.tools == tool_schemas(add_hints([trip], Language.PYTHON), wire)
    assert fc_request(entry(), wire).tools == tool_schemas([], wire) == ()


@pytest.mark.parametrize(
    ("category", "language"),
    [
        ("simple_java", Language.JAVA),
        ("simple_javascript", Language.JAVASCRIPT),
        ("live_multiple", Language.PYTHON),
        ("web_search_base", Language.PYTHON),
    ],
)
def test_the_category_decides_the_language(category: str, language: Language, trip: dict[str, Any]) -> None:
    """As in the release, a doc of format_sensitivity has its hint two times."""
    assert offered_functions(entry(trip, category=category)) == add_hints([trip], language)
    restated = replace(entry(trip, category="format_sensitivity"), base_entry_id="live_simple_3-1-0")
    (doc,) = offered_functions(restated)
    assert doc["description"].count("Python 3 syntax.") == 2
