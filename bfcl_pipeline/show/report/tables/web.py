"""The tables on web search: accuracy by number of hops, failures of wrong answers, and every question."""

from collections import Counter
from collections.abc import Iterator, Sequence
from statistics import fmean

from bfcl_pipeline.base.text import cut, printable
from bfcl_pipeline.benchmark.definition import GROUPS
from bfcl_pipeline.judge.scoring.web_results import Place
from bfcl_pipeline.judge.scoring.web_use import (
    FAILURES,
    NONE_OF_THESE,
    RESULT_FAILURES,
    Next,
    failures,
    hop_count,
)
from bfcl_pipeline.runs.web_label import join_webs
from bfcl_pipeline.show.report.tables import spec
from bfcl_pipeline.show.report.tables.agentic_records import AgenticRecords, ScoredQuestion
from bfcl_pipeline.show.report.tables.model_scores import VerdictCounts

FETCH_MODES = ("raw", "markdown", "truncate")
"""The values of `mode` of the tool that fetches a page; a call with another one is in `fetches` alone."""


def _questions(of: spec.ModelSources) -> list[spec.Row]:
    rows = []
    for key, scored in _searched(of.records):
        for question in (one for one in scored if one.answer and one.valid is not None):
            work = of.records.web[question.entry.category][question.entry.entry_id]
            after = Counter(work.after_failures())
            results = {
                "failed_searches": sum(bool(call.failed) for call in work.searches),
                "failed_fetches": sum(bool(call.failed) for call in work.fetches),
                "retried": after[Next.RETRIED],
                "other_source": after[Next.OTHER_SOURCE],
                "searched_again": after[Next.SEARCHED],
                "answered": after[Next.ANSWERED],
                "gave_up": after[Next.GAVE_UP],
                **{f"answer_in_{place}": place in work.places for place in Place},
            }
            modes = Counter(call.mode for call in work.fetches)
            asked = [call.max_results for call in work.searches if call.max_results is not None]
            regions = dict.fromkeys(cut(printable(call.region), 40) for call in work.searches)
            row = {
                **key,
                "entry_id": question.entry.entry_id,
                "hops": hop_count(question.entry),
                "valid": question.valid,
                "abstained": not question.valid and work.abstains,
                "steps": work.steps,
                "searches": len(work.searches),
                "repeated_searches": work.repeated_searches,
                "mean_results_asked": fmean(asked) if asked else None,
                "regions": ", ".join([*regions][:5]) or None,
                "fetches": len(work.fetches),
                **{f"fetched_{mode}": modes[mode] for mode in FETCH_MODES},
                "known": work.known,
                **(results if work.known else {}),
                "failures": None if question.valid else ",".join(failures(work)) or None,
            }
            rows.append(row)
    return rows


def _hops(of: spec.ModelSources) -> Iterator[spec.Row]:
    for key, scored in _searched(of.records):
        answered = [row for row in of.once(_questions) if key.items() <= row.items()]
        for hops in sorted({hop_count(question.entry) for question in scored}):
            marks = [question.valid for question in scored if hop_count(question.entry) == hops]
            rows = [row for row in answered if row["hops"] == hops]
            yield {
                **key,
                "hops": hops,
                **VerdictCounts.of(marks).columns,
                **_means(rows, ""),
                **_means([row for row in rows if row["valid"]], "_correct"),
                "abstained": sum(row["abstained"] for row in rows),
            }


def _failures(of: spec.ModelSources) -> Iterator[spec.Row]:
    for key, _ in _searched(of.records):
        rows = [row for row in of.once(_questions) if key.items() <= row.items() and not row["valid"]]
        kinds = {row["entry_id"]: (row["failures"] or "").split(",") for row in rows}
        counts = Counter(failure for found in kinds.values() for failure in found)
        known = sum(row["known"] for row in rows)
        for failure in (*FAILURES, NONE_OF_THESE) if rows else ():
            yield {
                **key,
                "failure": failure,
                "count": counts[failure],
                "wrong": len(rows),
                "share": counts[failure] / len(rows),
                "example_entry_id": next((entry for entry in kinds if failure in kinds[entry]), None),
                "known": known if failure in (*RESULT_FAILURES, NONE_OF_THESE) else len(rows),
            }


def _searched(records: AgenticRecords) -> Iterator[tuple[dict[str, str | None], Sequence[ScoredQuestion]]]:
    """The key columns of each rule set and web-search category, and its questions with verdicts."""
    for (rules, category), scored in records.verdicts.items():
        if category in GROUPS["web_search"]:
            web = join_webs(one.answer.web for one in scored if one.answer and one.answer.web)
            yield {"rules": rules, "category": category, "web": web}, scored


def _means(rows: Sequence[spec.Row], suffix: str) -> dict[str, float | None]:
    return {
        f"mean_{name}{suffix}": fmean(row[name] for row in rows) if rows else None
        for name in ("steps", "searches", "fetches")
    }


_KEY = (*spec.KEY, spec.CATEGORY, spec.WEB)


_SEARCHES, _FETCHES, PLACES = "Searches", "Fetches", "Where the answer stood"
"""Headings of groups of columns of `web_questions`."""


