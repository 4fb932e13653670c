"""The detectors of memory and web entries: hops, forms, provenance, unpassable, part_of_word."""

import pytest

from bfcl_pipeline.benchmark.records import Entry, Rules
from tests.support.audited import found, user


def question(text="How old is the cat?", truth=("7",), category="memory_kv", **parts):
    return Entry(f"{category}_0", category, (user(text),), (), list(truth), **parts)


def hop(answer="Ada", source="a page"):
    return {"subquestion": "Who?", "answer": answer, "source": source}


def after(text, truth, source="...a well-kept garden..."):
    """A session and a question with that source."""
    session = Entry("memory_kv_prereq_0", "memory_kv", (user(text),), (), prerequisite=True)
    return session, question(truth=truth, source=source, depends_on=("memory_kv_prereq_0",))


@pytest.mark.parametrize(
    ("hops", "accepted", "where"),
    [
        # The last hop may say an accepted answer in another form.
        ([hop("Ada Lovelace")], ["Ada Lovelace"], []),
        ([hop("ada-lovelace")], ["Ada Lovelace"], []),
        ([hop("Paris, France")], ["Paris"], []),
        ([hop("April 25, 2023")], ["2023-04-25"], []),
        ([hop("1 March")], ["2025/03/01"], []),
        ([hop("27 a.c.")], ["26", "27"], []),
        # A hop without a part, and a last hop that says something else, are listed.
        ([hop(), hop("Grace")], ["Ada"], ["hop 2"]),
        ([hop("25 April"), hop("26 April 2023")], ["Ada"], ["hop 2"]),
        ([hop(source=""), hop()], ["Ada"], ["hop 1"]),
        ([{"subquestion": "Who?", "answer": "Ada"}], ["Ada"], ["hop 1"]),
        ([], ["Ada"], ["source"]),
    ],
)
def test_chains_of_hops(hops, accepted, where):
    """A chain ends with the answer and has all parts of every hop, or is listed."""
    entry = question(truth=accepted, category="web_search_base", source=hops)
    assert [each.where for each in found("hops", entry)] == where


@pytest.mark.parametrize(
    ("truth", "text", "detail"),
    [
        (["1.8"], "How far?", "'18' passes for '1.8'"),
        (["1-20"], "From where to where?", "'120' passes for '1-20'"),
        (["puzzles"], "What do I like: puzzles or golf?", "a message that repeats the question passes"),
        (["e-sports"], "Which club?", "'e-sports' is accepted, 'e sports' is not"),
        (["$"], "Which sign?", "'$' does not pass as the answer"),
        # Plain answers, dates, and answers whose other form is accepted, are not listed.
        (["7", "seven"], "How old?", None),
        (["2024-10-25"], "When?", None),
        (["e-sports", "e sports"], "Which?", None),
        (["10 AM - 12 PM"], "When?", None),
        (["Ada Lovelace"], "Who?", None),
    ],
)
def test_forms_that_decide(truth, text, detail):
    """An accepted answer is listed if the checker decides by its form; official rules look anywhere."""
    entry = question(text, truth)
    assert [each.detail for each in found("forms", entry)] == ([detail] if detail else [])
    if "repeats" in str(detail):
        assert found("forms", entry, rules=Rules.CORRECTED) == []


@pytest.mark.parametrize(
    ("text", "truth", "reason"),
    [
        # An accepted answer is in the session with the source, perhaps in another form.
        ("It has a well-kept garden with two ponds.", ["Ponds"], None),
        ("It has a well-kept garden, open from 3 p.m. to five.", ["03:00 PM"], None),
        ("It has a well-kept garden; discipline, adaptability.", ["Adaptability, Discipline"], None),
        ("It has a well-kept garden.", ["yes"], None),
        ("It has a well-kept garden.", ["Ponds"], "no session with its source has 'Ponds'"),
        ("It has two ponds.", ["Ponds"], "no session has its source"),
    ],
)
def test_answers_that_no_session_tells(text, truth, reason):
    """A question is listed if no session has its source, or those that have it do not tell the answer."""
    details = [each.detail for each in found("provenance", *after(text, truth))]
    assert [detail.startswith(str(reason)) for detail in details] == ([True] if reason else [])


def test_an_answer_that_cannot_pass():
    """A question cannot be passed if the checker accepts none of its answers."""
    assert [each.where for each in found("unpassable", question(truth=["$"]))] == ["truth"]
    assert found("unpassable", question(truth=["$", "dollar"])) == []


@pytest.mark.parametrize(
    ("said", "truth", "count"),
    [
        ("Its boxes had corner dents.", ["corner dent"], 1),
        ("We offer a 19-month warranty.", ["19", "nineteen"], 1),
        ("Its boxes had corner dents.", ["corner dents"], 0),
        ("One corner dent, and more corner dents.", ["corner dent"], 0),
        ("Its boxes had corner dents.", ["scratch"], 0),
    ],
)
def test_answers_that_are_parts_of_words(said, truth, count):
    """A question is listed if its session has an accepted answer only as a part of longer words."""
    assert len(found("part_of_word", *after(said, truth, source=said))) == count
