"""Where `rules: corrected` differs from `rules: official`, as data.

Each difference is one function, named here; docs/rules.md says the same for people, and a test holds
the two together.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Difference:
    """One defect of the official behaviour that the corrected rules mend."""

    name: str  # as in docs/rules.md
    function: str  # where it is decided: module:function
    official: str  # what the release does
    corrected: str  # what the corrected rules do


DIFFERENCES: tuple[Difference, ...] = (
    Difference(
        "assignment",
        "bfcl_pipeline.scoring.matching:first_unmatched",
        "parallel calls are paired greedily: each expected call takes the first fitting call that is "
        "left, and a complete pairing can be missed",
        "any complete pairing is found",
    ),
    Difference(
        "int-items",
        "bfcl_pipeline.scoring.values:int_items_as_floats",
        "2 is accepted for 2.0 as a parameter, but not as an item of an array of floats",
        "2 is accepted for 2.0 in both places",
    ),
    Difference(
        "text-alternatives",
        "bfcl_pipeline.scoring.values:alternatives",
        "where the truth gives a key of an object a text instead of a list of alternatives, its "
        "characters are the alternatives and the key is optional",
        "the text is the one acceptable value",
    ),
    Difference(
        "unary-operator",
        "bfcl_pipeline.calls.python:unary_value",
        "any unary operator negates: `+5` is read as -5",
        "the operator that was written is applied",
    ),
    Difference(
        "json-end",
        "bfcl_pipeline.calls.json_list:list_of_objects",
        "a JSON answer ends at the first `}]`, so a list of objects among the arguments cuts it short",
        "it ends where the list of calls is closed",
    ),
    Difference(
        "java-offsets",
        "bfcl_pipeline.calls.java:cut",
        "text is cut at byte offsets, so a character outside ASCII shifts all that follows",
        "text is cut at characters",
    ),
    Difference(
        "java-initialiser",
        "bfcl_pipeline.calls.java:class_body",
        "`new ArrayList<>() {{ add(1); }}` is read as an empty list",
        "the body is kept and read",
    ),
    Difference(
        "empty-turn",
        "bfcl_pipeline.scoring.multi_turn:unwanted_calls",
        "at a turn whose truth calls nothing, a function or its parameter being missing, a model may call "
        "what it likes",
        "it may call nothing: the release's own check, which its runner does not use",
    ),
    Difference(
        "exact-answer",
        "bfcl_pipeline.scoring.agentic:exact_answer",
        "an agentic answer is right if an acceptable one is mentioned anywhere in the final message",
        "the `answer` field of that message must be exactly an acceptable one, as the posts on V4 say",
    ),
)
