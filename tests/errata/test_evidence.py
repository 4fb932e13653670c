"""The detectors and the errata agree, over all categories of the pinned release."""

import re

import pytest

from bfcl_pipeline.audit import Benchmark, adjudicated_by, find
from bfcl_pipeline.benchmark import CATEGORIES
from bfcl_pipeline.errata import errata


@pytest.fixture(scope="module")
def benchmark(entries, constants):
    """All entries of the release."""
    return Benchmark({name: entries(name) for name in CATEGORIES}, constants)


@pytest.fixture(scope="module")
def found(benchmark):
    """The findings of all detectors."""
    return find(benchmark)


def test_the_detectors_of_the_evidence_find_the_entry(found):
    """The detectors that the evidence of an erratum and its `also` name find the entry."""
    seen = {(finding.entry_id, finding.detector) for finding in found}
    missing = [
        (erratum.entry_id, name)
        for erratum in errata()
        for name in (*re.findall(r"--detector (\w+)", erratum.evidence), *erratum.also)
        if (erratum.entry_id, name) not in seen
    ]
    assert missing == []


def test_every_finding_is_adjudicated(found, benchmark):
    """Each finding has an erratum of its entry that adjudicates it."""
    entry_of = {entry.entry_id: entry for entries in benchmark.entries.values() for entry in entries}
    assert [each for each in found if adjudicated_by(each, entry_of[each.entry_id]) is None] == []
    assert found
