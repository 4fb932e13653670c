"""`bfcl-pipeline audit`: lists suspected defects of entries, and how each was adjudicated.

With `--consensus`: the entries to which systems give the same answer, which is judged wrong.
"""

import argparse
import sys
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import write_text
from bfcl_pipeline.base.text import cut, line_of, on_one_line, plural, printable, text_table, unknown_name
from bfcl_pipeline.benchmark.definition import CATEGORIES, resolve_categories
from bfcl_pipeline.benchmark.errata import Erratum, ErratumStatus, Treatment, errata, errata_of, treatment
from bfcl_pipeline.benchmark.errata.page import errata_page
from bfcl_pipeline.benchmark.records import Entry, Rules
from bfcl_pipeline.benchmark.staging.verified_release import FIXES, write_bundle, write_verified
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.benchmark.tables.schemas import FINDINGS
from bfcl_pipeline.benchmark.tables.text_forms import form_of, write_any_form
from bfcl_pipeline.cli.options import add_data, add_errata, add_names, add_rules
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.judge.audit import DEFECTS, DETECTORS, Benchmark, Suspicion, adjudicated_by, find
from bfcl_pipeline.judge.audit.benchmark import are_compared
from bfcl_pipeline.judge.audit.consensus import shared_errors
from bfcl_pipeline.judge.audit.readings import completeness_section
from bfcl_pipeline.judge.judged_answers import judged_answers
from bfcl_pipeline.judge.own_errata import using_errata
from bfcl_pipeline.show.entry.entry_page import find_entry
from bfcl_pipeline.show.report.tables.errata_tables import release_ceilings

_LONGEST = 160  # characters of a finding in the table of all entries

_OPEN = "not adjudicated"
_HINT = "hint"  # of a detector whose findings the errata need not have

