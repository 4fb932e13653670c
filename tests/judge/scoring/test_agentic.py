"""Verdicts on memory and web-search questions."""

from __future__ import annotations

import json

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Entry, Mode, Response, Rules
from bfcl_pipeline.judge.scoring import judge

CALL = [{"core_memory_retrieve_all": "{}"}]


def verdict(
    *steps,
    truth=("7", "seven"),
    mode=Mode.FC,
    rules=Rules.OFFICIAL,
    result=None,
    category="memory_kv",
):
    asked = ({"role": "user", "content": "How many?"},)
    on = Entry("memory_kv_0-finance-0", category, (asked,), (), truth=list(truth))
    text = json.dumps([list(steps)] if result is None else result)
    return judge(on, Response(on.entry_id, on.category, mode, text), rules)


@pytest.mark.parametrize(
    ("message", "official", "memory", "web"),
    [
        ("{'answer': '7', 'context': 'told so'}", True, True, True),
        ('{"answer": "Seven", "context": "it\'s told"}', True, True, True),
        ('Here: {"answer": 7, "context": null}', True, True, True),
        ("{'answer': '7 days', 'context': ''}", True, True, False),
        ("{'answer': 'not 7, but 8', 'context': ''}", True, False, False),
        ("{'answer': '8', 'context': 'I first thought of 7'}", True, False, False),
        ("It is 7.", True, True, False),
        ("It is 77.", False, False, False),
        ("{'answer': 'I do not know', 'context': 'I do not know'}", False, False, False),
        ("{'answer': s-e-v-e-n, 'context': it's told}", True, False, True),
    ],
)
def test_the_place_of_the_answer(message, official, memory, web):
    """Official: anywhere between word boundaries; corrected: in the `answer` field, on the web exactly."""
    for category, corrected in (("memory_kv", memory), ("web_search_base", web)):
        assert verdict(CALL, message, category=category).valid is official
        assert verdict(CALL, message, category=category, rules=Rules.CORRECTED).valid is corrected


def test_the_last_message_without_calls_counts():
    """Earlier messages and later calls do not count."""
    assert verdict("7", CALL, "8").error_type == "agentic:answer_not_found"
    assert verdict("8", CALL, "7").valid is True
    assert verdict("7", CALL).valid is True


@pytest.mark.parametrize("steps", [[CALL], ["7", ""], [], ["7", None], ["7", []]])
def test_without_a_message_there_is_no_answer(steps):
    """An answer of only calls, or with an empty end, has no final message."""
    assert verdict(*steps).error_type == "agentic:no_last_message"


@pytest.mark.parametrize("result", ["text", [], [[], []], {"a": 1}])
def test_a_result_that_is_not_one_turn_is_an_inference_error(result):
    """A result that is not a list of one turn's steps has its own official type."""
    assert verdict(result=result).error_type == "agentic:inference_error"


def test_prompted_answers_are_read_as_text():
    """In prompt mode a list of calls is not a message; any other text is."""
    assert verdict("[core_memory_retrieve_all()]", "{'answer': '7'}", mode=Mode.PROMPT).valid is True
    assert verdict("[core_memory_retrieve_all()]", mode=Mode.PROMPT).error_type == "agentic:no_last_message"


def test_messages_state_the_expected_answer():
    """The error message has the acceptable answers and the actual text."""
    found = verdict("{'answer': '8'}", rules=Rules.CORRECTED)
    assert found.error_message == "Expected '7' or 'seven', got the answer '8'."
    found = verdict("{'answer': '8'}", rules=Rules.CORRECTED, category="web_search_base")
    assert found.error_message == "Expected exactly '7' or 'seven', got the answer '8'."
    assert 'final message "It\'s 8."' in verdict("It's 8.").error_message


@pytest.mark.parametrize(
    ("given", "acceptable", "official"),
    [
        ("EIFFEL-TOWER", "Eiffel_Tower", True),
        ("eiffel-tower", "Eiffel Tower", False),
        ("eiffel tower", "Eiffel-Tower", False),
        ("Eiffel  Tower\n", "Eiffel Tower", False),
        ("Eiffel\N{NO-BREAK SPACE}Tower", "Eiffel Tower", False),
        ("Eiffel\N{EN DASH}Tower", "Eiffel-Tower", False),
        ("1996\N{NON-BREAKING HYPHEN}10\N{NON-BREAKING HYPHEN}16", "1996-10-16", False),
        ("Eiffel\N{ZERO WIDTH SPACE}Tower", "EiffelTower", False),
    ],
)
def test_spaces_and_dashes(given, acceptable, official):
    """Corrected ignores white space and all dashes; official ignores the hyphen only."""
    message = json.dumps({"answer": given})
    assert verdict(message, truth=[acceptable]).valid is official
    for category in ("memory_kv", "web_search_base"):
        corrected = verdict(message, truth=[acceptable], rules=Rules.CORRECTED, category=category)
        assert corrected.valid is True


