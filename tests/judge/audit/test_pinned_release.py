"""What the detectors find on the pinned release, and that the errata agree."""

import re
from collections import Counter
from dataclasses import replace

import pytest

from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.errata import DEFECTS, errata
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.audit import DETECTORS, Benchmark, adjudicated_by, find

VARIANTS = ("base", "miss_func", "miss_param", "long_context")


def scenario(number, *variants):
    """The ids of the variants of one multi-turn scenario; without names, of all."""
    return {f"multi_turn_{variant}_{number}" for variant in variants or VARIANTS}


def variants_of(*numbers):
    """The ids of all variants but the first, of several scenarios."""
    return set().union(*(scenario(number, *VARIANTS[1:]) for number in numbers))


def ids(prefix, text):
    """Ids of one category from their ends."""
    return {f"{prefix}_{end}" for end in text.split()}


FOUND = {
    "unpassable": {"simple_java_36", "simple_java_65", "live_simple_106-63-0", "live_simple_112-68-0"}
    | {"live_multiple_862-181-3", "live_multiple_964-207-0", "multi_turn_miss_func_49"}
    | ids("sql", "15 18 19 28 29 38 39 49 68 69"),
    "provenance": scenario(4)
    | scenario(18, "base", "miss_func", "miss_param")
    | scenario(30, "base", "miss_func", "miss_param")
    | variants_of(143, 172, 197)
    | scenario(171)
    | scenario(173)
    | scenario(184)
    | scenario(187)
    | ids("multi_turn", "base_176 long_context_11 long_context_41 long_context_43")
    | {"exec_multiple_45", "exec_parallel_12"}
    | ids("exec_parallel_multiple", "12 26 34 35 36"),
    "contradiction": ids("live_simple", "29-7-2 176-102-0 178-103-1")
    | ids("live_multiple", "262-125-1 1001-232-0 1024-253-0")
    | ids("live_irrelevance", "118-7-8 565-173-0 567-175-0 569-177-0 783-292-0 786-295-0"),
    "enum": ids(
        "live_multiple",
        "87-38-4 152-58-6 552-153-1 595-158-1 596-158-2 731-167-2 733-167-4 735-167-6 750-169-5 756-169-11 "
        "835-178-10 871-182-8 947-197-0",
    )
    | {"live_simple_71-35-0", "live_parallel_multiple_2-2-0"}
    | ids("sql", "8 29 79 88 99"),
    "calendar": ids("live_simple", "196-116-4 231-122-0")
    | ids("live_multiple", "525-151-1 666-162-8 1037-264-0")
    | ids("multi_turn", "base_176 long_context_151"),
    "drift": variants_of(140, 143, 145, 154, 172, 176, 180, 188, 189, 193, 197)
    | ids("multi_turn_miss_func", "15 139")
    | ids("multi_turn_miss_param", "0 38 76 68")
    | ids("multi_turn_long_context", "48 153"),
    "default": ids(
        "live_multiple",
        "131-50-3 147-58-1 153-58-7 404-140-0 407-140-3 409-140-5 465-145-16 504-149-1 505-149-2 506-149-3 "
        "507-149-4 508-149-5 509-149-6 510-149-7 594-158-0 733-167-4 1037-264-0 1039-266-0 1040-267-0 "
        "1041-268-0 1045-272-0",
    )
    | ids("live_simple", "89-50-0 124-80-0")
    | {"simple_python_120", "parallel_84", "parallel_multiple_179", "live_parallel_multiple_1-1-0"},
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
    "hops": ids("web_search_base", "0 23 37 56 57 82") | ids("web_search_no_snippet", "0 23 37 56 57 82"),
    "forms": ids("memory_kv", "38-healthcare-8 25-customer-25 97-student-17"),
}


def test_every_detector_is_a_class_of_defects():
    """A finding can be looked up in the errata by its detector."""
    assert set(DETECTORS) <= set(DEFECTS)
    assert set(DETECTORS) - {"siblings"} == set(FOUND)


@pytest.mark.parametrize("detector", FOUND)
def test_known_defects_are_found(detector, found_on):
    """A detector finds the entries with known defects of its class."""
    assert FOUND[detector] - found_on(detector) == set()


@pytest.mark.parametrize("entry_id", ["live_irrelevance_11-1-1", "live_irrelevance_785-294-0"])
def test_entries_without_the_called_function_do_not_contradict(entry_id, found_on):
    """An entry with the request of another, but without the function called there, is not listed."""
    assert entry_id not in found_on("contradiction")


def test_restatements_are_only_listed_for_their_format(findings):
    """An entry that can be passed is listed in each prompt format in which it cannot."""
    restated = [each for each in findings if each.entry.category == "format_sensitivity"]
    assert {each.related for each in restated} == {"simple_python_96"}
    assert all("ret_fmt=json" in each.entry_id for each in restated)
    assert len(restated) == 6


def test_the_findings_can_be_adjudicated_by_hand(findings):
    """All detectors together have fewer than 500 findings, at most one per entry, detector and place."""
    assert len(findings) < 500
    places = Counter((each.entry_id, each.detector, each.where, each.detail) for each in findings)
    assert places.most_common(1)[0][1] == 1


def test_findings_can_be_limited_to_entries(entries, constants, findings):
    """`find` with ids returns only the findings on these entries, in the order of the release."""
    names = ("multi_turn_base", "multi_turn_miss_func")
    benchmark = Benchmark({name: entries(name)[:20] for name in names}, constants)
    wanted = {"multi_turn_miss_func_15", "multi_turn_base_4"}
    found = find(benchmark, entry_ids=wanted)
    assert [(each.entry_id, each.detector) for each in found] == [
        ("multi_turn_base_4", "provenance"),
        ("multi_turn_miss_func_15", "drift"),
    ]
    assert found == [each for each in findings if each.entry_id in wanted]


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
    """Each finding has an erratum of its entry that adjudicates it."""
    assert [each for each in findings if adjudicated_by(each) is None] == []
    assert findings
