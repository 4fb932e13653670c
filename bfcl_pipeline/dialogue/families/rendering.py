"""Renders the prompt of a family, its template over messages and function docs; digests what makes it.

Templates run in Jinja's sandbox with these names: `messages`, `functions`, `earlier` (the number of earlier
requests of the conversation) and `release_text(module, beginning)` (a long text of the release); the
filters `json(indent, ensure_ascii)` and `repr` write values as Python does; `json_object` reads the JSON
object that a text is, none if it is not one.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from functools import cache
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined, Template, meta
from jinja2.sandbox import ImmutableSandboxedEnvironment

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.config.families import OWN_TEMPLATE, load_families
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


_NOT_OF_PROMPTS = ("name", "models", "official")
"""The keys of a row on which prompts do not depend."""


def prompts_digest(family: str) -> str:
    """`sha256:` and the digest of what makes the prompts of `family`: its row and its templates.

    Their long texts are of the release, which a run pins by its own SHA-256, and the template of a model's
    own tokenizer is one of the files that identify its weights; the code that renders them is not covered.
    """
    row = load_families()[family]
    facts = {key: value for key, value in asdict(row).items() if key not in _NOT_OF_PROMPTS}
    content = {"row": facts, "templates": _referenced_templates(row.template)}
    return f"sha256:{hashlib.sha256(json.dumps(content, sort_keys=True).encode()).hexdigest()}"


def _referenced_templates(name: str) -> dict[str, str]:
    """The text of a template and of those that it refers to, by name; none, if it is each model's own."""
    parser = Environment(autoescape=True)  # which only parses: nothing is rendered
    texts: dict[str, str] = {}
    waiting = [] if name == OWN_TEMPLATE else [name]
    while waiting:
        one = waiting.pop()
        if one not in texts:
            texts[one] = (TEMPLATES / one).read_text(encoding="utf-8")
            found = meta.find_referenced_templates(parser.parse(texts[one]))
            waiting += [other for other in found if other is not None]
    return texts
