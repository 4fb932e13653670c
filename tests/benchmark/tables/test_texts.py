"""Reading the staged texts."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import StagingError
from bfcl_pipeline.benchmark.definition import FORMATS
from bfcl_pipeline.dialogue.prompts.texts import system_prompt
from bfcl_pipeline.dialogue.release_texts import read_texts


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "no such file.*bfcl-pipeline stage"),
        (b"{", "expected JSON.*Stage the release again"),
        (b"\xff\xfe\xfa", "expected JSON"),
        (b"[]", "expected a table of texts, got list"),
        (b"{}", "default_prompts.*nothing of that name"),
    ],
)
def test_an_unreadable_file_says_what_to_do(tmp_path: Path, content: bytes | None, message: str) -> None:
    """A file that is missing, damaged or of another form is a staging error that names it."""
    path = tmp_path / "release" / "texts.json"
    if content is not None:
        path.parent.mkdir()
        path.write_bytes(content)
    with pytest.raises(StagingError, match=message):
        read_texts(tmp_path)


def test_the_texts_of_families_are_staged_too(staged: Path, tmp_path: Path) -> None:
    """Data without their file are not read: the message says how to stage it."""
    (tmp_path / "release").mkdir()
    (tmp_path / "release/texts.json").symlink_to(staged / "release/texts.json")
    with pytest.raises(StagingError, match=r"family_texts.json.*no such file.*bfcl-pipeline stage"):
        read_texts(tmp_path)


def test_the_staged_texts_fill_all_formats(staged: Path) -> None:
    """The release's own texts result in 26 different prompts, without an unfilled placeholder."""
    texts = read_texts(staged)
    prompts = {system_prompt(texts, fmt, []) for fmt in FORMATS}
    assert len(prompts) == 26
    for name in ("{output_format}", "{param_types}", "{persona}", "{format}", "{functions}"):
        assert not any(name in prompt for prompt in prompts)
