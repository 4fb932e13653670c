"""The top of the page: what was evaluated, and notices on how to read the numbers."""

from collections import Counter

from bfcl_pipeline.base.text import plural
from bfcl_pipeline.benchmark.config import EMBEDDED_KINDS
from bfcl_pipeline.benchmark.definition import CATEGORIES, GROUPS, V4_CATEGORIES, release
from bfcl_pipeline.benchmark.records import Rules, Status
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.runs.web_label import join_webs, mark, note, split_webs
from bfcl_pipeline.show.report.format import count, percent
from bfcl_pipeline.show.report.notes import own_errata_notes, short_reason, unread_notes
from bfcl_pipeline.show.report.page.run_tables import RunTables
from bfcl_pipeline.show.report.published_rows import published_notes

SCORED = tuple(name for name, category in CATEGORIES.items() if category.scored)
"""The categories that are part of the leaderboard."""


def facts(tables: RunTables) -> dict[str, str]:
    """What was evaluated: texts by name."""
    evaluated = _evaluated(tables)
    entries = dict.fromkeys(CATEGORIES, 0)  # of the largest sample, if models have different ones
    for row in tables["categories"]:
        entries[row["category"]] = max(entries[row["category"]], row["entries"])
    scored = sum(entries[name] for name in evaluated)
    whole = sum(CATEGORIES[name].entries for name in SCORED)
    formats = entries["format_sensitivity"]
    retired = sum(entries[name] for name in GROUPS["executable"])
    webs = join_webs(web for row in tables["leaderboard"] for web in split_webs(row["web"]))
    return {
        "Benchmark": f"BFCL V4, {release.DISTRIBUTION} {release.VERSION}",
        "Upstream commit": release.UPSTREAM_COMMIT,
        "Models": count(len(tables["leaderboard"])),
        "Scored categories": f"{len(evaluated)} of {len(SCORED)}",
        "Scored entries": f"{count(scored)} of {count(whole)}",
        **({"Format sensitivity": f"{count(formats)} entries"} if formats else {}),
        **({"Executable (V1)": f"{count(retired)} entries, in no score of V4"} if retired else {}),
        **({"Web searched": webs + mark(webs)} if webs else {}),
        "Rules": tables.rules.value,
    }


def notices(tables: RunTables) -> list[str]:
    """Notices that apply to the numbers: what was not evaluated, not answered, or is not comparable."""
    lines = [f"{tables.sample}."] if tables.sample else []
    lines += [f"{row['model']}: no answers: {short_reason(row['reason'])}" for row in tables["unanswered"]]
    lines += unread_notes(tables["unread_calls"])
    lines += [*_web_notice(tables), *_missing_notice(tables), *_unanswered_notices(tables)]
    embedded = [row["display_name"] for row in tables["leaderboard"] if row["kind"] in EMBEDDED_KINDS]
    if embedded:
        lines.append(
            f"{', '.join(embedded)}: embedded models of the pipeline. The oracle answers from the ground "
            "truth (upper bound); the lexical model has no learned weights (lower bound)."
        )
    if tables.rules is not Rules.OFFICIAL:
        lines.append(
            f"Scored under {tables.rules} rules: these numbers are not comparable with the leaderboard."
        )
    if tables.rules is Rules.VERIFIED:
        lines += own_errata_notes(tables["own_errata"])
    return lines + published_notes(tables["published"])


def _evaluated(tables: RunTables) -> list[str]:
    scored = {row["category"] for row in tables["categories"] if row["answered"]}
    return [name for name in SCORED if name in scored]


def _web_notice(tables: RunTables) -> list[str]:
    meaning = note(row["web"] for row in tables["leaderboard"])
    if not meaning:
        return []
    return [
        f"{meaning}. This applies to every score that contains web search. In the official files "
        "(tables/official) web search counts as not evaluated."
    ]


def _missing_notice(tables: RunTables) -> list[str]:
    evaluated = _evaluated(tables)
    missing = len(SCORED) - len(evaluated)
    if not missing or not evaluated:
        return []
    perfect = {name: Count(CATEGORIES[name].entries, CATEGORIES[name].entries) for name in evaluated}
    reachable = leaderboard_scores(perfect)["overall"].accuracy
    return [
        f"{plural(missing, 'category was', 'categories were')} not evaluated. As on the leaderboard, they "
        f"count 0 in the Overall, so this run can reach at most {percent(reachable)} %. "
        "A score marked * contains categories that count 0 in this way."
    ]


def _unanswered_notices(tables: RunTables) -> list[str]:
    unanswered: Counter[tuple[str, str]] = Counter()
    for row in tables["coverage"]:
        if row["status"] != Status.ANSWERED.value and row["category"] in V4_CATEGORIES:
            unanswered[row["model"], row["status"]] += row["entries"]
    names = {row["model"]: row["display_name"] for row in tables["leaderboard"]}
    no_answers = {row["model"] for row in tables["unanswered"]}
    return [
        f"{names.get(model, model)}: {plural(entries, 'entry', 'entries')} "
        f"without a verdict ({status.replace('_', ' ')}); not part of any score."
        for (model, status), entries in sorted(unanswered.items())
        if model not in no_answers
    ]
