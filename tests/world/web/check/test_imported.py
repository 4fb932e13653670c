"""`bfcl-pipeline web import` on records of real traffic, whose cassettes are played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.world.tools.web_search.web import Hits
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.check import check_cache
from tests.world.web.check.conftest import Recorded
from tests.world.web.two_records import add, crate, tarred, tree, zipped

PRINTED = """\
outcomes of the record  number
new                         {new}
equal                        0
conflicts, ours kept         0

{folder}: {new} added.
"""


def _import(source: Path, into: Path, *options: str) -> int:
    return main(["web", "import", str(source), "--record", str(into), *options])


@pytest.mark.parametrize("form", [None, zipped, tarred, crate])
def test_a_record_of_somebody_else_is_merged(
    recorded: Recorded,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    form: Callable[[Path, Path], Path] | None,
) -> None:
    """From a folder or any archive, each outcome is proven, then copied byte for byte; nothing is sent."""
    source = (
        recorded.cache.folder if form is None else form(recorded.cache.folder, tmp_path / "x.crate.zip")
    )
    if form in (zipped, tarred):
        source = source.rename(tmp_path / "x.packed")
    ours = tmp_path / "ours"
    assert _import(source, ours) == 0
    new = len(recorded.keys)
    assert capsys.readouterr().out.endswith(f"\n\n{PRINTED.format(new=new, folder=ours)}")
    assert tree(ours) == tree(recorded.cache.folder)
    check = check_cache(WebCache(ours))
    assert (check.proven + check.unsent, check.failed, check.unused) == (new, False, [])


def test_a_forged_outcome_is_refused(
    recorded: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A page that its cassette does not contain is named, all hashes being right; nothing is imported."""
    recorded.rewrite("page", outcome={"kind": "page", "text": "Coffee is better."})
    ours = tmp_path / "ours"
    source = zipped(recorded.cache.folder, tmp_path / "x.zip")
    assert _import(source, ours) == 1
    printed = capsys.readouterr()
    assert "Nothing was imported." in printed.out
    assert f"contradicts its cassette: {source}/" in printed.err
    assert recorded.path("page").name in printed.err
    assert tree(ours) == {}


def test_conflicts_are_listed(
    recorded: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Request, times and outcomes of both are printed; `--dry-run` prints the same and writes nothing."""
    ours = WebCache(tmp_path / "ours")
    search = recorded.keys["search"]
    add(ours, search, Hits(()), 1)
    before = tree(ours.folder)
    assert _import(recorded.cache.folder, ours.folder, "--dry-run") == 0
    tried = capsys.readouterr().out
    assert tree(ours.folder) == before
    assert _import(recorded.cache.folder, ours.folder) == 0
    done = capsys.readouterr().out
    assert tried.replace("would be added", "added") == done
    assert (
        f"  {search}\n"
        "    ours:   2026-10-01 12:01+00:00, 0 results (kept)\n"
        "    theirs: 2026-11-01 12:00+00:00, 2 results, first https://oolong.example/?a=1&b=%2F\n"
    ) in done
