"""The documentation: its links, the options of its commands, its index and its length."""

from __future__ import annotations

import contextlib
import re
import shlex
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.cli.commands import COMMANDS
from tests.support import ROOT
from tests.support.doc_pages import PAGES, anchors, commands, links

DOCUMENTED: dict[str, list[str]] = {}
for command in (command for page in PAGES for command in commands(page)):
    DOCUMENTED.setdefault(command.page, []).append(command.text)
RENDERED = ("errata.md", "tables.md")
"""Pages of docs/ that a program writes, wholly or mostly."""


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_lead_to_files_and_headings(page: Path) -> None:
    """Each link of a page to a file of the repository, or to a heading in a page, has its target."""
    broken = []
    for link in links(page):
        name, _, anchor = link.partition("#")
        target = (page.parent / name).resolve() if name else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert broken == []


@pytest.mark.parametrize("page", DOCUMENTED)
def test_the_options_of_every_command_exist(
    page: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """The parser of the command accepts each documented line; the command itself is not run."""
    monkeypatch.chdir(tmp_path)
    for line in DOCUMENTED[page]:
        text = line.replace("$(date +%F)", "today")
        words = shlex.split(text.rpartition(" &")[0] if text.endswith(" &") else text, comments=True)
        for part in " ".join(map(shlex.quote, words)).split("'&&'"):
            name, *_ = arguments = shlex.split(part)[1:]
            module = f"bfcl_pipeline.cli.{name.replace('-', '_')}"
            seen: list[object] = []
            monkeypatch.setattr(f"{module}.run", lambda options, seen=seen: seen.append(options) or 0)
            with contextlib.suppress(SystemExit):
                main(arguments)
            assert len(seen) == 1, part


def test_the_index_leads_to_every_page() -> None:
    """docs/README.md links each page of docs/, and each question is in one row."""
    index = ROOT / "docs/README.md"
    linked = {link.partition("#")[0] for link in links(index)}
    assert {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"} <= linked
    questions = re.findall(r"^\| ([^|]+\?) \|", index.read_text(encoding="utf-8"), re.MULTILINE)
    assert len(questions) == len(set(questions)) > 30


def test_the_readme_is_short() -> None:
    """At most 160 lines; the pages of docs/ that people write have at most 5,000."""
    assert (ROOT / "README.md").read_text(encoding="utf-8").count("\n") <= 160
    written = [path for path in (ROOT / "docs").glob("*.md") if path.name not in RENDERED]
    assert sum(path.read_text(encoding="utf-8").count("\n") for path in written) <= 5000


def test_every_command_is_documented() -> None:
    """Each command is named in a page, except those that only rules of the workflow call."""
    text = "".join(page.read_text(encoding="utf-8") for page in PAGES)
    assert [name for name in COMMANDS if f"bfcl-pipeline {name}" not in text] == ["gather"]
