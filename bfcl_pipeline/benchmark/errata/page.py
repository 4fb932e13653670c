"""The errata as Markdown for people: docs/errata.md, and the README of the patches for upstream."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, V4_CATEGORIES, category_of, release
from bfcl_pipeline.benchmark.definition.leaderboard import categories_of
from bfcl_pipeline.benchmark.errata.ledger import Erratum, ErratumStatus, alike
from bfcl_pipeline.benchmark.records import Rules

THREAD = "https://github.com/ShishirPatil/gorilla/issues/{number}"
"""The address of an issue or pull request of the benchmark's repository."""

_Row = Sequence[str]
_Records = Sequence[Sequence[Erratum]]  # with the same texts: one row


def errata_page(
    errata: Sequence[Erratum],
    classes: Mapping[str, str],
    ceilings: Iterable[Mapping[str, Any]],
    completeness: str = "",
) -> str:
    """The page docs/errata.md.

    classes: of defects, with their meanings. ceilings: rows of the table `ceilings` over the whole release.
    completeness: a section in Markdown.
    """
    groups = alike(errata)
    introduction = _INTRODUCTION.format(version=release.VERSION)
    retired = [erratum for erratum in errata if category_of(erratum.entry_id) in GROUPS["executable"]]
    of_v4 = [erratum for erratum in errata if category_of(erratum.entry_id) in V4_CATEGORIES]
    parts = [introduction, _classes(classes), _counts(classes, of_v4, retired), _ceilings(errata, ceilings)]
    parts += [completeness] if completeness else []
    for status, heading in _HEADINGS.items():
        chosen = [records for records in groups if records[0][0].status is status]
        parts.append(f"## {heading}\n" if chosen else f"## {heading}\n\nNone.\n")
        for group in dict.fromkeys(category.group for category in CATEGORIES.values()):
            of_group = [records for records in chosen if _group(records) == group]
            if of_group:
                parts.append(f"### {heading}: {group}\n")
                parts.append(_adjudicated(of_group, confirmed=status is ErratumStatus.CONFIRMED))
    return "\n".join(parts)


_INTRODUCTION = """\
# Errata of the benchmark

Rendered by `bfcl-pipeline audit --markdown docs/errata.md` from the records in
`bfcl_pipeline/benchmark/errata/entries`, which are of the release {version}.

Each row is one suspected defect of one or more entries, adjudicated by hand. The evidence is a command for
the first of its entries; for another entry, put its id into the command. Restatements of an entry in
`format_sensitivity` have the errata of that entry.

**Status.** *Confirmed*: the entry has the defect. *Disputed*: both readings can be defended. *Rejected*:
the data of the entry are right in this respect.

**Faithful model.** What becomes of a model that does what the entry asks for, under the official rules: it
*fails*, it *may pass* (with one of several faithful answers), or it *passes*. By a rejected record it fails
where the data are right and a checker is not, which a corrected rule corrects ([rules.md](rules.md)).
Faithful answers are data, in `bfcl_pipeline/benchmark/errata/faithful`, and are judged by all rule sets: a
test compares what an entry's records say with what its answers do.

**Rules.** `official` and `corrected` score every entry as it is released. `verified` applies the corrected
rules to entries without a confirmed defect and to *mended* entries, which get the proposed truth. Other
entries with a confirmed defect are *left out*: no small change is proposed, or their question or function
docs would have to change, and recorded answers are answers to the old text. Disputed and rejected records
change nothing.

**Proposals.** A proposal *adds* an accepted value where the released one is a faithful answer, too: the
same value in another form, another reading of the request, or a call that returns what was asked for and
more. It *replaces* the released value where an answer with it contradicts the request or the function doc,
leaves out a value that the request states, or changes what is done in a way that nobody asked for.

**Commands.** `bfcl-pipeline audit ENTRY` prints the records of an entry and what the detectors find on it;
without an entry, what they find on all. `bfcl-pipeline audit --consensus RUN ...` lists the entries to
which more models give one wrong answer than pass, those that none passes first. `bfcl-pipeline audit
--patch DIR` writes all proposed changes as patches of the benchmark's repository, and `--dataset DIR` the
corrected benchmark, BFCL-Verified, in the release's own layout, with FIXES.md; `bfcl-pipeline stage
--source DIR` stages it as a release of its own.

## Your own errata

A file of your own is used beside these records: `errata: [mine.yaml]` in the config of a run, or
`--errata mine.yaml` of `bfcl-pipeline run`, `score`, `audit` and `import-official --as-run`. It is a list
of records, each with all of these keys:

```yaml
- entries: [simple_python_0]     # ids of the release
  defect: truth                  # a class of the table below
  status: confirmed              # or disputed, rejected: the entry stays as it is
  what: The defect in one sentence.
  why: The reason of the status.
  evidence: bfcl-pipeline show {{entry}}
  faithful: fails                # or may pass, passes
  propose:                       # of confirmed records; or `propose: exclude`, which leaves the entry out
    - at: [ground_truth, 0, calculate_triangle_area, base]
      old: [10]                  # what the release has; or `add: VALUE`, `set: MAPPING`, `remove: true`
      new: [11]
```

The records of an entry replace all records of it below: with the status *rejected*, an entry that is left
out here is judged as it is released. Only verified scores and the ceilings depend on them. Before anything
is scored, an id that the release does not have, and an `old` that differs from the release, are errors. The
table of a run, its page and the table `own_errata` name the entries. A copy of each file is kept in
`results/<run>/errata` and in the archive of the run, by which it is replayed and verified anywhere. A
changed file scores the run again; nothing is asked again.
"""

