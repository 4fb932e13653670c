"""The errata as Markdown for people: docs/errata.md, and the README of the patches for upstream."""

from collections.abc import Iterable, Mapping, Sequence

from bfcl_pipeline.benchmark import CATEGORIES, category_of, release
from bfcl_pipeline.errata.ledger import DEFECTS, Erratum, ErratumStatus, Faithful, by_record

THREAD = "https://github.com/ShishirPatil/gorilla/issues/{number}"
"""The address of an issue or pull request of the benchmark's repository."""

_Row = Sequence[str]
_Records = Sequence[Sequence[Erratum]]


def errata_page(errata: Sequence[Erratum]) -> str:
    """The page docs/errata.md."""
    records = by_record(errata)
    parts = [
        _INTRODUCTION.format(version=release.VERSION),
        _classes(),
        _counts(errata),
        _categories(errata),
    ]
    for status, heading in _HEADINGS.items():
        chosen = [record for record in records if record[0].status is status]
        parts.append(f"## {heading}\n")
        parts.append(_adjudicated(chosen, confirmed=status is ErratumStatus.CONFIRMED))
    return "\n".join(parts)


_INTRODUCTION = """\
# Errata of the benchmark

Rendered by `bfcl-pipeline audit --markdown docs/errata.md` from the records in
`bfcl_pipeline/errata/entries`, which are of the release {version}.

Each record is one suspected defect of one or more entries, adjudicated by hand. The evidence is a command
for the first of its entries; for another entry, put its id into the command. Restatements of an entry in
`format_sensitivity` have the errata of that entry.

**Status.** *Confirmed*: the entry has the defect. *Disputed*: both readings can be defended. *Rejected*:
the data of the entry are right in this respect.

**Faithful model.** What becomes of a model that does what the entry asks for, under the official rules: it
*fails*, it *may pass* (with one of several faithful answers), or it *passes*.

**Rules.** `official` and `corrected` score every entry as it is released. `verified` applies the corrected
rules to entries without a confirmed defect and to *mended* entries, which get the proposed truth. Other
entries with a confirmed defect are *left out*: no small change is proposed, or their question or function
docs would have to change, and recorded answers are answers to the old text. Disputed and rejected records
change nothing.

`bfcl-pipeline audit --patch DIR` writes all proposed changes as patches of the benchmark's repository.
"""

_HEADINGS = {
    ErratumStatus.CONFIRMED: "Confirmed",
    ErratumStatus.DISPUTED: "Disputed",
    ErratumStatus.REJECTED: "Rejected",
}


def _classes() -> str:
    rows = [(f"`{name}`", meaning) for name, meaning in DEFECTS.items()]
    return "## Classes of defects\n\n" + _table(("class", "meaning"), rows)


def _counts(errata: Sequence[Erratum]) -> str:
    rows = []
    for defect in DEFECTS:
        found = [erratum for erratum in errata if erratum.defect == defect]
        if found:
            rows.append((f"`{defect}`", *_by_status(found)))
    rows.append(("all classes", *_by_status(errata)))
    return (
        "## Entries by class and status\n\n"
        "An entry with several records of one status counts once in the last row.\n\n"
        + _table(("class", *_HEADINGS), rows)
    )


def _by_status(errata: Iterable[Erratum]) -> list[str]:
    ids: dict[ErratumStatus, set[str]] = {status: set() for status in _HEADINGS}
    for erratum in errata:
        ids[erratum.status].add(erratum.entry_id)
    return [str(len(entries)) for entries in ids.values()]


