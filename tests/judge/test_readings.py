"""The readings behind the rate of defects that the errata lack: the list, the arithmetic, the section."""

from __future__ import annotations

from collections import Counter

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.errata import ErratumStatus, errata
from bfcl_pipeline.judge.audit.readings import (
    DEFECT,
    DISPUTED,
    LISTED,
    RIGHT,
    STRATA,
    EntryReading,
    completeness_section,
    kappa,
    read_readings,
    unlisted_rates,
)


def test_the_sample_is_of_every_stratum_and_read_twice() -> None:
    """At least 400 different entries, each found one of three things by two readers and then decided."""
    sampled = [one for one in read_readings() if one.sampled]
    assert len({one.entry_id for one in sampled}) == len(sampled) >= 400
    assert {one.category for one in sampled} == {name for names in STRATA.values() for name in names}
    assert all(len(one.readers) == 2 and set(one.readers) <= {RIGHT, DISPUTED, DEFECT} for one in sampled)
    assert {one.adjudicated for one in sampled} <= {RIGHT, DISPUTED, DEFECT, LISTED}


def test_what_was_decided_is_what_the_errata_have() -> None:
    """A defect is confirmed there, an arguable one disputed, and what is right is not listed as wrong."""
    status = {one.entry_id: set[ErratumStatus]() for one in errata()}
    for erratum in errata():
        status[erratum.entry_id].add(erratum.status)
    for one in read_readings():
        of_entry = status.get(one.entry_id, set())
        if one.adjudicated == DEFECT:
            assert ErratumStatus.CONFIRMED in of_entry, one.entry_id
        if one.adjudicated == DISPUTED:
            assert ErratumStatus.DISPUTED in of_entry, one.entry_id
        if one.adjudicated == RIGHT:
            assert ErratumStatus.CONFIRMED not in of_entry, one.entry_id
        if set(one.readers) != {RIGHT}:
            assert of_entry, f"{one.entry_id} was suspected, and no record says what became of it"


def test_a_rate_weights_categories_by_their_entries() -> None:
    """Two categories of one stratum: the larger one counts more; listed entries count in neither."""
    found = [
        *(EntryReading(f"simple_python_{n}", True, (RIGHT, RIGHT), RIGHT) for n in range(8)),
        *(EntryReading(f"simple_python_{n}", True, (RIGHT, RIGHT), LISTED) for n in range(8, 12)),
        *(EntryReading(f"multiple_{n}", True, (DEFECT, RIGHT), DEFECT) for n in range(3)),
        EntryReading("multiple_3", True, (RIGHT, DISPUTED), DISPUTED),
        EntryReading("multiple_4", False, (DEFECT,), DEFECT),
    ]
    rates = {rate.stratum: rate for rate in unlisted_rates(found, ["simple_python_300"])}
    rate = rates["Python, one call"]
    python, multiple = CATEGORIES["simple_python"].entries - 1, CATEGORIES["multiple"].entries
    assert (rate.read, rate.defects, rate.arguable) == (12, 3, 4)
    assert rate.share == pytest.approx(0.75 * multiple / (python + multiple))
    assert rate.arguable_share == pytest.approx(multiple / (python + multiple))
    assert 0 < rate.limits.low < rate.share < rate.limits.high < rate.arguable_limits.high


def test_kappa_is_agreement_beyond_chance() -> None:
    """The example of Cohen's measure with 20, 5, 10 and 15 of 50 is 0.4; equal findings give 1."""
    pairs = [
        *[("yes", "yes")] * 20,
        *[("yes", "no")] * 5,
        *[("no", "yes")] * 10,
        *[("no", "no")] * 15,
    ]
    assert kappa(pairs) == pytest.approx(0.4)
    assert kappa([("yes", "yes"), ("no", "no")]) == 1


def test_the_section_names_every_disagreement() -> None:
    """Readers who differ, and confirmed records that the second reader did not confirm."""
    text = completeness_section(one.entry_id for one in errata())
    for one in read_readings():
        differs = len(set(one.readers)) > 1 or (not one.sampled and one.readers != (DEFECT,))
        assert (f"| `{one.entry_id}` |" in text) is differs
    rows = Counter(line.split(" | ")[0].lstrip("| ") for line in text.splitlines() if line.startswith("| "))
    assert all(rows[stratum] == 1 for stratum in (*STRATA, "all"))
