"""Running calls in a simulated world, and filling its APIs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call, Entry
from bfcl_pipeline.world.tools import APIS, Constants, Effect, World, WorldConfig, effects, world
from bfcl_pipeline.world.tools.api import MAX_INNER_RESULT, MAX_RESULT, MAX_SOURCE, changes, reads
from bfcl_pipeline.world.tools.state import copy_value, fill
from tests.support.work import measured

FAILED = "Error during execution: "


@dataclass(slots=True)
class EchoState:
    """The values that were stored."""

    kept: list[Any] = field(default_factory=list)
    loudness: float = 1.0


class EchoAPI:
    """A minimal API, with methods that may not be called."""

    def __init__(self):
        self.state = EchoState()

    @reads
    def echo(self, value=None, other=None):
        return value

    @changes
    def keep(self, value):
        self.state.kept.append(value)

    @reads
    def fail(self):
        raise ValueError("out of order")

    def unmarked(self, **_):
        self.state.kept.append("unmarked")

    def _private(self, **_):
        self.state.kept.append("private")


@pytest.fixture
def api():
    return EchoAPI()


@pytest.fixture
def small(api):
    """A world with `api`; its owner is `me`."""
    return World({"EchoAPI": api}, "me")


@pytest.fixture
def run(small):
    """Runs a call by name with arguments."""
    return lambda name, **arguments: small.run(Call(name, arguments))


def echoed(value):
    return Call("echo", {"value": value})


def kept(value):
    return Call("keep", {"value": value})


INSTANCE = "me_EchoAPI_instance"
RESULTS = [
    # A mapping is JSON where possible, text is unchanged, other values print as in Python.
    (echoed("as it is"), "as it is"),
    (echoed(None), "None"),
    (echoed(True), "True"),
    (echoed(2.50), "2.5"),
    (echoed([1, "a", None]), "[1, 'a', None]"),
    (echoed((1,)), "(1,)"),
    (echoed({"a": None, "é": [True]}), '{"a": null, "\\u00e9": [true]}'),
    (echoed({"a": 1j}), "{'a': 1j}"),
    (echoed({(1, 2): "a"}), "{(1, 2): 'a'}"),
    # A call among the arguments is run first, and its result is the argument.
    (echoed(echoed(echoed("x"))), "x"),
    (echoed({"a": echoed([1]), "b": 2}), '{"a": [1], "b": 2}'),
    # Spaces around names are ignored, and names of parameters are normalised, as in source text.
    (Call("echo ", {"value": 1}), "1"),
    (Call(" echo", {"value": 1}), "1"),
    (Call("echo\n", {"value": 1}), "1"),
    (Call("echo", {" value": 1}), "1"),
    (Call("echo", {"value ": 1}), "1"),
    (Call("echo", {"ᵛalue": 1}), "1"),
    (
        Call("echo", {"value": 1, "ᵛalue": 2}),
        f"{FAILED}keyword argument repeated: value (<string>, line 1)",
    ),
    # An exception of a method, and arguments that do not fit, have Python's message.
    (Call("fail", {}), f"{FAILED}out of order"),
    (Call("keep", {}), f"{FAILED}EchoAPI.keep() missing 1 required positional argument: 'value'"),
    (
        Call("keep", {"value": 1, "extra": 2}),
        f"{FAILED}EchoAPI.keep() got an unexpected keyword argument 'extra'",
    ),
    (Call("keep", {"self": 1}), f"{FAILED}EchoAPI.keep() got multiple values for argument 'self'"),
    # A name that is not a marked method is undefined; its arguments are not run.
    *(
        (Call(name, {"value": kept(1)}), f"{FAILED}name {name!r} is not defined")
        for name in ("nothing", "unmarked", "_private", "__init__", "__class__", "state", "print")
    ),
    (Call("api.echo", {}), f"{FAILED}name 'api' is not defined"),
    (Call("keep", {"value": Call("nothing", {})}), f"{FAILED}name 'nothing' is not defined"),
    # An expression as a function name is not evaluated, even if it is valid code.
    *(
        (Call(name, {"value": 1}), f"{FAILED}*")
        for name in (
            *(f"{INSTANCE}.unmarked", f"{INSTANCE}._private", f"{INSTANCE}.state.kept.append"),
            *("echo.__func__.__globals__", "echo.__self__.unmarked", "__import__('os').getcwd"),
            *("(lambda **_: 1)", "keep if 1 else echo"),
        )
    ),
    # A few names are refused, also after a dot and with spaces.
    *(
        (Call(name, {}), f"{FAILED}Function call {bare} is not allowed.")
        for name, bare in (
            *(("kill", "kill"), ("run", "run"), ("remove", "remove"), ("kill ", "kill")),
            *(("api.run", "run"), ("any.exit.at_all", "exit")),
        )
    ),
    # A call that is not valid Python fails with Python's message.
    *(
        (call, f"{FAILED}invalid syntax*(<string>, line 1)")
        for call in (Call("a b", {}), Call("class", {}), Call("echo", {"not": 1}), Call("", {"a": 1}))
    ),
    # NaN and infinities are written as names, which are not defined.
    (echoed(float("nan")), f"{FAILED}name 'nan' is not defined"),
    (echoed(float("inf")), f"{FAILED}name 'inf' is not defined"),
    (echoed(-float("inf")), f"{FAILED}name 'inf' is not defined"),
    (echoed([{"a": float("nan")}]), f"{FAILED}name 'nan' is not defined"),
    # In text, a method before a bracket is prefixed with its instance; a space before one is removed.
    *(
        pair
        for given, got in (
            ("see (1)", "see(1)"),
            ("call echo ()", f"call {INSTANCE}.echo()"),
            ("echo()fail(", f"{INSTANCE}.echo(){INSTANCE}.fail("),
            ("line\necho (1)", "line\necho(1)"),  # the text has a literal \n, so that the word is necho
            ("it's \"keep (", f"it's \"{INSTANCE}.keep("),
            ("2x (y), é (z), unmarked (", "2x (y), é (z), unmarked("),
            ("__import__('os').getcwd()", "__import__('os').getcwd()"),
            ("no bracket echo )", "no bracket echo )"),
        )
        for pair in ((echoed(given), got), (echoed([{given: 0}]), str([{got: 0}])))
    ),
    # What is too long.
    (echoed("x" * MAX_RESULT), "x" * MAX_RESULT),
    (echoed("x" * (MAX_RESULT + 1)), f"{FAILED}a result of *"),
    (echoed(echoed("x" * MAX_INNER_RESULT)), "x" * MAX_INNER_RESULT),
    (Call("keep", {"value": echoed("x" * (MAX_INNER_RESULT + 1))}), f"{FAILED}*too long*"),
    (Call("echo", {f"a {number}": 1 for number in range(10_000)}), f"{FAILED}*is too long to be parsed*"),
]
"""Calls and their results (* stands for anything), none of which changes the state."""


@pytest.mark.parametrize(("call", "text"), RESULTS, ids=[str(call.name)[:30] for call, _ in RESULTS])
def test_results(small, api, call, text):
    """Each call has its result, and only marked methods of an API are reached."""
    parts = map(re.escape, text.split("*"))
    assert re.fullmatch(".*".join(parts), small.run(call), re.DOTALL)
    assert api.state == EchoState()


@pytest.mark.parametrize(
    ("outer", "inner"),
    [
        (
            "post_tweet",
            {"content": ("get_user_tweets", "username"), "tags": ("get_user_tweets", "username")},
        ),
        ("create_ticket", dict.fromkeys(("title", "description"), ("get_user_tickets", "status"))),
    ],
)
def test_states_do_not_double(constants, outer, inner):
    """Results that are stored in a state again and again hit a bound: 500 rounds stay a few megabytes."""
    user = {"username": "Ann", "current_user": "Ann", "authenticated": True}
    small = World.of(["TwitterAPI", "TicketAPI"], dict.fromkeys(APIS, user), WorldConfig(constants), "me")
    given = {"username": "Ann", "status": None}
    for _ in range(500):
        arguments = {name: Call(method, {told: given[told]}) for name, (method, told) in inner.items()}
        text = small.run(Call(outer, arguments))
    assert text.startswith(FAILED)
    assert len(str(small.states())) < 50 * MAX_INNER_RESULT


def test_nested_results_are_copies(run, api):
    """A result that another call stores is a copy: no state contains itself."""
    run("keep", value=["a"])
    api.state.kept.append({"self": None})
    run("keep", value=Call("echo", {"value": ["b"]}))
    assert api.state.kept == [["a"], {"self": None}, ["b"]]


@pytest.mark.parametrize("state", [[], "x", None, 3])
def test_a_state_that_is_not_a_mapping_is_named(constants, state):
    """An initial state of another form is an error that names the API."""
    with pytest.raises(MalformedRelease, match="initial state of TicketAPI: expected a mapping"):
        World.of(["TicketAPI"], {"TicketAPI": state}, WorldConfig(constants), "me")


# Arguments


def test_arguments_are_copied(run, api):
    """Later changes to an argument do not reach the state."""
    given = {"a": [1]}
    run("keep", value=given)
    given["a"].append(2)
    assert api.state.kept == [{"a": [1]}]
    api.state.kept[0]["a"].clear()
    assert given == {"a": [1, 2]}


def test_instances_have_valid_python_names(api):
    """Characters of an owner's name that Python names cannot have become underscores."""
    told = World({"EchoAPI": api}, "a/b_memory_kv_0-customer-0.x:y").run(echoed("see echo (1)"))
    assert told == "see a_b_memory_kv_0_customer_0_x_y_EchoAPI_instance.echo(1)"


