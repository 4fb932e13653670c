"""Finds suspected defects of the benchmark's entries. Pure: entries in, findings out.

A finding is a row to be adjudicated by a person, not a verdict; `benchmark.errata` has the results. A
detector is a function and its row in DETECTORS. The findings of one with `adjudicated=False` are hints:
they are listed, and the errata need not have one for each.
"""

from collections.abc import Container, Iterable, Mapping

from bfcl_pipeline.base.errors import ErrataError
from bfcl_pipeline.benchmark.errata import Erratum, errata_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.audit.agentic import answers_within_words, broken_hops, deciding_forms
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Detector, Suspicion
from bfcl_pipeline.judge.audit.drift import drifted_variants, unrecorded_siblings
from bfcl_pipeline.judge.audit.parameters import (
    accepted_omissions,
    rejected_defaults,
    rejected_omissions,
    unasked_values,
    values_outside_enums,
)
from bfcl_pipeline.judge.audit.provenance import unstated_values
from bfcl_pipeline.judge.audit.unpassable import unpassable_entries
from bfcl_pipeline.judge.audit.wording import (
    contradicting_entries,
    rejected_formats,
    rejected_words,
    wrong_dates,
)

DETECTORS: Mapping[str, Detector] = {
    each.name: each
    for each in (
        Detector("unpassable", "no answer at all can pass", unpassable_entries, "sql_15"),
        Detector(
            "provenance",
            "the truth has a value that nothing in the entry states or returns",
            unstated_values,
            "multi_turn_base_4",
        ),
        Detector(
            "contradiction",
            "the same request has the opposite truth in another entry",
            contradicting_entries,
            "live_simple_29-7-2",
        ),
        Detector(
            "enum",
            "no accepted value is in the enum of the function doc",
            values_outside_enums,
            "live_simple_71-35-0",
        ),
        Detector(
            "calendar",
            "a date and its weekday, or the years of request and truth, differ",
            wrong_dates,
            "live_simple_196-116-4",
        ),
        Detector(
            "drift",
            "variants of one scenario demand different things of the same words",
            drifted_variants,
            "multi_turn_miss_func_15",
        ),
        Detector(
            "default",
            "the default of an optional parameter is accepted, but not its omission",
            rejected_omissions,
            "parallel_84",
        ),
        Detector(
            "written_default",
            "an optional parameter may be left out, but its default is not accepted",
            rejected_defaults,
            "live_simple_51-23-0",
        ),
        Detector(
            "omission",
            "a parameter may be left out, though the request states another value than its default",
            accepted_omissions,
            "parallel_135",
        ),
        Detector(
            "unasked",
            "an optional parameter must have a value that the request does not state",
            unasked_values,
            "live_multiple_195-87-2",
        ),
        Detector(
            "format",
            "no accepted value has the format that the function doc gives",
            rejected_formats,
            "live_multiple_4-2-1",
        ),
        Detector(
            "wording",
            "the request's own words for a value are not accepted",
            rejected_words,
            "live_simple_199-116-7",
        ),
        Detector(
            "hops",
            "the hop chain of a web question does not lead to its answer",
            broken_hops,
            "web_search_base_0",
        ),
        Detector(
            "forms",
            "accepted answers differ only in what normalisation should ignore",
            deciding_forms,
            "memory_kv_38-healthcare-8",
        ),
        Detector(
            "part_of_word",
            "an accepted answer stands in its session only as a part of longer words",
            answers_within_words,
            "memory_kv_18-customer-18",
        ),
        Detector(
            "siblings",
            "an entry has no erratum, and one with the same task and truth has",
            unrecorded_siblings,
            None,
        ),
    )
}
"""Every detector, by its name."""

DEFECTS: Mapping[str, str] = {
    **{each.name: each.meaning for each in DETECTORS.values() if each.adjudicated},
    "answer": "the accepted answers of an agentic question are wrong or incomplete",
    "truth": "the truth is wrong or incomplete in another way",
    "doc": "the function doc is wrong",
}
"""The classes of defects of the errata, with their meanings."""

__all__ = [
    "DEFECTS",
    "DETECTORS",
    "Benchmark",
    "Detector",
    "Suspicion",
    "adjudicated_by",
    "check_classes",
    "find",
]


def find(
    benchmark: Benchmark,
    detectors: Iterable[str] = tuple(DETECTORS),
    entry_ids: Container[str] | None = None,
    rules: Rules = Rules.OFFICIAL,
) -> list[Suspicion]:
    """The findings of `detectors` under `rules`, in the order of categories, entries and DETECTORS.

    Args:
        benchmark: must have the entries of all categories for the detectors that compare entries.
        entry_ids: only the findings on these entries are returned, if given.
        rules: `verified` audits the mended entries, without those that are left out.
    """
    audited = benchmark.under(rules, entry_ids)
    entries = (entry for entries in audited.entries.values() for entry in entries)
    places = {entry.entry_id: place for place, entry in enumerate(entries)}
    found = {
        (each.entry_id, name, each.where, each.detail): each
        for name in detectors
        for each in DETECTORS[name].findings(audited)
        if audited.wants(each.entry)
    }
    return sorted(found.values(), key=lambda each: places[each.entry_id])


def adjudicated_by(suspicion: Suspicion) -> Erratum | None:
    """The erratum for a finding: of the same class, else of a class without a detector."""
    errata = errata_of(suspicion.entry)
    same = (each for each in errata if suspicion.detector in (each.defect, *each.also))
    others = (each for each in errata if each.defect not in DETECTORS)
    return next(same, None) or next(others, None)


def check_classes(errata: Iterable[Erratum]) -> None:
    """Raises ErrataError, which names the record, if a class of an erratum is not one of DEFECTS."""
    for erratum in errata:
        for defect in (erratum.defect, *erratum.also):
            if defect not in tuple(DEFECTS):
                raise ErrataError(
                    f"{erratum.record}: defect {defect!r} is not one of {', '.join(DEFECTS)}."
                )
