"""A writer that is killed in the middle of appending.

BFCL_KILLS is how often it is killed: 40 unless told.
"""

import asyncio
import os
import random
import signal

from journal_exchanges import exchange, key_of
from journal_workers import workers

from bfcl_pipeline.generation.journal import Journal, JournalReader

KILLS = int(os.environ.get("BFCL_KILLS", "40"))
MOST = 120  # exchanges told before it is killed


def test_what_was_kept_outlasts_the_writer(tmp_path):
    """Killed at any moment, a writer leaves all that it was told is kept, whole, for the next one."""
    path = tmp_path / "model" / "exchanges.jsonl"
    moments = random.Random(5)
    told: set[int] = set()
    with workers() as forked:
        for _ in range(KILLS):
            forked.begin("append", path, len(told))
            writer = forked.pid()
            for _ in range(moments.choice((0, 1, moments.randrange(MOST)))):
                told.add(int(forked.line()))
            os.kill(writer, signal.SIGKILL)
            told.update(map(int, forked.rest()))
            if told:
                with JournalReader(path) as journal:
                    assert all(key_of(number) in journal for number in told)
    assert len(told) > KILLS
    journal = Journal.open(path)
    assert all(journal.find(key_of(number)) == exchange(number) for number in told)
    asyncio.run(journal.close())
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]
