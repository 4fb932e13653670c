"""The requests of calls that are shown, also of those that no verdict needs."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest

from bfcl_pipeline.benchmark.records import Entry, Mode, Response
from bfcl_pipeline.judge.web_files import shown_requests
from bfcl_pipeline.world.executables import NoApis
from bfcl_pipeline.world.executables.functions import work
from tests.support.work import measured

STEPS = 100_000
"""The bound on the work of an answer, which in the package is forty times as high."""


def test_finding_the_requests_of_an_answer_is_bounded(
    entries: Callable[[str], list[Entry]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls without network are not executed, and the work of all others together is bounded."""
    rates = "convert_currency(amount={}, from_currency='USD', to_currency='JPY')"
    texts = [rates.format(1), "get_prime_factors(number=4.5)"]
    texts += [rates.format("get_prime_factors(number=4.5)")] * 500
    (entry,) = [one for one in entries("exec_simple") if one.entry_id == "exec_simple_0"]
    response = Response(
        entry_id=entry.entry_id,
        category=entry.category,
        mode=Mode.PROMPT,
        result_json=json.dumps(f"[{', '.join(texts)}]"),
    )
    monkeypatch.setattr(work, "MAX_ANSWER_STEPS", STEPS)
    with measured() as counted:
        found = shown_requests(entry, [response], NoApis())
    assert [key.request.url.rpartition("/")[2] for key in found] == ["USD"]
    assert counted.calls < 20 * STEPS
