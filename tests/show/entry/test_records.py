"""The verdict on the page of an entry."""

import io

import pytest

from bfcl_pipeline.show.entry.records import put_verdict
from bfcl_pipeline.show.entry.terminal_page import TerminalPage
from bfcl_pipeline.show.transcripts.parts import VerdictRecord


def printed(verdict, **more):
    """The lines of a verdict under official rules."""
    file = io.StringIO()
    put_verdict(TerminalPage(file), verdict, **more)
    return file.getvalue().strip().splitlines()


@pytest.mark.parametrize(
    ("verdict", "line"),
    [
        (VerdictRecord("official", True, "answered"), "valid  official rules"),
        (
            VerdictRecord("official", True, "answered", answer_class="empty"),
            "valid  official rules, empty",
        ),
        (
            VerdictRecord(
                "official", False, "answered", "agentic:answer_not_found", answer_class="abstained"
            ),
            "invalid  agentic:answer_not_found  (official rules, abstained)",
        ),
    ],
)
def test_the_line_of_a_verdict_has_the_class_of_the_answer(verdict, line):
    """The class stands after the rule set where the verdict has one."""
    assert printed(verdict) == [line]


@pytest.mark.parametrize(("valid", "marked"), [(False, True), (True, False), (None, False)])
def test_only_a_wrong_answer_on_a_doubtful_entry_is_marked(valid, marked):
    """An answer that is right, or has no verdict, is not excused by a defect of the entry."""
    lines = printed(VerdictRecord("official", valid, "answered"), doubtful=True)
    assert ("The errata list this entry, see below." in lines[-1]) is marked
