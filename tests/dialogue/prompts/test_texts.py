"""Loading the release's prompt texts."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.errors import StagingError
from bfcl_pipeline.dialogue.prompts import load_texts


def test_texts_are_found_by_the_names_of_the_release(release: dict[str, Any]) -> None:
    """Each text is found under its name in the release."""
    texts = load_texts(release)
    assert texts.output_formats["json"] == "[json {}]"
    assert texts.param_types["concise_xml"] == " Types."
    assert texts.styles["experimental"].persona == "Other persona."
    assert texts.layouts["markdown"].startswith("# {persona}")
    assert texts.more_functions_prompt == "{functions} More."


@pytest.mark.parametrize(
    "path",
    [
        ("default_prompts",),
        ("default_prompts", "OUTPUT_FORMAT_MAPPING"),
        ("default_prompts", "PARAM_TYPE_MAPPING", "json"),
        ("default_prompts", "PROMPT_STYLE_TEMPLATES", "classic"),
        ("default_prompts", "PROMPT_STYLE_TEMPLATES", "experimental", "task"),
        ("default_prompts", "_MARKDOWN_SYSTEM_PROMPT_TEMPLATE"),
    ],
)
def test_a_missing_text_is_named(release: dict[str, Any], path: tuple[str, ...]) -> None:
    """The error for a missing text names it and advises to stage again."""
    *parents, name = path
    table = release
    for parent in parents:
        table = table[parent]
    del table[name]
    with pytest.raises(StagingError, match=rf": {'.'.join(path)}: .*nothing of that name.*[Ss]tage"):
        load_texts(release)


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        *(
            (("PROMPT_STYLE_TEMPLATES", "classic", "persona"), wrong, "expected a text")
            for wrong in (None, 3, ["text"])
        ),
        (("OUTPUT_FORMAT_MAPPING",), "python", "expected a table of texts, got str"),
        *(
            (("_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE",), template, "_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE")
            for template in ("{personality}", "{persona.__class__}", "{0}", "{persona", "{}")
        ),
    ],
)
def test_other_values_are_refused(
    release: dict[str, Any], path: tuple[str, ...], value: object, message: str
) -> None:
    """What is not a text or a table, and unknown placeholders, are found when texts are loaded."""
    *parents, name = path
    table = release["default_prompts"]
    for parent in parents:
        table = table[parent]
    table[name] = value
    with pytest.raises(StagingError, match=message):
        load_texts(release)
