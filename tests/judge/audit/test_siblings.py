"""The detector of entries whose siblings have an erratum."""

import pytest

from bfcl_pipeline.benchmark.errata import Erratum, ErratumStatus, Faithful
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.judge.audit import drift
from tests.support.audited import found, user


def erratum(entry_id, status=ErratumStatus.CONFIRMED):
    return Erratum(entry_id, "provenance", status, "What.", "Why.", "command", Faithful.FAILS)


def variant(name, request="Book it for 12/2026.", calls=("book(12)",)):
    return Entry(
        f"multi_turn_{name}_0", f"multi_turn_{name}", (user(request), user("")), (), [list(calls), []]
    )


@pytest.fixture
def recorded(monkeypatch):
    """Gives entries errata by their ids."""

    def record(*entry_ids, status=ErratumStatus.CONFIRMED):
        known = {entry_id: (erratum(entry_id, status),) for entry_id in entry_ids}
        monkeypatch.setattr(drift, "errata_of", lambda entry: known.get(entry.entry_id, ()))

    return record


def test_a_variant_of_a_defective_base(recorded):
    """A variant with the values and calls of the base is listed if the base alone has an erratum."""
    recorded("multi_turn_base_0")
    same = variant("miss_func", "It is a trip. Book it for 12/2026!")
    others = (variant("miss_param", "Book it for 11/2026."), variant("long_context", calls=["book(11)"]))
    (finding,) = found("siblings", variant("base"), same, *others)
    assert (finding.entry_id, finding.where, finding.related) == (
        "multi_turn_miss_func_0",
        "provenance",
        "multi_turn_base_0",
    )


def test_an_erratum_of_one_variant_is_not_expected_of_the_others(recorded):
    """One variant's erratum is of what it changes; the same one of two variants is of the task."""
    entries = [variant(name) for name in ("base", "miss_func", "long_context")]
    recorded("multi_turn_long_context_0")
    assert found("siblings", *entries) == []
    recorded("multi_turn_long_context_0", "multi_turn_miss_func_0")
    assert [each.entry_id for each in found("siblings", *entries)] == ["multi_turn_base_0"]


def test_a_rejected_erratum_is_not_expected_of_siblings(recorded):
    """Only confirmed and disputed errata are."""
    recorded("multi_turn_base_0", status=ErratumStatus.REJECTED)
    assert found("siblings", variant("base"), variant("miss_func")) == []


def test_memories_of_one_question(recorded):
    """The same question with another memory is listed, with another truth it is not."""
    entries = [
        Entry(f"memory_{name}_0", f"memory_{name}", (user("How old?"),), (), truth)
        for name, truth in (("kv", ["7"]), ("vector", ["7"]), ("rec_sum", ["8"]))
    ]
    recorded("memory_vector_0")
    assert [each.entry_id for each in found("siblings", *entries)] == ["memory_kv_0"]
