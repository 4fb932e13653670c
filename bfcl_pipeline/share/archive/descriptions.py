"""README.md and ro-crate-preview.html: what an archive is, for people who have only the archive.

Made from the given facts only, so that equal runs have equal texts.
"""

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from bfcl_pipeline.runs.archived.members import METADATA, ArchiveMember
from bfcl_pipeline.share.archive.crate import Author, RunFacts

_TEMPLATES = Path(__file__).parent / "templates"


def readme(facts: RunFacts, journals: str) -> bytes:
    """README.md. journals: their directory in the archive."""
    version = facts.versions["bfcl-pipeline"]
    names = {"benchmark": facts.benchmark, "run": facts.run, "journals": journals}
    return _rendered("README.md", **names, version=version)


def preview(facts: RunFacts, authors: Sequence[Author], members: Sequence[ArchiveMember]) -> bytes:
    """The page ro-crate-preview.html for `members`, without itself and the metadata.

    Without scripts and outside resources. RO-Crate 1.1 asks for a page with the metadata of the root and a
    link to the metadata file.
    """
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for one in members:
        directory = one.name.partition("/")[0] + "/" if "/" in one.name else "(top)"
        files[directory] += 1
        sizes[directory] += one.size
    return _rendered(
        "ro-crate-preview.html",
        facts=facts,
        authors=authors,
        metadata=METADATA,
        versions=sorted({**facts.versions, **facts.versions_when_made}.items()),
        content=[(name, files[name], sizes[name]) for name in sorted(files)],
    )


def _rendered(name: str, **values: Any) -> bytes:
    templates = Environment(
        loader=FileSystemLoader(_TEMPLATES), autoescape=name.endswith(".html"), keep_trailing_newline=True
    )
    return templates.get_template(f"{name}.j2").render(**values).encode()