_NO_ERRATUM = "no erratum on record"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declares the options of the command."""
    about = "only the findings on these entries, and the errata of each (default: on all)"
    parser.add_argument("entry_ids", nargs="*", metavar="ENTRY", help=about)
    add_data(parser)
    about = "categories or groups (default: all, or those of the entries)"
    add_names(parser, "--category --categories", "categories", about)
    about = f"only what these find (default: all): {', '.join(DETECTORS)}"
    parser.add_argument(
        "--detector", nargs="+", metavar="NAME", dest="detectors", default=list(DETECTORS), help=about
    )
    about = (
        "list the entries whose most frequent answer is judged wrong in these runs (names or directories) "
        "or tables of scored responses (.parquet); those that no system passes come first"
    )
    parser.add_argument("--consensus", type=Path, nargs="+", metavar="VERDICTS", help=about)
    add_errata(parser)
    add_rules(parser, "rule set; verified audits the entries as the errata mend them")
    about = "write the findings as a table, too; its suffix chooses the form: .parquet, .csv or .jsonl"
    parser.add_argument("--out", type=Path, metavar="FILE", help=about)
    about = "write the errata as a Markdown page; nothing is audited"
    parser.add_argument("--markdown", type=Path, metavar="FILE", help=about)
    about = (
        "write BFCL-Verified, the release with all changes that the errata propose, for `stage --source "
        "DIR`; nothing is audited"
    )
    parser.add_argument("--dataset", type=Path, metavar="DIR", help=about)
    about = (
        "write the changes that the errata propose (with ENTRY: of these entries) as patches of the "
        "benchmark's repository; nothing is audited"
    )
    parser.add_argument("--patch", type=Path, metavar="DIR", help=about)


def run(options: argparse.Namespace) -> int:
    """Prints the findings; with entries, also the errata of each."""
    with using_errata(options.errata, options.data):
        if options.markdown or options.patch or options.dataset:
            return _publish(options)
        return _agree(options) if options.consensus else _audit(options)


def _audit(options: argparse.Namespace) -> int:
    """Prints the findings, and writes them to --out."""
    if options.out:
        form_of(options.out)
    for name in options.detectors:
        if name not in DETECTORS:
            raise ConfigError(unknown_name("detector", name, DETECTORS))
    wanted = [find_entry(options.data, entry_id) for entry_id in options.entry_ids]
    named = options.categories or [entry.category for entry in wanted] or ["all"]
    categories = resolve_categories(named)
    for entry in wanted:
        if entry.category not in categories:
            raise ConfigError(f"{entry.entry_id} is not in --category. Leave out one of the two options.")
    entries = _read(options.data, categories, wanted)
    chosen = {entry.entry_id: entry for name in categories for entry in entries.get(name, ())}
    found = find(
        Benchmark(entries, read_constants(options.data)),
        [name for name in DETECTORS if name in options.detectors],
        {entry.entry_id for entry in wanted} or chosen.keys(),
        options.rules,
    )
    rows = [_row(each, options.rules) for each in found]
    parts = [_findings(rows, full=bool(wanted)), *map(_errata, wanted)]
    print(*filter(None, parts), _counts(rows, wanted or chosen.values(), options.rules), sep="\n\n")
    if options.out:
        write_any_form(options.out, pa.Table.from_pylist(rows, schema=FINDINGS))
    return 0


def _read(data: Path, categories: Sequence[str], wanted: Sequence[Entry]) -> dict[str, list[Entry]]:
    """The entries of `categories`, or those wanted alone, with all with which detectors compare them."""
    reported = {entry.category for entry in wanted} or set(categories)
    ids = {entry.entry_id for entry in wanted} or None
    found = {}
    for name in CATEGORIES:
        if any(are_compared(name, other) for other in reported):
            found[name] = read_entries(entries_path(data, name))
        elif name in reported:
            found[name] = read_entries(entries_path(data, name), ids)
    return found


def _agree(options: argparse.Namespace) -> int:
    """Prints the entries whose most frequent answer is judged wrong."""
    _refuse_others(options, "--consensus", ("--out", "--detector"))
    categories = resolve_categories(options.categories or ["all"])
    read = [entry for name in categories for entry in read_entries(entries_path(options.data, name))]
    wanted = {find_entry(options.data, entry_id).entry_id for entry_id in options.entry_ids}
    entries = {entry.entry_id: entry for entry in read if not wanted or entry.entry_id in wanted}
    answers = [each for path in options.consensus for each in judged_answers(path, options.rules)]
    found = shared_errors(entries, answers)
    lines = [
        (
            each.entry.entry_id,
            f"{each.given}/{each.systems}",
            str(each.passed),
            ", ".join(sorted({erratum.status for erratum in errata_of(each.entry)})) or _NO_ERRATUM,
            line_of(each.answer, _LONGEST),
        )
        for each in found
    ]
    headings = ("entry", "give it", "pass", "errata", "the most frequent answer, which is judged wrong")
    if lines:
        print(text_table(headings, lines), end="\n\n")
    systems = {answer.system for answer in answers}
    parts = (
        f"{plural(len(found), 'entry', 'entries')} whose most frequent answer is judged wrong",
        f"of {plural(len(systems), 'system', 'systems')} ({options.rules} rules)",
        f"{sum(not each.passed for each in found):,} that no system passes",
        f"{sum(not errata_of(each.entry) for each in found):,} with {_NO_ERRATUM}",
    )
    print(f"{', '.join(parts)}.")
    return 0


def _publish(options: argparse.Namespace) -> int:
    """Writes the errata for people, and for the benchmark's repository."""
    markdown, patch, data = options.markdown, options.patch, options.data
    form = "--markdown" if markdown else "--patch" if patch else "--dataset"
    more = () if form == "--patch" else ("ENTRY", "--errata")
    refused = ("--out", "--detector", "--category", "--rules", "--consensus", *more)
    _refuse_others(options, form, refused)
    if patch:
        count = write_bundle(patch, data, _chosen_errata(data, options.entry_ids))
        print(f"{patch}: {plural(count, 'patch', 'patches')}; README.md lists them.", file=sys.stderr)
    if options.dataset:
        version, sha256 = write_verified(options.dataset, data, errata())
        print(f"{options.dataset}: BFCL-Verified {version}, sha256 {sha256}; {FIXES} lists the changes.")
    if markdown:
        section = completeness_section(one.entry_id for one in errata())
        write_text(markdown, errata_page(errata(), DEFECTS, release_ceilings(), section))
        print(f"Written to {markdown}.", file=sys.stderr)
    return 0


