"""`bfcl-pipeline audit`: lists suspected defects of entries, and how each was adjudicated."""

import argparse
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

from bfcl_pipeline.audit import DETECTORS, Benchmark, Suspicion, find
from bfcl_pipeline.benchmark import CATEGORIES, resolve_categories
from bfcl_pipeline.cli.options import add_data, add_rules
from bfcl_pipeline.errata import Erratum, errata, errata_of
from bfcl_pipeline.errors import ConfigError
from bfcl_pipeline.records import Entry, Rules
from bfcl_pipeline.text import cut, on_one_line, plural, printable, text_table, unknown_name

_LONGEST = 160  # characters of a finding in the table of all entries

_OPEN = "not adjudicated"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    add_data(parser)
    parser.add_argument(
        "--categories",
        nargs="+",
        default=["all"],
        metavar="NAME",
        help="categories or groups (default: all)",
    )
    parser.add_argument(
        "--entry",
        nargs="+",
        metavar="ID",
        dest="entry_ids",
        help="only the findings on these entries, and the errata of each",
    )
    parser.add_argument(
        "--detector",
        nargs="+",
        metavar="NAME",
        dest="detectors",
        default=list(DETECTORS),
        help=f"only what these find (default: all): {', '.join(DETECTORS)}",
    )
    add_rules(parser, "rule set; verified audits the entries as the errata mend them")
    parser.add_argument(
        "--out",
        type=Path,
        metavar="FILE",
        help="write the findings as a table, too; its suffix chooses the form: .parquet, .csv or .jsonl",
    )
    parser.add_argument(
        "--markdown",
        type=Path,
        metavar="FILE",
        help="write the errata as a Markdown page; nothing is audited",
    )
    parser.add_argument(
        "--patch",
        type=Path,
        metavar="DIR",
        help="write the changes that the errata propose as patches of the benchmark's repository; nothing "
        "is audited",
    )


def run(options: argparse.Namespace) -> int:
    """Prints the findings; with --entry, also the errata of the entries."""
    if options.markdown or options.patch:
        return _publish(options.markdown, options.patch, options.data)
    from bfcl_pipeline.show.entry_page import find_entry
    from bfcl_pipeline.tables import entries_path, read_entries
    from bfcl_pipeline.tables.text_forms import form_of
    from bfcl_pipeline.tables.texts import read_constants

    if options.out:
        form_of(options.out)
    for name in options.detectors:
        if name not in DETECTORS:
            raise ConfigError(unknown_name("detector", name, DETECTORS))
    categories = resolve_categories(options.categories)
    wanted = [find_entry(options.data, entry_id) for entry_id in options.entry_ids or ()]
    # All categories are read: some detectors compare entries of several.
    entries = {name: read_entries(entries_path(options.data, name)) for name in CATEGORIES}
    found = find(
        Benchmark(entries, read_constants(options.data)),
        [name for name in DETECTORS if name in options.detectors],
        {entry.entry_id for entry in wanted} if options.entry_ids else None,
        options.rules,
    )
    found = [suspicion for suspicion in found if suspicion.category in categories]
    audited = {entry.entry_id: entry for name in categories for entry in entries[name]}
    rows = [_row(suspicion, audited[suspicion.entry_id], options.rules) for suspicion in found]
    _print_findings(rows, full=bool(wanted))
    for entry in wanted:
        _print_errata(entry)
    scored = sum(not entry.prerequisite for entry in wanted or audited.values())
    print(_counts(rows, scored, options.rules))
    if options.out:
        _write(options.out, rows)
    return 0


def _publish(markdown: Path | None, patch: Path | None, data: Path) -> int:
    """Writes the errata for people, and for the benchmark's repository."""
    from bfcl_pipeline.errata.page import errata_page
    from bfcl_pipeline.files import write_text
    from bfcl_pipeline.report.tables.release_ceilings import release_ceilings
    from bfcl_pipeline.staging.upstream_patch import write_bundle

    if patch:
        count = write_bundle(patch, data, errata())
        print(f"{patch}: {plural(count, 'patch', 'patches')}; README.md lists them.", file=sys.stderr)
    if markdown:
        write_text(markdown, errata_page(errata(), release_ceilings(data)))
        print(f"Written to {markdown}.", file=sys.stderr)
    return 0


def _row(suspicion: Suspicion, entry: Entry, rules: Rules) -> dict[str, str | None]:
    """One row of `schemas.FINDINGS`."""
    return {
        "category": suspicion.category,
        "entry_id": suspicion.entry_id,
        "detector": suspicion.detector,
        "rules": rules.value,
        "place": suspicion.where,
        "detail": suspicion.detail,
        "related_entry_id": suspicion.related,
        "erratum": _adjudicated(suspicion, errata_of(entry)),
    }


def _adjudicated(suspicion: Suspicion, errata: Sequence[Erratum]) -> str | None:
    """The status of the erratum of this class of defects, None without one."""
    name = suspicion.detector
    return next((each.status.value for each in errata if name in (each.defect, *each.also)), None)


def _print_findings(rows: Sequence[Mapping[str, str | None]], full: bool) -> None:
    cells = [
        (
            str(row["entry_id"]).partition(":")[0],
            str(row["detector"]),
            printable(on_one_line(str(row["place"]))),
            _finding(row) if full else cut(_finding(row), _LONGEST),
            row["erratum"] or _OPEN,
        )
        for row in rows
    ]
    if cells:
        # The long column is last, so that the others can be read.
        head = ("entry", "detector", "where", "errata", "finding")
        print(text_table(head, [(*cell[:3], cell[4], cell[3]) for cell in cells]))


def _finding(row: Mapping[str, str | None]) -> str:
    return printable(on_one_line(str(row["detail"])))


def _print_errata(entry: Entry) -> None:
    for erratum in errata_of(entry):
        print(f"\n{erratum.entry_id}: {erratum.defect}, {erratum.status}. {erratum.what}")
        print(f"  why: {erratum.why}")
        print(f"  a faithful model, official rules: {erratum.faithful}")
        print(f"  evidence: {erratum.evidence}")
    if not errata_of(entry):
        print(f"\n{entry.entry_id}: no errata.")


def _counts(rows: Sequence[Mapping[str, str | None]], entries: int, rules: Rules) -> str:
    with_findings = len({row["entry_id"] for row in rows})
    by_detector = Counter(str(row["detector"]) for row in rows)
    by_status = Counter(row["erratum"] or _OPEN for row in rows)
    parts = [
        f"{plural(len(rows), 'finding', 'findings')} on {with_findings:,} of "
        f"{plural(entries, 'entry', 'entries')} ({rules} rules)"
    ]
    parts += [
        ", ".join(f"{name} {count:,}" for name, count in by.items())
        for by in (by_detector, by_status)
        if by
    ]
    return "; ".join(parts) + "."


def _write(path: Path, rows: Sequence[Mapping[str, str | None]]) -> None:
    import pyarrow as pa

    from bfcl_pipeline.tables.schemas import FINDINGS
    from bfcl_pipeline.tables.text_forms import write_any_form

    write_any_form(path, pa.Table.from_pylist(list(rows), schema=FINDINGS))
