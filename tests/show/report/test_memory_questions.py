"""Why memory questions fail: scripted sessions and answers through the real memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.records import Call, Json
from bfcl_pipeline.show.report.tables.all_tables import TABLES
from bfcl_pipeline.show.report.tables.memory import memory_backends
from bfcl_pipeline.show.report.tables.spec import ModelSources, Row
from bfcl_pipeline.world.encoding import EmbeddingCache, StoredEncoder
from bfcl_pipeline.world.tools.memory.encoder import Encoder
from tests.support.memory_talk import MemoryTalk
from tests.support.word_encoder import WordEncoder

UNKNOWN = "I do not know"


def form(answer: str) -> str:
    return f"{{'answer': '{answer}', 'context': 'my memory'}}"


def made(talk: MemoryTalk, table: str, encoder: Encoder | None = None) -> list[Row]:
    """All rows of a table on the conversations of one model."""
    make = TABLES[table].of_model
    assert make is not None
    return list(make(ModelSources(talk.records(), encoder or WordEncoder())))


def rows(
    talk: MemoryTalk,
    table: str = "memory_questions",
    rules: str = "official",
    encoder: Encoder | None = None,
) -> list[dict[str, Json]]:
    found = made(talk, table, encoder)
    return [row for row in found if row.get("rules", rules) == rules]


def reasons(talk: MemoryTalk, rules: str = "official") -> dict[str, Json]:
    return {row["entry_id"]: row["reason"] for row in rows(talk, rules=rules)}


def kv(part: str, verb: str, **arguments: Json) -> Call:
    return Call(f"{part}_memory_{verb}", arguments)


def test_a_fact_stored_and_deleted_within_one_session_is_stored_and_lost() -> None:
    """No snapshot has the fact; the table names the calls that stored and removed it, and the space."""
    talk = MemoryTalk("memory_kv")
    session = talk.session(
        [[kv("archival", "add", key="module", value="security compliance")], "Noted."],
        ["Fine.", [kv("archival", "add", key="x", value="y"), kv("archival", "remove", key="module")]],
    )
    talk.ask("Security Compliance", [kv("archival", "list_keys")], form("budget training"))
    (row,) = rows(talk)
    assert (row["reason"], row["valid"], row["place"]) == ("deleted", False, "none")
    assert (row["stored_session"], row["stored_turn"], row["stored_step"]) == (session, 1, 1)
    assert row["stored_call"] == "archival_memory_add(key='module', value='security compliance')"
    assert (row["lost_session"], row["lost_turn"], row["lost_step"]) == (session, 2, 2)
    assert row["lost_call"] == "archival_memory_remove(key='module')"
    assert (row["lost_within"], row["lost_fill"], row["lost_while_full"]) == (True, 0.5, False)
    (use,) = rows(talk, "memory_use")
    counted = {name: use[name] for name in ("stored", "kept", "lost", "lost_within", "lost_while_full")}
    assert counted == {"stored": 1, "kept": 0, "lost": 1, "lost_within": 1, "lost_while_full": 0}


def test_a_fact_that_is_cleared_while_its_part_is_full_is_deleted_while_full() -> None:
    """Both entries of the core part are in use when it is cleared in a later session."""
    talk = MemoryTalk("memory_kv")
    talk.session(
        [[kv("core", "add", key="city", value="Oslo"), kv("core", "add", key="pet", value="a cat")]]
    )
    talk.session([[kv("core", "clear")]])
    talk.ask("Oslo", form("Rome"))
    (row,) = rows(talk)
    assert (row["reason"], row["lost_call"]) == ("deleted", "core_memory_clear()")
    assert (row["lost_within"], row["lost_fill"], row["lost_while_full"]) == (False, 1.0, True)


def test_a_fact_that_is_replaced_is_overwritten_and_one_stored_again_is_kept() -> None:
    """The last state decides; the first call that stored the fact is named."""
    talk = MemoryTalk("memory_kv")
    add = kv("archival", "add", key="pet", value="a cat")
    talk.session([[add, kv("core", "add", key="city", value="Oslo")]])
    talk.session([[kv("archival", "remove", key="pet"), add]])
    talk.session([[kv("core", "replace", key="city", value="Rome")]])
    talk.ask("Oslo", form("Rome"))
    talk.ask("cat", [kv("archival", "retrieve", key="pet")], form("cat"))
    overwritten, kept = rows(talk)
    assert (overwritten["reason"], overwritten["lost_turn"]) == ("overwritten", 1)
    assert (kept["valid"], kept["reason"], kept.get("lost_session")) == (True, None, None)
    assert kept["stored_session"] == "memory_kv_prereq_0-student-0"


def test_each_wrong_answer_has_the_first_reason_that_applies() -> None:
    """Never stored; stored and not looked up, not found, misread, abstained; no message; seen in the
    prompt."""
    talk = MemoryTalk("memory_kv")
    talk.session(
        [[kv("archival", "add", key="home_town", value="Oslo"), kv("core", "add", key="a", value="tea")]]
    )
    look = [kv("archival", "retrieve", key="home_town")]
    expected = {
        talk.ask("blue", look, form(UNKNOWN)): ("never_stored", "nowhere", True),
        talk.ask("Oslo", form("Rome")): ("not_looked_up", "nowhere", False),
        talk.ask("Oslo", [kv("archival", "list_keys")], form(UNKNOWN)): ("not_found", "nowhere", True),
        talk.ask("Oslo", look, form("Rome")): ("misread", "look_up", False),
        talk.ask("Oslo", look, form(UNKNOWN)): ("abstained", "look_up", True),
        talk.ask("Oslo", look): ("no_answer", "look_up", False),
        talk.ask("tea", form("milk")): ("misread", "prompt", False),
        talk.ask("Oslo", look, form("Oslo")): (None, "look_up", False),
    }
    found = {row["entry_id"]: (row["reason"], row["seen"], row["abstained"]) for row in rows(talk)}
    assert found == expected
    (use,) = rows(talk, "memory_use")
    assert use["without_look_up"] == 2


def test_an_answer_that_the_corrected_rules_alone_reject_is_not_exact() -> None:
    """It mentions the acceptable answer, so that neither the memory nor the look-up is the reason."""
    talk = MemoryTalk("memory_kv")
    talk.session(["Noted."])
    talk.ask("Oslo", form("It is Oslo or Rome."))
    assert list(reasons(talk).values()) == [None]
    assert list(reasons(talk, "corrected").values()) == ["not_exact"]


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (Call("memory_update", {"text": "Likes tea."}), "overwritten"),
        (Call("memory_replace", {"old_text": "in Oslo", "new_text": "up north"}), "overwritten"),
        (Call("memory_clear", {}), "deleted"),
    ],
)
def test_the_call_that_lost_a_detail_of_a_summary_is_named(call: Call, reason: str) -> None:
    """In a memory of one text, the fill is the share of its characters."""
    talk = MemoryTalk("memory_rec_sum")
    talk.session([[Call("memory_append", {"text": "Lives in Oslo since 1987."})]], [[call]])
    talk.ask("Oslo", form("Rome"))
    (row,) = rows(talk)
    assert (row["reason"], row["lost_turn"], row["lost_fill"]) == (reason, 2, 25 / 40)
    assert row["lost_call"].startswith(call.name)
    assert row["lost_within"]


def test_a_summary_is_seen_in_the_prompt() -> None:
    """A memory of one text needs no look-up, so a wrong answer to a stored fact is misread."""
    talk = MemoryTalk("memory_rec_sum")
    talk.session([[Call("memory_append", {"text": "Lives in Oslo. Has a cat."})]])
    talk.ask("Oslo", form("Rome"))
    talk.ask("cat", form("cat"))
    assert [(row["reason"], row["place"], row["seen"]) for row in rows(talk)] == [
        ("misread", "core", "prompt"),
        (None, "core", "prompt"),
    ]
    (used,) = rows(talk, "memory_patterns")
    assert (used["pattern"], used["facts_per_text"]) == ("one_text", 2)


def vector_talk() -> MemoryTalk:
    talk = MemoryTalk("memory_vector")
    talk.session(
        [
            [Call("archival_memory_add", {"text": text}) for text in ("lives in Oslo", "has a cat", "tea")],
            [Call("archival_memory_remove", {"vec_id": 1})],
            [Call("archival_memory_update", {"vec_id": 2, "new_text": "coffee"})],
        ]
    )
    search = Call("archival_memory_retrieve", {"query": "lives in", "top_k": 1})
    talk.ask("Oslo", [search], form("Rome"))
    talk.ask("coffee", [search], form("milk"))
    talk.ask("cat", [search], form("dog"))
    talk.ask("tea", [search], form("milk"))
    talk.ask("Oslo", [Call("archival_memory_retrieve_all", {})], form("Rome"))
    return talk


def test_searches_by_meaning_are_repeated_with_stored_embeddings() -> None:
    """The result decides whether a fact was found; deletions and updates are those of the sessions."""
    assert list(reasons(vector_talk()).values()) == [
        "misread",
        "not_found",
        "deleted",
        "overwritten",
        "misread",
    ]


def test_without_embeddings_a_search_is_unknown_and_the_rest_is_not(tmp_path: Path) -> None:
    """Deleted facts, and results of calls that are no searches by meaning, need no embedding."""
    found = rows(vector_talk(), encoder=StoredEncoder(tmp_path))
    assert [(row["reason"], row["seen"]) for row in found] == [
        ("unknown", None),
        ("unknown", None),
        ("deleted", None),
        ("overwritten", None),
        ("misread", "look_up"),
    ]
    (without,) = rows(vector_talk(), "memory_use", encoder=StoredEncoder(tmp_path))
    assert [without] == rows(vector_talk(), "memory_use")


def test_stored_embeddings_are_those_of_the_run(tmp_path: Path) -> None:
    """With the embeddings of the texts on disk every search is known."""
    texts = ["lives in Oslo", "has a cat", "tea", "coffee", "lives in"]
    for text, vector in zip(texts, WordEncoder().encode(texts), strict=True):
        EmbeddingCache(tmp_path).put(text, vector)
    assert rows(vector_talk(), encoder=StoredEncoder(tmp_path)) == rows(vector_talk())


@pytest.mark.parametrize("held", [False, None], ids=["failed session", "no session"])
def test_without_sessions_the_reason_is_unknown(held: bool | None) -> None:
    """Neither a failed session nor a run without sessions says what the memory was."""
    talk = MemoryTalk("memory_kv")
    if held is not None:
        talk.session(["Noted."], held=held)
    talk.ask("Oslo", form("Rome"))
    (row,) = rows(talk)
    assert (row["reason"], row.get("place"), row.get("seen")) == ("unknown", None, None)


def test_failures_and_parts_add_the_questions_up() -> None:
    """Each reason that occurs has its share and its first entry; each part its accuracy."""
    talk = MemoryTalk("memory_kv")
    talk.session(
        [[kv("archival", "add", key="home", value="Oslo"), kv("core", "add", key="a", value="tea")]]
    )
    first = talk.ask("blue", form(UNKNOWN))
    talk.ask("red", form("green"))
    talk.ask("tea", form("tea"))
    missed = talk.ask("Oslo", form("Rome"))
    failures = [row for row in rows(talk, "memory_failures") if row["category"] == "memory_kv"]
    assert [(row["reason"], row["count"], row["wrong"], row["abstained"]) for row in failures] == [
        ("never_stored", 2, 3, 1),
        ("not_looked_up", 1, 3, 0),
    ]
    assert [row["example_entry_id"] for row in failures] == [first, missed]
    assert sum(row["share"] for row in failures) == pytest.approx(1)
    parts = [row for row in rows(talk, "memory_parts") if row["category"] == "memory"]
    assert [(row["place"], row["answered"], row["correct"], row["without_look_up"]) for row in parts] == [
        ("core", 1, 1, 1),
        ("archival", 1, 0, 1),
        ("none", 2, 0, 2),
    ]
    (used,) = rows(talk, "memory_patterns")
    assert (used["pattern"], used["core_adds"], used["archival_adds"]) == ("core_and_archival", 1, 1)


def test_call_texts_are_bounded_and_printable() -> None:
    """A call with a long or invisible text is cut, escaped and on one line."""
    talk = MemoryTalk("memory_vector")
    text = "Oslo\u202e\n" + "x" * 80
    talk.session([[Call("archival_memory_add", {"text": text})]])
    talk.ask("Oslo", form("Rome"))
    (row,) = rows(talk)
    assert "\u202e" not in row["stored_call"]
    assert "\n" not in row["stored_call"]


def test_backends_are_compared_over_several_models_only() -> None:
    """Best, worst, difference and mean; a single model has none."""
    names = ("memory_kv", "memory_vector", "memory_rec_sum", "memory")
    board = [
        {"model": model, "rules": "official", **dict.fromkeys(names), "memory_kv": accuracy, "memory": mean}
        for model, accuracy, mean in (("a", 0.5, 0.2), ("b", 0.5, None), ("c", 0.125, None))
    ]
    (row,) = memory_backends(board)
    assert row == {
        "rules": "official",
        "category": "memory_kv",
        "models": 3,
        "best": 0.5,
        "best_model": "a",
        "worst": 0.125,
        "worst_model": "c",
        "difference": 0.375,
        "mean": 0.375,
    }
    assert list(memory_backends(board[:1])) == []
