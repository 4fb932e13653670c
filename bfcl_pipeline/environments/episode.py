"""One entry of the benchmark as an episode that a policy plays, exactly as the pipeline asks and judges it.

An episode has no input or output of its own: it yields requests and takes answers. Its conversation, world
and verdict are those of a run. A policy is whatever answers; nothing that it writes is evaluated.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bfcl_pipeline.ask.generation import ChatAsking, conversation, failure_of
from bfcl_pipeline.ask.generation.conversation import Conversation
from bfcl_pipeline.base.errors import ConfigError, ModelError, WebError
from bfcl_pipeline.benchmark.definition import CATEGORIES, Check
from bfcl_pipeline.benchmark.records import (
    Call,
    Json,
    Message,
    Mode,
    NameStyle,
    Request,
    Response,
    Rules,
    Status,
    Verdict,
)
from bfcl_pipeline.dialogue.calls import calls_by_step, executed_text
from bfcl_pipeline.dialogue.prompts import WireFormat, messages_for
from bfcl_pipeline.environments.answers import AnswerRefused, PolicyAnswer, kept_answer, read_answer
from bfcl_pipeline.environments.setting import check_judged, judged, open_setting, snapshot_of
from bfcl_pipeline.judge.scoring import truth_calls
from bfcl_pipeline.judge.scoring.judge import MAX_RESULT
from bfcl_pipeline.show.transcripts.answer import answer_record
from bfcl_pipeline.show.transcripts.memory import MemoriesAround, RecordedMemory
from bfcl_pipeline.show.transcripts.parts import AnswerRecord
from bfcl_pipeline.world.web.presented import searches

REFUSED = "environment:answer_refused"
"""The error type of an episode that an answer above a bound has ended."""


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What a policy is asked: the arguments of a request for a chat completion, which it may change."""

    messages: list[dict[str, Json]]
    tools: list[dict[str, Json]]  # empty in prompt mode, where they are in the system prompt


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer of the policy, and what the trainer wants to keep with it."""

    answer: PolicyAnswer  # empty if it was refused
    tokens: Json = None  # such as the token ids and log-probabilities of prompt and answer
    refused: str | None = None  # the bound that it exceeds


@dataclass(frozen=True, slots=True)
class Snapshot:
    """An episode at one moment: its settings and the answers until then. Can be pickled."""

    settings: Mapping[str, Any]  # the arguments of Episode
    answered: tuple[Answered, ...]


@dataclass(frozen=True, slots=True)
class _NotingAsking(ChatAsking):
    """Notes the results of the calls of each step."""

    ran: list[str] = field(default_factory=list)

    def outcomes(self, answer: Message, calls: Sequence[Call], outcomes: Sequence[str]) -> list[Message]:
        """The messages with the results."""
        self.ran[:] = outcomes
        return ChatAsking.outcomes(self, answer, calls, outcomes)


class Episode:
    """One entry, asked and judged. Not for use in several threads at once; episodes share nothing else.

    Args:
        entry_id: a scored entry, such as multi_turn_base_12.
        rules: the rule set of the verdict: verified, corrected or official.
        mode: fc: functions are tools; prompt: they are in the system prompt.
        web: what web questions search: simulated, replay (the web cache) or off.
        memory: what is in the memory of a memory question: that of the oracle's sessions (`oracle`), of
            the policy's own, which it is asked first (`policy`), or a snapshot as `memory_snapshot` has it.
        data: the staged data.
        cache: the directory with `web/` and `encoder/`.

    Raises:
        ConfigError: there is no such entry, the rules leave it out, or it has only the other mode.
        TableError, MalformedRelease: the data are not staged.
    """

    def __init__(
        self,
        entry_id: str,
        *,
        rules: str | Rules = Rules.VERIFIED,
        mode: str | Mode = Mode.FC,
        web: str = "simulated",
        memory: str | Mapping[str, Json] = "oracle",
        data: str | Path = "data",
        cache: str | Path = "cache",
    ) -> None:
        self._settings = {
            "entry_id": entry_id,
            "rules": rules,
            "mode": mode,
            "web": web,
            "memory": memory,
            "data": data,
            "cache": cache,
        }
        self.rules, self.mode = Rules(rules), Mode(mode)
        self._setting = open_setting(Path(data), Path(cache), web)
        self.entry = self._setting.entry(entry_id)
        check_judged(self.entry, self.rules)
        if CATEGORIES[self.entry.category].prompt_only and self.mode is not Mode.PROMPT:
            raise ConfigError(f"{entry_id} varies the system prompt: it needs mode='prompt'.")
        if isinstance(memory, str) and memory not in ("oracle", "policy"):
            raise ConfigError(f"memory: expected oracle, policy or a snapshot; got {memory!r}.")
        self._memory, self._web = memory, web
        self._start()

    def _start(self) -> None:
        self.asked = self.entry
        """The entry whose conversation goes on: a session before the question, or the entry itself."""
        self.answered: list[Answered] = []
        """All answers until now."""
        self.memory_snapshot: Json = None
        """The memory at the beginning of the question, once it is asked; None if it has none."""
        self._asking = _NotingAsking(self.mode)
        self._characters = 0
        self._tools: tuple[Json, ...] | None = None
        self._tools_text = ""
        self._response: Response | None = None
        self._refusal: Verdict | None = None
        self._steps = self._conversations()
        self.pending: Request | None = None
        """The request as a record of the pipeline; None at the end."""
        self._advance(None)

    def _conversations(self) -> Conversation:
        """The conversation over the entry, after those of the policy's own sessions."""
        texts, memory = self._setting.texts, self._memory
        before = None if isinstance(memory, str) else memory
        if memory == "oracle":
            before = self._setting.oracle_memory(self.entry, self.rules)
        for session_id in self.entry.depends_on if memory == "policy" else ():
            self.asked = self._setting.entries_of(self.entry.category)[session_id]
            world = self._setting.world(self.asked, before)
            yield from conversation(self.asked, self._asking, texts, world)
            before = snapshot_of(world)
        self.asked, self.memory_snapshot = self.entry, before
        world = self._setting.world(self.entry, before)
        return (yield from conversation(self.entry, self._asking, texts, world))

    @property
    def done(self) -> bool:
        """Whether the episode has ended."""
        return self.pending is None

    @property
    def request(self) -> ChatRequest | None:
        """What the policy is asked now; None at the end."""
        if self.pending is None:
            return None
        if self._tools is not self.pending.tools:  # the text of many functions, which seldom change
            self._tools, self._tools_text = self.pending.tools, json.dumps(self.pending.tools)
        written = messages_for(WireFormat.OPENAI_CHAT, self.pending.messages).messages
        return ChatRequest(json.loads(json.dumps(written)), json.loads(self._tools_text))

    def answer(self, answer: PolicyAnswer, tokens: Json = None) -> ChatRequest | None:
        """Takes the policy's answer; returns the next request, None at the end.

        Args:
            answer: an assistant's chat message as an API returns it, calls, or text.
            tokens: kept in `answered` for the trainer.

        Raises:
            ConfigError: the episode has ended.
            Malformed: a message is not one of chat completions; the episode can go on.
        """
        self._take(answer, tokens)
        return self.request

    def step(self, calls: Sequence[Call], tokens: Json = None) -> tuple[str, ...]:
        """Takes an answer of calls; returns their results, for a trainer with a tool loop of its own.

        A turn ends with an answer without calls: `answer(text)`. Where calls are only compared, there are
        no results. Raises ConfigError if the episode has ended.
        """
        self._take(calls, tokens)
        return tuple(self._asking.ran)

    def _take(self, answer: PolicyAnswer, tokens: Json) -> None:
        if self.pending is None:
            raise ConfigError(f"{self.entry.entry_id}: the episode has ended; begin another.")
        self._asking.ran.clear()
        try:
            answer = kept_answer(answer)
            exchange = read_answer(self.pending, answer)
            self._characters += len(json.dumps(exchange.result))
            if self._characters > MAX_RESULT:
                raise AnswerRefused(f"answers of more than {MAX_RESULT:,} characters")
        except AnswerRefused as refused:
            self._refuse(Answered("", tokens, f"{refused}"))
        else:
            self._advance(exchange)
            self.answered.append(Answered(answer, tokens))

    def _refuse(self, answered: Answered) -> None:
        self._refusal = Verdict(False, REFUSED, f"The policy gave {answered.refused}.")
        self._steps.close()
        self._end(None)
        self.answered.append(answered)

    def _advance(self, exchange: Any) -> None:
        try:
            self.pending = self._steps.send(exchange)
        except StopIteration as end:
            self._end(json.dumps(end.value))
        except (ModelError, WebError) as error:  # of the machinery, not of the policy
            failure = failure_of(self.entry, error)
            self._end(None, failure.status, failure.detail)

    def _end(
        self, result_json: str | None, status: Status = Status.ANSWERED, detail: str | None = None
    ) -> None:
        self.pending = None
        web = self._web if searches(self.entry) else None
        entry = self.entry
        self._response = Response(
            entry.entry_id, entry.category, self.mode, result_json, status, detail, "policy", web=web
        )

    @property
    def verdict(self) -> Verdict | None:
        """The verdict under the rules of the episode; None before the end."""
        if self._response is None or self._refusal is not None:
            return self._refusal
        return self._setting.judge_of(self.entry.entry_id).verdict(self._response, self.rules)

    @property
    def reward(self) -> float | None:
        """1 if the verdict is valid, else 0; None before the end, and if the machinery failed."""
        verdict = self.verdict
        return None if verdict is None or verdict.valid is None else float(verdict.valid)

    @property
    def turn_rewards(self) -> tuple[float, ...]:
        """Of a multi-turn entry at the end: 1 for each turn before the first failing one, else 0.

        Of any other entry, `reward` alone. Empty before the end.
        """
        reward = self.reward
        if reward is None or not self._is_multi_turn:
            return () if reward is None else (reward,)
        turns = len(self.entry.turns)
        played = [] if self._refusal is not None else self._result()
        padded = [*played, *([] for _ in range(turns - len(played)))]
        checker = self._setting.turns_of(self.entry.entry_id, self.rules)
        rules = Rules.OFFICIAL if self.rules is Rules.OFFICIAL else Rules.CORRECTED
        (outcome,) = checker.check(padded, self.mode, NameStyle.UNDERSCORED, (rules,))
        right = turns if outcome.finding is None else outcome.finding.turn or 0
        if len(played) < turns:  # a turn of too many steps is the last, and fails
            right = min(right, max(len(played) - 1, 0))
        return tuple(float(number < right) for number in range(turns))

    @property
    def shaping(self) -> float | None:
        """Shaping, not the benchmark's score: of a multi-turn entry, the share of the expected calls made.

        They count in any order and however many others are made, so a policy that is trained on it alone
        learns to call too much. Of any other entry, `reward`.
        """
        if self.reward is None or not self._is_multi_turn or self._refusal is not None:
            return self.reward
        entry = judged(self.entry, self.rules)
        expected = Counter(executed_text(call) for calls in truth_calls(entry) for call in calls)
        made = Counter(
            executed_text(call) for calls in calls_by_step(self._result(), self.mode) for call in calls
        )
        return (expected & made).total() / max(expected.total(), 1)

    @property
    def transcript(self) -> AnswerRecord:
        """The episode at its end as `bfcl-pipeline show` has answers. Raises ConfigError before it."""
        response, verdict = self._response, self.verdict
        if response is None or verdict is None:
            raise ConfigError(f"{self.entry.entry_id}: the episode has not ended.")
        memories = MemoriesAround(RecordedMemory(self.memory_snapshot))
        known = {self.rules: verdict}
        return answer_record(self.entry, response, known, self._setting.conditions, memories, self.rules)

    def snapshot(self) -> Snapshot:
        """The episode as it is now, from which `restored` goes on."""
        return Snapshot(dict(self._settings), tuple(self.answered))

    def restore(self, snapshot: Snapshot) -> None:
        """Returns to `snapshot`, of an episode over the same entry, by taking its answers again.

        Raises ConfigError if it is of another episode.
        """
        if snapshot.settings != self._settings:
            raise ConfigError(f"{self.entry.entry_id}: the snapshot is of another episode.")
        self._start()
        for one in snapshot.answered:
            self._take(one.answer, one.tokens) if one.refused is None else self._refuse(one)

    @classmethod
    def restored(cls, snapshot: Snapshot) -> "Episode":
        """A new episode that goes on from `snapshot`: a branch."""
        episode = cls(**snapshot.settings)
        episode.restore(snapshot)
        return episode

    @property
    def _is_multi_turn(self) -> bool:
        return CATEGORIES[self.entry.category].check is Check.MULTI_TURN

    def _result(self) -> list[Json]:
        assert self._response is not None  # noqa: S101  # the episode has ended
        result = json.loads(self._response.result_json or "[]")
        return result if isinstance(result, list) else []


def oracle_answers(episode: Episode) -> Iterator[PolicyAnswer]:
    """The oracle's answers to an episode from its beginning, one for each request, until it ends."""
    setting, asked = episode._setting, None
    while episode.pending is not None:
        if asked is not episode.asked:
            asked = episode.asked
            respond = setting.responder(asked, episode.mode, episode.rules)
        yield respond(episode.pending).result
