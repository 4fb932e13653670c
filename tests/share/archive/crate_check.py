"""Checks an archive with roc-validator, the validator of RO-Crate's authors. Runs under `.venv-crate` only.

    python -m tests.share.archive.crate_check FILE        (make check-crate FILE=...)

Covers all required and recommended checks of Workflow Run Crate 0.5 and of the profiles below it: Process
Run Crate 0.5, Workflow RO-Crate 1.0 and RO-Crate 1.1. A required check that fails is an error, and so is a
recommended one that is not in OPEN. Needs no network: the JSON-LD context of RO-Crate 1.1, which the
validator would fetch, is that of the package rocrate 0.13.
"""

from __future__ import annotations

import json
import re
import sys
import tempfile
import zipfile
from dataclasses import dataclass
from importlib.metadata import distribution, version
from io import BytesIO
from pathlib import Path
from typing import Any

PROFILE = "workflow-run-crate-0.5"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"


@dataclass(frozen=True, slots=True)
class Open:
    """A recommended check that an archive does not pass."""

    name: str  # of the check
    entities: str  # a pattern of the entities that do not pass it
    why: str  # the reason, as in docs/archive.md


_OWN = r"Snakefile|#software-bfcl-pipeline"
_NO_AUTHOR = "only without `--author`: who made the run is not recorded"
_PERSON = r"#author-\d+|https://orcid\.org/[\dX-]+"
_AFFILIATION = "`--author` accepts a name and an ORCID; the affiliation is in the person's ORCID record"
_ROWS = f"""\
process-run-crate-0.5_3.2 ; Application url ; {_OWN} ; \
the pipeline has no public address that an archive could name
process-run-crate-0.5_5.1 ; SoftwareApplication id ; {_OWN} ; \
the check accepts web addresses only; a file has a path, and the pipeline has no address
process-run-crate-0.5_8.6 ; Action agent ; #run ; {_NO_AUTHOR}
process-run-crate-0.5_13.2 ; ContainerImage registry ; #image-.+ ; \
an image that is a file (`make sif`) is in no registry
ro-crate-1.1_22.2 ; Root Data Entity: `author` property ; \\./ ; {_NO_AUTHOR}
ro-crate-1.1_22.3 ; Root Data Entity: `publisher` property ; \\./ ; \
who will publish an archive is not known when it is made
ro-crate-1.1_30.2 ; CreativeWork Author: RECOMMENDED affiliation property ; {_PERSON} ; {_AFFILIATION}
ro-crate-1.1_30.3 ; CreativeWork Author: RECOMMENDED Contextual Entity linked for the organizational \
`affiliation` property ; {_PERSON} ; {_AFFILIATION}"""
OPEN = {check: Open(*rest) for check, *rest in (row.split(" ; ") for row in _ROWS.splitlines())}
"""By the identifiers of roc-validator 0.13, which number the checks of a profile."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A check that an entity does not pass."""

    check: str  # its identifier
    name: str
    required: bool
    entity: str
    message: str

    @property
    def expected(self) -> bool:
        """Whether it is recommended only, and stays open on purpose."""
        known = OPEN.get(self.check)
        return (
            not self.required
            and known is not None
            and known.name == self.name
            and re.fullmatch(known.entities, self.entity) is not None
        )


def main(file: Path) -> int:
    """Prints the checks that `file` passes and those that it does not; the exit status."""
    with tempfile.TemporaryDirectory() as folder:
        plain = Path(folder) / "run.crate.zip"  # in some paths the validator finds no entity by its address
        plain.symlink_to(file.resolve(strict=True))
        result = _validate(plain, _cached_context(Path(folder) / "cache"))
    failures = [_failure(issue, plain) for issue in result.get_issues()]
    print(f"{file.name}: {PROFILE} and the profiles below it, roc-validator {version('roc-validator')}")
    for kind, required in (("required", True), ("recommended", False)):
        checks = {check.identifier for check in result.executed_checks if _is_required(check) == required}
        failed = {failure.check for failure in failures if failure.required == required}
        print(f"{kind:<12} {len(checks)} checks, {len(checks) - len(failed)} passed")
        if not checks:
            raise SystemExit(f"roc-validator ran no {kind} check of {PROFILE}.")
    expected = [failure for failure in failures if failure.expected]
    for check in sorted({failure.check for failure in expected}):
        entities = sorted({failure.entity for failure in expected if failure.check == check})
        print(f"open         {check} {OPEN[check].name}: {', '.join(entities)}: {OPEN[check].why}")
    for skipped in sorted(check.identifier for check in result.skipped_checks):
        print(f"SKIPPED      {skipped}")
    for failure in failures:
        if not failure.expected:
            print(f"FAILED       {failure.check} {failure.name}: {failure.entity}: {failure.message}")
    return int(bool(result.skipped_checks) or not all(failure.expected for failure in failures))


def _cached_context(cache: Path) -> Path:
    """A cache of the validator, in the new file `cache`, with the one answer that it needs."""
    import requests
    import urllib3
    from requests_cache import CachedSession

    place = distribution("rocrate").locate_file("rocrate/data/ro-crate.jsonld")
    content = Path(str(place)).read_bytes()
    if json.loads(content)["@id"] != CONTEXT:
        raise SystemExit(
            f"{place} is not {CONTEXT}. Install rocrate 0.13: rm -r .venv-crate; make check-crate"
        )

    class OnDisk(requests.adapters.HTTPAdapter):
        """Answers every request with the context."""

        def send(self, request: requests.PreparedRequest, **options: Any) -> requests.Response:
            headers = {"Content-Type": "application/ld+json"}
            body = urllib3.HTTPResponse(BytesIO(content), headers, status=200, preload_content=False)
            return self.build_response(request, body)

    with CachedSession(str(cache), backend="sqlite", expire_after=-1) as session:
        session.mount(CONTEXT, OnDisk())
        session.get(CONTEXT)
    return cache


def _validate(file: Path, cache: Path) -> Any:
    """The result of all checks but the optional ones."""
    from rocrate_validator import models, services

    settings = models.ValidationSettings(
        rocrate_uri=str(file),
        profile_identifier=PROFILE,
        requirement_severity=models.Severity.RECOMMENDED,
        offline=True,
        cache_path=cache,
    )
    return services.validate(settings)


def _is_required(check: Any) -> bool:
    return bool(check.severity.name == "REQUIRED")


def _failure(issue: Any, file: Path) -> Failure:
    """An issue of the validator; the entity by its id in the metadata."""
    entity = str(issue.violatingEntity or "")
    value = str(issue.violatingPropertyValue or "")
    if issue.identifier == "process-run-crate-0.5_5.1":  # its target is the type, the entity the value
        entity = value.partition(f"{file.name}/")[2] or value
    return Failure(
        check=issue.identifier,
        name=issue.check.name,
        required=_is_required(issue),
        entity=entity if entity == "./" else entity.removeprefix("./"),
        message=str(issue.message),
    )


if __name__ == "__main__":
    with zipfile.ZipFile(sys.argv[1]):  # a clear error for what is no archive
        pass
    raise SystemExit(main(Path(sys.argv[1])))
