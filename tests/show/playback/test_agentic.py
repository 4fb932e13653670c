"""Recorded conversations with a memory or on the web have the same results when they are played again."""

from __future__ import annotations

import ast
import json
from collections.abc import Mapping
from pathlib import Path

import pytest

from bfcl_pipeline.ask.generation import conversation
from bfcl_pipeline.ask.generation.conversation import ChatAsking
from bfcl_pipeline.ask.jobs.worlds import world_configs
from bfcl_pipeline.ask.models import build_model
from bfcl_pipeline.benchmark.config import JobPaths, WebChoice, load_models
from bfcl_pipeline.benchmark.records import Mode
from bfcl_pipeline.dialogue.release_texts import read_texts
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.playback.conditions import NO_WEB, Conditions, default_conditions, read_conditions
from bfcl_pipeline.show.playback.conversation import NO_EMBEDDING, NO_MEMORY, NO_OUTCOME, UNREADABLE, play
from bfcl_pipeline.world.encoding import EmbeddingCache
from bfcl_pipeline.world.tools import World, WorldConfig
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.presented import present_entry
from bfcl_pipeline.world.web.recording import RecordingWeb
from bfcl_pipeline.world.web.simulated import SimulatedWeb
from tests.support.run_form import recorded
from tests.support.word_encoder import WordEncoder

MODELS = Path(__file__).parents[3] / "config" / "models.yaml"
PLAYERS = ("oracle-FC", "lexical-FC", "lexical")


@pytest.fixture
def hold(staged):
    """A function that lets a model converse in a world: its result, and the results in the history."""
    texts, rows = read_texts(staged), load_models(MODELS)

    def held(entry, config, name, before=None):
        model = build_model(rows[name])
        model.prepare([entry])
        respond = model.responder(entry)
        world = World.for_entry(entry, config, "model", before and dict.fromkeys(entry.apis, before))
        talk = conversation(entry, ChatAsking(model.mode), texts, world)
        request = next(talk)
        while True:
            try:
                request = talk.send(respond(request))
            except StopIteration as ended:
                after = None if world.memory is None else world.memory.snapshot()
                return json.loads(json.dumps(ended.value)), _outcomes(request), model.mode, after

    return held


def _outcomes(request):
    """The results of calls in the last request of a conversation, in order."""
    if request.mode is Mode.FC:
        return [one["content"] for one in request.messages if one["role"] == "tool"]
    told = [one["content"] for one in request.messages if one["content"].startswith("[{'role': 'tool'")]
    return [one["content"] for text in told for one in ast.literal_eval(text)]


def _results(turns):
    return [call.result for turn in turns for step in turn for call in step.calls]


def _all_recorded(turns):
    return all(call.recorded for turn in turns for step in turn for call in step.calls)


class KeptEncoder(WordEncoder):
    """An encoder whose embeddings are stored as those of a run."""

    def __init__(self, folder):
        super().__init__()
        self._cache = EmbeddingCache(folder)

    def encode(self, texts):
        rows = super().encode(texts)
        for text, row in zip(texts, rows, strict=True):
            self._cache.put(text, row)
        return rows


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("category", ["memory_kv", "memory_vector", "memory_rec_sum"])
def test_memory_calls_have_the_results_of_the_conversation(
    hold, entries, staged, constants, tmp_path, category, name
):
    """Sessions and a question played again return what went into the history, on every backend."""
    chain = [one for one in entries(category) if one.scenario == "student" and one.prerequisite][:3]
    question = next(one for one in entries(category) if one.scenario == "student" and not one.prerequisite)
    config = WorldConfig(constants, encoder=KeptEncoder(tmp_path / "encoder"))
    conditions = Conditions(staged, constants, tmp_path)
    memory, count = None, 0
    for entry in [*chain, question]:
        result, outcomes, mode, after = hold(entry, config, name, memory)
        turns = play(entry, result, mode, conditions, before=memory)
        assert _results(turns) == outcomes
        assert _all_recorded(turns)
        memory, count = after, count + len(outcomes)
    assert count > 0


def test_each_search_with_stored_embeddings_has_its_result(entries, staged, constants, tmp_path):
    """A search whose embeddings are stored has its result also after one whose embeddings are not."""
    entry = next(one for one in entries("memory_vector") if one.prerequisite)
    steps = [
        [{"archival_memory_add": '{"text": "a cat"}'}, {"core_memory_add": '{"text": "a dog"}'}],
        [{"archival_memory_retrieve": '{"query": "dog"}'}, {"core_memory_retrieve": '{"query": "dog"}'}],
    ]
    KeptEncoder(tmp_path / "encoder").encode(["a dog", "dog"])
    conditions = Conditions(staged, constants, tmp_path)
    ((_, searched),) = play(entry, [steps], Mode.FC, conditions)
    assert [call.recorded for call in searched.calls] == [False, True]
    assert searched.calls[0].result == NO_EMBEDDING
    assert "a dog" in searched.calls[1].result


