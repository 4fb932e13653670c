"""The page about an archive: escaped, self-contained, the same for equal runs; its authors and images."""

from __future__ import annotations

import json
import re
from html import unescape

import pytest

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.runs.archived.members import PREVIEW, member
from bfcl_pipeline.runs.provenance import Pipeline
from bfcl_pipeline.share.archive.crate import Author, Input, RunFacts, metadata, read_author
from bfcl_pipeline.share.archive.crate_terms import image_properties
from bfcl_pipeline.share.archive.make import preview

HOSTILE = "<script>alert(1)</script>\"'>\u202e"
ORCID = "0000-0002-1825-0097"
SHA256 = "ab" * 32


def facts(run: str) -> RunFacts:
    """Facts about a run; only its name varies."""
    return RunFacts(
        run=run,
        start=None,
        end="2026-01-02T03:04:05.000+00:00",
        release=Input("bfcl-eval", "2026.3.23", "0" * 64, "https://example.org", {}),
        encoder=None,
        images={},
        versions={"bfcl-pipeline": "1.2.3", "python": "3.11.7"},
        code=Pipeline("1", "c" * 40, changed=True),
    )


def page(run: str, *authors: Author) -> str:
    """The page of an archive with three files."""
    names = ("Snakefile", f"results/{run}/config.yaml", f"results/{run}/models.yaml")
    return preview(facts(run), authors, [member(name, b"1234") for name in names]).decode()


def test_the_page_says_what_the_archive_is_and_how_to_verify_it() -> None:
    """Run, authors, versions, commit, content and commands are in the page; links stay in the archive."""
    html = page("mini", Author("Ada", f"https://orcid.org/{ORCID}"), Author("Bob", None))
    for text in ("run <bdi>mini", "Ada", "Bob", "1.2.3", "c" * 40 + ", with local changes", "2026.3.23"):
        assert text in html
    assert "bfcl-pipeline verify mini.crate.zip" in html
    files = ["results/mini/report.html", "ro-crate-metadata.json", "README.md"]
    assert re.findall(r'(?:href|src)="([^"]*)"', html) == [*files, f"https://orcid.org/{ORCID}"]


def test_names_are_escaped_in_the_page() -> None:
    """Markup in the name of a run or an author becomes text; the page has no scripts and loads nothing."""
    html = page(HOSTILE, Author(HOSTILE, None))
    assert re.search("<(script|img|iframe|link)", html) is None
    assert HOSTILE in unescape(html)
    assert "default-src 'none'" in html


def test_the_metadata_lists_the_page_and_the_authors() -> None:
    """The page is a file about the root, with its hash; an ORCID identifies a person."""
    authors = [Author("Ada", f"https://orcid.org/{ORCID}"), Author("Bob", None)]
    names = (f"results/mini/{name}" for name in ("config.yaml", "models.yaml", "report.html"))
    members = [member(name, b"x") for name in ("Snakefile", *names)]
    members.append(member(PREVIEW, preview(facts("mini"), authors, members)))
    graph = {one["@id"]: one for one in json.loads(metadata(facts("mini"), authors, members))["@graph"]}
    assert graph[PREVIEW]["about"] == {"@id": "./"}
    assert graph[PREVIEW]["sha256"] == members[-1].sha256
    assert set(graph[PREVIEW]["@type"]) == {"File", "CreativeWork"}
    assert {"@id": PREVIEW} in graph["./"]["hasPart"]
    assert graph["./"]["author"] == [{"@id": f"https://orcid.org/{ORCID}"}, {"@id": "#author-2"}]
    assert graph["#author-2"] == {"@id": "#author-2", "@type": "Person", "name": "Bob"}


def test_authors_are_read() -> None:
    """An ORCID may be given alone or as an address; the error about another text names the form."""
    ada = Author("Ada", f"https://orcid.org/{ORCID}")
    assert read_author("Ada Lovelace") == Author("Ada Lovelace", None)
    assert read_author(f"Ada <{ORCID}>") == read_author(f" Ada <https://orcid.org/{ORCID}> ") == ada
    for text in ("", "<>", "Ada <ada@example.org>", "Ada <0000>", "A\x1b[31m", f"<{ORCID}>"):
        with pytest.raises(ArchiveError, match="a name and perhaps an ORCID"):
            read_author(text)


@pytest.mark.parametrize(
    ("reference", "stated"),
    [
        (
            f"docker://registry.example/people/image:1.0@sha256:{SHA256}",
            {"registry": "registry.example", "name": "people/image", "tag": "1.0", "sha256": SHA256},
        ),
        ("docker://localhost:5000/image", {"registry": "localhost:5000", "name": "image"}),
        ("docker://localhost/image:x", {"registry": "localhost", "name": "image", "tag": "x"}),
        (f"docker://people/image@sha256:{SHA256}", {"name": "people/image", "sha256": SHA256}),
        ("docker://python:3.12", {"name": "python", "tag": "3.12"}),
        ("containers/bfcl-pipeline.sif", {"name": "containers/bfcl-pipeline.sif"}),
    ],
)
def test_a_reference_is_split_into_its_parts(reference: str, stated: dict[str, str]) -> None:
    """Registry, name, tag and sha256, as far as it has them; without a host, the registry of Docker."""
    properties = image_properties(reference)
    docker = reference.startswith("docker://")
    kind = properties.pop("additionalType")["@id"]
    assert kind.endswith("#DockerImage" if docker else "#SIFImage")
    assert properties == ({"registry": "docker.io"} if docker else {}) | stated