WEB_HOPS = spec.TableSpec(
    "web_hops",
    "One row per model, rule set, web-search category and number of hops.",
    [
        *_KEY,
        *spec.counts(hops="steps from the question to its answer, as annotated", entries="questions asked"),
        *spec.tally("of so many hops"),
        spec.share(
            "mean_steps?",
            "mean number of steps, with calls or without; null if no answer is there",
            heading="Steps",
        ),
        spec.share("mean_searches?", "mean number of searches; null likewise", heading="Searches"),
        spec.share(
            "mean_fetches?", "mean number of pages fetched, or tried to; null likewise", heading="Fetches"
        ),
        spec.share("mean_steps_correct?", "mean number of steps of the right answers; null without one"),
        spec.share("mean_searches_correct?", "mean number of their searches; null likewise"),
        spec.share("mean_fetches_correct?", "mean number of their fetches; null likewise"),
        spec.count("abstained?", "wrong answers that say that the model does not know or cannot answer"),
    ],
    of_model=_hops,
)


WEB_FAILURES = spec.TableSpec(
    "web_failures",
    "One row per model, rule set, web-search category with wrong answers, and failure. "
    "`no_search`: never searched; a call of a tool that was not offered is not a search. "
    "`pasted_question`: one query contains at least 80 % of the different words of the question, "
    "without the sentence before it and the request for a format, or packs several hops: at least 75 "
    "% of its content words come from the question, and two or more of these are in no single hop "
    "with the others. `never_fetched`: searched, but fetched no page. `repeated_search`: two queries "
    "have at least 80 % of their words in common. `future_event`: the final message says that "
    "something has not happened yet or is later than the model's knowledge. `abstained`: it says that "
    "the model does not know or cannot answer. `misread_page`: an acceptable answer stands on a page "
    "that was fetched. `misread_result`: it stands in the title, address or text of a search result. "
    "`failed_fetch_other_source`: a fetch failed, and the next step fetched another address. "
    "`gave_up`: a fetch failed, and the model neither called a web tool again nor answered. "
    "`none_of_these`: none of the others. The kinds from `misread_page` on need the results of the "
    "calls, which are derived again from the simulated web or the web cache; they are not counted for "
    "an answer of which a result is not recorded. A short answer, such as a number, may stand on a "
    "page or in a result by chance.",
    [
        *_KEY,
        spec.text("failure", "what the wrong answers did; one may have done several"),
        *spec.counts(count="wrong answers that did", wrong="wrong answers that are there"),
        spec.share("share", "count / wrong"),
        spec.text("example_entry_id?", "the first of them; null if there is none"),
        spec.count("known?", "wrong answers of which it is known: all, or those with recorded results"),
    ],
    of_model=_failures,
)


WEB_QUESTIONS = spec.TableSpec(
    "web_questions",
    "One row per model, rule set and web question with a verdict on an answer. The "
    "results of calls are derived as for `web_failures`. A right answer that stands nowhere comes "
    "from the model's own knowledge, or from other words than those of the acceptable answers.",
    [
        *_KEY,
        spec.text("entry_id", "the question"),
        *spec.counts(hops="steps from the question to its answer, as annotated"),
        spec.mark("valid", "whether the answer is right"),
        spec.mark("abstained", "wrong, and the model says that it does not know"),
        *spec.counts(steps="steps, with calls or without"),
        *spec.counts(
            _SEARCHES, searches=("Searches", "calls of the search tool; none if it was not offered")
        ),
        *spec.counts(
            _SEARCHES,
            1,
            repeated_searches=("Repeated", "of these, those with nearly the words of an earlier one"),
        ),
        spec.share(
            "mean_results_asked?",
            "mean of `max_results` of the searches, 10 if left out; null without a number up to 10,000",
        ),
        spec.text(
            "regions?",
            "the first five regions searched, by commas; wt-wt (none) if left out; null without a search",
        ),
        *spec.counts(
            _FETCHES,
            2,
            fetches=("Fetches", "calls of the tool that fetches a page; none if it was not offered"),
            fetched_raw=(
                "Raw",
                "of these, those for the page as it is, which is what a call without `mode` gets",
            ),
            fetched_markdown=("Markdown", "of these, those for the page as Markdown"),
            fetched_truncate=("Text", "of these, those for the text of the page alone"),
        ),
        spec.mark("known", "whether the result of every call is recorded"),
        *spec.counts(
            _SEARCHES,
            0,
            True,
            failed_searches=("Nothing found", "searches that failed or found nothing; null if not known"),
        ),
        *spec.counts(
            _FETCHES, 2, True, failed_fetches=("Failed", "fetches that failed; null if not known")
        ),
        *spec.counts(
            "After a failed fetch",
            3,
            True,
            retried=(
                "Retried",
                "of these, those after which the same address was fetched; null likewise",
            ),
            other_source=("Other source", "those after which another address was fetched"),
            searched_again=("Searched", "those after which the model searched, but fetched nothing"),
            answered=("Answered", "those after which the model answered without a further call"),
            gave_up=("Gave up", "those after which it did not answer, or said that it does not know"),
        ),
        *(
            spec.mark(
                f"answer_in_{place}?",
                f"an acceptable answer stands {where}; null if not known",
                heading=place.capitalize(),
                group=PLACES,
                place=4,
            )
            for place, where in (
                ("title", "in the title of a search result"),
                ("address", "in the address of a search result"),
                ("snippet", "in the text of a search result"),
                ("page", "on a fetched page"),
            )
        ),
        spec.text("failures?", "wrong answers: kinds in `web_failures`, by commas; null if none is known"),
    ],
    of_model=lambda of: of.once(_questions),
)


TABLES = (WEB_HOPS, WEB_FAILURES, WEB_QUESTIONS)
