"""The conversations of a run as blocks of the page's data.

A category has one block for its entries, and one for the answers of each model. Covers which conversations
are shown. What is in them, and how long texts may be, is decided in `transcripts`.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path

from bfcl_pipeline.config.shown_entries import ShownEntries
from bfcl_pipeline.playback import read_conditions
from bfcl_pipeline.report.explorer.index import Index, IndexedCategory
from bfcl_pipeline.report.explorer.packing import Block, records_block
from bfcl_pipeline.tables import entries_path, read_entries
from bfcl_pipeline.tables.texts import texts_path
from bfcl_pipeline.transcripts.as_json import as_json
from bfcl_pipeline.transcripts.entry import entry_record
from bfcl_pipeline.transcripts.run import answer_records


def conversations(
    run_dir: Path,
    index: Index,
    shown: ShownEntries,
    pairs: Collection[tuple[str, str]] = (),
    *,
    data: Path | None,
    cache: Path,
) -> Iterator[tuple[str, Block]]:
    """The blocks by name: `e3` has the entries of category 3 of the index, `a1c3` the answers of model 1.

    A block maps ids of entries to records. A category has no blocks if it is not staged, or if no
    conversation of it is shown.

    Args:
        run_dir: the directory of the run.
        index: its entries.
        shown: whose conversations are wanted.
        pairs: models that are compared: of both, the conversations in which one of them is not right.
        data: the staged release; None for no conversations.
        cache: the directory with the web cache and the embeddings.

    Raises:
        ConfigError: the recorded config of the run cannot be read.
        TableError: a table of the run or of the release cannot be read.
    """
    if shown is ShownEntries.NONE or data is None or not texts_path(data).is_file():
        return
    conditions = read_conditions(run_dir, data, cache)
    for place, category in enumerate(index.categories):
        path = entries_path(data, category.name)
        wanted = _wanted(index, category, shown, pairs)
        if not path.is_file() or not any(wanted.values()):
            continue
        asked = {entry_id for ids in wanted.values() for entry_id in ids}
        staged = read_entries(path)
        sessions = {one for entry in staged if entry.entry_id in asked for one in entry.depends_on}
        entries = [entry for entry in staged if entry.entry_id in asked | sessions]
        for number, (model, ids) in enumerate(wanted.items()):
            played = answer_records(
                run_dir, model, entries, conditions, {*ids, *sessions} if ids else set()
            )
            answers = {record.entry_id: as_json(record) for record in played}
            if answers:
                yield f"a{number}c{place}", records_block(answers)
        records = {one.entry_id: as_json(entry_record(one, conditions)) for one in entries}
        yield f"e{place}", records_block(records)


def _wanted(
    index: Index, category: IndexedCategory, shown: ShownEntries, pairs: Iterable[tuple[str, str]]
) -> Mapping[str, Collection[str]]:
    """The ids whose conversations are shown, by model."""
    if shown is ShownEntries.ALL:
        return {model: index.asked(model, category) for model in index.verdicts}
    wrong = {model: set(index.wanted(model, category)) for model in index.verdicts}
    wanted = {model: set(ids) for model, ids in wrong.items()}
    for first, second in pairs:
        if first in wanted and second in wanted:
            wanted[first] |= wrong[second]
            wanted[second] |= wrong[first]
    return wanted