def _refuse_others(options: argparse.Namespace, option: str, others: Iterable[str]) -> None:
    """Raises ConfigError if one of the `others`, on which `option` does not depend, is given."""
    given = {
        "ENTRY": bool(options.entry_ids),
        "--out": options.out is not None,
        "--detector": options.detectors != list(DETECTORS),
        "--category": bool(options.categories),
        "--rules": options.rules is not Rules.OFFICIAL,
        "--errata": bool(options.errata),
        "--consensus": bool(options.consensus),
    }
    for name in others:
        if given[name]:
            raise ConfigError(f"{name} does not go with {option}.")


def _chosen_errata(data: Path, entry_ids: Sequence[str]) -> Sequence[Erratum]:
    """All errata, or those of some entries. Raises ConfigError if these have no proposed change."""
    if not entry_ids:
        return errata()
    entries = [find_entry(data, entry_id) for entry_id in entry_ids]
    wanted = {entry_id for entry in entries for entry_id in (entry.entry_id, entry.base_entry_id)}
    chosen = [erratum for erratum in errata() if erratum.entry_id in wanted]
    if not any(erratum.confirmed and erratum.edits for erratum in chosen):
        raise ConfigError(f"the errata propose no change of {', '.join(entry_ids)}.")
    return chosen


def _row(suspicion: Suspicion, rules: Rules) -> dict[str, str | None]:
    """One row of `schemas.FINDINGS`."""
    erratum = adjudicated_by(suspicion)
    return {
        "category": suspicion.entry.category,
        "entry_id": suspicion.entry_id,
        "detector": suspicion.detector,
        "rules": rules.value,
        "place": suspicion.where,
        "detail": suspicion.detail,
        "related_entry_id": suspicion.related,
        "erratum": erratum.status.value if erratum else None,
    }


def _status(row: Mapping[str, str | None]) -> str:
    """How a finding was adjudicated, in one or two words."""
    adjudicated = DETECTORS[str(row["detector"])].adjudicated
    return row["erratum"] or (_OPEN if adjudicated else _HINT)


def _findings(rows: Sequence[Mapping[str, str | None]], full: bool) -> str:
    """The findings as a table, the long column last; full: without cutting it. Empty if there are none."""
    lines = []
    for row in rows:
        place, detail = (printable(on_one_line(str(row[name]))) for name in ("place", "detail"))
        entry = str(row["entry_id"]).partition(":")[0]
        shown = detail if full else cut(detail, _LONGEST)
        lines.append((entry, str(row["detector"]), place, _status(row), shown))
    return text_table(("entry", "detector", "where", "errata", "finding"), lines) if lines else ""


def _errata(entry: Entry) -> str:
    """The errata of an entry, each with its reason, evidence and proposal; then what verified rules do."""
    found = errata_of(entry)
    if not found:
        return f"{entry.entry_id}: {_NO_ERRATUM}."
    texts = []
    for erratum in found:
        lines = [
            f"{erratum.entry_id}: {erratum.defect}, {erratum.status}. {erratum.what}",
            f"why: {erratum.why}",
            f"a faithful model, official rules: {erratum.faithful}",
            f"evidence: {erratum.evidence}",
            *(f"proposed: {edit}" for edit in erratum.edits),
        ]
        if erratum.threads:
            lines.append(f"threads: {', '.join(f'#{number}' for number in erratum.threads)}")
        texts.append("\n  ".join(lines))
    return "\n\n".join([*texts, f"{entry.entry_id} under verified rules: {treatment(entry)}"])


def _counts(rows: Sequence[Mapping[str, str | None]], entries: Iterable[Entry], rules: Rules) -> str:
    """The last line: findings in all, by detector, and by their status in the errata."""
    audited = sum(
        not entry.prerequisite and not (rules is Rules.VERIFIED and treatment(entry) is Treatment.LEFT_OUT)
        for entry in entries
    )
    found = {row["entry_id"] for row in rows}
    parts = [
        f"{plural(len(rows), 'finding', 'findings')} on {len(found):,} of "
        f"{plural(audited, 'entry', 'entries')} ({rules} rules)"
    ]
    detectors = Counter(str(row["detector"]) for row in rows)
    statuses = Counter(map(_status, rows))
    for counts, order in ((detectors, DETECTORS), (statuses, [*ErratumStatus, _OPEN, _HINT])):
        if counts:
            parts.append(", ".join(f"{name} {counts[name]:,}" for name in order if counts[name]))
    return "; ".join(parts) + "."
