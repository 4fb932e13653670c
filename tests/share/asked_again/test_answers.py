"""What of two answers is equal: texts, calls in both modes, verdicts; and how often."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from bfcl_pipeline.ask.generation import ChatAsking
from bfcl_pipeline.benchmark.records import Entry, Exchange, Mode, Request, Rules
from bfcl_pipeline.runs.making import Making, ProvenanceUse
from bfcl_pipeline.runs.provenance import ModelFiles, Pipeline, Provenance, ServerRecord
from bfcl_pipeline.runs.provenance.document import MachineRecord
from bfcl_pipeline.share.asked_again.answers import (
    NO_CALLS,
    ComparedAnswer,
    ComparedRequest,
    are_equal,
    compared_form,
    equal_shares,
    odd_ones,
)
from bfcl_pipeline.share.asked_again.own_model import batch_invariant, different_surroundings, differing

Entries = Callable[[str], list[Entry]]
TRIANGLE = {"base": 10, "height": 5}


def _form(entry: Entry, result: Any, mode: Mode = Mode.FC, reply: Any = None) -> ComparedAnswer:
    exchange = Exchange(Request(mode, ()), result, reply=reply)
    return compared_form(entry, exchange, ChatAsking(mode), Rules.OFFICIAL)


def _called(**arguments: Any) -> list[dict[str, str]]:
    return [{"calculate_triangle_area": json.dumps(arguments)}]


def test_the_order_of_arguments_counts_in_the_text_alone(entries: Entries) -> None:
    """Equal values in another order are the same calls with the same verdict."""
    entry = entries("simple_python")[0]
    one = _form(entry, _called(base=10, height=5))
    other = _form(entry, _called(height=5, base=10))
    assert one.verdicts is True
    assert [are_equal(level, one, other) for level in ("texts", "calls", "verdicts")] == [
        False,
        True,
        True,
    ]
    wrong = _form(entry, _called(base=10, height=6))
    assert [are_equal(level, one, wrong) for level in ("texts", "calls", "verdicts")] == [False] * 3


def test_prompted_answers_are_decoded_in_their_language(entries: Entries) -> None:
    """Spaces and quotes are no difference of calls; what is not a call has none."""
    entry = entries("simple_python")[0]
    one = _form(entry, "[calculate_triangle_area(base=10, height=5)]", Mode.PROMPT)
    other = _form(entry, "calculate_triangle_area( height=5,base=10 )", Mode.PROMPT)
    words = _form(entry, "It is 25.", Mode.PROMPT)
    assert one.calls == other.calls != NO_CALLS
    assert words.calls == NO_CALLS
    java = entries("simple_java")[0]
    assert _form(java, "[f(a=new int[]{1, 2})]", Mode.PROMPT).calls != NO_CALLS


def test_ids_and_usage_are_not_compared(entries: Entries) -> None:
    """But words beside calls are part of the text."""
    entry = entries("simple_python")[0]
    result = _called(**TRIANGLE)
    first = _form(entry, result, reply={"content": None, "tool_calls": [{"id": "1"}]})
    second = _form(entry, result, reply={"content": None, "tool_calls": [{"id": "2"}]})
    third = _form(entry, result, reply={"content": "Well, ", "tool_calls": [{"id": "2"}]})
    assert first == second
    assert are_equal("texts", first, third) is False
    assert are_equal("calls", first, third) is True


def test_verdicts_of_conversations_may_be_undecided(entries: Entries) -> None:
    """The same calls go on equally; other calls, or other words without calls, lead elsewhere."""
    entry = entries("multi_turn_base")[0]
    cd, ls = [{"cd": '{"folder": "a"}'}], [{"ls": "{}"}]
    one, same, other = _form(entry, cd), _form(entry, [{"cd": '{"folder":"a"}'}]), _form(entry, ls)
    assert one.verdicts is None
    assert are_equal("verdicts", one, same) is True
    assert are_equal("verdicts", one, other) is None
    assert are_equal("verdicts", _form(entry, "Done."), _form(entry, "Done!")) is None
    assert are_equal("verdicts", _form(entry, "Done."), _form(entry, "Done.")) is True


def test_shares_leave_out_what_has_no_answer() -> None:
    """Each pair counts once; three askings have three pairs with one another."""
    a, b = ComparedAnswer("a", "f()", True), ComparedAnswer("b", "f()", False)
    requests = [
        ComparedRequest(a, (a, b, b), (a, None)),
        ComparedRequest(a, (None, a, a), (b, None)),
        ComparedRequest(b, (a, a, a), ()),
    ]
    shares = {
        level: list(map(str, columns.values())) for level, columns in equal_shares(requests, 3).items()
    }
    assert shares["texts"] == ["1 of 2", "1 of 3", "1 of 3", "5 of 7", "1 of 2"]
    assert shares["calls"][-2:] == ["7 of 7", "2 of 2"]
    assert shares["verdicts"][-1] == "1 of 2"
    assert odd_ones(requests, "texts") == [2]
    assert odd_ones(requests, "calls") == []


def test_the_first_difference_of_two_bodies_has_its_place() -> None:
    """Numbers, lists and absent keys; true is not one."""
    assert next(differing({"a": [{"b": 1}]}, {"a": [{"b": 2}]})).startswith(
        "a[0].b is 1 in the archive and 2"
    )
    assert "'nothing' in the archive" in next(differing({}, {"top_p": 1}))
    assert "[1] in the archive and [1, 2]" in next(differing({"a": [1]}, {"a": [1, 2]}))
    assert list(differing({"a": 1}, {"a": True})) != []
    assert list(differing({"a": (1, 2.0)}, {"a": [1, 2.0]})) == []


def _provenance(server: ServerRecord | None, models: dict[str, int]) -> Making:
    record = Provenance(
        Pipeline("1", None, changed=False), {}, MachineRecord("Linux", "x"), ModelFiles(), server
    )
    return Making((ProvenanceUse("0" * 64, record, 1, "", ""),), models, {}, 0)


def test_other_surroundings_are_reported() -> None:
    """Another version of the server, another variable, another model behind the same name."""
    invariant = ServerRecord("vllm", "0.31.0", environment={"VLLM_BATCH_INVARIANT": "1"})
    archived = _provenance(invariant, {"chat-2026-01": 3})
    own = _provenance(ServerRecord("vllm", "0.30.0"), {"chat-2026-02": 5})
    lines = list(different_surroundings(archived, own))
    assert lines[0] == (
        "the model that the API names is 'chat-2026-01' in the archive and 'chat-2026-02' in yours"
    )
    assert "server.version is '0.31.0' in the archive and '0.30.0' in yours" in lines
    assert any("VLLM_BATCH_INVARIANT" in line for line in lines)
    assert batch_invariant(archived)
    assert not batch_invariant(own)
    assert not batch_invariant(Making((), {}, {}, 0))
    assert list(different_surroundings(archived, archived)) == []
