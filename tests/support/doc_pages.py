"""The pages of the documentation, the commands in their blocks, and the anchors of their headings."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.support import ROOT

PAGES = sorted(
    [
        *(ROOT / "docs").glob("*.md"),
        *(ROOT / f"{name}.md" for name in ("README", "CONTRIBUTING", "SECURITY")),
        *(ROOT / f"{name}/README.md" for name in ("config", "data", "cache", "profiles", "containers")),
    ]
)
"""The pages that people read, except the changelog, which names files of earlier versions."""


@dataclass(frozen=True, slots=True)
class Command:
    """One command of a page."""

    page: str  # its path in the checkout
    text: str  # as a shell reads it, with its comment


def commands(page: Path) -> list[Command]:
    """The lines of the blocks of a page that call `bfcl-pipeline`, in their order."""
    blocks = re.findall(r"^```sh\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    lines = [line for block in blocks for line in block.replace("\\\n", "").splitlines()]
    return [
        Command(str(page.relative_to(ROOT)), line) for line in lines if line.startswith("bfcl-pipeline ")
    ]


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub gives to the headings of a page."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    found: Counter[str] = Counter()
    names = set()
    for heading in re.findall(r"^#+ (.+)$", text, re.MULTILINE):
        shown = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
        name = re.sub(r"[^\w\- ]", "", shown.lower()).replace(" ", "-")
        names.add(f"{name}-{found[name]}" if found[name] else name)
        found[name] += 1
    return names


def links(page: Path) -> list[str]:
    """The targets of the links and pictures of a page that lead to files or headings."""
    text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
    targets = re.findall(r"\]\(([^)\s]+)\)|^\[[^]]+\]: (\S+)", re.sub(r"`[^`\n]*`", "", text), re.MULTILINE)
    return [one for pair in targets for one in pair if one and not re.match(r"[a-z]+:", one)]
