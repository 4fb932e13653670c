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


def test_values_of_earlier_results_are_known(places, release_entry):
    """What an earlier call returned is known."""
    entry = release_entry("multi_turn_base_15")
    result = with_truth(entry, 4, "touch(file_name='Bob | 10 | 7')")
    assert places("provenance", result) == []


def test_values_that_no_check_compares_are_not_listed(places, release_entry):
    """A value that can be another one without failing the check is not listed."""
    entry = release_entry("multi_turn_base_159")  # nothing records the type of an insurance
    assert any("comprehensive" in call for turn in entry.truth for call in turn)
    assert places("provenance", entry) == []


def test_values_of_calls_that_only_read_are_not_listed(places, release_entry):
    """A call that does not change the state may have any value."""
    entry = with_truth(release_entry("multi_turn_base_15"), 4, "find(path='.', name='zebra')")
    assert places("provenance", entry) == []


@pytest.fixture
def variants(release_entry):
    """A scenario whose variants agree, by category."""
    names = ("base", "miss_func", "miss_param", "long_context")
    return {name: release_entry(f"multi_turn_{name}_{1}") for name in names}


def test_variants_that_differ_as_they_should(places, variants):
    """Turns without calls, functions held out and fillers are not drift."""
    assert places("drift", *variants.values()) == []


def test_drift_of_the_initial_state(places, variants):
    """The variants of a scenario must start in the same state."""
    state = {**variants["miss_func"].initial_state, "MathAPI": {"seed": 1}}
    moved = replace(variants["miss_func"], initial_state=state)
    assert places("drift", variants["base"], moved) == ["initial state"]


def test_drift_of_the_docs(places, variants):
    """The variants of a scenario must offer the same functions, from whatever turn on."""
    fewer = replace(variants["miss_func"], held_out={})
    assert places("drift", variants["base"], fewer) == ["functions"]


def test_fillers_of_long_context_are_not_drift(places, release_entry):
    """In long context, a value that no message says may be another one, and files may be more."""
    for number in (20, 38):
        pair = [release_entry(f"multi_turn_{name}_{number}") for name in ("base", "long_context")]
        assert pair[0].truth != pair[1].truth
        assert places("drift", *pair) == []


def test_drift_of_the_messages(places, variants):
    """The variants of a scenario must say the same numbers, ids and dates."""
    first = variants["miss_param"].turns[0][0]["content"]
    moved = with_message(variants["miss_param"], 0, first, f"{first} It is for 2027.")
    assert places("drift", variants["base"], moved) == ["messages"]


def test_drift_of_the_truth(places, release_entry):
    """The variants of a scenario must demand the same calls with the same values."""
    base, variant = release_entry("multi_turn_base_16"), release_entry("multi_turn_miss_func_16")
    turn = next(number for number, calls in enumerate(variant.truth) if calls)
    fewer = with_truth(variant, turn, *variant.truth[turn][1:])
    assert places("drift", base, variant) == []
    assert places("drift", base, fewer) == ["truth"]


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
