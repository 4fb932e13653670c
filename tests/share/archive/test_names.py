"""The names that members of an archive may have."""

from __future__ import annotations

import pytest

from bfcl_pipeline.runs.archived.members import rejection_reason


@pytest.mark.parametrize("name", ["e3.js", "a12c3.js"])
def test_conversations_beside_the_page_may_be_members(name: str) -> None:
    """The files that the page loads have names of letters and digits."""
    assert rejection_reason(f"results/mini/report/{name}") is None


@pytest.mark.parametrize("name", ["e3.html", "a/e3.js", ".e3.js", "e3.js.exe", "E 3.js"])
def test_other_files_in_that_folder_may_not(name: str) -> None:
    """Nothing else belongs to a run there."""
    assert rejection_reason(f"results/mini/report/{name}") is not None
