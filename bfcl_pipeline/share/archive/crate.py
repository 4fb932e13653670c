"""Writing the metadata of an archive: the run and each of its files, as a Workflow Run RO-Crate.

Made with ro-crate-py from the given records only, without clock or disk, so that equal runs have equal
metadata. Container images are those of a registry, `docker://REGISTRY/NAME:TAG@sha256:DIGEST`, and files,
such as those of `make sif`. Profile: https://w3id.org/ro/wfrun/workflow/0.5, over RO-Crate 1.1.
"""

import importlib
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias
from urllib.parse import quote

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.benchmark.config.run_form import FORM_KEY, RUN_FORM
from bfcl_pipeline.benchmark.definition.release import benchmark_name
from bfcl_pipeline.runs.archived.members import PREVIEW, ArchiveMember
from bfcl_pipeline.runs.provenance import Pipeline
from bfcl_pipeline.share.archive.crate_terms import (
    APACHE,
    ENCODINGS,
    LICENSE,
    PAPER,
    PAPER_ID,
    PROFILES,
    SOFTWARE,
    TERMS,
    image_properties,
)

_FORM = re.compile(
    r"(?P<name>[^<>]{1,200}?)\s*(?:<(?:https://orcid\.org/)?(?P<orcid>(?:\d{4}-){3}\d{3}[\dX])>)?"
)

ROCrate: TypeAlias = Any
"""The class of ro-crate-py, which is not typed and is imported where it is used."""


@dataclass(frozen=True, slots=True)
class Author:
    """A person who made a run."""

    name: str
    orcid: str | None  # as an address, https://orcid.org/...


def read_author(text: str) -> Author:
    """The author in `text`. Raises ArchiveError if it is not of the form `Name <ORCID>`."""
    match = _FORM.fullmatch(text.strip())
    if match is None or not match["name"].isprintable():
        raise ArchiveError(
            "--author: expected a name and perhaps an ORCID, such as "
            f"'Josiah Carberry <0000-0002-1825-0097>', got {text[:200]!r}."
        )
    return Author(match["name"], match["orcid"] and f"https://orcid.org/{match['orcid']}")


@dataclass(frozen=True, slots=True)
class Input:
    """An input of a run that is not in the archive: its name and the hashes of its files."""

    name: str
    version: str
    sha256: str | None  # of the whole; None if only its files are hashed
    url: str
    files: Mapping[str, str]  # sha256 by path below data/


@dataclass(frozen=True, slots=True)
class RunFacts:
    """Facts about a run, besides its files."""

    run: str
    start: str | None  # ISO 8601 in UTC; None without Snakemake's records
    end: str
    release: Input
    encoder: Input | None  # None if the run does not need it
    images: Mapping[str, str]  # image references by purpose
    versions: Mapping[str, str]  # of software when the run was archived, by name
    code: Pipeline  # that archives
    versions_when_made: Mapping[str, str] = field(default_factory=dict)  # when its responses were made

    @property
    def benchmark(self) -> str:
        """The name of the benchmark."""
        return benchmark_name(self.release.version)


def metadata(facts: RunFacts, authors: Sequence[Author], members: Sequence[ArchiveMember]) -> bytes:
    """ro-crate-metadata.json for `members`, without itself. Raises ArchiveError without ro-crate-py."""
    try:
        library = importlib.import_module("rocrate.rocrate")
    except ImportError as error:
        raise ArchiveError("ro-crate-py is not installed: pip install rocrate") from error
    crate = library.ROCrate(version="1.1")
    people = [_person(crate, place, author) for place, author in enumerate(authors, start=1)]
    _describe_root(crate, facts, people)
    for member in members:
        if member.name != "Snakefile":
            crate.add_file(dest_path=member.name, properties=_file(member))
    (snakefile,) = (member for member in members if member.name == "Snakefile")
    _describe_workflow(crate, facts, snakefile)
    _describe_action(crate, facts, people, members)
    crate.metadata.extra_terms.update(TERMS)
    document = crate.metadata.generate()
    document["@graph"].sort(key=_order)
    return (json.dumps(document, indent=1, sort_keys=True, ensure_ascii=False) + "\n").encode()


def identifier(name: str) -> str:
    """The id of the member `name` in the metadata."""
    return quote(name)


def _describe_root(crate: ROCrate, facts: RunFacts, people: Sequence[Any]) -> None:
    root = crate.root_dataset
    root["name"] = f"{facts.benchmark}, run {facts.run}"
    root["description"] = (
        "One evaluation of the Berkeley Function-Calling Leaderboard V4 by bfcl-pipeline, named "
        f"{facts.run}: requests and answers, verdicts, tables, and everything that is needed to derive "
        "them again, except the benchmark's data, which is not included."
    )
    root["datePublished"] = facts.end
    if people:
        root["author"] = list(people)
    root["license"] = crate.add_jsonld(dict(APACHE))
    root["citation"] = crate.add_jsonld({"@id": PAPER_ID, **PAPER})
    root["conformsTo"] = [crate.add_jsonld(dict(profile)) for profile in PROFILES]


def _person(crate: ROCrate, place: int, author: Author) -> Any:
    name = author.orcid or f"#author-{place}"
    return crate.add_jsonld({"@id": name, "@type": "Person", "name": author.name})


def _file(member: ArchiveMember) -> dict[str, Any]:
    kind = ENCODINGS.get(member.name.rpartition(".")[2], "text/plain")
    properties: dict[str, Any] = {
        "name": member.name.rpartition("/")[2],
        "encodingFormat": kind,
        "contentSize": str(member.size),
        "sha256": member.sha256,
    }
    if member.name in ("README.md", PREVIEW):
        properties["about"] = {"@id": "./"}
    if member.name == PREVIEW:
        properties["@type"] = ["File", "CreativeWork"]
    return properties


