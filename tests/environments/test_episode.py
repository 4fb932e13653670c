"""An episode asks, runs and judges as a run of the pipeline does."""

from __future__ import annotations

import json
import os
import pickle
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from bfcl_pipeline.base.errors import ConfigError, Malformed
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Call, Json, Rules, Status
from bfcl_pipeline.environments import Episode, oracle_answers
from bfcl_pipeline.environments.setting import entry_ids, open_setting
from tests.peer.test_recorded_verdicts import CONFORMANCE
from tests.support.episodes import as_bytes, chat_message, played_by_oracle, recorded_answers

ENTRY = "multi_turn_base_12"

NOT_BY_ORACLE = {
    Rules.VERIFIED: {"simple_java_64"},
    Rules.OFFICIAL: {
        "simple_java_36",
        "simple_java_65",
        "live_simple_106-63-0",
        "live_simple_112-68-0",
        "live_multiple_862-181-3",
        "live_multiple_964-207-0",
    },
}
"""The entries of V4, without memory_vector and simple_python, that the oracle does not pass."""


@pytest.mark.parametrize("rules", NOT_BY_ORACLE)
def test_the_oracle_earns_1_wherever_it_passes(staged: Path, rules: Rules) -> None:
    """Of every third entry of each category, in function-calling mode."""
    categories = [
        name
        for name in V4_CATEGORIES
        if not CATEGORIES[name].needs_encoder and not CATEGORIES[name].prompt_only
    ]
    setting = open_setting(staged, Path("cache"), "simulated")
    chosen = {
        entry_id
        for category in categories
        for entry_id in entry_ids(setting, [category], rules)[:: 1 if "simple" in category else 3]
    } | (NOT_BY_ORACLE[rules])
    failed = {one for one in chosen if played_by_oracle(one, staged, rules=rules).reward != 1}
    expected = {one for one in failed if one.startswith("simple_python")}
    assert failed - expected == NOT_BY_ORACLE[rules]
    assert len(expected) <= 2  # 99.5 % of 400 under official rules


@pytest.mark.parametrize(
    "entry_id", ["simple_python_3", "memory_rec_sum_0-customer-0", "web_search_base_3", "multi_turn_base_3"]
)
def test_the_oracle_earns_1_in_prompt_mode(staged: Path, entry_id: str) -> None:
    """The functions are in the system prompt then, and no tools are offered."""
    episode = Episode(entry_id, mode="prompt", data=staged)
    assert episode.request is not None
    assert not episode.request.tools
    assert episode.request.messages[0]["role"] == "system"
    assert played_by_oracle(entry_id, staged, mode="prompt").reward == 1


def test_a_prompt_format_is_an_episode_of_prompt_mode(staged: Path) -> None:
    """Restatements in other formats of the prompt are played, in prompt mode alone."""
    setting = open_setting(staged, Path("cache"), "simulated")
    for entry_id in entry_ids(setting, ["format_sensitivity"], Rules.VERIFIED)[::400]:
        assert played_by_oracle(entry_id, staged, mode="prompt").reward == 1
    with pytest.raises(ConfigError, match="mode='prompt'"):
        Episode(entry_id, data=staged)


@pytest.mark.parametrize("entry_id", ["memory_kv_3-customer-3", "memory_rec_sum_55-finance-0"])
def test_the_sessions_before_a_question_are_the_policys_on_demand(staged: Path, entry_id: str) -> None:
    """The policy that holds its sessions as the oracle does leaves the memory that the oracle leaves."""
    setting = open_setting(staged, Path("cache"), "simulated")
    entry = setting.entry(entry_id)
    own = Episode(entry_id, memory="policy", data=staged)
    assert own.asked.prerequisite
    for answer in oracle_answers(own):
        own.answer(answer)
    given = played_by_oracle(entry_id, staged)
    assert own.memory_snapshot == given.memory_snapshot == setting.oracle_memory(entry, Rules.VERIFIED)
    assert own.reward == given.reward == 1
    assert len(own.answered) > len(given.answered)
    stored = played_by_oracle(entry_id, staged, memory=own.memory_snapshot)
    assert stored.reward == 1
    silent = Episode(entry_id, memory="policy", data=staged)
    while not silent.done:
        silent.answer("Noted.")
    assert silent.reward == 0


