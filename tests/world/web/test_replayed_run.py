"""Conversations over a recorded web have the same results when replayed; missing outcomes become a
status."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation import responses
from bfcl_pipeline.ask.models import build_model
from bfcl_pipeline.benchmark.config import load_models
from bfcl_pipeline.benchmark.records import Status
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.recording import RecordingWeb, ReplayingWeb
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.support.local_generation import generate

MODELS = Path(__file__).parents[3] / "config" / "models.yaml"


@pytest.fixture
def held(entries, staged, constants):
    """The responses of a model to the first web questions over a web."""
    texts, rows = read_texts(staged), load_models(MODELS)

    def over(web, count=8, model="oracle-FC"):
        asked = entries("web_search_base")[:count]
        setting = WorldConfig(constants, web=web)
        return responses(generate(asked, build_model(rows[model]), texts, lambda _: setting))

    return over


@pytest.mark.parametrize("model", ["oracle-FC", "oracle", "lexical-FC"])
def test_a_replayed_run_is_the_recorded_one(held, entries, tmp_path, model):
    """From the web cache alone, every response is identical in all fields."""
    live = SimulatedWeb.of(entries("web_search_base"))  # replaces the real web
    recorded = held(RecordingWeb(WebCache(tmp_path), live), model=model)
    assert {one.status for one in recorded} == {Status.ANSWERED}
    assert held(ReplayingWeb(WebCache(tmp_path)), model=model) == recorded


def test_a_missing_outcome_is_a_status(held, entries, tmp_path):
    """An entry that needs an uncached outcome has no answer; its status names the missing outcome."""
    live = SimulatedWeb.of(entries("web_search_base"))
    held(RecordingWeb(WebCache(tmp_path), live), count=2)
    first, second, third = held(ReplayingWeb(WebCache(tmp_path)), count=3)
    assert (first.status, second.status) == (Status.ANSWERED, Status.ANSWERED)
    assert (third.status, third.result_json) == (Status.NOT_RECORDED, None)
    assert "search" in third.status_detail
