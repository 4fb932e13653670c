"""Lists the files of a record: a web cache that may come from somebody else. Links are not followed."""

import re
from dataclasses import dataclass, field
from pathlib import Path

from bfcl_pipeline.base.files import files_below

NAME = re.compile(
    r"(?P<a>[0-9a-f]{2})/(?P<b>[0-9a-f]{2})/"
    r"(?P<key>(?P=a)(?P=b)[0-9a-f]{60})(?:\.json|\.[0-9a-f]{12}\.yaml)"
)
"""The path of an outcome or a cassette within a web cache."""

_DIRECTORY = re.compile(r"[0-9a-f]{2}")


@dataclass(slots=True)
class RecordFiles:
    """What a folder with a web cache contains."""

    outcomes: list[Path] = field(default_factory=list)  # sorted; what is not a regular file included
    others: int = 0  # files and folders with other names than those of outcomes and cassettes


def list_record(folder: Path) -> RecordFiles:
    """The files of the web cache at `folder`; nothing if it does not exist. Raises as `files_below`."""
    files = RecordFiles()
    depth = len(folder.parts)
    for path in files_below(folder, _DIRECTORY.fullmatch):
        if not NAME.fullmatch("/".join(path.parts[depth:])):
            files.others += 1
        elif path.suffix == ".json":
            files.outcomes.append(path)
    return files
