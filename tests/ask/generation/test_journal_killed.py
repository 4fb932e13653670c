"""A writer that is killed in the middle of appending.

BFCL_KILLS: how often it is killed (default: 40).
"""

import os
import random
import signal

from bfcl_pipeline.runs.journal import JournalReader
from tests.support.journal_exchanges import exchange, key_of, opened
from tests.support.journal_workers import workers

KILLS = int(os.environ.get("BFCL_KILLS", "40"))
MOST = 120  # exchanges written before it is killed


def test_written_exchanges_survive_a_killed_writer(tmp_path):
    """A writer that is killed at any moment leaves every exchange whose append returned, complete."""
    path = tmp_path / "model" / "exchanges.jsonl"
    moments = random.Random(5)
    reported: set[int] = set()
    with workers() as forked:
        for _ in range(KILLS):
            forked.begin("append", path, len(reported))
            writer = forked.pid()
            for _ in range(moments.choice((0, 1, moments.randrange(MOST)))):
                reported.add(int(forked.line()))
            os.kill(writer, signal.SIGKILL)
            reported.update(map(int, forked.rest()))
            if reported:
                with JournalReader(path) as journal:
                    assert all(key_of(number) in journal for number in reported)
    assert len(reported) > KILLS
    with opened(path) as journal:
        assert all(journal.find(key_of(number)) == exchange(number) for number in reported)
    assert [file.name for file in path.parent.iterdir()] == ["exchanges.jsonl"]
