"""The memories around the conversations of a run: those after its recorded sessions."""

from bfcl_pipeline.base.text import loaded_json
from bfcl_pipeline.benchmark.config import model_folder
from bfcl_pipeline.benchmark.records import Entry
from bfcl_pipeline.benchmark.tables import read_table, with_types
from bfcl_pipeline.benchmark.tables.schemas import SESSIONS
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.transcripts.answer import MemoriesAround
from bfcl_pipeline.show.transcripts.memory import EMPTY, RecordedMemory


class SessionMemories:
    """The memories after the sessions of one table, which may be missing."""

    def __init__(self, run: Run, model: str, category: str) -> None:
        self._name = f"memory/{model_folder(model)}/{category}.parquet"  # without what differs by machine
        self.path = path = run.folder / self._name
        self._texts: dict[str, str | None] | None = None  # snapshots by session, read once
        if path.is_file():
            table = read_table(path, ["entry_id", "snapshot_json"])
            rows = with_types(path, table, SESSIONS).to_pylist()
            self._texts = {row["entry_id"]: row["snapshot_json"] for row in rows}

    def after(self, session_id: str) -> RecordedMemory:
        """The memory after a session."""
        if self._texts is None:
            return RecordedMemory(
                missing=f"There is no table of sessions {self._name} in this run; `bfcl-pipeline generate "
                "--sessions-out` writes one, runs from elsewhere have none."
            )
        if session_id not in self._texts:
            return RecordedMemory(missing=f"{self._name} has no session {session_id}.")
        text = self._texts[session_id]
        return RecordedMemory(loaded_json(text, default=text), failed=text is None)

    def around(self, entry: Entry) -> MemoriesAround:
        """The memory before the conversation over `entry`; of a session also that after it."""
        before = self.after(entry.depends_on[-1]) if entry.depends_on else EMPTY
        return MemoriesAround(before, self.after(entry.entry_id) if entry.prerequisite else None)
