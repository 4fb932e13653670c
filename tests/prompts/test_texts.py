"""Loading the release's prompt texts."""

from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.errors import StagingError
from bfcl_pipeline.prompts import load_texts


def test_texts_are_found_by_the_names_of_the_release(release: dict[str, Any]) -> None:
    """Each text stands where its own name in the release says."""
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
    """What is not there is an error that names it and says to stage again."""
    *parents, name = path
    table = release
    for parent in parents:
        table = table[parent]
    del table[name]
    with pytest.raises(StagingError, match=rf": {'.'.join(path)}: .*nothing of that name.*[Ss]tage"):
        load_texts(release)


@pytest.mark.parametrize("wrong", [None, 3, ["text"]])
def test_what_is_no_text_is_refused(release: dict[str, Any], wrong: object) -> None:
    """A constant of another type than text is an error, not a prompt."""
    release["default_prompts"]["PROMPT_STYLE_TEMPLATES"]["classic"]["persona"] = wrong
    with pytest.raises(StagingError, match="expected a text"):
        load_texts(release)


def test_what_is_no_table_is_refused(release: dict[str, Any]) -> None:
    """A text where a table is due is an error."""
    release["default_prompts"]["OUTPUT_FORMAT_MAPPING"] = "python"
    with pytest.raises(StagingError, match="expected a table of texts, got str"):
        load_texts(release)


@pytest.mark.parametrize("template", ["{personality}", "{persona.__class__}", "{0}", "{persona", "{}"])
def test_a_template_with_unknown_placeholders_is_refused(release: dict[str, Any], template: str) -> None:
    """A placeholder that no prompt fills is found when texts are loaded, not when one is rendered."""
    release["default_prompts"]["_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE"] = template
    with pytest.raises(StagingError, match="_PLAINTEXT_SYSTEM_PROMPT_TEMPLATE"):
        load_texts(release)
