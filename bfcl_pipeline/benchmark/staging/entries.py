"""The entries of every category, read from the files of the release.

Covers the reader of each category and the counts of `definition.CATEGORIES`. Function docs have no language
hints, which are added to prompts.
"""

from collections.abc import Mapping, Sequence

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.definition import CATEGORIES, Category, Check
from bfcl_pipeline.benchmark.records import Entry, Json
from bfcl_pipeline.benchmark.staging.agentic import AgenticInputs, read_memory, read_web_search
from bfcl_pipeline.benchmark.staging.executable import read_chatable, read_executable, read_sql
from bfcl_pipeline.benchmark.staging.multi_turn import read_api_docs, read_multi_turn
from bfcl_pipeline.benchmark.staging.release_files import questions_file
from bfcl_pipeline.benchmark.staging.single_turn import read_format_sensitivity, read_single_turn
from bfcl_pipeline.benchmark.staging.source import Release

_EXECUTABLE = {"sql": read_sql, "chatable": read_chatable}

_ANSWER_FORMAT = "ADDITIONAL_SYSTEM_PROMPT_FOR_AGENTIC_RESPONSE_FORMAT"


def read_all_entries(release: Release, texts: Mapping[str, Mapping[str, Json]]) -> dict[str, list[Entry]]:
    """The entries of all categories by category, in the order of `definition.CATEGORIES`.

    `texts` is the content of texts.json. Raises MalformedRelease if a file does not have the documented
    form or a category does not have its number of entries.
    """
    docs = read_api_docs(release)
    agentic = AgenticInputs(release, docs, texts["default_prompts"][_ANSWER_FORMAT])
    staged: dict[str, list[Entry]] = {}
    for name, category in CATEGORIES.items():
        match category.check:
            case Check.FORMAT_SENSITIVITY:
                staged[name] = read_format_sensitivity(release, staged)
            case Check.MULTI_TURN:
                staged[name] = read_multi_turn(release, name, docs)
            case Check.MEMORY:
                staged[name] = read_memory(agentic, name)
            case Check.WEB_SEARCH:
                staged[name] = read_web_search(agentic, name)
            case _ if category.group == "executable":
                staged[name] = _EXECUTABLE.get(name, read_executable)(release, name)
            case _:
                staged[name] = read_single_turn(release, name)
        _check_counts(category, staged[name])
    return staged


def _check_counts(category: Category, entries: Sequence[Entry]) -> None:
    prerequisites = sum(entry.prerequisite for entry in entries)
    for kind, got, expected in (
        ("entries", len(entries) - prerequisites, category.entries),
        ("prerequisite sessions", prerequisites, category.prerequisites),
    ):
        if got != expected:
            raise MalformedRelease(
                f"{questions_file(category.name)}: expected {expected} {kind} of {category.name}, "
                f"got {got}. Check that version and source are the pinned release."
            )
