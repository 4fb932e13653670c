"""Mutations of outcomes and cassettes, with all hashes made right: whatever changes an outcome is found."""

from __future__ import annotations

import copy
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from bfcl_pipeline.world.tools.web_search.web import Hits
from bfcl_pipeline.world.web.cache import RecordedOutcome, WebCache, _read_outcome, outcome_document
from bfcl_pipeline.world.web.derivation import ReaderChanged, contradiction
from bfcl_pipeline.world.web.keys import Key, SearchKey

BOUNDED = settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much],
)

_PLACE_OF_SECRET = re.compile(r"<a href='/next\?sid=[^\s&#'\"<>]{8,}'>next</a>")


@pytest.fixture(scope="module")
def pairs(recorded_once: tuple[Path, dict[str, Key]]) -> dict[str, tuple[RecordedOutcome, bytes | None]]:
    """Outcomes of every kind with their cassettes, by name."""
    folder, keys = recorded_once
    cache, found = WebCache(folder), {}
    for name, key in keys.items():
        recorded = cache.read(cache.path(key))
        assert recorded is not None
        found[name] = recorded, cache.read_cassette(recorded)
    return found


def _leaves(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The places of the texts, numbers and lists in a JSON or YAML value."""
    items = dict(enumerate(value)) if isinstance(value, list) else value if isinstance(value, dict) else {}
    below = [place for name, item in items.items() for place in _leaves(item, (*path, name))]
    return below if isinstance(value, dict) else [path, *below]


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for name in path:
        value = value[name]
    return value


def _changed(data: st.DataObject, value: Any) -> Any:
    """Another value: a text with a character more, less or another; another number; another order."""
    if isinstance(value, list):
        return data.draw(st.sampled_from([value[1:], [*value, *value[:1]], value[::-1]]))
    if isinstance(value, str | bytes):
        at = data.draw(st.integers(0, len(value)))
        less = data.draw(st.integers(0, 1))
        more = data.draw(st.text(st.sampled_from("a0 /&=%<\n\u7dd1"), max_size=2))
        return value[:at] + (more if isinstance(value, str) else more.encode()) + value[at + less :]
    if isinstance(value, int):
        return data.draw(st.sampled_from([100, 200, 202, 204, 301, 403, 404, 429, 500, 503]))
    return "a"


def _mutated(data: st.DataObject, document: Any) -> tuple[tuple[Any, ...], Any]:
    """A document that differs in one place, and the place."""
    place = data.draw(st.sampled_from(_leaves(document)))
    other = copy.deepcopy(document)
    _at(other, place[:-1])[place[-1]] = _changed(data, _at(document, place))
    assume(other != document)
    return place, other


def _found(recorded: RecordedOutcome, cassette: bytes | None) -> bool:
    try:
        return contradiction(recorded, cassette) is not None
    except ReaderChanged:
        return True


@BOUNDED
@given(st.data())
def test_every_changed_outcome_is_found(pairs: Any, data: st.DataObject) -> None:
    """An outcome with another text, status, number or order of results contradicts its cassette."""
    name = data.draw(st.sampled_from(sorted(pairs)))
    recorded, cassette = pairs[name]
    try:
        outcome = _read_outcome(_mutated(data, outcome_document(recorded.outcome))[1])
    except ValueError:  # not an outcome, which is damage
        return
    assume(name != "page after a redirect" or not _PLACE_OF_SECRET.fullmatch(getattr(outcome, "text", "")))
    assert _found(replace(recorded, outcome=outcome), cassette)


@BOUNDED
@given(st.data())
def test_every_changed_cassette_is_found_or_leads_to_the_outcome(pairs: Any, data: st.DataObject) -> None:
    """A cassette with another answer is found unless the reader derives the same outcome from it; with
    another request, always."""
    name = data.draw(st.sampled_from([name for name, (_, cassette) in pairs.items() if cassette]))
    recorded, cassette = pairs[name]
    place, document = _mutated(data, yaml.safe_load(cassette))
    changed = yaml.safe_dump(document).encode()
    if _found(recorded, changed):
        return
    assert place[2:4] not in {("request", "method"), ("request", "uri"), ("request", "body")}


@BOUNDED
@given(st.data())
def test_another_engine_text_hides_nothing(pairs: Any, data: st.DataObject) -> None:
    """A search that names another reader and has another outcome is undecided or a contradiction."""
    searches = [one for one in pairs.values() if isinstance(one[0].key, SearchKey)]
    recorded, cassette = data.draw(st.sampled_from(searches))
    engine = _changed(data, recorded.engine)
    assume(engine != recorded.engine)
    outcome = Hits(()) if recorded.outcome != Hits(()) else Hits((pairs["search"][0].outcome.hits[0],))
    assert _found(replace(recorded, engine=engine, outcome=outcome), cassette)


def test_a_cassette_of_another_request_is_found(pairs: Any) -> None:
    """No cassette proves the outcome of another request: of another query, region, engine or address."""
    for name, (recorded, _) in pairs.items():
        for other, (_, cassette) in pairs.items():
            if other != name and cassette is not None:
                assert _found(recorded, cassette), (name, other)