def test_effects_of_arguments_come_in_order(run, api):
    """Calls among the arguments are run from the first to the last."""
    run("echo", value=kept("first"), other=kept("second"))
    assert api.state.kept == ["first", "second"]


def test_a_failed_argument_fails_the_call(run, api):
    """A call with a failed argument is not run; the effects of earlier calls stay."""
    assert run("keep", value={"a": kept(1), "b": Call("fail", {})}) == f"{FAILED}out of order"
    assert run("keep", value=Call("nothing", {})) == f"{FAILED}name 'nothing' is not defined"
    assert api.state.kept == [1]


# Bounds


def test_calls_are_bounded(monkeypatch, api):
    """The number of calls in a world is bounded."""
    monkeypatch.setattr(world, "MAX_CALLS", 2)
    small = World({"EchoAPI": api}, "me")
    texts = [small.run(kept(number)) for number in range(3)]
    assert texts == ["None", "None", f"{FAILED}more than 2 calls in one conversation"]
    assert api.state.kept == [0, 1]


def test_results_are_bounded_together(monkeypatch, api):
    """The total length of a world's results is bounded, even if each is small."""
    monkeypatch.setattr(world, "MAX_RESULTS", 5)
    small = World({"EchoAPI": api}, "me")
    assert small.run(echoed("abc")) == "abc"
    assert small.run(echoed("def")).startswith(f"{FAILED}a result of 3 characters")


