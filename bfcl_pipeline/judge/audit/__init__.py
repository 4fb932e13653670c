"""Finds suspected defects of the benchmark's entries. Pure: entries in, findings out.

A finding is a row to be adjudicated by a person, not a verdict; `benchmark.errata` has the results.
"""

from collections.abc import Callable, Container, Iterable, Mapping
from dataclasses import replace

from bfcl_pipeline.benchmark.errata import Erratum, errata_of
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.audit.agentic import answers_within_words, broken_hops, deciding_forms
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion, are_compared
from bfcl_pipeline.judge.audit.drift import drifted_variants
from bfcl_pipeline.judge.audit.omissions import (
    accepted_omissions,
    rejected_defaults,
    rejected_omissions,
    unasked_values,
)
from bfcl_pipeline.judge.audit.parameters import values_outside_enums
from bfcl_pipeline.judge.audit.provenance import unstated_values
from bfcl_pipeline.judge.audit.requests import contradicting_entries, wrong_dates
from bfcl_pipeline.judge.audit.siblings import unrecorded_siblings
from bfcl_pipeline.judge.audit.unpassable import unpassable_entries
from bfcl_pipeline.judge.audit.wording import rejected_formats, rejected_words

DETECTORS: Mapping[str, Callable[[Benchmark], Iterable[Suspicion]]] = {
    "unpassable": unpassable_entries,
    "provenance": unstated_values,
    "contradiction": contradicting_entries,
    "enum": values_outside_enums,
    "calendar": wrong_dates,
    "drift": drifted_variants,
    "default": rejected_omissions,
    "written_default": rejected_defaults,
    "omission": accepted_omissions,
    "unasked": unasked_values,
    "format": rejected_formats,
    "wording": rejected_words,
    "hops": broken_hops,
    "forms": deciding_forms,
    "part_of_word": answers_within_words,
    "siblings": unrecorded_siblings,
}
"""Every detector, by the class of the defects that it finds (errata.DEFECTS)."""

__all__ = ["DETECTORS", "Benchmark", "Suspicion", "adjudicated_by", "are_compared", "find"]


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
        (each.entry_id, name, each.where, each.detail): replace(each, detector=name)
        for name in detectors
        for each in DETECTORS[name](audited)
        if audited.wants(each.entry)
    }
    return sorted(found.values(), key=lambda each: places[each.entry_id])


def adjudicated_by(suspicion: Suspicion) -> Erratum | None:
    """The erratum for a finding: of the same class, else of a class without a detector."""
    errata = errata_of(suspicion.entry)
    same = (each for each in errata if suspicion.detector in (each.defect, *each.also))
    others = (each for each in errata if each.defect not in DETECTORS)
    return next(same, None) or next(others, None)