_HEADINGS = {
    ErratumStatus.CONFIRMED: "Confirmed",
    ErratumStatus.DISPUTED: "Disputed",
    ErratumStatus.REJECTED: "Rejected",
}


def _group(records: _Records) -> str:
    """The group of the leaderboard to which the category of the first entry belongs."""
    return CATEGORIES[category_of(records[0][0].entry_id)].group


def _classes(classes: Mapping[str, str]) -> str:
    rows = [(f"`{name}`", meaning) for name, meaning in classes.items()]
    return "## Classes of defects\n\n" + markdown_table(("class", "meaning"), rows)


def _counts(classes: Iterable[str], of_v4: Sequence[Erratum], retired: Sequence[Erratum]) -> str:
    return (
        "## Entries by class and status\n\n"
        "An entry with several records of one status counts once in the last row.\n\n"
        + _count_table(classes, of_v4)
        + "\nThe retired categories of V1 ([group executable](executable.md)), in no score of V4:\n\n"
        + _count_table(classes, retired)
    )


def _count_table(classes: Iterable[str], errata: Sequence[Erratum]) -> str:
    rows = []
    for defect in classes:
        found = [erratum for erratum in errata if erratum.defect == defect]
        if found:
            rows.append((f"`{defect}`", *_by_status(found)))
    rows.append(("all classes", *_by_status(errata)))
    return markdown_table(("class", *_HEADINGS), rows)


def _by_status(errata: Iterable[Erratum]) -> list[str]:
    ids: dict[ErratumStatus, set[str]] = {status: set() for status in _HEADINGS}
    for erratum in errata:
        ids[erratum.status].add(erratum.entry_id)
    return [str(len(entries)) for entries in ids.values()]


def _ceilings(errata: Sequence[Erratum], ceilings: Iterable[Mapping[str, Any]]) -> str:
    """Ceilings and treatment of the scores that confirmed defects affect."""
    by_score: dict[str, list[Mapping[str, Any]]] = {}
    for row in ceilings:
        by_score.setdefault(row["score"], []).append(row)
    confirmed = [erratum for erratum in errata if erratum.confirmed]
    left_out = {erratum.entry_id for erratum in confirmed if not erratum.mends}
    mended = {erratum.entry_id for erratum in confirmed} - left_out
    rows = []
    for name, of_score in by_score.items():
        members = categories_of(name)
        counts = [sum(category_of(entry_id) in members for entry_id in ids) for ids in (mended, left_out)]
        if any(counts):
            numbers = [of_score[0]["entries"], *counts]
            rows.append([name, *map(str, numbers), *(f"{100 * row['ceiling']:.2f}" for row in of_score)])
    return (
        "## Ceilings\n\n"
        + _CEILINGS
        + markdown_table(["score", "entries", "mended", "left out", *Rules], rows)
    )


_CEILINGS = """\
The score, in per cent, of a model that does what every entry asks for, by rule set, measured: of an entry
counts the share of its faithful answers that pass ([how it is computed](tables.md)). A disputed entry has
answers to both readings, of which one passes as a rule, also under `verified`. An answer that nobody wrote
down, and a defect that no record has, are in no ceiling: the rate of such defects is in the section after
this one. Beside it stands how many entries `verified` mends and leaves out.

"""


def _adjudicated(groups: Sequence[_Records], confirmed: bool) -> str:
    headings = ["entries", "class", "what", "why", "faithful model", "evidence", "threads"]
    if confirmed:
        headings.insert(5, "proposal")
    rows = []
    for records in groups:
        first = records[0][0]
        ids, *texts = _texts(records)
        row = [ids, f"`{first.defect}`", *texts, first.faithful.value]
        if confirmed:
            row.append(_of_each(records, _proposal))
        rows.append([*row, *_sources(records)])
    return markdown_table(headings, rows)


