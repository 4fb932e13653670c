"""The differences between `rules: corrected` and `rules: official`, as data.

Each difference is decided in one function, which is named here. docs/rules.md has the same list for
people; a test compares the two.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class RuleDifference:
    """One defect of the official behaviour that the corrected rules fix."""

    name: str  # name in docs/rules.md
    function: str  # the deciding function, as module:function
    official: str  # behaviour of the release
    corrected: str  # behaviour of the corrected rules


DIFFERENCES: tuple[RuleDifference, ...] = (
    RuleDifference(
        "assignment",
        "bfcl_pipeline.judge.scoring.matching:pairing",
        "parallel calls are paired greedily: each expected call takes the first matching call that is "
        "left, and a complete pairing can be missed",
        "any complete pairing is found",
    ),
    RuleDifference(
        "int-items",
        "bfcl_pipeline.judge.scoring.values:int_items_as_floats",
        "2 is accepted for 2.0 as a parameter, but not as an item of an array of floats",
        "2 is accepted for 2.0 in both places",
    ),
    RuleDifference(
        "text-alternatives",
        "bfcl_pipeline.judge.scoring.values:alternatives",
        "where the truth has a text instead of a list of alternatives for a key of an object, its "
        "characters are the alternatives and the key is optional",
        "the text is the one acceptable value",
    ),
    RuleDifference(
        "unary-operator",
        "bfcl_pipeline.dialogue.calls.python:unary_value",
        "any unary operator negates: `+5` is read as -5",
        "the operator that was written is applied",
    ),
    RuleDifference(
        "json-end",
        "bfcl_pipeline.dialogue.calls.json_list:list_of_objects",
        "a JSON answer ends at the first `}]`, so a list of objects among the arguments cuts it short",
        "it ends at the bracket that closes the list of calls",
    ),
    RuleDifference(
        "java-offsets",
        "bfcl_pipeline.dialogue.calls.java:cut_source",
        "text is cut at byte offsets, so a character outside ASCII shifts all text after it",
        "text is cut at characters",
    ),
    RuleDifference(
        "java-initialiser",
        "bfcl_pipeline.dialogue.calls.java:class_body",
        "`new ArrayList<>() {{ add(1); }}` is read as an empty list",
        "the body is kept and read",
    ),
    RuleDifference(
        "empty-turn",
        "bfcl_pipeline.judge.scoring.multi_turn:unwanted_calls",
        "at a turn whose truth calls nothing, because a function or a parameter is missing, any call is "
        "accepted",
        "no call is accepted there: the release's own check, which its runner does not use",
    ),
    RuleDifference(
        "exact-answer",
        "bfcl_pipeline.judge.scoring.agentic:exact_answer",
        "a web-search answer is valid if an acceptable one occurs anywhere in the final message",
        "the `answer` field of that message must equal an acceptable one, as the post on web search "
        "describes",
    ),
    RuleDifference(
        "answer-words",
        "bfcl_pipeline.judge.scoring.agentic:memory_answer",
        "a memory answer is valid if an acceptable one occurs anywhere in the final message, compared "
        "without points, hyphens and slashes: 135 is 13.5, and an abstention that names the answer is "
        "valid",
        "the `answer` field, or the message if it has none, must hold an acceptable answer as whole "
        "words and numbers, and must neither abstain nor deny it nor list it among other candidates",
    ),
    RuleDifference(
        "answer-spaces",
        "bfcl_pipeline.judge.scoring.agentic:equal_without_spaces",
        "white space and Unicode dashes count in a web-search answer: `eiffel-tower` is not `Eiffel "
        "Tower`, which the post on web search calls equal",
        "answers are compared without them, as the release describes its normalisation",
    ),
    RuleDifference(
        "malformed-call",
        "bfcl_pipeline.judge.scoring.single_turn:malformed_call",
        "in the irrelevance categories any answer that cannot be decoded is correct, so a broken call "
        "counts as an abstention",
        "an answer that attempts a call is wrong, also if the call cannot be decoded",
    ),
    RuleDifference(
        "float-rounding",
        "bfcl_pipeline.judge.scoring.executed_values:equal_values",
        "values of executed calls are compared to the last bit: prices added one by one, "
        "210.09999999999997, are not 210.1",
        "numbers may differ by 1e-12 of their size, that is by rounding, unless both are whole",
    ),
    RuleDifference(
        "negative-real-time",
        "bfcl_pipeline.judge.scoring.executed_values:in_range",
        "no figure is within 20 % of a negative one, since the two bounds are in the wrong order",
        "the bounds are in order",
    ),
    RuleDifference(
        "empty-object",
        "bfcl_pipeline.dialogue.calls.execution:empty_object",
        "`headers={}` in a prompted answer whose call is executed is read as a call without a name, so the "
        "answer cannot be decoded",
        "it is an empty object; conversations are decoded as in the release",
    ),
    RuleDifference(
        "rest-host",
        "bfcl_pipeline.judge.scoring.rest:other_host",
        "a REST request may ask any server, and only the form of the answer counts",
        "it must ask the host of the entry's reference request, which the function's documentation names",
    ),
    RuleDifference(
        "rest-values",
        "bfcl_pipeline.judge.scoring.rest:unlike_values",
        "only the top-level names of a REST answer are compared, so one that found nothing, or statistics "
        "of all countries instead of one, is valid",
        "each top-level value must also be a list, an object or neither as in the recorded response, and "
        "not be empty if that is not",
    ),
    RuleDifference(
        "rest-list-length",
        "bfcl_pipeline.judge.scoring.rest:wrong_length",
        "a list must have as many items as the recorded response, though what a server finds changes",
        "any number of items is accepted, but none only if the recorded response has none",
    ),
)
