"""What a bundle holds beside its archive: names of files, its README, and the exports of the run.

A bundle is a directory with one archive, its statements, the exports of its results, `SHA256SUMS` and a
README. The exports depend on nothing but the run, the staged release and the organization, so that whoever
has the archive can write them again and compare them.
"""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.files import is_regular, write_text
from bfcl_pipeline.base.markup import escape_markdown, markdown
from bfcl_pipeline.base.text import Log
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.archived.crate_metadata import CrateMetadata
from bfcl_pipeline.runs.archived.members import file_sha256
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.archive.make import Made
from bfcl_pipeline.share.exports.every_eval_ever import write_scores
from bfcl_pipeline.share.exports.run_scores import RunScores, read_run_scores
from bfcl_pipeline.share.exports.v4_table import text_table
from bfcl_pipeline.share.official.export_results import export_official
from bfcl_pipeline.show.report.v4_table import read_v4_table


def readme(
    metadata: CrateMetadata, scores: RunScores, made: Made, answers: int, left_out: Sequence[str]
) -> str:
    """README.md of a bundle: what it is, its scores, how to verify it, what is and is not proved.

    Args:
        metadata: of the archive.
        scores: of the run, under official rules.
        made: the archive.
        answers: in official result folders; 0: the bundle has none.
        left_out: what the exports do not have, a sentence each.
    """
    table = read_v4_table(scores.run, scores.rules)
    parts = [
        _HEAD.format(
            run=escape_markdown(metadata.run),
            ended=metadata.ended,
            version=metadata.versions["bfcl-pipeline"],
            release=" ".join(metadata.release),
            commit=metadata.commit + (" with local changes" if metadata.changed else ""),
            archive=made.path.name,
            sha256=made.sha256,
            records=RECORDS,
            sums=SUMS,
        )
    ]
    if answers:
        parts.append(f"| `{RESULTS}/` | {answers:,} answers as result folders of the official tool |\n")
    parts.append("\n## Scores\n\n")
    parts.append(markdown(text_table(table, metadata.run)))
    parts.append(
        _VERIFY.format(archive=made.path.name, sums=SUMS, version=metadata.versions["bfcl-pipeline"])
    )
    if left_out:
        parts.append("\n## Left out of the exports\n\n")
        parts += [f"- {escape_markdown(line)}\n" for line in left_out]
    return "".join(parts)


_HEAD = """\
# BFCL V4, run {run}

One evaluation of the Berkeley Function-Calling Leaderboard V4, ended {ended}, made with
bfcl-pipeline {version} at commit {commit},
on the release bfcl-eval {release}.

| file | content |
|---|---|
| `{archive}` | the run: config, exchanges with the models, verdicts, tables, report; sha256 `{sha256}` |
| `{archive}.intoto.jsonl` | statements on the archive, if somebody signed it: one signature a line |
| `{sums}` | the sha256 of every other file |
| `{records}/` | the scores as records of Every Eval Ever, a file for each model |
"""

_VERIFY = """
## How to verify it

1. `sha256sum --check {sums}` shows that no file was damaged on its way to you.
2. Install bfcl-pipeline {version} (its documentation says how), then stage the benchmark once:
   `bfcl-pipeline stage`.
3. `bfcl-pipeline verify {archive}` derives every verdict and table again from the answers in the archive,
   offline, and compares every byte. Exit status 0: all results were derived and are identical.
4. `bfcl-pipeline gallery . --out site` does the same, compares the exports in this directory with the
   derived results, and writes a page about them.

## What is proved, and what is not

Proved by step 3: the scores follow from the recorded answers under the rules of the benchmark, and nobody
changed a verdict, a table or the report by hand.

Attested, if there are statements: who signed the archive. That is as true as the signer is honest.

Not proved: that the models named here gave these answers, when, and at what cost. `bfcl-pipeline verify
--help` lists further checks, such as asking the model again.

Answers of models and web pages are under the terms of their owners; the rest is Apache-2.0. The benchmark
is the work of the Gorilla team at UC Berkeley: Patil et al., ICML 2025,
https://proceedings.mlr.press/v267/patil25a.html
"""


ARCHIVE = ".crate.zip"
"""The end of the name of an archive."""

SUMS = "SHA256SUMS"
README = "README.md"
RECORDS = "every_eval_ever"
RESULTS = "official/result"


def scores_of(run: Run, ended: str) -> RunScores:
    """The scores of a run under official rules, as of its end.

    Args:
        run: the run.
        ended: the end of the run as in the metadata of its archive, ISO 8601.
    """
    scores = read_run_scores(run, Rules.OFFICIAL)
    return replace(scores, made_at=int(datetime.fromisoformat(ended).timestamp()))


def write_records(scores: RunScores, bundle: Path, organization: str, log: Log) -> int:
    """Writes the records of Every Eval Ever; returns their number."""
    return write_scores(scores, bundle / RECORDS, organization, log)


def write_results(run: Run, bundle: Path, log: Log) -> int:
    """Writes the official result folders; returns the number of answers, 0 if they cannot be written."""
    try:
        return export_official(run, bundle / RESULTS, log=log)
    except ConfigError as error:
        log(f"official result folders: left out: {error}")
        return 0


def write_sums(bundle: Path) -> None:
    """Writes the sha256 of every file of a bundle, in the form that `sha256sum --check` reads."""
    lines = [
        f"{file_sha256(path)}  {path.relative_to(bundle).as_posix()}" for path in sorted(files_of(bundle))
    ]
    write_text(bundle / SUMS, "".join(f"{line}\n" for line in lines))


def files_of(bundle: Path) -> Iterator[Path]:
    """The plain files of a bundle."""
    return filter(is_regular, bundle.rglob("*"))