def _of_each(records: _Records, text: Callable[[Erratum], str]) -> str:
    """The text of the records, or of each of them after its ids where they differ."""
    texts = [text(record[0]) for record in records]
    if len(set(texts)) == 1:
        return texts[0]
    ids = (", ".join(f"`{erratum.entry_id}`" for erratum in record) for record in records)
    return "<br>".join(f"{of}: {text}" for of, text in zip(ids, texts, strict=True))


def bundle_readme(patches: Mapping[str, _Records], others: Iterable[_Records]) -> str:
    """The README of the patches. patches: records by patch; others: confirmed records without one."""
    changes = [
        [f"`{name}`", *_texts(records), _of_each(records, _edits), *_sources(records)]
        for name, records in patches.items()
    ]
    rewritten = [[*_texts(records), *_sources(records)] for records in others]
    headings = ["entries", "what", "why"]
    return (
        _BUNDLE.format(title=BUNDLE_TITLE, version=release.VERSION, commit=release.UPSTREAM_COMMIT)
        + "\n## Changes\n\n"
        + markdown_table(["patch", *headings, "change", "evidence", "threads"], changes)
        + "\n## Entries that should be rewritten or removed\n\n"
        + markdown_table([*headings, "evidence", "threads"], rewritten)
    )


def fixes_page(fixed: Iterable[_Records], kept: Iterable[_Records], version: str, sha256: str) -> str:
    """FIXES.md of BFCL-Verified. kept: confirmed records that propose no change."""
    headings = ["entries", "reason", "evidence", "threads"]

    def rows(groups: Iterable[_Records]) -> Iterable[list[str]]:
        for records in groups:
            ids, what, why = _texts(records)
            yield [ids, f"{what} {why}", *_sources(records)]

    fixed = list(fixed)
    changes = (
        [ids, _of_each(records, _edits), *others]
        for records, (ids, *others) in zip(fixed, rows(fixed), strict=True)
    )
    return (
        _FIXES.format(version=version, sha256=sha256, released=release.VERSION)
        + "\n## Changes\n\n"
        + markdown_table([headings[0], "change", *headings[1:]], changes)
        + "\n## Defects without a change\n\n"
        + "These entries are as they were released; the rules `verified` leave them out.\n\n"
        + markdown_table(headings, rows(kept))
    )


def _texts(records: _Records) -> list[str]:
    first = records[0][0]
    return [_ids(records), _cell(first.what), _cell(first.why)]


def _sources(records: _Records) -> list[str]:
    first = records[0][0]
    threads = (f"[#{number}]({THREAD.format(number=number)})" for number in first.threads)
    return [_code(first.evidence), ", ".join(threads)]


BUNDLE_TITLE = "# Proposed changes of the data files of BFCL V4"
"""The first line of the README of the patches."""

_BUNDLE = """\
{title}

Written by `bfcl-pipeline audit --patch`. The patches apply to commit {commit}, from which the release
{version} was built. Each of them concerns one defect of one or more entries. In the root of the
repository, `git am DIR/*.patch` makes one commit of each; `git apply DIR/*.patch` changes the files only.
They are applied in this order, because some change neighbouring lines. For some entries alone,
`bfcl-pipeline audit ENTRY ... --patch DIR` writes patches that need no others.

The evidence is a command of bfcl-pipeline for the first of the entries; for another entry, put its id into
the command.
"""


_FIXES = """\
# BFCL-Verified {version}

Written by `bfcl-pipeline audit --dataset`: the data of BFCL V4, release {released}, with every change that
the errata propose, also of questions and function docs. Scores on it are not scores of BFCL V4. To use it:

    bfcl-pipeline stage --source DIR

and in the config of a run, because a run stages the release that its config names:

```yaml
release:
  version: {version}
  sha256: {sha256}
  source: DIR
```

The evidence is a command of bfcl-pipeline for the first of the entries of a row, on the release {released}.
"""


def _ids(records: _Records) -> str:
    return "<br>".join(f"`{erratum.entry_id}`" for record in records for erratum in record)


def _proposal(erratum: Erratum) -> str:
    if not erratum.edits:
        return "left out"
    return _edits(erratum) if erratum.mends else f"left out; for upstream: {_edits(erratum)}"


def _edits(erratum: Erratum) -> str:
    return "<br>".join(_code(str(edit)) for edit in erratum.edits)


def markdown_table(headings: _Row, rows: Iterable[_Row]) -> str:
    """A table of cells that are escaped already, or the word None."""
    lines = [headings, ["---"] * len(headings), *rows]
    if len(lines) == 2:
        return "None.\n"
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("<", "&lt;")


def _code(text: str) -> str:
    """`text` as code in a cell of a table."""
    return f"`` {text} ``".replace("|", "\\|") if "`" in text else f"`{text}`".replace("|", "\\|")
