"""The detectors of multi-turn entries: unpassable, provenance, drift."""

from dataclasses import replace

import pytest

from tests.support.audited import found, user


def with_truth(entry, turn, *calls):
    """The entry with other calls in the truth of one turn, from 0."""
    return replace(entry, truth=[list(calls) if n == turn else each for n, each in enumerate(entry.truth)])


def with_message(entry, turn, old, new):
    """The entry with a changed message in one turn, from 0."""
    text = entry.turns[turn][0]["content"]
    assert old in text
    turns = [user(text.replace(old, new)) if n == turn else each for n, each in enumerate(entry.turns)]
    return replace(entry, turns=tuple(turns))


@pytest.fixture
def places(constants):
    """Where a detector finds something on entries."""
    return lambda detector, *on: [each.where for each in found(detector, *on, constants=constants)]


def test_a_function_that_is_not_offered_yet(places, release_entry):
    """An entry cannot be passed if its truth calls a function that is offered from a later turn on."""
    entry = release_entry("multi_turn_base_15")
    held_out = tuple(doc for doc in entry.functions if doc["name"] == "tail")
    functions = tuple(doc for doc in entry.functions if doc["name"] != "tail")
    early, late = ({turn: held_out} for turn in ("2", "3"))
    assert places("unpassable", replace(entry, functions=functions, held_out=early)) == []
    assert places("unpassable", replace(entry, functions=functions, held_out=late)) == ["turn 3"]


def test_a_truth_that_cannot_be_read(places, release_entry):
    """An entry cannot be passed if a call of its truth is not one of its APIs."""
    entry = with_truth(release_entry("multi_turn_base_15"), 0, "fly(to='Rome')")
    assert places("unpassable", entry) == ["truth"]


@pytest.mark.parametrize(
    ("call", "is_known"),
    [
        ("echo(content='Student', file_name='DataSet1.csv')", True),
        ("echo(content='student  |  Math', file_name='DataSet1.csv')", True),
        ("echo(content='9, 10', file_name='DataSet1.csv')", True),
        ("touch(file_name='DataSet1.Student')", True),
        ("echo(content='Teacher', file_name='DataSet1.csv')", False),
        ("echo(content='Math | Student', file_name='DataSet1.csv')", False),
        ("echo(content='as it is.', file_name='DataSet1.csv')", False),
        ("touch(file_name='DataSet3.csv')", False),
    ],
)
def test_values_of_calls_that_change_the_state(places, release_entry, call, is_known):
    """A value is listed if it is neither said nor put together from what is said."""
    entry = with_truth(release_entry("multi_turn_base_15"), 1, call)
    entry = replace(entry, turns=entry.turns[:2], truth=entry.truth[:2])
    name = "content" if "content" in call else "file_name"
    assert places("provenance", entry) == (
        [] if is_known else [f"turn 2, {call.partition('(')[0]}, {name}"]
    )


def test_a_value_that_is_said_too_late(places, release_entry):
    """A value that only a later message says is not known when the call is made."""
    entry = release_entry("multi_turn_base_15")
    early = with_truth(entry, 0, "touch(file_name='reserve.csv')")
    late = with_message(early, 1, "DataSet1.csv", "reserve.csv")
    said = with_message(early, 0, "DataSet1.csv", "reserve.csv")
    place = "turn 1, touch, file_name"
    assert place in places("provenance", late)
    assert place not in places("provenance", said)


@pytest.mark.parametrize(
    ("entry_id", "call"),
    [
        ("multi_turn_base_15", "touch(file_name='Bob | 10 | 7')"),  # an earlier call returned it
        ("multi_turn_base_15", "find(path='.', name='zebra')"),  # which changes no state
        ("multi_turn_base_159", None),  # nothing records the type of an insurance
    ],
)
def test_values_that_need_not_be_said(places, release_entry, entry_id, call):
    """What was returned, what only reads, and what can be another value without failing, is not listed."""
    entry = release_entry(entry_id)
    assert places("provenance", with_truth(entry, 4, call) if call else entry) == []


VARIANTS = ("base", "miss_func", "miss_param", "long_context")


@pytest.fixture
def variants(release_entry):
    """A scenario whose variants agree, by category."""
    return {name: release_entry(f"multi_turn_{name}_1") for name in VARIANTS}


def test_variants_that_differ_as_they_should(places, variants, release_entry):
    """Turns without calls, functions held out, fillers and values that no message says are not drift."""
    assert places("drift", *variants.values()) == []
    for number in (20, 38):
        pair = [release_entry(f"multi_turn_{name}_{number}") for name in ("base", "long_context")]
        assert pair[0].truth != pair[1].truth
        assert places("drift", *pair) == []


def test_drift_of_a_variant(places, variants, release_entry):
    """Variants must start in one state, offer the same functions, say the same and demand the same."""
    base, other, asked = variants["base"], variants["miss_func"], variants["miss_param"]
    moved = replace(other, initial_state={**other.initial_state, "MathAPI": {"seed": 1}})
    assert places("drift", base, moved) == ["initial state"]
    assert places("drift", base, replace(other, held_out={})) == ["functions"]
    first = asked.turns[0][0]["content"]
    later = with_message(asked, 0, first, f"{first} It is for 2027.")
    assert places("drift", base, later) == ["messages"]
    base, variant = release_entry("multi_turn_base_16"), release_entry("multi_turn_miss_func_16")
    turn = next(number for number, calls in enumerate(variant.truth) if calls)
    assert places("drift", base, variant) == []
    assert places("drift", base, with_truth(variant, turn, *variant.truth[turn][1:])) == ["truth"]


def test_drift_between_values_of_calls(release_entry, constants):
    """A changed value is reported with its call and both values."""
    pair = [release_entry(f"multi_turn_{name}_15") for name in ("base", "miss_func")]
    drift = found("drift", *pair, constants=constants)
    found_there = next(each for each in drift if each.entry_id == "multi_turn_miss_func_15")
    assert (found_there.where, found_there.related) == ("truth, mean", "multi_turn_base_15")
    assert found_there.detail == "numbers is [3, 16, 62], there [3, 16, 60]"


@pytest.mark.parametrize(
    ("first", "other"),
    [
        ("memory_kv_0-customer-0", "memory_vector_0-customer-0"),
        ("web_search_base_0", "web_search_no_snippet_0"),
    ],
)
def test_drift_between_categories_with_the_same_questions(places, release_entry, first, other):
    """Memory and web questions must have the same messages and truth in every category that has them."""
    one, two = release_entry(first), release_entry(other)
    assert places("drift", one, two) == []
    assert places("drift", one, replace(two, truth=["another"])) == ["truth"]


def test_drift_of_a_restatement(places, release_entry, entries):
    """An entry of format_sensitivity must have the messages, docs and truth of its base entry."""
    restated = entries("format_sensitivity")[0]
    base = release_entry(restated.base_entry_id)
    assert places("drift", base, restated) == []
    assert places("drift", base, replace(restated, functions=())) == ["functions"]
