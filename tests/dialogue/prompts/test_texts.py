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


@pytest.mark.parametrize("wrong", [None, 3, ["text"]])
def test_other_types_are_refused(release: dict[str, Any], wrong: object) -> None:
    """A constant that is not text is an error."""
    release["default_prompts"]["PROMPT_STYLE_TEMPLATES"]["classic"]["persona"] = wrong
    with pytest.raises(StagingError, match="expected a text"):
        load_texts(release)


def test_a_text_instead_of_a_table_is_refused(release: dict[str, Any]) -> None:
    """A text in place of a table is an error."""
    release["default_prompts"]["OUTPUT_FORMAT_MAPPING"] = "python"
    with pytest.raises(StagingError, match="expected a table of texts, got str"):
        load_texts(release)


@pytest.mark.parametrize("template", ["{personality}", "{persona.__class__}", "{0}", "{persona", "{}"])
def test_a_template_with_unknown_placeholders_is_refused(release: dict[str, Any], template: str) -> None:
    """An unknown placeholder is found when texts are loaded, not when one is used."""
    release["default_prompts"]["_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE"] = template
    with pytest.raises(StagingError, match="_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE"):
        load_texts(release)
