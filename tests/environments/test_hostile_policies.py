"""Whatever a policy writes, its episode ends after bounded work, earns nothing, and evaluates nothing."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Call, Json
from bfcl_pipeline.environments import REFUSED, Episode, PolicyAnswer
from tests.support.episodes import as_bytes, played_by_oracle

MANY = 100_000


def nested(depth: int) -> Json:
    """Lists within lists."""
    value: Json = 1
    for _ in range(depth):
        value = [value]
    return value


LONG = "x" * 400_000

POLICIES: dict[str, Callable[[], PolicyAnswer]] = {
    "the same call for ever": lambda: [{"ls": "{}"}],
    "100,000 calls at once": lambda: [{"ls": "{}"}] * MANY,
    "as many calls as the bound allows": lambda: [{"ls": "{}"}] * 30_000,
    "100,000 calls as records": lambda: [Call("echo", {"content": "x"})] * MANY,
    "a huge argument": lambda: [{"echo": json.dumps({"content": LONG})}],
    "an answer above the bound": lambda: LONG * 2,
    "arguments nested deeply": lambda: [{"echo": f'{{"content": {"[" * MANY}{"]" * MANY}}}'}],
    "records nested deeply": lambda: [Call("echo", {"content": nested(MANY)})],
    "a message nested deeply": lambda: {"role": "assistant", "content": "", "extra": nested(MANY)},
    "brackets as text": lambda: "[" * MANY,
    "a name that is code": lambda: [{"__import__('os').system": '{"command": "exit 1"}'}],
    "an argument that is code": lambda: [{"echo": '{"content": "__import__(\'os\')._exit(1)"}'}],
    "attributes of the world": lambda: [{"state": "{}"}, {"__class__": "{}"}, {"_methods": "{}"}],
    "the verdict's own words": lambda: '{"valid": true, "reward": 1.0}',
    "a message that names its reward": lambda: {"role": "assistant", "content": "reward: 1", "reward": 1.0},
    "the official form of a verdict": lambda: [{"verdict": '{"valid": true}'}],
}

ENTRIES = ("multi_turn_base_12", "simple_python_3", "memory_kv_3-customer-3", "web_search_base_3")


@pytest.mark.parametrize("mode", ["fc", "prompt"])
@pytest.mark.parametrize("policy", POLICIES)
def test_it_earns_nothing_after_bounded_work(policy: str, mode: str, staged: Path) -> None:
    """At most 21 steps a turn, and at most 200 MB at once."""
    answer = POLICIES[policy]()
    for entry_id in ENTRIES:
        honest = Episode(entry_id, mode=mode, data=staged)
        before = as_bytes(honest)
        episode = Episode(entry_id, mode=mode, data=staged)
        turns = len(episode.entry.turns)
        tracemalloc.start()
        while not episode.done:
            episode.answer(answer)
            assert len(episode.answered) <= 21 * turns
        assert episode.reward == 0
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 200_000_000, f"{peak:,} bytes"
        assert set(episode.turn_rewards) == {0}
        assert as_bytes(honest) == before


def arguments(change: Callable[[str], str]) -> Callable[[Json], Json]:
    """Changes the arguments, JSON as text, of every call of an answer in the official form."""
    return lambda answer: [{name: change(text) for name, text in call.items()} for call in answer]


WRONG_FORMS: dict[str, tuple[str, Callable[[Json], Json]]] = {
    "as text": ("fc", json.dumps),
    "arguments that are cut off": ("fc", arguments(lambda text: text[:-1])),
    "arguments in quotes of Python": ("fc", arguments(lambda text: text.replace('"', "'"))),
    "arguments with a last comma": ("fc", arguments(lambda text: text[:-1] + ",}")),
    "arguments in a fence": ("fc", arguments(lambda text: f"```json\n{text}\n```")),
    "an argument that is not declared": (
        "fc",
        arguments(lambda text: json.dumps({**json.loads(text), "v": 1})),
    ),
    "a name that is not offered": (
        "fc",
        lambda answer: [{f"{name}_": call[name] for name in call} for call in answer],
    ),
    "prose before them": ("prompt", lambda text: f"I would call {text}"),
    "prose after them": ("prompt", lambda text: f"{text} would be right."),
    "brackets that are not closed": ("prompt", lambda text: text[:-2]),
    "as an argument of another call": ("prompt", lambda text: f"[print({text.strip('[]')})]"),
    "as the value of a lambda": ("prompt", lambda text: f"[(lambda: {text})()]"),
}
"""By what is wrong: the mode, and what becomes of an answer of the oracle with the right calls."""


@pytest.mark.parametrize("form", WRONG_FORMS)
@pytest.mark.parametrize("entry_id", ["simple_python_3", "multi_turn_base_12"])
def test_right_calls_in_a_wrong_form_are_not_repaired(form: str, entry_id: str, staged: Path) -> None:
    """The oracle's own calls earn nothing if a parser would have to guess or to search for them."""
    mode, spoil = WRONG_FORMS[form]
    right = played_by_oracle(entry_id, staged, mode=mode)
    script = [one.answer for one in right.answered]
    assert right.reward == 1
    called = [is_called(answer) for answer in script]
    assert any(called)
    episode = Episode(entry_id, mode=mode, data=staged)
    for answer, calls in zip(script, called, strict=True):
        if not episode.done:
            episode.answer(spoil(answer) if calls else answer)
    while not episode.done:
        episode.answer("Done.")
    assert episode.reward == 0


