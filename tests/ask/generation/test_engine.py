"""The order in which entries run, in virtual time."""

import asyncio

import pytest

from bfcl_pipeline.ask.generation.chains import chain_lengths, expected_requests
from bfcl_pipeline.ask.generation.engine import run_all
from bfcl_pipeline.benchmark.records import Entry
from tests.support.virtual_time import run


def _entry(name, *needed, turns=1, category="memory_kv"):
    return Entry(name, category, ((),) * turns, (), depends_on=needed)


def _held(entries, open_at_once, seconds=1.0):
    """The start times of all entries, in order."""

    async def main():
        begun = []

        async def hold(entry):
            begun.append((entry.entry_id, asyncio.get_running_loop().time()))
            await asyncio.sleep(seconds)

        await run_all(entries, chain_lengths(entries), open_at_once, hold)
        return begun

    return run(main())


def test_entries_wait_for_those_they_depend_on():
    """Sessions one after the other, then the questions together."""
    entries = [_entry("s0"), _entry("s1", "s0"), _entry("q0", "s0", "s1"), _entry("q1", "s0", "s1")]
    assert _held(entries, 9) == [("s0", 0), ("s1", 1), ("q0", 2), ("q1", 2)]


def test_the_longest_chain_starts_first():
    """Of the entries that are ready, the first of the longest chain; equal ones in entry order."""
    short = [_entry(f"x{n}", category="simple_python") for n in range(3)]
    chain = [_entry("s0", turns=2), _entry("s1", "s0"), _entry("q", "s0", "s1")]
    assert [name for name, _ in _held([*short, *chain], 1)] == ["s0", "s1", "q", "x0", "x1", "x2"]


def test_no_more_are_open_than_allowed():
    """Twelve entries of a second each, five at a time, take three seconds."""
    begun = _held([_entry(f"x{n}", category="simple_python") for n in range(12)], 5)
    assert [when for _, when in begun] == [0] * 5 + [1] * 5 + [2] * 2


def test_an_entry_whose_sessions_do_not_run_does_not_wait():
    """It waits only for entries that run; the runner reports missing sessions."""
    assert _held([_entry("q", "elsewhere")], 1) == [("q", 0)]


def test_a_failure_ends_the_others():
    """The exception of one entry is raised, and none is left running."""

    async def main():
        begun, ended = [], []

        async def hold(entry):
            begun.append(entry.entry_id)
            try:
                if entry.entry_id == "x1":
                    raise LookupError("broken")
                await asyncio.sleep(1000)
            finally:
                ended.append(entry.entry_id)

        entries = [_entry(f"x{n}", category="simple_python") for n in range(3)]
        with pytest.raises(ExceptionGroup) as caught:
            await run_all(entries, chain_lengths(entries), 3, hold)
        return begun, ended, caught.value.exceptions, asyncio.get_running_loop().time()

    begun, ended, exceptions, when = run(main())
    assert sorted(ended) == begun
    assert begun[:2] == ["x0", "x1"]
    assert [str(error) for error in exceptions] == ["broken"]
    assert when == 0


def test_chain_lengths_of_memory_and_single_turn_entries(entries):
    """A scenario's first session starts a chain of all its sessions and a question."""
    memory = entries("memory_kv")
    lengths = chain_lengths(memory)
    first = next(entry for entry in memory if entry.prerequisite)
    sessions = [one for one in memory if one.prerequisite and one.scenario == first.scenario]
    question = next(one for one in memory if not one.prerequisite and one.scenario == first.scenario)
    assert lengths[first.entry_id] == sum(map(expected_requests, [*sessions, question]))
    assert set(chain_lengths(entries("multiple")).values()) == {1}
