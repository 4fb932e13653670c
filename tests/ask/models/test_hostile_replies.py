"""A hostile reply costs its own entry: runs of ten in each wire format, against a server on loopback.

That of litellm is beside the other tests of litellm, which takes seconds to import.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation import WorldConfigOf
from bfcl_pipeline.ask.models.adapters.response_validator import ResponseValidator
from bfcl_pipeline.base.errors import Malformed
from bfcl_pipeline.benchmark.records import Entry
from tests.support.api_formats import FORMATS
from tests.support.hostile_replies import assert_each_costs_its_own_entry


@pytest.mark.parametrize(
    ("kind", "mode"),
    [*((kind, "fc") for kind in FORMATS), *((kind, "prompt") for kind in FORMATS if kind != "vllm")],
)
def test_a_hostile_reply_costs_its_own_entry(
    entries: Callable[[str], list[Entry]],
    staged: Path,
    setting_of: WorldConfigOf,
    tmp_path: Path,
    kind: str,
    mode: str,
) -> None:
    """It ends as an answer or as a failure with a short, printable reason; all others are answered."""
    chosen = entries("simple_python")[:12]
    assert_each_costs_its_own_entry(kind, mode, chosen, staged, setting_of, tmp_path)


@pytest.mark.parametrize("levels", [201, 990, 993, 1_000_000])
def test_a_deep_reply_is_malformed_at_any_depth_of_the_stack(levels: int) -> None:
    """It is refused before it is read; brackets in its texts are not levels."""
    expect = ResponseValidator("m")
    for deep in (b"[" * levels + b"]" * levels, b'{"a":' * levels + b"1" + b"}" * levels):
        with pytest.raises(Malformed, match="nested more than 200 levels"):
            expect.body(deep)
    said = json.dumps({"a": '"[{\\' * levels}).encode()
    assert expect.body(said) == json.loads(said)


def test_a_long_value_is_not_written_into_a_message() -> None:
    """Only its first characters are."""
    with pytest.raises(Malformed) as error:
        ResponseValidator("m").text([[0] * 1000] * 1000, "`content`")
    assert len(str(error.value)) < 300