def test_recorded_answers_of_models_earn_their_official_verdicts(staged: Path) -> None:
    """Real outputs with official verdicts, replayed answer by answer: none differs."""
    table = os.environ.get(CONFORMANCE)
    if table is None:
        pytest.skip(f"{CONFORMANCE} names no table of outputs with official verdicts")
    rows, differing, without = pq.read_table(table).to_pylist(), [], 0
    for row in rows:
        episode = Episode(row["entry_id"], rules="official", mode=row["mode"], data=staged)
        result = json.loads(row["result_json"])
        single = CATEGORIES[row["category"]].single_turn
        if (
            isinstance(result, str) and not single
        ):  # the server failed: the official tool recorded its error
            without += 1
            continue
        answers = [result] if single else list(recorded_answers(result))
        for answer in answers:
            if episode.done:
                break
            episode.answer(answer)
        if episode.reward != row["valid"]:
            differing.append((row["run"], row["entry_id"], row["valid"], episode.done, episode.verdict))
    print(f"{len(rows) - without:,} answers, {len(differing)} differ; {without} conversations have none")
    assert not differing, differing[:5]


def test_messages_calls_and_the_official_form_are_one_answer(staged: Path) -> None:
    """A chat message, Call records and the official form of the same calls have the same results."""
    official: list[Json] = []
    for answer in oracle_answers(first := Episode(ENTRY, data=staged)):
        official.append(answer)
        first.answer(answer)
    message, calls = Episode(ENTRY, data=staged), Episode(ENTRY, data=staged)
    for number, answer in enumerate(official):
        message.answer({**chat_message(answer, number), "reasoning": "hm"})
        if isinstance(answer, str):
            calls.answer(answer)
            continue
        written = [Call(name, json.loads(text)) for named in answer for name, text in named.items()]
        assert len(calls.step(written)) == len(written)
    assert message.verdict == calls.verdict == first.verdict
    assert first.reward == 1


def test_64_interleaved_episodes_are_64_alone(staged: Path) -> None:
    """Episodes over the same and over different entries do not see each other."""
    ids = [f"multi_turn_base_{number}" for number in range(20, 36)] * 3
    ids += [f"memory_kv_{number}-customer-{number}" for number in range(8)]
    ids += [f"web_search_base_{number}" for number in range(8)]
    alone = [as_bytes(played_by_oracle(one, staged, rules="official")) for one in ids]
    together = [Episode(one, rules="official", data=staged) for one in ids]
    answers = [oracle_answers(one) for one in together]
    while not all(one.done for one in together):
        for one, policy in zip(together, answers, strict=True):
            if not one.done:
                one.answer(next(policy))
    assert len(ids) == 64
    assert [as_bytes(one) for one in together] == alone


def test_what_a_policy_changes_in_a_request_changes_nothing(staged: Path) -> None:
    """Messages and tools are copies."""
    spoiled, clean = Episode(ENTRY, data=staged), Episode(ENTRY, data=staged)
    assert spoiled.request is not None
    spoiled.request.messages[0]["content"] = "Say that all is right."
    spoiled.request.tools[0]["function"]["name"] = "reward"
    assert as_bytes(spoiled) == as_bytes(clean) == as_bytes(Episode(ENTRY, data=staged))


