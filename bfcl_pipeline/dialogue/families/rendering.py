"""Renders the prompt of a family: its template over messages and function docs.

Templates run in Jinja's sandbox with these names: `messages`, `functions`, `earlier` (the number of earlier
requests of the conversation) and `release_text(module, beginning)` (a long text of the release); the
filters `json(indent, ensure_ascii)` and `repr` write values as Python does; `json_object` reads the JSON
object that a text is, none if it is not one.
"""

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import FileSystemLoader, StrictUndefined, Template
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Json, Message
from bfcl_pipeline.dialogue.calls import parse_json

TEMPLATES = Path(__file__).with_name("templates")
"""The templates of all families."""


def render(
    template: str,
    messages: Sequence[Message],
    functions: Sequence[Json],
    release_texts: Mapping[str, Sequence[str]],
    earlier: int = 0,
) -> str:
    """The prompt that `template` makes.

    Args:
        template: name of a file in `TEMPLATES`.
        messages: of the conversation so far, as the family keeps them.
        functions: in the family's form.
        release_texts: of the release, by module.
        earlier: the number of earlier requests of the conversation.

    Raises:
        MalformedRelease: the release lacks a text that the template names.
    """

    def release_text(module: str, beginning: str) -> str:
        found = [text for text in release_texts.get(module, ()) if text.startswith(beginning)]
        if len(found) != 1:
            raise MalformedRelease.at(
                f"texts of the release: {module}",
                f"one text that begins {beginning!r}",
                f"{len(found)}. Stage the release again (bfcl-pipeline stage)",
            )
        return found[0]

    text: str = _template(template).render(
        messages=messages, functions=functions, earlier=earlier, release_text=release_text
    )
    return text


@cache
def _template(name: str) -> Template:
    return _environment().get_template(name)


@cache
def _environment() -> ImmutableSandboxedEnvironment:
    environment = ImmutableSandboxedEnvironment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        autoescape=False,  # prompts are plain text
    )
    environment.filters["json"] = _json
    environment.filters["json_object"] = _json_object
    environment.filters["repr"] = repr
    return environment


def _json(value: Any, indent: int | None = None, *, ensure_ascii: bool = True) -> str:
    return json.dumps(value, indent=indent, ensure_ascii=ensure_ascii)


def _json_object(text: str) -> Json | None:
    try:
        value = parse_json(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None
