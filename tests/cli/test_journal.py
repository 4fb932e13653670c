"""`bfcl-pipeline journal`: tables, answers, raw lines."""

import json
import os
import re

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.provenance import provenance_path, write_provenance
from tests.support.journal_exchanges import PROVENANCE, exchange, opened, written
from tests.support.provenance_records import record

RAW = {
    "id": "answer-1",
    "logprobs": None,
    "choices": [{"index": 0, "message": {"content": "", "tool_calls": [{"arguments": '{"n": 1}'}]}}],
    "note": "first line\n\x1b[31msecond",
}


@pytest.fixture
def cache(tmp_path):
    """Journals of two models."""
    later = {"received_at": "2026-10-02T08:30:00.000+00:00", "run": None, "dollars": None}
    written(
        tmp_path / "cache" / "org_model-FC" / "exchanges.jsonl",
        exchange(1, entry_id="multi_turn_base_7", raw=RAW),
        exchange(2, entry_id="multi_turn_base_7", turn=1, latency_seconds=0.75),
        exchange(3, entry_id="simple_python_3", trial=2),
        exchange(4, entry_id="memory_kv_prereq_0-customer-0", input_tokens=1000),
    )
    written(tmp_path / "cache" / "small" / "exchanges.jsonl", exchange(5, **later, input_tokens=None))
    return tmp_path / "cache"


@pytest.fixture
def printed(cache, capsys):
    """Runs the command and returns its output."""

    def lines(*words, status=0):
        assert main(["journal", *words, "--cache", str(cache)]) == status
        return capsys.readouterr()

    return lines


def test_all_journals_are_listed(printed):
    """One row for each model: counts, tokens, cost, times."""
    heads, *rows = (re.split("  +", line) for line in printed().out.splitlines())
    assert heads == [
        *("model", "entries", "exchanges", "trials", "sent", "received", "dollars", "median s", "MB"),
        *("first (UTC)", "last (UTC)"),
    ]
    noon, morning = "2026-10-01 12:00", "2026-10-02 08:30"
    assert rows == [
        ["org_model-FC", "3", "4", "2", "1,300", "40", "2.0000", "0.25", "0.0", noon, noon],
        ["small", "1", "1", "1", "-", "10", "-", "0.25", "0.0", morning, morning],
    ]


def test_one_model_is_listed_with_what_made_its_answers(printed, cache):
    """By its name, its folder or a journal; with --category only those exchanges are counted."""
    lines = printed("org/model-FC").out.splitlines()
    assert [line.split()[:3] for line in lines[1:2]] == [["org_model-FC", "3", "4"]]
    assert lines[2:] == [
        "",
        "The API returned an id with 1 of 4 answers.",
        f"The record of what made 4 exchanges is missing (the first: {PROVENANCE}).",
    ]
    assert printed(str(cache / "org_model-FC")).out.splitlines() == lines
    assert printed(str(cache / "org_model-FC" / "exchanges.jsonl")).out.splitlines() == lines
    lines = printed("org/model-FC", "--category", "multi_turn_base").out.splitlines()
    assert lines[1].split()[:3] == ["org_model-FC", "1", "2"]


def test_a_model_with_shards_has_one_row(printed, cache):
    """Its journals are combined; writers are printed for each."""
    shard = cache / "small" / "exchanges.2.jsonl"
    written(shard, exchange(6, dollars=None))
    assert printed().out.splitlines()[2].split()[:3] == ["small", "2", "2"]
    with opened(shard):
        lines = printed("small").out.splitlines()
    assert lines[1].split()[:3] == ["small", "2", "2"]
    assert lines[-1].startswith(f"small: exchanges.2.jsonl: process {os.getpid()} on ")
    raw = [path.read_text() for path in (cache / "small" / "exchanges.jsonl", shard)]
    assert printed("small", "--raw").out == "".join(raw)
    assert printed(str(shard), "--raw").out == raw[1]


def test_exchanges_of_an_entry_are_shown_in_order(printed):
    """Each with its metadata and its answer as an outline, without empty values and control characters."""
    text = printed("--entry", "multi_turn_base_7").out
    assert text.startswith(
        "multi_turn_base_7  org_model-FC, trial 1, turn 1\n"
        "answered 2026-10-01 12:00 UTC, run r, 0.25 s, 100 tokens sent, 10 received, $0.500000\n"
        f"key      {exchange(1).key}\n"
        "answer   id: answer-1\n"
        "         choices:\n"
        "           1:\n"
        "             index: 0\n"
        "             message:\n"
        "               tool_calls:\n"
        "                 1:\n"
        '                   arguments: {"n": 1}\n'
        "         note: first line\n"
        "               \\x1b[31msecond\n"
        "\n"
        "multi_turn_base_7  org_model-FC, trial 1, turn 2\n"
    )


