"""Verdicts on memory and web-search questions."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.errors import MalformedRelease
from bfcl_pipeline.records import Entry, Mode, Response, Rules
from bfcl_pipeline.scoring import judge
from bfcl_pipeline.scoring.agentic import answer_field

CALL = [{"core_memory_retrieve_all": "{}"}]


def verdict(*steps, truth=("7", "seven"), mode=Mode.FC, rules=Rules.OFFICIAL, result=None):
    asked = ({"role": "user", "content": "How many?"},)
    on = Entry("memory_kv_0-finance-0", "memory_kv", (asked,), (), truth=list(truth))
    text = json.dumps([list(steps)] if result is None else result)
    return judge(on, Response(on.entry_id, on.category, mode, text), rules)


@pytest.mark.parametrize(
    ("message", "official", "corrected"),
    [
        ("{'answer': '7', 'context': 'told so'}", True, True),
        ('{"answer": "Seven", "context": "it\'s told"}', True, True),
        ('Here: {"answer": 7, "context": null}', True, True),
        ("{'answer': 'not 7, but 8', 'context': ''}", True, False),
        ("{'answer': '8', 'context': 'I first thought of 7'}", True, False),
        ("It is 7.", True, False),
        ("It is 77.", False, False),
        ("{'answer': 'I do not know', 'context': 'I do not know'}", False, False),
        ("{'answer': s-e-v-e-n, 'context': it's told}", True, True),
    ],
)
def test_where_the_answer_stands(message, official, corrected):
    """Officially anywhere between word boundaries; corrected, exactly in the `answer` field."""
    assert verdict(CALL, message).valid is official
    assert verdict(CALL, message, rules=Rules.CORRECTED).valid is corrected


def test_the_last_message_without_calls_counts():
    """Messages before it do not, nor calls after it."""
    assert verdict("7", CALL, "8").error_type == "agentic:answer_not_found"
    assert verdict("8", CALL, "7").valid is True
    assert verdict("7", CALL).valid is True


@pytest.mark.parametrize("steps", [[CALL], ["7", ""], [], ["7", None], ["7", []]])
def test_no_message_is_no_answer(steps):
    """Calls only, or nothing said in the end, is no final message."""
    assert verdict(*steps).error_type == "agentic:no_last_message"


@pytest.mark.parametrize("result", ["text", [], [[], []], {"a": 1}])
def test_what_is_not_one_turn_is_an_inference_error(result):
    """A result that is not the steps of one turn has its own official type."""
    assert verdict(result=result).error_type == "agentic:inference_error"


def test_prompted_answers_are_read_as_text():
    """In prompt mode a list of calls is no message, and everything else is."""
    assert verdict("[core_memory_retrieve_all()]", "{'answer': '7'}", mode=Mode.PROMPT).valid is True
    assert verdict("[core_memory_retrieve_all()]", mode=Mode.PROMPT).error_type == "agentic:no_last_message"


def test_messages_say_what_was_expected():
    """A person sees the acceptable answers and what came."""
    found = verdict("{'answer': '8'}", rules=Rules.CORRECTED)
    assert found.error_message == "Expected exactly '7' or 'seven', got the answer '8'."
    assert 'final message "It\'s 8."' in verdict("It's 8.").error_message


def test_normalisation():
    """Case and the release's punctuation do not matter; spaces do."""
    assert verdict("{'answer': 'EIFFEL-TOWER'}", truth=["Eiffel_Tower"], rules=Rules.CORRECTED).valid
    assert not verdict("{'answer': 'eiffel tower'}", truth=["Eiffel_Tower"], rules=Rules.CORRECTED).valid


@pytest.mark.parametrize(
    ("message", "answer"),
    [
        ("{'answer': \"it's\"}", "it's"),
        ('```json\n{"answer": "a {b}"}\n```', "a {b}"),
        ("{'answer': 'a', 'answer': 'b'}", "b"),
        ("{answer: a}", None),
        ("{'answer': ", ""),
        ("{" * 100_000, None),
        ("{'answer': __import__('os')}", "__import__('os')"),
    ],
)
def test_the_answer_field(message, answer):
    """It is read as data, never evaluated, and found where the rest is damaged."""
    assert answer_field(message) == answer


def test_a_malformed_truth_is_named():
    """A truth that is no list of texts is an error of the release."""
    with pytest.raises(MalformedRelease, match="memory_kv_0-finance-0: truth: expected a list of texts"):
        verdict("7", truth=[7])
