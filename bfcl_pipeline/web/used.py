"""Which files of a record a run rests on: the outcomes that its responses asked for, and their evidence."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from bfcl_pipeline.config.web import SEARCH_TOOL
from bfcl_pipeline.records import Response
from bfcl_pipeline.web.record import Record
from bfcl_pipeline.web.status import web_keys


def used_files(record: Record, responses: Iterable[Response], search_tool: str = SEARCH_TOOL) -> list[Path]:
    """The files of those outcomes that are recorded, in order. Raises WebError if one is damaged.

    search_tool: the name under which the models knew the search. Responses that are no JSON asked nothing.
    """
    files: set[Path] = set()
    for response in responses:
        try:
            keys = set(web_keys(response, search_tool))
        except (ValueError, RecursionError):
            continue
        for path in map(record.path, keys):
            if path in files:
                continue
            recorded = record.read(path)
            if recorded is None:
                continue
            files.add(path)
            if recorded.cassette is not None:
                evidence = path.with_name(recorded.cassette)
                files |= {evidence} if evidence.is_file() else set()
    return sorted(files)