def test_a_branch_goes_on_from_where_it_was_taken(staged: Path) -> None:
    """A snapshot survives pickling; diverging and returning gives the bytes of never having left."""
    straight = Episode(ENTRY, data=staged)
    policy = oracle_answers(straight)
    answers = []
    while not straight.done:
        answers.append(next(policy))
        straight.answer(answers[-1])
    episode = Episode(ENTRY, data=staged)
    for answer in answers[:2]:
        episode.answer(answer, tokens=[1, 2])
    snapshot = pickle.loads(pickle.dumps(episode.snapshot()))  # our own
    before = as_bytes(episode)
    episode.answer([{"rm": '{"file_name": "summary.txt"}'}])
    episode.answer("Gone.")
    assert as_bytes(episode) != before
    episode.restore(snapshot)
    assert as_bytes(episode) == before
    assert episode.answered[0].tokens == [1, 2]
    branch = Episode.restored(snapshot)
    for one in (episode, branch):
        for answer in answers[2:]:
            one.answer(answer)
        assert as_bytes(one) == as_bytes(straight)
    with pytest.raises(ConfigError, match="another episode"):
        Episode("multi_turn_base_13", data=staged).restore(snapshot)


def test_rewards_of_turns_and_shaping_are_named_as_such(staged: Path) -> None:
    """A conversation that fails at its second turn earns 0, its first turn 1."""
    episode = Episode(ENTRY, data=staged)
    policy = oracle_answers(episode)
    assert (episode.reward, episode.turn_rewards, episode.shaping) == (None, (), None)
    for _ in range(2):
        episode.answer(next(policy))
    while not episode.done:
        episode.answer("Done.")
    assert (episode.reward, episode.turn_rewards) == (0, (1, 0, 0))
    assert episode.shaping == pytest.approx(0.5)
    whole = played_by_oracle(ENTRY, staged)
    assert (whole.turn_rewards, whole.shaping) == ((1, 1, 1), 1)


def test_the_transcript_is_that_of_show(staged: Path) -> None:
    """It has every call with its result, and the verdict."""
    episode = Episode(ENTRY, data=staged)
    with pytest.raises(ConfigError, match="has not ended"):
        _ = episode.transcript
    record = played_by_oracle(ENTRY, staged).transcript
    assert [turn.as_truth for turn in record.turns] == [True, True, True]
    assert record.verdicts[0].valid is True
    assert played_by_oracle("memory_kv_3-customer-3", staged).transcript.memories


def test_mistakes_of_a_trainer_are_errors(staged: Path) -> None:
    """They are not the policy's, which earns nothing for them."""
    with pytest.raises(ConfigError, match="simple_python_9999"):
        Episode("simple_python_9999", data=staged)
    with pytest.raises(ConfigError, match="live"):
        Episode(ENTRY, web="live", data=staged)
    with pytest.raises(ConfigError, match="snapshot"):
        Episode(ENTRY, memory="mine", data=staged)
    with pytest.raises(ConfigError, match="left out"):
        Episode(_first_left_out(staged), data=staged)
    episode = Episode(ENTRY, data=staged)
    with pytest.raises(Malformed):
        episode.answer({"role": "assistant", "tool_calls": [{"function": {"name": 1}}]})
    assert not episode.done
    ended = played_by_oracle(ENTRY, staged)
    with pytest.raises(ConfigError, match="has ended"):
        ended.answer("again")


def _first_left_out(staged: Path) -> str:
    """A multi-turn entry that the rules verified do not judge."""
    setting = open_setting(staged, Path("cache"), "simulated")
    judged = set(entry_ids(setting, ["multi_turn_base"], Rules.VERIFIED))
    every = entry_ids(setting, ["multi_turn_base"], Rules.OFFICIAL)
    return next(one for one in every if one not in judged)


def test_a_web_without_records_is_no_fault_of_the_policy(staged: Path, tmp_path: Path) -> None:
    """The episode ends with a status, and without a reward."""
    episode = Episode("web_search_base_3", web="replay", data=staged, cache=tmp_path)
    episode.answer([{"search_engine_query": '{"keywords": "x"}'}])
    assert episode.done
    assert episode.reward is None
    assert episode.verdict is not None
    assert episode.verdict.status is Status.NOT_RECORDED
