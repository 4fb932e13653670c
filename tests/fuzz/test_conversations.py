"""Whatever a model writes in a conversation, the simulated APIs stay bounded; the entry has a verdict."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.generation.conversation import ChatAsking
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Exchange, Mode, Rules, Status
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.world.tools import APIS, World, WorldConfig, effects, parameters_of
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.fuzz.hostile_conversations import ENDLESS, HOSTILE, STEPS, WORLD
from tests.fuzz.test_fuzz import _JSON, _SOUP
from tests.fuzz.watched import run_watched
from tests.support.word_encoder import WordEncoder
from tests.support.work import measured

LIMIT_CALLS = 1_000_000  # of functions, for one call or step of a model
LIMIT_SCORING_CALLS = 25_000  # for the verdict of one conversation
LIMIT_STATE = 30_000_000


def _setting(constants):
    """What a world with all APIs needs."""
    return WorldConfig(constants, web=SimulatedWeb.of([]), encoder=WordEncoder())


METHODS = [(api, name) for api, kind in APIS.items() for name in effects(kind)]


@pytest.fixture
def everything(constants):
    """A world with all APIs, in which a user is logged in everywhere."""
    return World.of(list(APIS), WORLD, _setting(constants), "m")


def test_a_hostile_call_is_bounded_work(constants):
    """Huge numbers, texts, depths and loops end after bounded work in a result of bounded size."""
    excessive = []
    for place, call in enumerate(HOSTILE):
        world = World.of(list(APIS), WORLD, _setting(constants), "m")
        with measured() as work:
            text = world.run(call)
        if work.calls > LIMIT_CALLS or len(text) > 2_000_000:
            excessive.append((place, call.name[:30], work.calls, len(text)))
    assert not excessive


@pytest.mark.parametrize("calls", ENDLESS, ids=lambda calls: calls[-1].name)
def test_repeating_calls_does_not_grow_the_world(everything, calls):
    """What doubles or nests when repeated ends at a bound, and the world still answers."""
    with measured() as work:
        for _ in range(60):
            for call in calls:
                everything.run(call)
    assert work.calls < LIMIT_CALLS
    assert sum(len(str(state)) for state in everything.states().values()) < LIMIT_STATE
    assert everything.run(Call("posting_get_login_status", {})) == '{"login_status": true}'


def test_a_hostile_step_ends_the_turn_or_runs(entries, staged, constants):
    """A conversation that repeats such a step ends; each step and the verdict are bounded work."""
    texts = read_texts(staged)
    entry = entries("multi_turn_base")[0]
    _conversation_work([], entry, Mode.FC, texts, constants)  # what is loaded once is not counted below
    for mode, steps in STEPS.items():
        for step in steps:
            most, scoring = _conversation_work(step, entry, mode, texts, constants)
            assert most < LIMIT_CALLS, str(step)[:60]
            assert scoring < LIMIT_SCORING_CALLS, str(step)[:60]


def _conversation_work(step, entry, mode, texts, constants):
    """Of a conversation of `step` only: the calls of its most expensive step, and of its verdict."""
    steps = conversation(
        entry, ChatAsking(mode), texts, World.for_entry(entry, WorldConfig(constants), "model")
    )
    request, result, most = next(steps), None, 0
    for _ in range(500):
        try:
            with measured() as work:
                request = steps.send(Exchange(request, step))
        except StopIteration as end:
            result = end.value
        most = max(most, work.calls)
        if result is not None:
            break
    assert result is not None, str(step)[:60]
    with measured() as scoring:
        Judge(entry, constants).answer_verdicts(json.dumps(result), mode, None, list(Rules))
    return most, scoring.calls


@st.composite
def _calls(draw: st.DrawFn) -> list[Call]:
    """Calls of any methods with their own parameters, and values of any kind, calls among them."""
    known = [
        "document",
        "final_report.pdf",
        "USR001",
        "NVDA",
        "San Francisco",
        "1",
        1,
        0.5,
        True,
        None,
        "Ann",
    ]
    values = st.sampled_from(known) | _JSON | _SOUP
    calls = []
    for api, name in draw(st.lists(st.sampled_from(METHODS), min_size=1, max_size=12)):
        names = parameters_of([api], name)
        chosen = draw(st.lists(st.sampled_from(names), unique=True)) if names else []
        arguments = {one: draw(values) for one in (names if draw(st.booleans()) else chosen)}
        if calls and names and draw(st.integers(0, 5)) == 0:
            arguments[names[0]] = calls[-1]
        calls.append(Call(name, arguments))
    return calls


@given(_calls())
def test_any_calls_are_run(constants, calls):
    """Every call has a result that can be written, and what only reads leaves the states as they are."""
    world = World.of(list(APIS), WORLD, _setting(constants), "m")
    kinds = {name: effect for kind in APIS.values() for name, effect in effects(kind).items()}
    for call in calls:
        reads = kinds[call.name] == "reads" and not any(
            isinstance(v, Call) for v in call.arguments.values()
        )
        before = repr(world.states()) if reads else None
        assert isinstance(world.run(call), str)
        if reads:
            assert repr(world.states()) == before


_STEP = st.one_of(
    _JSON,
    _SOUP,
    st.lists(
        st.dictionaries(st.sampled_from([name for _, name in METHODS]), _JSON.map(json.dumps), max_size=2),
        max_size=3,
    ),
)


@given(st.data())
def test_any_conversation_is_scored(entries, constants, data):
    """Any JSON in the place of turns and steps has a verdict under both rule sets."""
    entry = data.draw(st.sampled_from(entries(data.draw(st.sampled_from(GROUPS["multi_turn"])))[:20]))
    mode = data.draw(st.sampled_from(list(Mode)))
    turns = st.lists(st.lists(_STEP, max_size=3), min_size=len(entry.turns), max_size=len(entry.turns))
    result = data.draw(turns | st.lists(_JSON, max_size=6) | _JSON)
    for verdict in Judge(entry, constants).answer_verdicts(json.dumps(result), mode, None, list(Rules)):
        if verdict.status is not Status.LEFT_OUT:
            assert verdict.valid is (verdict.error_type is None)
        (verdict.error_message or "").encode()


@given(_JSON | _SOUP | _STEP, st.sampled_from(list(Mode)))
def test_any_step_is_read(result, mode):
    """Any JSON value ends in calls to be run or a decode failure."""
    assert isinstance(decode_step(result, mode), tuple | DecodeFailure)


def test_nothing_outside_the_world_is_touched(staged, tmp_path):
    """While hostile calls run, Python executes, imports, opens and starts nothing.

    Watched from inside by an audit hook, in a process of its own. Syntax trees may be made.
    """
    program = """
import json, sys
from pathlib import Path
from tests.fuzz.hostile_conversations import HOSTILE, STEPS, WORLD
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.benchmark.records import Call, DecodeFailure
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.world.tools import APIS, World, WorldConfig

setting = WorldConfig(read_constants(Path(sys.argv[1])))

def run_all(calls, modes):
    for call in calls:
        World.of(list(APIS), WORLD, setting, "m").run(call)
    for mode, steps in modes.items():
        world = World.of(list(APIS), WORLD, setting, "m")
        for step in steps:
            read = decode_step(step, mode)
            for call in () if isinstance(read, DecodeFailure) else read:
                world.run(call)

warm = [Call("logarithm", {"value": 10, "base": 10, "precision": 5}), Call("f g", {})]
run_all(HOSTILE, {})
run_all(warm, {mode: steps[:3] for mode, steps in STEPS.items()})
events = set()
sys.addaudithook(lambda name, arguments: events.add(name))
run_all(HOSTILE + warm, STEPS)
harmless = {"compile", "object.__getattr__", "builtins.id"}
print(len(HOSTILE) + sum(map(len, STEPS.values())), sorted(events - harmless))
"""
    count, events = run_watched(program, tmp_path, staged)
    assert count > 60
    assert events == "[]"