def test_a_deeply_nested_answer_is_shown(printed, cache):
    """An answer of any depth or length fits on the page."""
    raw = json.loads("[" * 150 + '"deep"' + "]" * 150)
    written(cache / "odd" / "exchanges.jsonl", exchange(6, raw=raw), exchange(7, raw="x" * 5000))
    text = printed("odd", "--entry", "simple_python_6").out
    assert '"deep"' in text
    assert max(map(len, text.splitlines())) <= 100
    assert "(2,000 more characters)" in printed("odd", "--entry", "simple_python_7").out


def test_raw_lines_are_printed_unchanged(printed, cache):
    """With --raw the chosen lines are printed byte for byte, in the order of the file."""
    lines = (cache / "org_model-FC" / "exchanges.jsonl").read_text().splitlines(keepends=True)
    assert printed("org/model-FC", "--raw").out == "".join(lines)
    assert printed("--raw", "--entry", "multi_turn_base_7").out == "".join(lines[:2])
    assert printed("--raw", "--category", "web_search_base").out == ""


def test_the_writer_is_named(printed, cache):
    """A note reports that a journal is being written, was left by a dead writer, or has a torn line."""
    path = cache / "small" / "exchanges.jsonl"
    with opened(path):
        assert f"small: process {os.getpid()} on " in printed().out
        assert printed("small").out.rstrip().endswith(" writes it.")
        lock = path.with_name("exchanges.jsonl.owner")
        document = json.loads(lock.read_text())
    document["process"]["started"] = "1"
    lock.write_text(json.dumps(document))
    assert "has ended without closing it; the next job takes over." in printed("small").out
    lock.write_text("")
    assert "unreadable lock file" in printed("small").out
    lock.unlink()
    path.write_bytes(path.read_bytes() + b'{"key"')
    assert "the last 6 bytes are an incomplete line" in printed().out
    assert path.read_bytes().endswith(b'{"key"')


@pytest.mark.parametrize("words", [(), ("--raw",), ("--entry", "simple_python_3")])
def test_damage_is_reported_beside_the_rest(printed, cache, words):
    """A damaged journal is named, the others are printed, and the exit status is 1."""
    (cache / "small" / "exchanges.jsonl").write_bytes(b"no\nJSON\n")
    shown = printed(*words, status=1)
    assert "simple_python_3" in shown.out or "org_model-FC" in shown.out
    assert "small/exchanges.jsonl, line 1: differs from what was written" in shown.err


def test_no_journals_are_not_an_error(tmp_path, capsys):
    """Without any exchange a message is printed."""
    assert main(["journal", "--cache", str(tmp_path)]) == 0
    assert capsys.readouterr().out == f"{tmp_path}: no exchanges yet.\n"
    assert main(["journal", "some", "--cache", str(tmp_path)]) == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["smal"], "unknown model 'smal'. Did you mean 'small'? Known: org_model-FC, small."),
        (["--category", "simple"], "unknown category 'simple'"),
        (["--entry", "simple_python_4"], "Did you mean 'simple_python_5' or 'simple_python_3'?"),
        (
            ["--entry", "simple_python_3", "--category", "multiple"],
            "no exchange of simple_python_3 in that category",
        ),
    ],
)
def test_unknown_names_are_reported_with_known_ones(printed, words, message):
    """Errors for unknown models, categories and entries list similar or known names."""
    assert message in printed(*words, status=1).err


def test_what_made_the_answers_is_shown(printed, cache):
    """A line for each record, what the API returned, and a record that is missing; nothing escapes."""
    folder = cache / "made"
    first, second = (write_provenance(folder, record(vllm)) for vllm in ("0.31.0", "0.32.0"))
    raw = {"id": "1", "model": "tiny\x1b[31m", "system_fingerprint": "fp_1"}
    written(
        folder / "exchanges.jsonl",
        exchange(1, provenance=first, raw=raw),
        exchange(2, provenance=first, raw={**raw, "id": "2", "system_fingerprint": "fp_2"}),
        exchange(3, provenance=second, received_at="2026-10-02T12:00:00.000+00:00"),
    )
    lines = printed("made").out.splitlines()
    shared = "torch 2.9.0, 1 x NVIDIA H200 (driver 580.95.05), weights sha256:" + "1" * 64
    asked = "asked by bfcl-pipeline 0.11.0 at 000000000000"
    assert lines[-5:] == [
        f"2 exchanges: vllm 0.31.0, {shared}, {asked}.",
        f"1 exchange: vllm 0.32.0, {shared}, {asked}.",
        "The API returned the model name tiny\\x1b[31m (2).",
        "The API returned the fingerprints fp_1 (1), fp_2 (1).",
        "The API returned an id with 2 of 3 answers.",
    ]
    provenance_path(folder, second).unlink()
    gap = f"The record of what made 1 exchange is missing (the first: {second})."
    assert printed("made").out.splitlines()[-1] == gap
    provenance_path(folder, first).write_text("{}")
    assert "not a record of what made answers" in printed("made").out
