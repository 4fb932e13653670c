"""The system prompt in its formats."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.definition import DEFAULT_FORMAT, FORMATS, PromptFormat, ReturnFormat
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.dialogue.prompts.function_docs import function_docs
from bfcl_pipeline.dialogue.prompts.texts import system_prompt


def test_the_default_prompt_is_the_layout_filled(texts: Texts) -> None:
    """The default format is plain text, classic, without tag; braces in a part are unchanged."""
    prompt = system_prompt(texts, DEFAULT_FORMAT, [])
    assert prompt == "Persona.Task with {braces}.|Write [python {}].|Go on.|In json:\n[]\n"


def test_every_choice_of_a_format_shows(texts: Texts) -> None:
    """Return format, tag, doc format, layout and style each change their part of the prompt."""
    fmt = PromptFormat(ReturnFormat.CONCISE_XML, True, "xml", "markdown", "experimental")
    prompt = system_prompt(texts, fmt, [])
    assert prompt == (
        "# Other persona.\nTask with {braces}.\nWrite <T>[concise_xml {}]</T>. Types.\nGo on.\nIn xml:\n\n"
    )


def test_all_formats_give_different_prompts(texts: Texts, trip: dict[str, Any]) -> None:
    """All 26 formats result in different prompts."""
    assert len({system_prompt(texts, fmt, [trip]) for fmt in FORMATS}) == 26


@pytest.mark.parametrize("fmt", FORMATS, ids=lambda fmt: fmt.key)
def test_the_docs_are_in_the_prompt(texts: Texts, trip: dict[str, Any], fmt: PromptFormat) -> None:
    """Each prompt has the function docs in the form that its format names."""
    assert function_docs([trip], fmt.doc_format) in system_prompt(texts, fmt, [trip])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"style": "clasic"}, "unknown prompt style 'clasic'. Did you mean 'classic'"),
        ({"layout": "html"}, "unknown prompt layout 'html'.* plaintext, markdown"),
        ({"doc_format": "yaml"}, "unknown function doc format 'yaml'.* json, python, xml"),
        (
            {"return_format": ReturnFormat.JAVA},
            "unknown return format of a prompt 'java'.* json, verbose_xml",
        ),
    ],
)
def test_an_unknown_format_lists_the_known_ones(texts: Texts, change: dict[str, Any], message: str) -> None:
    """A format without texts is a configuration error that lists the known ones."""
    with pytest.raises(ConfigError, match=message):
        system_prompt(texts, replace(DEFAULT_FORMAT, **change), [])
