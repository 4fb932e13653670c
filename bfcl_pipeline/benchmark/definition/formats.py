"""The prompt formats of the format-sensitivity test, as data.

Source: the release's list of 26 configurations; the names are its own.
"""

import re
from dataclasses import dataclass
from enum import StrEnum
from functools import cache

from bfcl_pipeline.base.errors import ConfigError


class ReturnFormat(StrEnum):
    """The syntax in which a prompted model writes its calls."""

    PYTHON = "python"
    JSON = "json"
    VERBOSE_XML = "verbose_xml"
    CONCISE_XML = "concise_xml"
    JAVA = "java"  # no prompt requests it; simple_java answers are decoded by it
    JAVASCRIPT = "javascript"  # no prompt requests it; simple_javascript answers are decoded by it


@dataclass(frozen=True, slots=True)
class PromptFormat:
    """One configuration of the system prompt."""

    return_format: ReturnFormat = ReturnFormat.PYTHON
    tool_call_tag: bool = False  # calls between <TOOLCALL> and </TOOLCALL>
    doc_format: str = "json"  # how functions are documented: python, xml or json
    layout: str = "plaintext"  # plaintext or markdown
    style: str = "classic"  # classic or experimental wording

    @property
    def key(self) -> str:
        """The release's name for this configuration."""
        return (
            f"ret_fmt={self.return_format}&tool_call_tag={self.tool_call_tag}"
            f"&func_doc_fmt={self.doc_format}&prompt_fmt={self.layout}&style={self.style}"
        )


DEFAULT_FORMAT = PromptFormat()
"""The format of every prompt-mode category except format_sensitivity."""

FORMATS: tuple[PromptFormat, ...] = (
    *(
        PromptFormat(return_format, tag, doc_format)
        for return_format in (
            ReturnFormat.PYTHON,
            ReturnFormat.JSON,
            ReturnFormat.VERBOSE_XML,
            ReturnFormat.CONCISE_XML,
        )
        for tag in (True, False)
        for doc_format in ("python", "xml", "json")
    ),
    PromptFormat(layout="markdown"),
    PromptFormat(style="experimental"),
)
"""The 26 configurations, in the release's order."""

_KEY = re.compile(
    r"ret_fmt=(?P<return_format>python|json|verbose_xml|concise_xml)"
    r"&tool_call_tag=(?P<tag>True|False)"
    r"&func_doc_fmt=(?P<doc_format>python|xml|json)"
    r"&prompt_fmt=(?P<layout>plaintext|markdown)"
    r"&style=(?P<style>classic|experimental)"
)


@cache
def parse_format(key: str) -> PromptFormat:
    """The configuration with that `key`. Raises ConfigError if `key` does not have the documented form."""
    match = _KEY.fullmatch(key)
    if match is None:
        raise ConfigError(f"{key!r} is not a prompt format; expected the form {DEFAULT_FORMAT.key!r}.")
    return PromptFormat(
        ReturnFormat(match["return_format"]),
        match["tag"] == "True",
        match["doc_format"],
        match["layout"],
        match["style"],
    )
