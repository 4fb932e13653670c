from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease, ModelError
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import World, WorldConfig, snapshot
from bfcl_pipeline.world.tools.memory.vector import MemoryAPI_vector
from bfcl_pipeline.world.tools.memory.vector_store import MAX_EMBEDDED
from tests.support.word_encoder import WordEncoder

pytest.importorskip("faiss")

TEXTS = ("the dog is called Rex", "lives in Rome", "likes the sea")


@pytest.fixture
def encoder() -> WordEncoder:
    return WordEncoder()


@pytest.fixture
def with_encoder(setting: WorldConfig, encoder: WordEncoder) -> WorldConfig:
    return replace(setting, encoder=encoder)


@pytest.fixture
def api(with_encoder: WorldConfig) -> MemoryAPI_vector:
    """A memory with three texts in its core part, numbered from 0."""
    api = MemoryAPI_vector.load({}, with_encoder)
    for text in TEXTS:
        api.core_memory_add(text)
    return api


def found(api: MemoryAPI_vector, query: Any, top_k: Any = 5) -> list[int]:
    return [hit["id"] for hit in api.core_memory_retrieve(query, top_k)["result"]]


def test_empty(setting: WorldConfig) -> None:
    """An empty memory finds nothing, without an encoder; the system prompt shows it as empty braces."""
    api = MemoryAPI_vector.load({}, setting)
    assert api.archival_memory_retrieve("x") == {"result": []}
    assert api.core_memory_retrieve_all() == {"result": []}
    assert api.context_text() == "{}"
    assert api.snapshot()["core_memory"] == {"next_id": 0, "store": {}}


def test_search(api: MemoryAPI_vector) -> None:
    """The most similar texts are returned first, with their cosine, at most as many as exist."""
    hits = api.core_memory_retrieve("the dog", top_k=60)["result"]
    assert [hit["text"] for hit in hits] == [TEXTS[0], TEXTS[2], TEXTS[1]]
    assert list(hits[0]) == ["id", "similarity_score", "text"]
    assert all(type(hit["similarity_score"]) is float for hit in hits)
    same = api.core_memory_retrieve(TEXTS[1], top_k=1)["result"]
    assert [same[0]["id"], round(same[0]["similarity_score"], 5)] == [1, 1.0]


def test_numbers(api: MemoryAPI_vector) -> None:
    """Numbers are not reused after a removal, but start from 0 after clearing."""
    assert api.core_memory_remove(2) == {"status": "ID 2 removed from store."}
    assert api.core_memory_remove(2) == {"error": "ID 2 not present in store."}
    assert api.core_memory_add("x") == {"id": 3}
    assert sorted(found(api, "x")) == [0, 1, 3]
    assert api.core_memory_clear() == {"status": "Memory cleared."}
    assert api.core_memory_add("x") == {"id": 0}
    assert found(api, "dog") == [0]


def test_update(api: MemoryAPI_vector) -> None:
    """A new text is found instead of the old one, and keeps its place among all texts."""
    assert api.core_memory_update(0, "a cat") == {"status": "ID 0 updated."}
    assert found(api, "a cat", 1) == [0]
    assert [one["id"] for one in api.core_memory_retrieve_all()["result"]] == [0, 1, 2]
    # type: ignore[arg-type]
    assert api.core_memory_update("0", "x") == {"error": "ID 0 not present in store."}
    assert api.core_memory_update(True, "y") == {"status": "ID True updated."}
    assert api.snapshot()["core_memory"]["store"] == {"0": "a cat", "1": "y", "2": TEXTS[2]}


def test_limits(api: MemoryAPI_vector) -> None:
    """The core part has 7 texts of 300 characters, the archival part 50 of 2,000."""
    assert api.core_memory_add("x" * 301) == {
        "error": "Entry length exceeds maximum length of 300 characters."
    }
    too_long = {"error": "Entry length exceeds maximum length of 2000 characters."}
    assert api.archival_memory_add("x" * 2001) == too_long
    assert [api.core_memory_add("x" * 300) for _ in range(5)][-1] == {
        "error": "Memory size exceeds maximum size of 7 entries."
    }
    assert [api.archival_memory_add("x") for _ in range(51)][-2:] == [
        {"id": 49},
        {"error": "Memory size exceeds maximum size of 50 entries."},
    ]


def test_embedding_waits_for_a_search(api: MemoryAPI_vector, encoder: WordEncoder) -> None:
    """A text is embedded once, by itself, when a search first needs it."""
    api.core_memory_update(1, "moved to Oslo")
    api.core_memory_remove(2)
    assert encoder.asked == []
    found(api, "dog")
    found(api, "Oslo")
    assert sorted(encoder.asked) == sorted(["dog", TEXTS[0], "moved to Oslo", "Oslo"])


def test_order_of_equals(with_encoder: WorldConfig) -> None:
    """Among equal texts the last indexed one is returned first; loading indexes by number."""
    part = {"next_id": 9, "store": {"5": "same", "2": "same", "7": "same"}}
    api = MemoryAPI_vector.load({"core_memory": part, "archival_memory": part}, with_encoder)
    assert [one["id"] for one in api.core_memory_retrieve_all()["result"]] == [5, 2, 7]
    assert found(api, "same") == [7, 5, 2]
    api.core_memory_update(2, "same")
    assert found(api, "same") == [2, 7, 5]


