"""The answers that the journals of a run have before it starts: requests that have one are not sent."""

from collections.abc import Collection, Iterator

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import plural, span
from bfcl_pipeline.benchmark.config import RunConfig
from bfcl_pipeline.benchmark.config.journal_choice import JournalChoice
from bfcl_pipeline.benchmark.definition import category_of
from bfcl_pipeline.runs.journal import ExchangeHead, exchange_heads, journals_in


def journaled_lines(run: RunConfig, complete: Collection[str]) -> Iterator[str]:
    """A line for each model without complete results whose journals have answers in its categories.

    complete: the directory names of models with complete results.
    Whether a request of the run has one of them is known only when it is made.
    """
    for folder in run.folders:
        job, categories = run.job_of(folder), run.categories_of(folder)
        if not job.remote or folder in complete:
            continue
        heads = exchange_heads(journals_in(job.paths.journals / folder))
        days = [head.day for head in heads if _category(head) in categories]
        if days:
            shared = str(job.paths.journals) == str(JournalChoice.SHARED.member(run.name))
            hint = "; --fresh sends all requests" if shared else ""
            yield (
                f"{job.name}: {job.paths.journals / folder} has {plural(len(days), 'answer', 'answers')}, "
                f"recorded on {span(days)}: a request that has one is not sent{hint}."
            )


def _category(head: ExchangeHead) -> str | None:
    """The category of the entry; None for one that the benchmark does not have."""
    try:
        return category_of(head.entry_id)
    except ConfigError:
        return None
