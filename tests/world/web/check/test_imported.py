"""`bfcl-pipeline web import` on records of real traffic, whose cassettes are played."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.world.tools.web_search.web import Hits
from bfcl_pipeline.world.web import importing
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.check import check_cache
from bfcl_pipeline.world.web.evidence.playing import playing
from bfcl_pipeline.world.web.fetcher import Fetcher
from bfcl_pipeline.world.web.keys import FetchKey
from bfcl_pipeline.world.web.recording import Recorder
from tests.world.web.check.conftest import CLIENT, Recorded, ScriptedSites
from tests.world.web.two_records import add, crate, tarred, tree, zipped

PRINTED = """\
outcomes of the record    number
new                           {new}
equal                          0
conflicts, ours kept           0
conflicts, ours replaced       0
refused                        0

{folder}: {new} added, 0 replaced.
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
    assert capsys.readouterr().out == PRINTED.format(new=new, folder=ours)
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
    assert f"Refused: {source}/" in printed.err
    assert recorded.path("page").name in printed.err
    assert tree(ours) == {}
    assert _import(source, ours, "--partial") == 1
    assert len(tree(ours)) == len(tree(recorded.cache.folder)) - 2
    assert WebCache(ours).find(recorded.keys["page"]) is None


def test_conflicts_are_listed(
    recorded: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Request, times and outcomes of both are printed; `--dry-run` prints the same and writes nothing."""
    ours = WebCache(tmp_path / "ours")
    search = recorded.keys["search"]
    add(ours, search, Hits(()), 1)
    before = tree(ours.folder)
    options = ["--conflicts", "newer"]
    assert _import(recorded.cache.folder, ours.folder, *options, "--dry-run") == 0
    tried = capsys.readouterr().out
    assert tree(ours.folder) == before
    assert _import(recorded.cache.folder, ours.folder, *options) == 0
    done = capsys.readouterr().out
    assert tried.split("\n\n")[:2] == done.split("\n\n")[:2]
    assert (
        "Conflicts: 1.\n"
        f"  {search}\n"
        "    ours:   2026-10-01 12:01+00:00, 0 results\n"
        "    theirs: 2026-11-01 12:00+00:00, 2 results, first https://oolong.example/?a=1&b=%2F (taken)\n"
    ) in done
    assert not check_cache(ours).failed


def test_secrets_of_others_are_told(
    recorded: Recorded, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A text that looks like a key is listed by place and fingerprint, and never printed."""
    key = "sk-abcdefghijklmnopqrstuvwxyz0123456789"
    page, sites = FetchKey("https://keys.example/"), ScriptedSites()
    sites.script(page.url, f"<p>{key}</p>", Content_Type="text/html")
    with playing(sites):
        Recorder(recorded.cache).outcome(page, CLIENT, lambda: Fetcher().fetch(page.url))
    assert _import(recorded.cache.folder, tmp_path / "ours") == 0
    printed = capsys.readouterr()
    assert "Secrets, or texts that look like secrets: 2." in printed.out  # the outcome and its cassette
    assert f"{recorded.cache.path(page).name}, line " in printed.out
    assert key not in printed.out + printed.err


def test_several_processes_find_the_same(
    recorded: Recorded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """What is refused and printed does not depend on the number of processes."""
    recorded.rewrite("page", outcome={"kind": "page", "text": "Coffee is better."})
    monkeypatch.setattr(importing, "_FEW", 1)
    printed = []
    for processes in ("1", "2"):
        options = ["--dry-run", "--processes", processes]
        assert _import(recorded.cache.folder, tmp_path / "ours", *options) == 1
        out, err = capsys.readouterr()
        refused = [line for line in err.splitlines() if line.startswith("Refused: ")]
        assert len(refused) == 1
        printed.append((out, refused))
    assert printed[0] == printed[1]