SIMULATED = {
    "plain": WebChoice(),
    "failures and a renamed tool": WebChoice(fetch_failures=0.5, search_tool="duckduckgo_search"),
    "off": WebChoice(mode="off"),
}


@pytest.mark.parametrize("name", PLAYERS)
@pytest.mark.parametrize("web", SIMULATED.values(), ids=list(SIMULATED))
def test_web_calls_have_the_results_of_the_conversation(
    hold, entries, staged, constants, tmp_path, web, name
):
    """Searches and fetches played again return what went into the history, injected failures included."""
    config_of = world_configs(JobPaths(data=staged), web, 7, offline=True)
    conditions = Conditions(staged, constants, tmp_path, web, 7)
    seen = []
    for entry in entries("web_search_base")[:6]:
        asked = present_entry(entry, web)
        result, outcomes, mode, _ = hold(asked, config_of(asked), name)
        turns = play(entry, result, mode, conditions, web.mode)
        assert _results(turns) == outcomes
        assert _all_recorded(turns)
        seen += outcomes
    assert seen or web.mode == "off"
    if name == "oracle-FC":
        assert any("error" in text[:20] for text in seen) == bool(web.fetch_failures)


@pytest.mark.parametrize("mode", ["record", "replay"])
def test_a_recorded_web_is_read_from_the_cache(hold, entries, staged, constants, tmp_path, mode):
    """Outcomes that a run recorded are the results."""
    live = RecordingWeb(WebCache(tmp_path / "web"), SimulatedWeb.of(entries("web_search_base")))
    entry = entries("web_search_base")[5]
    result, outcomes, _, _ = hold(entry, WorldConfig(constants, web=live), "oracle-FC")
    conditions = Conditions(staged, constants, tmp_path, WebChoice(mode=mode))
    turns = play(entry, result, Mode.FC, conditions, mode)
    assert outcomes
    assert _results(turns) == outcomes
    assert _all_recorded(turns)


def test_a_damaged_outcome_is_not_a_result(entries, staged, constants, tmp_path):
    """An outcome in the web cache that cannot be read is reported in its place, without its path."""
    cache = WebCache(tmp_path / "web")
    RecordingWeb(cache, SimulatedWeb.of(entries("web_search_base"))).search("tea", "wt-wt")
    (outcome,) = (tmp_path / "web").rglob("*.json")
    outcome.write_text("{")
    steps = [[{"search_engine_query": '{"keywords": "tea"}'}]]
    conditions = Conditions(staged, constants, tmp_path)
    ((step,),) = play(entries("web_search_base")[0], [steps], Mode.FC, conditions, "replay")
    assert (step.calls[0].result, step.calls[0].recorded) == (UNREADABLE, False)


@pytest.mark.parametrize(
    ("category", "name", "played", "why"),
    [
        ("memory_kv", "core_memory_list_keys", {"missing": "It is elsewhere."}, "It is elsewhere."),
        ("memory_kv", "core_memory_list_keys", {"before": {"core_memory": "x"}}, NO_MEMORY),
        *(
            ("web_search_base", "search_engine_query", {"web": web}, NO_WEB)
            for web in ("live", "unknown", None)
        ),
        ("web_search_base", "search_engine_query", {"web": "replay"}, NO_OUTCOME),
        ("web_search_base", "search_engine_query", {"web": "record"}, NO_OUTCOME),
    ],
)
def test_a_result_that_is_not_recorded_says_why(
    entries, staged, constants, tmp_path, category, name, played, why
):
    """Where the memory or the web is not recorded, no call is run on another one instead."""
    arguments = '{"keywords": "tea"}' if category == "web_search_base" else "{}"
    conditions = Conditions(staged, constants, tmp_path)
    ((step,),) = play(entries(category)[-1], [[[{name: arguments}]]], Mode.FC, conditions, **played)
    assert (step.calls[0].result, step.calls[0].recorded) == (why, False)


def test_the_conditions_are_those_of_the_recorded_config(staged, tmp_path):
    """Web, failures, tool, seed and the models' names are those of the run; without one, the defaults."""
    (tmp_path / "config.yaml").write_text(
        recorded("web: record\nfetch_failures: 0.5\nsearch_tool: duckduckgo_search\nseed: 3\n")
    )
    remote = "kind: openai_chat, endpoint: 'http://127.0.0.1/v1', model: org/m"
    (tmp_path / "models.yaml").write_text(
        f"models:\n- {{name: oracle-FC, kind: oracle}}\n- {{name: m-FC, {remote}}}\n"
    )
    read = read_conditions(Run(tmp_path, data=staged))
    assert (read.web.mode, read.web.fetch_failures, read.web.search_tool, read.seed) == (
        "record",
        0.5,
        "duckduckgo_search",
        3,
    )
    assert isinstance(read.owners, Mapping)
    assert (read.owner("m-FC~2"), read.owner("oracle-FC"), read.owner("x")) == ("org/m", "model", "model")
    plain = default_conditions(staged)
    assert (plain.web, plain.seed) == (WebChoice(), 0)
