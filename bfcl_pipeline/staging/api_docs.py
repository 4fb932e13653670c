"""The function docs of the simulated APIs."""

from __future__ import annotations

from collections.abc import Mapping

from bfcl_pipeline.records import FunctionDoc
from bfcl_pipeline.staging.json_lines import Row, check_function, malformed, read_rows
from bfcl_pipeline.staging.release_files import API_DOCS
from bfcl_pipeline.staging.source import Release

ApiDocs = Mapping[str, tuple[FunctionDoc, ...]]
"""Function docs by API, in the release's order."""


def read_api_docs(release: Release) -> ApiDocs:
    """The function docs of every simulated API."""
    return {
        api: tuple(check_function(row.where, row.value) for row in read_rows(release, name))
        for api, name in API_DOCS.items()
    }


def offered(row: Row, apis: tuple[str, ...], docs: ApiDocs) -> list[FunctionDoc]:
    """The functions of all `apis` that `row` involves, one API after the other."""
    for api in apis:
        if api not in docs:
            raise malformed(row.where, f"an API of {', '.join(docs)}", repr(api))
    return [doc for api in apis for doc in docs[api]]
