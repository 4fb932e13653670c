"""An API that answers from a script, for the reference sides of the wire seams (in .venv-peer)."""

from __future__ import annotations

import json
from importlib import import_module
from typing import Any


class Api:
    """Replaces an API: records each request and answers with the next part of the script."""

    def __init__(self) -> None:
        self.requests: list[tuple[str, dict[str, Any]]] = []
        self.answers: list[Any] = []

    def serve(self, request: Any) -> Any:
        self.requests.append((str(request.url), json.loads(request.content)))
        given = self.answers[min(len(self.requests), len(self.answers)) - 1]
        response: Any = import_module(type(request).__module__).Response
        if isinstance(given, str):
            return response(200, headers={"content-type": "text/event-stream"}, text=given)
        return response(200, json=given)
