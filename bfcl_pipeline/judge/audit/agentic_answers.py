"""Answers to memory and web questions, as the detectors put them to the checker."""

import json

from bfcl_pipeline.benchmark.records import Mode, NameStyle, Rules
from bfcl_pipeline.judge.scoring.agentic import AgenticChecker


def in_answer_form(answer: str) -> str:
    """The final message with `answer`, in the form that the prompt asks for."""
    return json.dumps({"answer": answer, "context": ""}, ensure_ascii=False)


def passes(checker: AgenticChecker, message: str, rules: Rules) -> bool:
    """Whether a conversation whose final message is `message` is valid."""
    (outcome,) = checker.check([[message]], Mode.PROMPT, NameStyle.UNDERSCORED, (rules,))
    return outcome.finding is None
