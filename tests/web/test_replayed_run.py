"""Conversations over a recorded web: replayed, they are the same; what was not recorded is a status."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.config import load_models
from bfcl_pipeline.generation import generate, responses
from bfcl_pipeline.models import build_model
from bfcl_pipeline.records import Status
from bfcl_pipeline.tables.texts import read_texts
from bfcl_pipeline.tools import Setting
from bfcl_pipeline.web.record import Record
from bfcl_pipeline.web.recorded import Recording, Replaying
from bfcl_pipeline.web.simulated import SimulatedWeb

MODELS = Path(__file__).parents[2] / "config" / "models.yaml"


@pytest.fixture
def held(entries, staged, constants):
    """The responses of a model to the first web questions over a web."""
    texts, rows = read_texts(staged), load_models(MODELS)

    def over(web, count=8, model="oracle-FC"):
        asked = entries("web_search_base")[:count]
        setting = Setting(constants, web=web)
        return responses(generate(asked, build_model(rows[model]), texts, lambda _: setting))

    return over


@pytest.mark.parametrize("model", ["oracle-FC", "oracle", "lexical-FC"])
def test_a_replayed_run_is_the_recorded_one(held, entries, tmp_path, model):
    """From the record alone, every response is the same, to the last field."""
    live = SimulatedWeb.of(entries("web_search_base"))  # stands for the web itself
    recorded = held(Recording(Record(tmp_path), live), model=model)
    assert {one.status for one in recorded} == {Status.ANSWERED}
    assert held(Replaying(Record(tmp_path)), model=model) == recorded


def test_what_was_never_recorded_is_a_status(held, entries, tmp_path):
    """An entry that needs more than the record has gets no answer, and says what is missing."""
    live = SimulatedWeb.of(entries("web_search_base"))
    held(Recording(Record(tmp_path), live), count=2)
    first, second, third = held(Replaying(Record(tmp_path)), count=3)
    assert (first.status, second.status) == (Status.ANSWERED, Status.ANSWERED)
    assert (third.status, third.result_json) == (Status.NOT_RECORDED, None)
    assert "search" in third.status_detail
