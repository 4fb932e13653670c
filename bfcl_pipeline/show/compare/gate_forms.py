"""The decisions of a gate for CI: a JUnit report, and Markdown for the summary of a job."""

from xml.etree.ElementTree import Element, SubElement, indent, tostring

from bfcl_pipeline.base.markup import TextTable, markdown
from bfcl_pipeline.base.text import printable, signed_points
from bfcl_pipeline.judge.scoring.statistics.paired import Decision
from bfcl_pipeline.show.compare.gate import Gate
from bfcl_pipeline.show.compare.text import about, gate_line, reason, unread_reason

_HEADINGS = ("model", "score", "decision", "difference", "95 % interval", "entries")


def junit(gate: Gate) -> str:
    """A test case for each model and score, and for each model with too many unread calls.

    An undecided score is a failure of the type `undecided`, or is skipped if the gate lets it pass.
    """
    suite = Element("testsuite", name="bfcl-pipeline gate")
    for each in gate.scores:
        case = _case(suite, each.model, each.score.score)
        text = "; ".join([reason(each, gate.margin), *about(each)])
        if each.decision is Decision.PASS:
            SubElement(case, "system-out").text = text
        elif each.decision is Decision.UNDECIDED and gate.undecided_passes:
            SubElement(case, "skipped", message=text)
        else:
            SubElement(case, "failure", type=each.decision.value, message=text)
    for unread in gate.over_unread:
        case = _case(suite, unread.model, "unread calls")
        SubElement(case, "failure", type="fail", message=unread_reason(unread, gate))
    for kind, tag in (("tests", "testcase"), ("failures", "failure"), ("skipped", "skipped")):
        suite.set(kind, str(len(list(suite.iter(tag)))))
    indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(suite, encoding="unicode")}\n'


def _case(suite: Element, model: str, name: str) -> Element:
    return SubElement(suite, "testcase", classname=printable(model), name=name)


def gate_markdown(gate: Gate) -> str:
    """The outcome in a sentence, and a table with a row for each model and score."""
    rows = [
        [
            each.model,
            each.score.score,
            each.decision.value,
            signed_points(each.score.difference),
            f"{signed_points(each.score.low)} to {signed_points(each.score.high)}",
            f"{each.score.entries:,}",
        ]
        for each in gate.scores
    ]
    notes = [f"{each.model}, {each.score.score}: {note}." for each in gate.scores for note in about(each)]
    return markdown(TextTable(gate_line(gate), _HEADINGS, rows, notes))
