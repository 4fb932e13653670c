"""The acceptable answers of a category by entry id."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.benchmark.staging.json_lines import by_id, malformed_release, read_rows
from bfcl_pipeline.benchmark.staging.release_files import questions_file, truths_file
from bfcl_pipeline.benchmark.staging.source import Release


@dataclass(frozen=True, slots=True)
class Truth:
    """The acceptable answers of one entry."""

    answer: Json  # calls or answers, as in the release
    source: Json = None  # of the answer, if the release has it


NO_TRUTH = Truth(None)
"""The truth of entries whose check needs none."""


def read_truths(release: Release, category: str, ids: Iterable[str]) -> Mapping[str, Truth]:
    """The truth of each of `ids`, the ids in the questions file of `category`.

    Raises MalformedRelease if there is not exactly one truth for each question.
    """
    name = truths_file(category)
    if name is None:
        return dict.fromkeys(ids, NO_TRUTH)
    rows = by_id(read_rows(release, name))
    truths = {
        key: Truth(row.get("ground_truth", list), row.value.get("source")) for key, row in rows.items()
    }
    wanted = set(ids)
    for key in sorted(wanted ^ truths.keys()):
        where = rows[key].where if key in rows else name
        raise malformed_release(
            where, f"one truth per entry of {questions_file(category)}", f"{key!r} in only one"
        )
    return truths
