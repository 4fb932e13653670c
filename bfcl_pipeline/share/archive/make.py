"""Making the archive of a run: collect the files, search them for secrets, describe and write them.

README.md and ro-crate-preview.html in it say what an archive is, for people who have nothing else. These
two files are equal for equal runs.
"""

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader

from bfcl_pipeline.ask.jobs.captured import failed_searches
from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.files import temporary_folder
from bfcl_pipeline.base.project import project_folder
from bfcl_pipeline.base.secrets import named_secrets
from bfcl_pipeline.benchmark.config import KINDS
from bfcl_pipeline.benchmark.definition import encoder, release
from bfcl_pipeline.judge.web_files import web_files
from bfcl_pipeline.runs.archived.crate_metadata import metadata_limit
from bfcl_pipeline.runs.archived.members import METADATA, PREVIEW, ArchiveMember, file_sha256, member
from bfcl_pipeline.runs.archived.secrets import Search
from bfcl_pipeline.runs.archived.writing import TOO_MUCH, write_archive
from bfcl_pipeline.runs.making import log_records
from bfcl_pipeline.runs.provenance.software import find_pipeline, versions, versions_when_made
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.contents import ArchiveContents, gather, iso_time
from bfcl_pipeline.share.archive.crate import Author, Input, RunFacts, metadata, read_author
from bfcl_pipeline.share.archive.crate_terms import BENCHMARK_URL, ENCODER_URL
from bfcl_pipeline.world.executables.apis import PLACEHOLDERS

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


SHOWN = 20
"""The most findings that an error message lists."""


@dataclass(frozen=True, slots=True)
class Made:
    """The archive that was written."""

    path: Path
    members: int
    unpacked: int  # bytes
    size: int  # bytes of the file
    sha256: str  # of the file
    answered_since: int  # entries that failed in the run, with later answers that are left out
    recorded_since: int  # answers of web APIs that verdicts of the run lack, recorded later and left out


def make_archive(
    run: Run,
    out: Path,
    *,
    environment: Mapping[str, str],
    allowed: Collection[str],
    authors: Sequence[str] = (),
) -> Made:
    """Writes the archive of a run, atomically; equal runs give equal bytes.

    Args:
        run: the run, in results/<run>; `.snakemake` is beside `results`.
        out: the file to write.
        environment: variables; values of those that contain keys must not be in the archive.
        allowed: fingerprints of findings that are not secrets.
        authors: who made the run, each as `Name` or `Name <ORCID>`.

    Raises:
        ArchiveError: the run is not complete, contains a secret or is too large; nothing is written.
        ConfigError, JournalError, TableError, WebError: a file of the run is damaged.
        OSError: a file cannot be read or written.
    """
    people = [read_author(author) for author in authors]
    project = project_folder()
    run.check_name()
    with temporary_folder(out) as work:
        web = web_files(run, failed_searches(run))
        contents = gather(run, project, run.folder.parent.parent / ".snakemake", work, web.files)
        facts = _facts(run, contents, project)
        members = [*contents.members, member("README.md", readme(facts, run.journals_member))]
        members.append(member(PREVIEW, preview(facts, people, members)))
        members.sort(key=lambda member: member.name)
        description = member(METADATA, metadata(facts, people, members))
        if description.size > metadata_limit(len(members) + 1):
            raise ArchiveError(f"{description.size:,} bytes of metadata: {TOO_MUCH}")
        members.insert(0, description)
        secrets = named_secrets(environment, _key_variables(run))
        _check_secrets(members, Search(secrets), frozenset(allowed))
        write_archive(out, members)
    unpacked = sum(member.size for member in members)
    size, sha256 = out.stat().st_size, file_sha256(out)
    return Made(out, len(members), unpacked, size, sha256, contents.answered_since, web.recorded_since)


def _key_variables(run: Run) -> set[str]:
    """The environment variables that may contain API keys."""
    of_models = {row.key for row in run.rows.values()} | {kind.key for kind in KINDS.values()}
    return {"SERPAPI_API_KEY", *PLACEHOLDERS, *(key for key in of_models if key is not None)}


def _check_secrets(members: Sequence[ArchiveMember], search: Search, allowed: frozenset[str]) -> None:
    """Raises ArchiveError, which names places but no texts, if a member contains a secret."""
    findings = (
        finding
        for member in members
        for finding in search.findings(member)
        if finding.fingerprint not in allowed
    )
    shown = list(islice(findings, SHOWN))
    if shown:
        listed = "\n  ".join(map(str, shown))
        raise ArchiveError(
            f"nothing was written: secrets, or texts that look like secrets, in\n  {listed}\n"
            "Remove them and replace the keys, which may be known by now. If a finding is not a secret, "
            "such as a key that a model made up, accept it with --allow FINGERPRINT."
        )


def _facts(run: Run, contents: ArchiveContents, project: Path) -> RunFacts:
    staged = [
        "release/texts.json",
        *(f"entries/{category}.parquet" for category in run.recorded.categories),
    ]
    if any(job.row.family is not None for job in run.recorded.jobs):  # their prompts have long texts of it
        staged.append("release/family_texts.json")
    steps = contents.steps
    installed = versions(encoder=run.recorded.needs_encoder)
    report = run.folder / "report.html"
    # Without Snakemake's records, the time of the report is the best estimate.
    end = max(step.end for step in steps) if steps else report.stat().st_mtime
    return RunFacts(
        run=run.recorded.name,
        start=iso_time(min(step.start for step in steps)) if steps else None,
        end=iso_time(end),
        release=Input(
            release.DISTRIBUTION,
            run.recorded.settings.release.version,
            run.recorded.settings.release.sha256,
            BENCHMARK_URL,
            {name: file_sha256(run.data / name) for name in staged if (run.data / name).is_file()},
        ),
        encoder=Input(
            encoder.MODEL,
            encoder.VERSION,
            encoder.WHEEL_SHA256,
            ENCODER_URL,
            {f"encoder/{name}": sha256 for name, sha256 in encoder.FILES.items()},
        )
        if run.recorded.needs_encoder
        else None,
        images=run.recorded.settings.images,
        versions=installed,
        versions_when_made=versions_when_made(log_records(run), installed),
        code=find_pipeline(project),
    )
