"""The detectors of memory and web entries: hops, forms, provenance, unpassable."""

import pytest

from bfcl_pipeline.benchmark.records import Entry, Rules
from tests.support.audited import found, user


def question(text="How old is the cat?", truth=("7",), category="memory_kv", **parts):
    return Entry(f"{category}_0", category, (user(text),), (), list(truth), **parts)


def hop(subquestion="Who?", answer="Ada", source="a page"):
    return {"subquestion": subquestion, "answer": answer, "source": source}


@pytest.mark.parametrize(
    ("answer", "accepted"),
    [
        ("Ada Lovelace", ["Ada Lovelace"]),
        ("ada-lovelace", ["Ada Lovelace"]),
        ("Paris, France", ["Paris"]),
        ("April 25, 2023", ["2023-04-25"]),
        ("1 March", ["2025/03/01"]),
        ("27 a.c.", ["26", "27"]),
    ],
)
def test_a_chain_that_ends_with_the_answer(answer, accepted):
    """The last hop may say an accepted answer in another form."""
    assert (
        found("hops", question(truth=accepted, category="web_search_base", source=[hop(answer=answer)]))
        == []
    )


@pytest.mark.parametrize(
    ("hops", "where"),
    [
        ([hop(), hop(answer="Grace")], "hop 2"),
        ([hop(answer="25 April"), hop(answer="26 April 2023")], "hop 2"),
        ([hop(source=""), hop()], "hop 1"),
        ([{"subquestion": "Who?", "answer": "Ada"}], "hop 1"),
        ([], "source"),
    ],
)
def test_a_chain_that_breaks(hops, where):
    """A hop without a part, and a last hop that says something else, are listed."""
    entry = question(truth=["Ada"], category="web_search_base", source=hops)
    assert [each.where for each in found("hops", entry)] == [where]


@pytest.mark.parametrize(
    ("truth", "text", "detail"),
    [
        (["1.8"], "How far?", "'18' passes for '1.8'"),
        (["1-20"], "From where to where?", "'120' passes for '1-20'"),
        (["puzzles"], "What do I like: puzzles or golf?", "a message that repeats the question passes"),
        (["e-sports"], "Which club?", "'e-sports' is accepted, 'e sports' is not"),
        (["$"], "Which sign?", "'$' does not pass as the answer"),
    ],
)
def test_forms_that_decide(truth, text, detail):
    """An accepted answer is listed if the checker decides by its form."""
    assert [each.detail for each in found("forms", question(text, truth))] == [detail]


@pytest.mark.parametrize(
    "truth",
    [["7", "seven"], ["2024-10-25"], ["e-sports", "e sports"], ["10 AM - 12 PM"], ["Ada Lovelace"]],
)
def test_forms_that_do_not_decide(truth):
    """Plain answers, dates, and answers whose other form is accepted, are not listed."""
    assert found("forms", question(truth=truth)) == []


def test_forms_are_checked_under_the_given_rules():
    """A message that repeats the question passes under the official rules only."""
    entry = question("What do I like: puzzles or golf?", ["puzzles"])
    assert found("forms", entry, rules=Rules.CORRECTED) == []


def session(text):
    return Entry("memory_kv_prereq_0", "memory_kv", (user(text),), (), prerequisite=True)


def told(truth, source="...a well-kept garden..."):
    return question(truth=truth, source=source, depends_on=("memory_kv_prereq_0",))


@pytest.mark.parametrize(
    ("text", "truth"),
    [
        ("It has a well-kept garden with two ponds.", ["Ponds"]),
        ("It has a well-kept garden, open from 3 p.m. to five.", ["03:00 PM"]),
        ("It has a well-kept garden; discipline, adaptability.", ["Adaptability, Discipline"]),
        ("It has a well-kept garden.", ["yes"]),
    ],
)
def test_an_answer_that_a_session_tells(text, truth):
    """An accepted answer is in the session with the source, perhaps in another form."""
    assert found("provenance", session(text), told(truth)) == []


@pytest.mark.parametrize(
    ("text", "source", "reason"),
    [
        (
            "It has a well-kept garden.",
            "...a well-kept garden...",
            "no session with its source has 'Ponds'",
        ),
        ("It has two ponds.", "...a well-kept garden...", "no session has its source"),
    ],
)
def test_an_answer_that_no_session_tells(text, source, reason):
    """A question is listed if no session has its source, or those that have it do not tell the answer."""
    assert [
        each.detail[: len(reason)] for each in found("provenance", session(text), told(["Ponds"], source))
    ] == [reason]


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
    session = Entry("memory_kv_prereq_0", "memory_kv", (user(said),), (), None, prerequisite=True)
    asked = question("What is it?", truth, source=said, depends_on=("memory_kv_prereq_0",))
    assert len(found("part_of_word", session, asked)) == count
