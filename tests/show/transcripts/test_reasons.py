"""Why answers on memory and web questions are wrong, as the page and `show` tell it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from bfcl_pipeline.benchmark.tables import write_table
from bfcl_pipeline.judge.scoring.memory_outcomes import Reason
from bfcl_pipeline.judge.scoring.web_use import FAILURES as KINDS
from bfcl_pipeline.judge.scoring.web_use import NONE_OF_THESE
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.transcripts.parts import AnswerRecord, VerdictRecord
from bfcl_pipeline.show.transcripts.reasons import FAILURES, LONGEST, REASONS, reasons_of, with_reasons


def write(run: Path, name: str, *rows: dict[str, str | None]) -> None:
    """A table of questions with these rows."""
    write_table(run / "tables" / f"{name}.parquet", pa.Table.from_pylist(list(rows)))


def memory_row(**values: str | None) -> dict[str, str | None]:
    """One question of a model under official rules."""
    row = {"model": "m", "category": "memory_kv", "rules": "official", "entry_id": "q"}
    return {**row, "reason": None, "lost_session": None, "lost_call": None, **values}


def test_every_reason_and_kind_has_words() -> None:
    """A reason that the tables can have is told."""
    assert set(REASONS) == set(Reason)
    assert set(FAILURES) == {*KINDS, NONE_OF_THESE}


def test_a_memory_reason_names_the_call_that_lost_the_fact(tmp_path: Path) -> None:
    """Rows of other models, categories and right answers are left out."""
    lost = {"lost_session": "s_1", "lost_call": "core_memory_clear()"}
    write(
        tmp_path,
        "memory_questions",
        memory_row(reason="deleted", **lost),
        memory_row(reason="misread", entry_id="r"),
        memory_row(entry_id="right"),
        memory_row(reason="misread", entry_id="other", model="n"),
        memory_row(reason="made up", entry_id="strange"),
    )
    assert reasons_of(Run(tmp_path), "m", "memory_kv") == {
        ("official", "q"): "Deleted: the fact was stored, then removed or cleared. It was lost in s_1 by "
        "core_memory_clear()",
        ("official", "r"): "Misread: the model saw the fact and answers something else.",
    }
    assert reasons_of(Run(tmp_path), "m", "memory_vector") == {}


def test_kinds_of_web_failure_are_one_sentence(tmp_path: Path) -> None:
    """An answer with no known kind has no reason."""
    row = {"model": "m", "category": "web_search_base", "rules": "verified"}
    write(
        tmp_path,
        "web_questions",
        {**row, "entry_id": "a", "failures": "no_search, abstained"},
        {**row, "entry_id": "b", "failures": "none_of_these"},
        {**row, "entry_id": "c", "failures": None},
    )
    assert reasons_of(Run(tmp_path), "m", "web_search_base") == {
        ("verified", "a"): "Never searched; abstained."
    }


def test_a_run_without_the_table_tells_no_reason(tmp_path: Path) -> None:
    """So does one with a damaged table, and a category whose answers have no reasons."""
    for category in ("simple_python", "memory_kv"):
        assert reasons_of(Run(tmp_path), "m", category) == {}
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables/memory_questions.parquet").write_bytes(b"damaged")
    assert reasons_of(Run(tmp_path), "m", "memory_kv") == {}


def test_a_reason_is_bounded(tmp_path: Path) -> None:
    """A call of a megabyte in the table is cut."""
    row = memory_row(reason="deleted", lost_session="s", lost_call="x" * 10**6)
    write(tmp_path, "memory_questions", row)
    (text,) = reasons_of(Run(tmp_path), "m", "memory_kv").values()
    assert len(text) < LONGEST + 100


def test_only_wrong_answers_have_a_reason() -> None:
    """Each rule set has its own."""
    wrong = VerdictRecord("official", valid=False, status="answered")
    right = VerdictRecord("corrected", valid=True, status="answered")
    record = AnswerRecord("m", "q", (), verdicts=(wrong, right))
    reasons = {("official", "q"): "Misread.", ("corrected", "q"): "Never."}
    assert [one.why for one in with_reasons(record, reasons).verdicts] == ["Misread.", ""]
