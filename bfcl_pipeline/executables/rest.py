"""The HTTP requests of the category rest: what `requests` makes of a call, without sending anything."""

from collections.abc import Mapping
from typing import Any

from bfcl_pipeline.executables.apis import ApiAnswer, ApiRequest, Apis
from bfcl_pipeline.executables.binding import ExecutionFailed


def api_request(arguments: Mapping[str | None, Any]) -> ApiRequest:
    """The request that `requests.get` would send with `arguments`.

    Raises ExecutionFailed if `requests` refuses them.
    """
    raise ExecutionFailed(f"TypeError: not written yet: {arguments}")


def answer_of(arguments: Mapping[str | None, Any], apis: Apis) -> ApiAnswer:
    """The answer to the request with `arguments`. Raises ExecutionFailed, and what `Apis.get` raises."""
    return apis.get(api_request(arguments))
