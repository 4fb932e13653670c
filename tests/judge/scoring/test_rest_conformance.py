"""Published answers of the category rest with their official verdicts, if a table of them is given."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.executable_conformance import TABLE
from tests.support.executable_rest import (
    EMPTY,
    NETWORK_FAILURES,
    OWN_REQUEST,
    read_rest_rows,
    rest_figures,
)

pytestmark = pytest.mark.skipif(TABLE not in os.environ, reason=f"{TABLE} names no table")


@pytest.fixture(scope="module")
def figures(staged):
    """The figures of all parts."""
    return rest_figures(read_rest_rows(Path(os.environ[TABLE])), staged)


def test_verdicts_without_an_answer_are_the_official_ones(figures):
    """What fails before a request is sent fails alike; reference requests pass, officially but two."""
    early, reference, other = figures[:3]
    assert (early.equal, early.different) == (early.outputs, [])
    assert early.outputs > 0
    assert reference.equal == reference.outputs - len(NETWORK_FAILURES)
    assert (dict(reference.causes), reference.different) == (
        {(OWN_REQUEST, failure.partition(" ")[0]): 1 for failure in NETWORK_FAILURES},
        [],
    )
    assert other.status == other.outputs


def test_the_official_verdict_is_a_function_of_the_request(figures):
    """Answers made from the verdicts on half of the models give those on the others that they cover."""
    by_others = figures[3]
    assert by_others.equal == by_others.outputs - by_others.status
    assert by_others.equal > 0
    assert by_others.different == []


def test_whole_answers_have_the_official_verdicts(figures):
    """Native calls all; plain prompted texts but for empty objects, which today's decoder refuses."""
    native, plain, other = figures[4:]
    assert (native.equal, native.different) == (native.outputs, [])
    assert {cause for cause, _ in plain.causes} <= {EMPTY, OWN_REQUEST}
    assert plain.different == []
    assert other.different == []