def _categories(errata: Sequence[Erratum]) -> str:
    """What the confirmed defects mean for each category."""
    rows = []
    for name, category in CATEGORIES.items():
        confirmed = [each for each in errata if each.confirmed and category_of(each.entry_id) == name]
        if not confirmed:
            continue
        entries = {erratum.entry_id for erratum in confirmed}
        failing = {erratum.entry_id for erratum in confirmed if erratum.faithful is Faithful.FAILS}
        left_out = {erratum.entry_id for erratum in confirmed if not erratum.mends}
        highest = 1 - len(failing) / category.entries
        rows.append(
            (
                name,
                f"{category.entries}",
                f"{len(entries)}",
                f"{len(failing)}",
                f"{highest:.1%}",
                f"{len(entries - left_out)}",
                f"{len(left_out)}",
            )
        )
    return (
        "## Confirmed defects by category\n\n"
        "The highest accuracy is that of a model that does what every entry asks for, under the official "
        "rules. Under `verified` it is 100 %. Overall accuracies are in the tables of a run "
        "([tables.md](tables.md)).\n\n"
        + _table(
            (
                "category",
                "entries",
                "confirmed",
                "a faithful model fails",
                "highest accuracy",
                "mended",
                "left out",
            ),
            rows,
        )
    )


def _adjudicated(records: _Records, confirmed: bool) -> str:
    headings = ["entries", "class", "what", "why", "faithful model", "evidence", "threads"]
    if confirmed:
        headings.insert(5, "proposal")
    rows = []
    for record in records:
        first = record[0]
        row = [_ids(record), f"`{first.defect}`", _cell(first.what), _cell(first.why), first.faithful]
        if confirmed:
            row.append(_proposal(first))
        rows.append([*row, _code(first.evidence), _threads(first)])
    return _table(headings, rows)


def bundle_readme(errata: Sequence[Erratum], patches: Mapping[str, str]) -> str:
    """The README of the patches; `patches` has the name of the patch of each record."""
    confirmed = [record for record in by_record(errata) if record[0].confirmed]
    changes, others = [], []
    for record in confirmed:
        first = record[0]
        row = [_ids(record), _cell(first.what), _cell(first.why)]
        ending = [_code(first.evidence), _threads(first)]
        if first.record in patches:
            changes.append([f"`{patches[first.record]}`", *row, _edits(first), *ending])
        else:
            others.append([*row, *ending])
    headings = ["entries", "what", "why"]
    return (
        _BUNDLE.format(title=BUNDLE_TITLE, version=release.VERSION, commit=release.UPSTREAM_COMMIT)
        + "\n## Changes\n\n"
        + _table(["patch", *headings, "change", "evidence", "threads"], changes)
        + "\n## Entries that should be rewritten or removed\n\n"
        + _table([*headings, "evidence", "threads"], others)
    )


BUNDLE_TITLE = "# Proposed changes of the data files of BFCL V4"
"""The first line of the README of the patches."""

_BUNDLE = """\
{title}

Written by `bfcl-pipeline audit --patch`. The patches apply to commit {commit}, from which the release
{version} was built. Each of them concerns one defect. In the root of the repository, `git am DIR/*.patch`
makes one commit of each, and `git apply DIR/*.patch` changes the files only. The evidence is a command of
bfcl-pipeline for the first of the entries; for another entry, put its id into the command.
"""


def _ids(record: Sequence[Erratum]) -> str:
    return "<br>".join(f"`{erratum.entry_id}`" for erratum in record)


def _proposal(erratum: Erratum) -> str:
    if not erratum.edits:
        return "left out"
    return _edits(erratum) if erratum.mends else f"left out; for upstream:<br>{_edits(erratum)}"


def _edits(erratum: Erratum) -> str:
    return "<br>".join(_code(str(edit)) for edit in erratum.edits)


def _threads(erratum: Erratum) -> str:
    return ", ".join(f"[#{number}]({THREAD.format(number=number)})" for number in erratum.threads)


def _table(headings: _Row, rows: Iterable[_Row]) -> str:
    lines = [headings, ["---"] * len(headings), *rows]
    if len(lines) == 2:
        return "None.\n"
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _code(text: str) -> str:
    """`text` as code in a cell of a table."""
    return f"`` {text} ``".replace("|", "\\|") if "`" in text else f"`{text}`".replace("|", "\\|")