def test_snapshot(api: MemoryAPI_vector, with_encoder: WorldConfig) -> None:
    """A snapshot loads as the same memory; the system prompt has its core part."""
    api.core_memory_remove(0)
    written = json.loads(json.dumps(api.snapshot()))
    assert written["core_memory"] == {"next_id": 3, "store": {"1": TEXTS[1], "2": TEXTS[2]}}
    again = MemoryAPI_vector.load(written, with_encoder)
    assert again.state == api.state
    assert again.core_memory_retrieve("sea") == api.core_memory_retrieve("sea")
    assert api.context_text() == f'{{\n    "1": "{TEXTS[1]}",\n    "2": "{TEXTS[2]}"\n}}'


def test_state_is_copied(api: MemoryAPI_vector) -> None:
    """A copy of the state does not change with the state."""
    kept = snapshot(api.state)
    assert kept == api.state
    api.core_memory_add("x")
    assert kept != api.state
    assert len(kept.core_memory.texts) == 3


@pytest.mark.parametrize(
    "part", [{"next_id": 0}, {"next_id": 1, "store": {"a": "x"}}, {"next_id": 1, "store": {"0": 5}}]
)
def test_damaged_snapshot(setting: WorldConfig, part: Any) -> None:
    """A snapshot without a store, with an invalid number or with an invalid text is refused."""
    with pytest.raises(MalformedRelease):
        MemoryAPI_vector.load(
            {"core_memory": part, "archival_memory": {"next_id": 0, "store": {}}}, setting
        )


def test_no_encoder(api: MemoryAPI_vector, setting: WorldConfig) -> None:
    """Without an encoder only searching fails, as an infrastructure error that the model does not see."""
    world = World.of(["MemoryAPI_vector"], {"MemoryAPI_vector": api.snapshot()}, setting, "m")
    assert world.run(Call("core_memory_add", {"text": "x"})) == '{"id": 3}'
    with pytest.raises(ModelError, match="expected an encoder"):
        world.run(Call("core_memory_retrieve", {"query": "x"}))


LONG = "x" * (MAX_EMBEDDED + 1)
TOO_LONG = f"a text to be embedded has at most {MAX_EMBEDDED:,} characters"
MODALITIES = "Expected one of: str, dict, PIL.Image.Image, np.ndarray, torch.Tensor"
UNKNOWN_KEYS = "Multimodal dict input contains unrecognized modality keys: ['name']. Expected keys from: "
FAILURES = [
    # A `top_k` that is not a positive integer fails as in Python and FAISS.
    *(("core_memory_retrieve", {"query": "x", "top_k": top_k}, error) for top_k, error in (
        (0, ""),
        (-1, ""),
        (2.0, "'float' object cannot be interpreted as an integer"),
        (True, "an integer is required"),
        (None, "'<' not supported between instances of 'int' and 'NoneType'"),
        ("2", "'<' not supported between instances of 'int' and 'str'"),
    )),
    # A value that cannot be embedded is rejected immediately, as by the release's libraries.
    *(("core_memory_add", {"text": text}, error) for text, error in (
        (5, "object of type 'int' has no len()"),
        ([], "not enough values to unpack (expected 2, got 1)"),
        (["a", "b"], "not same nb of vectors as ids"),
        ([None], f"Unsupported input type: NoneType. {MODALITIES}"),
        ({}, "Empty dict input is not a valid input sample."),
        ({"name": "Ann"}, f"{UNKNOWN_KEYS}['audio', 'image', 'text', 'video']."),
        ("\ud800", "TextEncodeInput must be Union[TextInputSequence, Tuple[InputSequence, InputSequence]]"),
    )),
    # A text that would take long to encode is refused.
    ("core_memory_retrieve", {"query": LONG}, TOO_LONG),
    ("core_memory_add", {"text": [LONG]}, TOO_LONG),
]  # fmt: skip


@pytest.mark.parametrize(("name", "arguments", "error"), FAILURES, ids=range(len(FAILURES)))
def test_failures(
    api: MemoryAPI_vector, with_encoder: WorldConfig, name: str, arguments: dict[str, Any], error: str
) -> None:
    """A call that cannot be embedded or searched fails with its reason; a large `top_k` does not."""
    world = World.of(["MemoryAPI_vector"], {"MemoryAPI_vector": api.snapshot()}, with_encoder, "m")
    assert world.run(Call(name, arguments)) == f"Error during execution: {error}"
    assert len(found(api, "x", 4.5)) == 3


def test_failed_add_and_update(api: MemoryAPI_vector) -> None:
    """A failed add uses a number; after a failed update the text is stored, but no search finds it."""
    with pytest.raises(ValueError, match="Empty dict"):
        api.core_memory_add({})  # type: ignore[arg-type]
    assert api.core_memory_add(["a list"]) == {"id": 4}  # type: ignore[arg-type]
    with pytest.raises(AssertionError):
        api.core_memory_update(0, ["two", "texts"])  # type: ignore[arg-type]
    assert [one["id"] for one in api.core_memory_retrieve_all()["result"]] == [0, 1, 2, 4]
    assert sorted(found(api, "dog")) == [1, 2, 4]
    assert api.core_memory_retrieve("a list", 1)["result"][0]["text"] == ["a list"]
