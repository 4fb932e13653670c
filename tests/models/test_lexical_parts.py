"""The parts that lexical is made of: what a request mentions, dates, and reading docs back."""

from dataclasses import replace

import pytest

from bfcl_pipeline.benchmark import FORMATS
from bfcl_pipeline.models.lexical.dates import in_asked_form
from bfcl_pipeline.models.lexical.functions import Kind, read_function
from bfcl_pipeline.models.lexical.mentions import Sort, mentions, runs
from bfcl_pipeline.models.lexical.prompt_docs import read_prompt
from bfcl_pipeline.models.lexical.words import stem
from bfcl_pipeline.prompts import offered_functions, system_prompt
from bfcl_pipeline.tables.texts import read_texts


@pytest.mark.parametrize(
    ("text", "sort", "found"),
    [
        ("give me 5.5 of it", Sort.NUMBER, ["5.5"]),
        ("it costs $2,000 or so", Sort.NUMBER, ["$2,000"]),
        ("at -3 degrees", Sort.NUMBER, ["-3"]),
        ("a rate of 8% a year", Sort.NUMBER, ["8%"]),
        ("flights of 2024-03-01 or 3/4/2024", Sort.DATE, ["2024-03-01", "3/4/2024"]),
        ("on March 10, 2022 and the 2nd of April", Sort.DATE, ["March 10, 2022", "2nd of April"]),
        ("meet at 9:30 AM or 10 pm", Sort.TIME, ["9:30 AM", "10 pm"]),
        ("mail a.b@example.com about it", Sort.EMAIL, ["a.b@example.com"]),
        ("see https://example.com/a?b=1.", Sort.URL, ["https://example.com/a?b=1"]),
        ("call 'this one' or \"that one\"", Sort.QUOTED, ["this one", "that one"]),
        ("use `x y` with clusterState", Sort.CODE, ["x y", "clusterState"]),
        ("of [1, 2, 3] take two", Sort.LIST, ["[1, 2, 3]"]),
        ("a flight to New York, NY today", Sort.NAME, ["New York, NY"]),
        ("the weather in Paris, France", Sort.NAME, ["Paris, France"]),
        ("Find Taylor's songs. Then I rest.", Sort.NAME, ["Taylor"]),
    ],
)
def test_mentions_of_every_sort_are_found(text, sort, found):
    """Numbers, dates, names and the rest are found where they stand, without their surroundings."""
    assert [mention.text for mention in mentions(text) if mention.sort is sort] == found


@pytest.mark.parametrize(
    ("text", "value"),
    [("5 million", 5_000_000), ("20k", 20_000), ("1e-9", 1e-9), ("2,500.5", 2500.5), ("-7", -7)],
)
def test_numbers_have_their_value(text, value):
    """A number is worth what its digits, sign, scale and separators say."""
    (mention,) = mentions(f"about {text} of them")
    assert mention.number == value


def test_values_in_a_row_belong_together():
    """Mentions of one sort with only commas and conjunctions between make one row."""
    text = "in Oslo, Paris and Rome for 3 days"
    assert [[one.text for one in row] for row in runs(mentions(text), text)] == [
        ["Oslo", "Paris", "Rome"],
        ["3"],
    ]


@pytest.mark.parametrize(
    ("date", "description", "written"),
    [
        ("March 10, 2022", "The date in the format YYYY-MM-DD.", "2022-03-10"),
        ("2nd of April 2023", "as MM/DD/YYYY", "04/02/2023"),
        ("2023.4.11", "in 'yyyy-mm-dd'", "2023-04-11"),
        ("March 10", "in YYYY-MM-DD", "March 10"),
        ("March 10, 2022", "The date.", "March 10, 2022"),
    ],
)
def test_dates_take_the_form_that_is_asked_for(date, description, written):
    """A whole date is rewritten as the description says; one without a year is left as it is."""
    assert in_asked_form(date, description) == written


def test_forms_of_a_word_have_one_stem():
    """A verb and the nouns made of it compare equal."""
    assert (
        len({stem(word) for word in ("calculate", "calculates", "calculated", "calculation", "Calculator")})
        == 1
    )


@pytest.mark.parametrize("doc_format", ["json", "python", "xml"])
def test_docs_read_back_from_any_form(entries, staged, doc_format):
    """Functions read from a system prompt are those of the schema, but for what the form leaves out."""
    texts = read_texts(staged)
    fmt = replace(FORMATS[0], doc_format=doc_format)
    for category in ("simple_python", "multiple", "live_multiple", "simple_java"):
        for entry in entries(category)[::7]:
            offered = offered_functions(entry)
            found = read_prompt(system_prompt(texts, fmt, offered)).functions
            assert [_outline(one) for one in found] == [_outline(read_function(doc)) for doc in offered]


def _outline(function):
    """What all three forms tell: not what is required, nor the choices of what a list holds."""
    return function.name, function.description.strip(), function.language, _parameters(function.parameters)


def _parameters(parameters):
    return [
        (p.name, p.kind, p.description.strip(), p.choices, p.item and p.item.kind, _parameters(p.parts))
        for p in parameters
    ]


def test_odd_docs_are_read_without_complaint():
    """A doc that lacks parts, or has others, is read as far as it goes."""
    odd = {"name": "f", "parameters": {"properties": {"a": {}, "b": "no", "c": {"type": ["x"], "enum": 5}}}}
    parameters = read_function(odd).parameters
    assert [(p.name, p.kind, p.required) for p in parameters] == [
        ("a", Kind.TEXT, False),
        ("c", Kind.TEXT, False),
    ]
    assert read_function({}).parameters == ()