def test_what_calls_read_is_bounded(monkeypatch, api):
    """Every call counts the text of all arguments so far, since the state may have it."""
    monkeypatch.setattr(world, "MAX_READ", 1_000)
    small = World({"EchoAPI": api}, "me")
    texts = [small.run(kept("x" * 100)), *(small.run(Call("echo", {})) for _ in range(10))]
    assert texts[:10] == ["None"] * 10
    assert texts[10] == f"{FAILED}the calls of a conversation read more than 1,000 characters"
    assert small.run(Call("nothing", {})) == f"{FAILED}name 'nothing' is not defined"


@pytest.mark.parametrize("name", ["f(" + "1," * 30_000 + ")", "f" + ".a" * 30_000, "f" + "()" * 30_000])
def test_a_long_function_name_is_not_parsed(run, name):
    """A name that is a long program is refused before Python's parser sees it."""
    with measured() as work:
        text = run(name)
    assert text == f"{FAILED}a function name of more than {MAX_SOURCE:,} characters"
    assert work.calls < 200


def test_the_source_texts_of_a_world_are_bounded(run):
    """Many names that are not plain are parsed only up to a total length."""
    texts = [run("f(" + "1," * 20_000 + str(number)) for number in range(40)]
    assert "'(' was never closed" in texts[0]
    assert "is too long to be parsed" in texts[-1]


