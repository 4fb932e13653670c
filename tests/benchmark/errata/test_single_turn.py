"""The errata of single-turn and live entries, on the pinned release."""

import json
from pathlib import Path

import pytest

import bfcl_pipeline.benchmark.errata as errata_package
from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check, category_of
from bfcl_pipeline.benchmark.errata import ErratumStatus, Faithful, Treatment, errata, treatment
from bfcl_pipeline.benchmark.records import Mode, Rules, Status
from bfcl_pipeline.judge.scoring.judge import Judge

CHECKS = (Check.SIMPLE, Check.MULTIPLE, Check.PARALLEL, Check.IRRELEVANCE, Check.RELEVANCE)
NAMES = [name for name, category in CATEGORIES.items() if category.check in CHECKS]
ERRATA = [erratum for erratum in errata() if category_of(erratum.entry_id) in NAMES]


def beside(name):
    """The content of a file beside this one."""
    return read_yaml_file(Path(__file__).with_name(name), by_hand=True)


def written(name):
    """The calls of the first answer to each entry of a file of faithful answers that has them in full."""
    answers = read_yaml_file(Path(errata_package.__file__).parent / "faithful" / name)
    return {entry_id: calls for entry_id, (calls, *_) in answers.items() if isinstance(calls, list)}


FAITHFUL, PASSING = written("single_turn.yaml"), written("passing_single_turn.yaml")
UNFAITHFUL, WRONG = (beside(f"{name}_single_turn.yaml") for name in ("unfaithful", "wrong"))
"""Calls by entry id, as the comments of the files say."""


def named(chosen):
    return [pytest.param(each, id=f"{each.entry_id}-{each.defect}") for each in chosen]


CONFIRMED = named(each for each in ERRATA if each.confirmed)
RIGHT = [
    each for each in ERRATA if each.status is ErratumStatus.REJECTED and each.faithful is Faithful.PASSES
]


@pytest.fixture(scope="module")
def entry_of(entries):
    """The entry by its id."""
    return {entry.entry_id: entry for name in NAMES for entry in entries(name)}.__getitem__


def verdict(entry, calls, rules):
    """The verdict on native calls."""
    result = [
        {name.replace(".", "_"): json.dumps(arguments)}
        for call in calls
        for name, arguments in call.items()
    ]
    return Judge(entry).answer_verdicts(json.dumps(result), Mode.FC, None, (rules,))[0]


def test_every_reported_entry_is_adjudicated():
    """Each entry that was reported before has an erratum, of whatever status."""
    assert set(beside("reported_single_turn.yaml")) <= {erratum.entry_id for erratum in ERRATA}


@pytest.mark.parametrize("erratum", CONFIRMED)
def test_a_confirmed_erratum_has_evidence(erratum, entry_of):
    """A detector finds it, or a faithful answer fails, or another passes; of a mended entry one of them."""
    if treatment(entry_of(erratum.entry_id)) is Treatment.MENDED or " --detector " not in erratum.evidence:
        assert erratum.entry_id in FAITHFUL.keys() | UNFAITHFUL.keys()


@pytest.mark.parametrize("entry_id", UNFAITHFUL)
def test_an_unfaithful_answer_passes_officially(entry_id, entry_of):
    """Where the released truth is replaced, such an answer is not valid under `verified`."""
    entry, calls = entry_of(entry_id), UNFAITHFUL[entry_id]
    assert verdict(entry, calls, Rules.OFFICIAL).valid is True
    assert verdict(entry, calls, Rules.VERIFIED).valid is False


@pytest.mark.parametrize("entry_id", WRONG)
def test_a_wrong_answer_fails_with_the_mended_truth(entry_id, entry_of):
    """The alternatives that are added accept no answer that contradicts the request."""
    entry = entry_of(entry_id)
    assert treatment(entry) is Treatment.MENDED
    assert verdict(entry, WRONG[entry_id], Rules.VERIFIED).valid is False


@pytest.mark.parametrize("entry_id", FAITHFUL)
def test_a_faithful_answer_keeps_to_the_docs(entry_id, entry_of):
    """It calls functions that are offered, with all that they require and nothing that they lack."""
    docs = {doc["name"]: doc["parameters"] for doc in entry_of(entry_id).functions}
    for call in FAITHFUL[entry_id]:
        for name, arguments in call.items():
            assert set(docs[name]["required"]) <= arguments.keys() <= docs[name]["properties"].keys()


@pytest.mark.parametrize("erratum", CONFIRMED)
def test_an_entry_that_is_not_mended_is_left_out(erratum, entry_of):
    """Each confirmed erratum has its entry mended as proposed, or left out with this status."""
    entry = entry_of(erratum.entry_id)
    status = verdict(entry, [], Rules.VERIFIED).status
    assert status is (Status.ANSWERED if treatment(entry) is Treatment.MENDED else Status.LEFT_OUT)
    if not erratum.edits or not all(edit.in_truth for edit in erratum.edits):
        assert status is Status.LEFT_OUT


def test_right_entries_have_a_faithful_answer(entry_of):
    """One with calls is written down of each entry whose erratum is rejected, if it demands any."""
    assert {each.entry_id for each in RIGHT if entry_of(each.entry_id).truth is not None} <= PASSING.keys()


def test_lists_of_objects_in_json(entries):
    """The restatements of simple_python_96 that cannot be passed officially are passed under `verified`."""
    ids = {erratum.entry_id for erratum in errata() if erratum.entry_id.endswith(":simple_python_96")}
    restated = [entry for entry in entries("format_sensitivity") if entry.entry_id in ids]
    assert len(restated) == 6
    conditions = [
        {"field": "age", "operation": ">", "value": "25"},
        {"field": "job", "operation": "=", "value": "engineer"},
    ]
    call = {"function": "database.query", "parameters": {"table": "user", "conditions": conditions}}
    for entry in restated:
        tags = ("<TOOLCALL>", "</TOOLCALL>") if "tool_call_tag=True" in entry.entry_id else ("", "")
        answer = json.dumps(f"{tags[0]}{json.dumps([call])}{tags[1]}")
        verdicts = Judge(entry).answer_verdicts(answer, Mode.PROMPT, None, tuple(Rules))
        assert [each.valid for each in verdicts] == [False, True, True]
