"""What the detectors find on the pinned release, and that the errata agree."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.errata import errata
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.audit import DETECTORS, Benchmark, adjudicated_by, find


def ids(prefix, text):
    """Ids of one category from their ends."""
    return {f"{prefix}_{end}" for end in text.split()}


FOUND = {
    "written_default": ids("live_simple", "51-23-0 52-23-1")
    | ids("live_parallel", "5-2-0 11-7-0 15-11-0")
    | ids("parallel_multiple", "3 12 69 75 86")
    | ids(
        "live_multiple",
        "1-0-1 189-83-0 198-90-0 242-107-3 301-131-0 306-131-5 339-133-3 406-140-2 439-143-0 485-147-0 "
        "488-147-3 553-153-2 732-167-3 860-181-1 903-186-0 907-186-4 1033-261-0 1041-268-0 1046-273-0 "
        "1048-275-0 1049-276-0",
    ),
    "omission": ids("parallel", "135 180")
    | ids("parallel_multiple", "88 137 150 172")
    | ids("simple_python", "143 213")
    | ids("live_multiple", "320-132-10 887-184-4"),
    "unasked": ids("live_multiple", "195-87-2 938-194-0 945-196-3"),
    "format": ids(
        "live_multiple",
        "4-2-1 186-81-0 303-131-2 598-158-4 601-158-7 862-181-3 1046-273-0 1047-274-0 1048-275-0",
    ),
    "wording": ids("live_simple", "199-116-7 203-116-11 204-116-12")
    | ids("live_multiple", "270-127-5 451-145-2"),
    "part_of_word": {
        f"memory_{backend}_{question}"
        for backend in ("kv", "vector", "rec_sum")
        for question in ("18-customer-18", "19-customer-19", "28-customer-28", "153-notetaker-23")
    },
}
"""Findings that errata adjudicate whose evidence is another command than that of the detector."""


@pytest.mark.parametrize("detector", DETECTORS.values(), ids=DETECTORS)
def test_known_defects_are_found(detector, found_on):
    """A detector finds its known entry and those in FOUND; one without a known entry finds nothing."""
    known = FOUND.get(detector.name, set()) | ({detector.known} if detector.known else set())
    assert known <= found_on(detector.name)
    assert known or not found_on(detector.name)


@pytest.mark.parametrize("entry_id", ["live_irrelevance_11-1-1", "live_irrelevance_785-294-0"])
def test_entries_without_the_called_function_do_not_contradict(entry_id, found_on):
    """An entry with the request of another, but without the function called there, is not listed."""
    assert entry_id not in found_on("contradiction")


def test_restatements_are_only_listed_for_their_format(findings):
    """An entry that can be passed is listed in each prompt format in which it cannot."""
    unpassable = [each for each in findings if each.detector == "unpassable"]
    restated = [each for each in unpassable if each.entry.category == "format_sensitivity"]
    assert {each.related for each in restated} == {"simple_python_96"}
    assert all("ret_fmt=json" in each.entry_id for each in restated)
    assert len(restated) == 6


def test_a_finding_is_listed_once(findings):
    """No two findings have the same entry, detector, place and detail."""
    places = Counter((each.entry_id, each.detector, each.where, each.detail) for each in findings)
    assert places.most_common(1)[0][1] == 1


def test_findings_can_be_limited_to_entries(entries, constants, findings):
    """`find` with ids returns only the findings on these entries, in the order of the release."""
    names = ("multi_turn_base", "multi_turn_miss_func")
    benchmark = Benchmark({name: entries(name)[:20] for name in names}, constants)
    wanted = {"multi_turn_miss_func_15", "multi_turn_base_4"}
    found = find(benchmark, ["provenance", "drift"], wanted)
    assert [(each.entry_id, each.detector) for each in found] == [
        ("multi_turn_base_4", "provenance"),
        ("multi_turn_miss_func_15", "drift"),
    ]
    assert found == [
        each for each in findings if each.entry_id in wanted and each.detector in ("provenance", "drift")
    ]


def test_a_restatement_is_compared_with_its_entry(entries, constants):
    """Limited to a restatement, `find` still leaves it out if the entry itself cannot be passed."""
    (base,) = (entry for entry in entries("simple_python") if entry.entry_id == "simple_python_96")
    restated = [e for e in entries("format_sensitivity") if e.base_entry_id == base.entry_id]
    refused = replace(base, truth=[{**base.truth[0], "database.query": {"table": []}}])
    wanted = {entry.entry_id for entry in restated}
    for first, count in ((base, 6), (refused, 0)):
        benchmark = Benchmark({"simple_python": [first], "format_sensitivity": restated}, constants)
        assert len(find(benchmark, ["unpassable"], wanted)) == count


def test_no_confirmed_finding_is_left_by_verified_rules(entries, constants):
    """Under the rules `verified`, no entry that cannot be passed has a confirmed erratum."""
    confirmed = {erratum.entry_id for erratum in errata() if erratum.confirmed}
    benchmark = Benchmark({name: entries(name) for name in CATEGORIES}, constants)
    assert any(map(_confirmed, find(benchmark, ["unpassable"], confirmed)))
    left = find(benchmark, ["unpassable"], confirmed, Rules.VERIFIED)
    assert not any(map(_confirmed, left))


def _confirmed(finding):
    erratum = adjudicated_by(finding)
    return erratum is not None and erratum.confirmed


def test_the_detectors_of_the_evidence_find_the_entry(findings):
    """The detectors that the evidence of an erratum and its `also` name find the entry."""
    seen = {(finding.entry_id, finding.detector) for finding in findings}
    missing = [
        (erratum.entry_id, name)
        for erratum in errata()
        for name in (*re.findall(r"--detector (\w+)", erratum.evidence), *erratum.also)
        if (erratum.entry_id, name) not in seen
    ]
    assert missing == []


def test_every_finding_is_adjudicated(findings):
    """Each finding that is not a hint has an erratum of its entry that adjudicates it."""
    demanded = [each for each in findings if DETECTORS[each.detector].adjudicated]
    assert [each for each in demanded if adjudicated_by(each) is None] == []
    assert demanded