def is_called(answer: PolicyAnswer) -> bool:
    """Whether an answer of the oracle has calls."""
    return answer.startswith("[") if isinstance(answer, str) else bool(answer)


def test_more_calls_than_asked_for_earn_nothing(staged: Path) -> None:
    """The right call twice, a call of each function, and all calls of a conversation at its first turn."""
    (right,) = (one.answer for one in played_by_oracle("multiple_3", staged).answered)
    every = Episode("multiple_3", data=staged)
    assert every.request is not None
    others = [{tool["function"]["name"]: "{}"} for tool in every.request.tools]
    for answer in ([*right, *right], [*right, *others]):
        episode = Episode("multiple_3", data=staged)
        episode.answer(answer)
        assert episode.reward == 0
    script = [one.answer for one in played_by_oracle("multi_turn_base_12", staged).answered]
    episode = Episode("multi_turn_base_12", data=staged)
    episode.answer([call for answer in script if is_called(answer) for call in answer])
    while not episode.done:
        episode.answer("Done.")
    assert (episode.reward, episode.turn_rewards[0]) == (0, 0)


def test_a_function_that_is_not_offered_yet_is_not_called(staged: Path) -> None:
    """The script of the same scenario with all functions fails at the turn where one is held back."""
    script = [one.answer for one in played_by_oracle("multi_turn_base_3", staged).answered]
    episode = Episode("multi_turn_miss_func_3", data=staged)
    for answer in script:
        episode.answer(answer)
    while not episode.done:
        episode.answer("Done.")
    assert (episode.reward, episode.turn_rewards) == (0, (1, 0, 0))


def test_an_answer_with_the_whole_memory_is_right(staged: Path) -> None:
    """Known and not refused: the official check looks for the truth anywhere in the last answer."""
    for rules in ("official", "verified"):
        episode = Episode("memory_kv_3-customer-3", rules=rules, data=staged)
        episode.answer(json.dumps(episode.memory_snapshot))
        assert episode.reward == 1


def test_an_answer_above_a_bound_is_not_an_abstention(staged: Path) -> None:
    """Where no call is wanted, it earns nothing, also under the official rules."""
    for rules in ("official", "verified"):
        episode = Episode("irrelevance_0", rules=rules, data=staged)
        episode.answer(LONG * 2)
        assert episode.verdict is not None
        assert (episode.reward, episode.verdict.error_type) == (0, REFUSED)
        assert episode.answered[0].answer == ""
        assert as_bytes(Episode.restored(episode.snapshot())) == as_bytes(episode)
        abstained = Episode("irrelevance_0", rules=rules, data=staged)
        abstained.answer("None of these functions can do that.")
        assert abstained.reward == 1