@pytest.mark.parametrize("given", ["Eiffel Towers", "Tower", "the Eiffel Tower", "Eiffel+Tower"])
def test_other_words_differ(given):
    """On the web, without spaces, another answer is still another answer."""
    message, truth = json.dumps({"answer": given}), ["Eiffel Tower"]
    assert not verdict(message, truth=truth, rules=Rules.CORRECTED, category="web_search_base").valid


@pytest.mark.parametrize(
    ("message", "official", "corrected"),
    [
        ("{'answer': '7', 'context': ''}", "right", "right"),
        ("It is 7.", "right", "right"),
        ("{'answer': '8', 'context': 'not 7'}", "right", "wrong"),
        ("{'answer': '8', 'context': 'I do not know'}", "wrong", "wrong"),
        ("It is 8.", "no answer form", "no answer form"),
        ("{'answer': '', 'context': 'none'}", "no answer form", "no answer form"),
        ("{'answer': 'I do not know', 'context': 'I do not know'}", "abstained", "abstained"),
        ("{'answer': 'I DON\\'T KNOW.', 'context': ''}", "abstained", "abstained"),
        (
            '{"answer": "I don\N{RIGHT SINGLE QUOTATION MARK}t know", "context": ""}',
            "abstained",
            "abstained",
        ),
        ("{'answer': 'I cannot answer this question', 'context': 'no data'}", "abstained", "abstained"),
        ("{'answer': 'Sorry, I do not know.', 'context': ''}", "abstained", "abstained"),
        ("{'answer': \"I'm sorry, but I don't know\", 'context': ''}", "abstained", "abstained"),
        ("{'answer': ['I do not know'], 'context': ''}", "abstained", "abstained"),
        ("{'answer': '8, since I do not know', 'context': ''}", "abstained", "abstained"),
        ("I have no record of 7.", "right", "abstained"),
        ("It is 7 or 8.", "right", "hedge"),
        ("{'answer': '7 PM', 'context': ''}", "right", "wrong"),
        ("{'answer': None, 'context': 'nothing found'}", "no answer form", "no answer form"),
        ('{"answer": null}', "no answer form", "no answer form"),
        ("{'answer': ['7'], 'context': ''}", "right", "right"),
        ('{"answer": "8"} {"answer": "7"}', "right", "right"),
        ('{"answer": "I can not answer this question.", "context": ""}', "abstained", "abstained"),
        ("Sorry, I can't answer this question.", "abstained", "abstained"),
        ("I do not know", "abstained", "abstained"),
        ("{'answer': 'Iknow', 'context': ''}", "wrong", "wrong"),
        ("", "no answer form", "no answer form"),
    ],
)
def test_answer_classes(message, official, corrected):
    """An answer is right, wrong, a hedge or an abstention in any words, or has no answer form."""
    assert verdict(CALL, message).answer_class == official
    assert verdict(CALL, message, rules=Rules.CORRECTED).answer_class == corrected


@pytest.mark.parametrize("steps", [[CALL], []])
def test_without_a_message_there_is_no_answer_form(steps):
    """An answer that ends in calls has no answer form."""
    assert verdict(*steps).answer_class == "no answer form"


def test_a_malformed_truth_is_named():
    """A truth that is not a list of texts is an error of the release."""
    with pytest.raises(MalformedRelease, match="memory_kv_0-finance-0: truth: expected a list of texts"):
        verdict("7", truth=[7])


@pytest.mark.parametrize("number", ["0x" + "f" * 4_000, "-0b" + "1" * 20_000, "9" * 5_000])
def test_an_integer_that_cannot_be_printed_is_a_wrong_answer(number):
    """An answer of more digits than Python converts to text is wrong and stops nothing."""
    assert verdict(CALL, f"{{'answer': {number}}}", rules=Rules.CORRECTED).valid is False
