"""The authors of an archive, as given on the command line: `Name` or `Name <ORCID>`."""

import re
from dataclasses import dataclass

from bfcl_pipeline.base.errors import ArchiveError

_FORM = re.compile(
    r"(?P<name>[^<>]{1,200}?)\s*(?:<(?:https://orcid\.org/)?(?P<orcid>(?:\d{4}-){3}\d{3}[\dX])>)?"
)


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
