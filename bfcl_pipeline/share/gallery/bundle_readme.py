"""README.md of a bundle: what it is, its scores, how to verify it, what is and is not proved."""

from collections.abc import Sequence

from bfcl_pipeline.base.markup import escape_markdown, markdown
from bfcl_pipeline.runs.archived.crate_metadata import CrateMetadata
from bfcl_pipeline.share.archive.make import Made
from bfcl_pipeline.share.exports.run_scores import RunScores
from bfcl_pipeline.share.exports.v4_table import text_table
from bfcl_pipeline.share.gallery.bundle import RECORDS, RESULTS, SUMS
from bfcl_pipeline.show.report.v4_table import read_v4_table


def readme(
    metadata: CrateMetadata, scores: RunScores, made: Made, answers: int, left_out: Sequence[str]
) -> str:
    """The text.

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
