"""Takes over what a web cache lacks from the record of somebody else, which is checked as a whole before.

Covers records that are folders; `archived.web_record` unpacks archives. Outcomes are copied byte for byte,
each as a recorder adds it: its cassette first, then the outcome, which is linked to its final name and
never overwrites. So a run may record meanwhile, and what a killed import leaves is at most a cassette that
no outcome names. Where both records have a key, ours stays, because finished runs replay from it.
"""

import contextlib
import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.files import write_once
from bfcl_pipeline.base.text import cut, on_one_line, plural, printable
from bfcl_pipeline.world.executables import ApiAnswer
from bfcl_pipeline.world.tools.web_search.web import Hits, Page, WebFailure
from bfcl_pipeline.world.web.cache import RecordedOutcome, WebCache, siblings
from bfcl_pipeline.world.web.check import CacheCheck, check_outcomes
from bfcl_pipeline.world.web.record_files import list_record

_SHOWN = 120  # characters of a text of the web in a line
_WRITERS = 8  # threads that copy: most of their time is that of the disk


@dataclass(slots=True)
class Imported:
    """What an import found and did."""

    check: CacheCheck  # of the whole record
    others: int = 0  # files of the record with other names, which are not read
    new: int = 0  # outcomes that ours lacked
    equal: int = 0  # outcomes that both have
    conflicts: list[str] = field(default_factory=list)  # both outcomes of a key, in words; ours stays


def import_record(
    theirs: Path,
    ours: WebCache,
    *,
    dry_run: bool = False,
    processes: int = 1,
    progress: Callable[[int, int], None] | None = None,
) -> Imported:
    """Adds the outcomes of the web cache at the folder `theirs` that `ours` lacks, if none is refused.

    Args:
        theirs: the record of somebody else.
        ours: the web cache that receives it.
        dry_run: write nothing.
        processes: the most processes that check.
        progress: called with the number of outcomes that were checked, and of all.

    Returns:
        What was found. Nothing is compared or written if `check.failed`: an outcome is damaged, or does not
        follow from its cassette.

    Raises:
        WebError: an outcome of ours is damaged, or a file changed while it was imported.
        OSError: a file cannot be read or written.
    """
    record, files = WebCache(theirs), list_record(theirs)
    result = Imported(check_outcomes(record, files.outcomes, progress, processes=processes), files.others)
    if result.check.failed:
        return result
    with ThreadPoolExecutor(_WRITERS) as writers:
        copy = partial(_copy_outcome, record, ours, dry_run=dry_run)
        for mine, other in writers.map(copy, files.outcomes, map(result.check.sha256.get, files.outcomes)):
            if mine is None:
                result.new += 1
            elif mine.outcome == other.outcome:
                result.equal += 1
            else:
                result.conflicts.append(
                    f"{printable(str(mine.key))}\n    ours:   {_in_words(mine)} (kept)\n"
                    f"    theirs: {_in_words(other)}"
                )
    return result


def _copy_outcome(
    record: WebCache, ours: WebCache, path: Path, sha256: str | None, *, dry_run: bool
) -> tuple[RecordedOutcome | None, RecordedOutcome]:
    """Copies an outcome with its cassette unless `ours` has its key; returns that of ours, if any, and it.

    sha256: of the outcome file as it was checked. Raises WebError as `import_record`.
    """
    read = record.read_file(path)
    if read is None or hashlib.sha256(read[1]).hexdigest() != sha256:
        raise WebError(f"{path}: changed while it was imported. Leave the record alone and import again.")
    recorded, content = read
    target = ours.path(recorded.key)
    mine = ours.read(target)
    if mine is not None or dry_run:
        return mine, recorded
    target.parent.mkdir(parents=True, exist_ok=True)
    cassette = _copy_cassette(record, recorded, target)
    if write_once(target, content, siblings(target)):
        return None, recorded
    mine = ours.read(target)  # a run has recorded it meanwhile
    if cassette is not None and (mine is None or mine.cassette != cassette.name):
        cassette.unlink(missing_ok=True)
    return mine, recorded


def _copy_cassette(record: WebCache, recorded: RecordedOutcome, outcome: Path) -> Path | None:
    """Writes the cassette of an outcome beside the path of the outcome; None if that was not necessary."""
    content = None
    with contextlib.suppress(FileNotFoundError):  # the check lists it
        content = record.read_cassette(recorded)
    if content is None or recorded.cassette is None:
        return None
    path = outcome.with_name(recorded.cassette)
    if write_once(path, content, siblings(path)):
        return path
    if hashlib.sha256(path.read_bytes()).hexdigest() != recorded.cassette_sha256:
        raise WebError(
            f"{path}: exists with another content than the cassette of the same name that is imported. "
            "Delete it if no outcome names it, then import again."
        )
    return None


def _in_words(recorded: RecordedOutcome) -> str:
    """When and what, for a line of a list."""
    match recorded.outcome:
        case Hits(hits):
            what = plural(len(hits), "result", "results") + (f", first {hits[0].href}" if hits else "")
        case Page(text):
            what = f"page of {plural(len(text), 'character', 'characters')}"
        case WebFailure(message):
            what = f"failure: {message}"
        case ApiAnswer(status, body):
            what = f"HTTP {status}, {plural(len(body), 'character', 'characters')}"
    when = recorded.recorded_at.isoformat(" ", "minutes")
    return f"{when}, {printable(on_one_line(cut(what, _SHOWN)))}"
