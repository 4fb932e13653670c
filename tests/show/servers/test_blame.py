"""Blame: planted faults of servers are found, and honest answers are not put down to the server."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from bfcl_pipeline.ask.jobs.captured import Written
from bfcl_pipeline.ask.models.oracle import answer as perfect_answer
from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import CATEGORIES
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Response, Rules, Step
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.cli import main
from bfcl_pipeline.dialogue.calls import write_native
from bfcl_pipeline.dialogue.prompts import fc_request
from bfcl_pipeline.dialogue.release_texts import read_constants
from bfcl_pipeline.judge.scoring import NO_CONSTANTS, judge, truth_calls
from bfcl_pipeline.runs.run import BLAME, Run
from bfcl_pipeline.show.report.notes import server_notes
from bfcl_pipeline.show.report.page.render import render_page
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from bfcl_pipeline.show.servers.blame import SERVER, Blamed, Cause, Share, blame, shares
from bfcl_pipeline.show.servers.blame_text import blame_lines, write_blame
from bfcl_pipeline.show.servers.formats import Format, format_of
from bfcl_pipeline.show.servers.recorded import answer_of
from tests.support.synthetic_run import MadeUpModel, made_up_tables, marks
from tests.support.template_server import TemplateServer, honest_reading

SINGLE = [
    name for name in CATEGORIES if CATEGORIES[name].single_turn and CATEGORIES[name].group != "executable"
]
HERMES, QWEN = format_of("hermes"), format_of("qwen3_coder")
STEP = int(os.environ.get("BFCL_BLAME_STEP", "8"))
"""Every how many entries are looked at; of all, there are more than 10,000 honest answers."""

NO = "None of these functions helps."


@pytest.fixture(scope="module")
def entries(staged: Path) -> list[Entry]:
    """All entries of one turn that are asked with tools."""
    names = [name for name in SINGLE if name != "format_sensitivity"]
    return [entry for name in names for entry in read_entries(entries_path(staged, name))]


template_server = cache(TemplateServer)


def written(form: Format, result: Json) -> str:
    """What a model writes for a result in the official form."""
    return result if isinstance(result, str) else template_server(form.parser).text(result)


def blamed(
    entry: Entry, read: Json, text: str | None, form: Format | None, finish: str | None = None
) -> Blamed | None:
    """The cause of an answer: what the server read, and what the model wrote, None if not recorded."""
    steps = (Step(0, finish_reason=finish),)
    response = Response(entry.entry_id, entry.category, Mode.FC, json.dumps(read), steps=steps)
    steps_written = [] if text is None else [Written(tuple(map(ord, text)), text)]
    return blame(answer_of(entry, response, steps_written), NO_CONSTANTS, form)


def right(entry: Entry) -> Json | None:
    """A right answer in calls; None if there is none."""
    result = perfect_answer(entry, Mode.FC)
    return result if isinstance(result, list) and is_right(entry, result) else None


def is_right(entry: Entry, result: Json) -> bool:
    """Whether an answer is right by the official and the verified rules."""
    response = Response(entry.entry_id, entry.category, Mode.FC, json.dumps(result))
    verdicts = [judge(entry, response, rules).valid for rules in (Rules.OFFICIAL, Rules.VERIFIED)]
    return verdicts == [True, True]


def wrong(result: Json) -> Iterator[Json]:
    """Answers that a model may write instead: another value, another name, a call less, no call."""
    ((name, text),) = result[0].items()
    arguments = json.loads(text)
    yield [{name: json.dumps(dict.fromkeys(arguments, "?"))}, *result[1:]]
    yield [{f"{name}_2": text}, *result[1:]]
    yield result[1:] or NO


def test_no_honest_answer_is_put_down_to_the_server(entries: list[Entry]) -> None:
    """Right and wrong ones, in two forms, with recorded tokens and without."""
    counts: Counter[Cause | None] = Counter()
    for number, entry in enumerate(entries[::STEP]):
        result = perfect_answer(entry, Mode.FC)
        form = (HERMES, QWEN)[number % 2]
        answers = [result, NO, *(wrong(result) if isinstance(result, list) else ())]
        for place, given in enumerate(answers):
            text = written(form, given)
            read = honest_reading(form, text, list(fc_request(entry).tools)).result
            one = blamed(entry, read, text if place % 2 else None, form)
            counts[one.cause if one else None] += 1
            assert one is None or one.cause not in SERVER, (entry.entry_id, text, read)
    assert counts.total() > 10_000 / STEP
    assert counts[Cause.MODEL] > 5_000 / STEP
    assert not counts[Cause.LOST] + counts[Cause.INVENTED]


Fault = Callable[[int, Json, str], Json]


def drop_every_third(number: int, result: Json, _text: str) -> Json:
    return result if number % 3 else ""


def into_content(_number: int, _result: Json, text: str) -> Json:
    return text


def lose_the_second(_number: int, result: Json, _text: str) -> Json:
    return result[:1]


def truncate(_number: int, _result: Json, text: str) -> Json:
    return text[: len(text) // 2]


def swap_arguments(_number: int, result: Json, _text: str) -> Json:
    ((name, text),) = result[0].items()
    arguments = json.loads(text)
    values = list(arguments.values())
    return [{name: json.dumps(dict(zip(arguments, values[1:] + values[:1], strict=True)))}, *result[1:]]


FAULTS = (drop_every_third, into_content, lose_the_second, truncate, swap_arguments)


@pytest.mark.parametrize("form", [HERMES, QWEN], ids=lambda form: form.parser)
def test_every_planted_loss_is_found(form: Format, entries: list[Entry]) -> None:
    """Each right answer that a fault makes wrong is put down to the server, and no other."""
    turned: Counter[Fault] = Counter()
    found: Counter[Fault] = Counter()
    for number, entry in enumerate(entries[::STEP]):
        result = right(entry)
        text = "" if result is None else written(form, result)
        honest = honest_reading(form, text, list(fc_request(entry).tools)).result
        if not isinstance(honest, list) or not is_right(entry, honest):
            continue
        for fault in FAULTS:
            read = fault(number, honest, text)
            response = Response(entry.entry_id, entry.category, Mode.FC, json.dumps(read))
            one = blamed(entry, read, text, form)
            assert one is not None
            if judge(entry, response, Rules.OFFICIAL).valid:
                assert one.cause not in SERVER
            else:
                turned[fault] += 1
                found[fault] += one.cause is Cause.LOST
    for fault in FAULTS:
        assert turned[fault] >= 200 / STEP
        assert found[fault] >= 0.99 * turned[fault]


def test_calls_in_the_content_are_found_without_recorded_tokens(entries: list[Entry]) -> None:
    """And without knowing the form."""
    answers = [(entry, result) for entry in entries[:100] if (result := right(entry)) is not None]
    causes = Counter(
        one.cause
        for entry, result in answers
        if (one := blamed(entry, written(HERMES, result), None, None)) is not None
    )
    assert causes[Cause.LOST] == len(answers)


def test_an_invented_call_is_found_where_the_model_wrote_none(entries: list[Entry]) -> None:
    """Only with recorded tokens and a known form: else nobody can tell."""
    irrelevant = [entry for entry in entries if entry.category == "irrelevance"]
    for entry in irrelevant[::STEP]:
        read = [{entry.functions[0]["name"].replace(".", "_"): "{}"}]
        one = blamed(entry, read, NO, HERMES)
        assert one is not None
        assert one.cause in (Cause.INVENTED, Cause.ENTRY)
        unknown = blamed(entry, read, None, HERMES)
        assert unknown is not None
        assert unknown.cause in (Cause.MODEL, Cause.ENTRY)


def test_an_answer_may_be_right_by_accident(entries: list[Entry]) -> None:
    """The model calls a function that is not relevant, and the server loses the call."""
    entry = next(entry for entry in entries if entry.category == "irrelevance")
    call = [{entry.functions[0]["name"].replace(".", "_"): "{}"}]
    one = blamed(entry, "", written(HERMES, call), HERMES)
    assert one == Blamed(entry.entry_id, "irrelevance", True, Cause.LOST)
    (overall, _) = (share for share in shares([one]) if share.cause is Cause.LOST)
    assert (overall.wrong, overall.accidental) == (0, 1)


def test_a_lost_call_of_a_conversation_is_enough(staged: Path) -> None:
    """What follows depends on it, so the verdict need not turn with this call alone."""
    entry = next(iter(read_entries(entries_path(staged, "multi_turn_base"), ["multi_turn_base_0"])))
    turns = [[write_native(calls), "Done."] for calls in truth_calls(entry)]
    texts = [written(HERMES, step) for turn in turns for step in turn]
    steps_written = [Written(tuple(map(ord, text)), text) for text in texts]

    def cause(read: Json) -> Cause | None:
        response = Response(entry.entry_id, entry.category, Mode.FC, json.dumps(read))
        one = blame(answer_of(entry, response, steps_written), read_constants(staged), HERMES)
        assert one is not None
        return one.cause

    assert cause(turns) is None
    assert cause([[turns[0][0][:1], "Done."], *turns[1:]]) is Cause.LOST
    assert cause([["", "Done."], *[["Sorry.", "Done."] for _ in turns[1:]]]) is Cause.LOST


def test_limits_and_forms_have_causes_of_their_own(entries: list[Entry]) -> None:
    """An answer that reached its limit, and a call in no form that any server reads."""
    entry = next(entry for entry in entries if entry.entry_id == "simple_python_0")
    cut = blamed(entry, "<tool_call>\n{", None, HERMES, "length")
    broken = blamed(entry, "calculate_triangle_area(base=10, height=5)", None, HERMES, "stop")
    assert cut is not None
    assert broken is not None
    assert (cut.cause, broken.cause) == (Cause.CUT, Cause.FORM)


def test_the_table_states_points_with_intervals(entries: list[Entry]) -> None:
    """Half of one category lost: half of its points, and the advice below."""
    simple = [entry for entry in entries if entry.category == "simple_python"][:40]
    found = []
    for number, entry in enumerate(simple):
        result = right(entry)
        if result is not None:
            read = written(HERMES, result) if number % 2 else result
            found.append(blamed(entry, read, None, HERMES))
    of_server = [share for share in shares([one for one in found if one]) if share.cause is Cause.LOST]
    overall, simple_python = of_server
    assert overall.category == "overall"
    assert 45 < simple_python.points < 55
    assert simple_python.low is not None
    assert simple_python.low < simple_python.points
    printed = "\n".join(blame_lines("m", len(found), shares([one for one in found if one])))
    assert f"{simple_python.wrong} answers are wrong through the server alone" in printed


def test_the_table_of_a_run_names_the_server_above_two_tenths_of_a_point() -> None:
    """Below, nothing is said."""
    costs = (("a", Cause.LOST, 177, 3.2), ("a", Cause.MODEL, 500, 30.0), ("b", Cause.INVENTED, 1, 0.1))
    rows = [
        {"model": model, "cause": cause.value, "category": "overall", "wrong": wrong, "points": points}
        for model, cause, wrong, points in costs
    ]
    (note,) = server_notes(rows)
    assert note.startswith("a: 177 answers are wrong because the server read other calls")


def test_the_v4_table_and_the_page_show_what_blame_wrote(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A line under the table; on the page a sentence for each model, and texts that are not trusted."""
    run = made_up_tables(tmp_path, [MadeUpModel(name, {"multiple": marks(1, 1)}) for name in "ab"])
    assert 'id="blame"' not in render_page(read_run_tables(Run(run), Rules.OFFICIAL))
    lost = [
        Share(Cause.LOST, "overall", 177, 0, 1.3, 1.0, 1.6),
        Share(Cause.LOST, "multiple", 177, 0, 9, 8, 10),
    ]
    other = [Share(Cause.LOST, "overall", 0, 0, 0, 0, 0), Share(Cause.MODEL, "overall", 3, 0, 2, 1, 3)]
    answers = [["a", "multiple_1", str(Cause.LOST), "false", "1", "<script>\n", "nothing"]]
    write_blame(Run(run), {"a": lost, "b": other}, answers)
    assert main(["table", str(run)]) == 0
    assert "a: 177 answers are wrong because the server read other calls" in capsys.readouterr().out
    page = render_page(read_run_tables(Run(run), Rules.OFFICIAL))
    assert "1.30 of these are its server&#39;s (177 answers): check its tool parser" in page
    assert "b: wrong answers cost 2.00 points of the overall score. No wrong answer is put down" in page
    assert "&lt;script&gt;" in page
    (run / BLAME).write_text("model,cause\na,b\n")
    with pytest.raises(TableError, match=r"Make it again .bfcl-pipeline blame"):
        read_run_tables(Run(run), Rules.OFFICIAL)