def _describe_workflow(crate: ROCrate, facts: RunFacts, snakefile: ArchiveMember) -> None:
    workflow = crate.add_workflow(
        dest_path=snakefile.name,
        main=True,
        lang="snakemake",
        lang_version=facts.versions.get("snakemake"),
        properties=_file(snakefile),
    )
    workflow["name"] = "BFCL V4 as a Snakemake workflow"
    workflow["version"] = facts.versions["bfcl-pipeline"]
    workflow["license"] = {"@id": LICENSE}
    workflow["conformsTo"] = {"@id": "https://bioschemas.org/profiles/ComputationalWorkflow/1.0-RELEASE"}
    workflow["softwareRequirements"] = [
        crate.add_jsonld(_software(name, version, facts.versions_when_made.get(name)))
        for name, version in sorted(facts.versions.items())
    ]
    workflow["additionalProperty"] = [
        _value(crate, "commit", "git commit of the checkout", facts.code.commit or "unknown"),
        _value(crate, "changed", "whether its code has local changes", str(facts.code.changed).lower()),
        _value(crate, FORM_KEY, "number of the form of the run and of this archive", str(RUN_FORM)),
    ]
    workflow["input"] = [
        _slot(crate, "input", slot, about, crate.get(identifier(f"results/{facts.run}/{slot}.yaml")))
        for slot, about in (("config", "what the run evaluates"), ("models", "the models of the run"))
    ]
    report = crate.get(identifier(f"results/{facts.run}/report.html"))
    workflow["output"] = _slot(crate, "output", "report", "the run as one page", report)


def _software(name: str, now: str, then: str | None) -> dict[str, Any]:
    """A piece of software. now, then: its versions when the run was archived and when it was made."""
    about = dict(SOFTWARE[name])
    if then is None:
        about["description"] += "; the version is that of archiving"
    else:
        about["description"] += "; the version is that of making the responses"
        about["description"] += "" if then == now else f", archived with {now}"
    return {
        "@id": about.get("url", f"#software-{name}"),
        "@type": "SoftwareApplication",
        "name": name,
        **about,
        "softwareVersion": then or now,
    }


def _slot(crate: ROCrate, way: str, slot: str, about: str, file: Any) -> Any:
    """An input or output of the workflow, and its file in this run."""
    parameter = crate.add_jsonld(
        {
            "@id": f"#{way}-{slot}",
            "@type": "FormalParameter",
            "name": slot,
            "description": about,
            "additionalType": "File",
            "conformsTo": {"@id": "https://bioschemas.org/profiles/FormalParameter/1.0-RELEASE"},
            "workExample": {"@id": file.id},
        }
    )
    file["exampleOfWork"] = parameter
    return parameter


def _describe_action(
    crate: ROCrate, facts: RunFacts, people: Sequence[Any], members: Sequence[ArchiveMember]
) -> None:
    results = f"results/{facts.run}/"
    configs = (f"{results}config.yaml", f"{results}models.yaml")
    logs = (f"{results}logs/", f"{results}benchmarks/")
    names = [member.name for member in members]
    asked = ("cache/", f"{results}exchanges/")
    inputs = [name for name in names if name in configs or name.startswith(asked)]
    outputs = [
        name
        for name in names
        if name.startswith(results) and name not in configs and not name.startswith((*logs, *asked))
    ]
    external = [_input(crate, "release", facts.release)]
    if facts.encoder is not None:
        external.append(_input(crate, "encoder", facts.encoder))
    action: dict[str, Any] = {
        "@id": "#run",
        "@type": "CreateAction",
        "name": f"Run {facts.run}",
        "description": "Its steps, with their times, are in snakemake/jobs.jsonl.",
        "instrument": {"@id": "Snakefile"},
        "object": [{"@id": identifier(name)} for name in inputs]
        + [{"@id": entity.id} for entity in external],
        "result": [{"@id": identifier(name)} for name in outputs],
        "endTime": facts.end,
        "actionStatus": "http://schema.org/CompletedActionStatus",
    }
    if facts.start is not None:
        action["startTime"] = facts.start
    if people:
        action["agent"] = [{"@id": person.id} for person in people]
    mentions = [crate.add_jsonld(action)]
    mentions += [_image(crate, use, reference) for use, reference in sorted(facts.images.items())]
    crate.root_dataset["mentions"] = mentions


def _input(crate: ROCrate, short: str, given: Input) -> Any:
    parts = [
        crate.add_jsonld({"@id": f"#data/{path}", "@type": "CreativeWork", "name": path, "sha256": sha256})
        for path, sha256 in sorted(given.files.items())
    ]
    properties: dict[str, Any] = {
        "@id": f"#{short}",
        "@type": "CreativeWork",
        "name": given.name,
        "version": given.version,
        "url": given.url,
        "hasPart": [{"@id": part.id} for part in parts],
    }
    if given.sha256 is not None:
        properties["sha256"] = given.sha256
    return crate.add_jsonld(properties)


def _image(crate: ROCrate, use: str, reference: str) -> Any:
    """A container image, by what its name in the config says."""
    return crate.add_jsonld(
        {
            "@id": f"#image-{use}",
            "@type": "ContainerImage",
            "description": f"The steps run in it if Snakemake uses containers: {use}.",
            **image_properties(reference),
        }
    )


def _value(crate: ROCrate, short: str, name: str, value: str) -> Any:
    return crate.add_jsonld({"@id": f"#{short}", "@type": "PropertyValue", "name": name, "value": value})


def _order(entity: Mapping[str, Any]) -> tuple[int, str]:
    first = ("ro-crate-metadata.json", "./", "Snakefile", "#run")
    name = entity["@id"]
    return (first.index(name) if name in first else len(first), name)