def test_a_deep_argument_fails(run):
    """An argument that is nested too deep fails the call, not the conversation."""
    deep = []
    for _ in range(100_000):
        deep = [deep]
    assert run("echo", value=deep).startswith(FAILED)
    assert run("echo", value=1) == "1"


# Initial states


def test_unknown_api(setting):
    """The error for an unknown API lists the known ones."""
    with pytest.raises(MalformedRelease, match=r"unknown API 'EchoAPI'; known are .*TicketAPI"):
        World.of(["EchoAPI"], {}, setting, "me")


@pytest.mark.parametrize(
    ("initial", "problem"),
    [
        ({"ticket_queue": {}}, "TicketState: ticket_queue: expected list, got dict"),
        ({"ticket_counter": True}, "TicketState: ticket_counter: expected int, got bool"),
        ({"current_user": 7}, "TicketState: current_user: expected str or NoneType, got int"),
    ],
)
def test_malformed_initial_state(constants, initial, problem):
    """The error for an initial state of another form names the entry, the field, and its type."""
    entry = Entry("multi_turn_base_0", "multi_turn_base", (), (), apis=("TicketAPI",))
    state = {"TicketAPI": initial}
    with pytest.raises(MalformedRelease, match=f"multi_turn_base_0: initial state of {problem}"):
        World.for_entry(replace(entry, initial_state=state), WorldConfig(constants), "me")


def test_worlds_are_independent(setting):
    """Calls in a world change neither its entry nor another world."""
    initial = {"TicketAPI": {"ticket_queue": [{"id": 1, "status": "Open"}], "current_user": "Ann"}}
    one, other = (World.of(["TicketAPI"], initial, setting, "me") for _ in range(2))
    one.run(Call("close_ticket", {"ticket_id": 1}))
    one.run(Call("create_ticket", {"title": "x"}))
    assert len(one.states()["TicketAPI"].ticket_queue) == 2
    assert other.states()["TicketAPI"].ticket_queue == [{"id": 1, "status": "Open"}]
    assert initial["TicketAPI"]["ticket_queue"] == [{"id": 1, "status": "Open"}]


@pytest.mark.parametrize("name", APIS)
def test_apis_start_in_their_defaults(setting, constants, name):
    """An API without a state in the entry starts in its default state, which no world changes."""
    before = copy_value(constants.modules)
    first = World.of([name], None, setting, "me").states()[name]
    assert first == World.of([name], {}, setting, "me").states()[name]
    assert constants.modules == before


def test_fill():
    """A field is copied from the entry, else from the defaults; other keys are ignored."""
    given = {"kept": [[1]], "unknown": 0}
    state = fill(EchoState, given, {"kept": [], "loudness": 2})  # an int is a float too
    assert state == EchoState([[1]], 2)
    state.kept[0].append(2)
    assert given["kept"] == [[1]]


def test_fill_names_the_missing_field():
    """The error for a missing field names it."""
    with pytest.raises(MalformedRelease, match="EchoState: expected loudness, got nothing"):
        fill(EchoState, {"kept": []}, {})


# Marks and constants


def test_effects():
    """The marked methods of an API are listed with their effects."""
    assert effects(EchoAPI) == {"echo": Effect.READS, "keep": Effect.CHANGES, "fail": Effect.READS}


def test_constants_keep_python_forms():
    """Staged JSON restores `...` and tuple keys, for which JSON has no form."""
    staged = Constants({"m": {"cities": ["a", {"$literal": "..."}], "ways": [[["a", "b"], 1], ["c", 2]]}})
    assert staged.items("m", "cities") == ["a", ...]
    assert staged.pairs("m", "ways") == [(("a", "b"), 1), ("c", 2)]


@pytest.mark.parametrize("name", ["missing", "flag", "text"])
def test_constants_are_checked(name):
    """A constant that is missing or of another type is named; a boolean is not a number."""
    staged = Constants({"m": {"flag": True, "text": "1"}})
    with pytest.raises(MalformedRelease, match=rf"m\.{name}: expected int or float, got"):
        staged.number("m", name)
