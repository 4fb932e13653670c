"""The detectors by name, the search with some or all of them, and the erratum for a finding."""

from collections.abc import Callable, Container, Iterable, Mapping

from bfcl_pipeline.benchmark.errata import Erratum, errata_of
from bfcl_pipeline.benchmark.records import Entry, Rules
from bfcl_pipeline.judge.audit import (
    calendar,
    contradiction,
    default,
    drift,
    enum,
    forms,
    hops,
    provenance,
    unpassable,
)
from bfcl_pipeline.judge.audit.benchmark import Benchmark, Suspicion

DETECTORS: Mapping[str, Callable[[Benchmark], Iterable[Suspicion]]] = {
    unpassable.NAME: unpassable.suspicions,
    provenance.NAME: provenance.suspicions,
    contradiction.NAME: contradiction.suspicions,
    enum.NAME: enum.suspicions,
    calendar.NAME: calendar.suspicions,
    drift.NAME: drift.suspicions,
    default.NAME: default.suspicions,
    hops.NAME: hops.suspicions,
    forms.NAME: forms.suspicions,
}
"""Every detector, by the class of the defects that it finds (errata.DEFECTS)."""


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
    places = {
        entry.entry_id: place
        for place, entry in enumerate(entry for entries in audited.entries.values() for entry in entries)
    }
    found = [suspicion for name in detectors for suspicion in DETECTORS[name](audited)]
    if entry_ids is not None:
        found = [suspicion for suspicion in found if suspicion.entry_id in entry_ids]
    return sorted(found, key=lambda suspicion: places[suspicion.entry_id])


def adjudicated_by(suspicion: Suspicion, entry: Entry) -> Erratum | None:
    """The erratum of `entry` for a finding on it: of the same class, else of a class without a detector."""
    errata = errata_of(entry)
    name = suspicion.detector
    same = (each for each in errata if name in (each.defect, *each.also))
    others = (each for each in errata if each.defect not in DETECTORS)
    return next(same, None) or next(others, None)
