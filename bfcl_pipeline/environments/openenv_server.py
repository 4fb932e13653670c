# mypy: disable-error-code="import-not-found, misc, no-any-return, untyped-decorator"
"""The interface of OpenEnv: reset, step and state over HTTP and WebSockets; a session is an episode.

    python -m bfcl_pipeline.environments.openenv_server --port 8000

`reset(entry_id=..., ...)` takes the arguments of Episode that change no directory; without an entry, the
seed draws one of the categories that the server was started with. An action is what a policy answers: a
chat message, or text. An observation is the next request.
"""

import argparse
import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import uvicorn
from openenv.core.env_server import Action, Environment, Observation, State, create_fastapi_app

from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.environments.episode import Episode
from bfcl_pipeline.environments.setting import entry_ids, open_setting
from bfcl_pipeline.environments.splits import named_split

_CHOSEN = ("rules", "mode", "web", "memory")
"""The arguments of Episode that a client may choose."""


class BfclAction(Action):
    """What a policy answers; a message has precedence."""

    message: dict[str, Any] | None = None  # an assistant's, of chat completions
    text: str = ""  # an answer without native calls, in place of a message


class BfclObservation(Observation):
    """What a policy is asked, and at the end what it earned."""

    messages: list[dict[str, Any]]  # of a request for a chat completion; empty at the end
    tools: list[dict[str, Any]]  # its tools; empty in prompt mode
    turn_rewards: list[float]  # at the end: 1 for each turn before the first failing one
    shaping: float | None  # at the end: shaping, not the score
    error_type: str | None  # at the end: why the verdict is not valid


class BfclState(State):
    """Which episode it is."""

    entry_id: str = ""
    category: str = ""


class BfclEnvironment(Environment[BfclAction, BfclObservation, BfclState]):
    """One session."""

    SUPPORTS_CONCURRENT_SESSIONS = True  # they share nothing

    def __init__(self, ids: Sequence[str], data: Path, cache: Path) -> None:
        super().__init__()
        self._ids, self._data, self._cache = ids, data, cache
        self._episode: Episode | None = None
        self._episode_id: str | None = None

    def reset(
        self, seed: int | None = None, episode_id: str | None = None, **kwargs: Any
    ) -> BfclObservation:
        """Begins an episode. kwargs: `entry_id`, and _CHOSEN. Raises ConfigError as Episode does."""
        drawn = random.Random(seed).choice(self._ids)  # noqa: S311  # no secret
        chosen = {name: kwargs[name] for name in _CHOSEN if name in kwargs}
        entry_id = kwargs.get("entry_id", drawn)
        self._episode = Episode(entry_id, data=self._data, cache=self._cache, **chosen)
        self._episode_id = episode_id
        return self._observed()

    def step(self, action: BfclAction, *_: Any, **__: Any) -> BfclObservation:
        """Takes one answer. The reward is None before the end, and if the machinery failed."""
        if self._episode is None:
            self.reset()
        assert self._episode is not None  # noqa: S101  # reset begins one
        if not self._episode.done:
            self._episode.answer(action.text if action.message is None else action.message)
        return self._observed()

    @property
    def state(self) -> BfclState:
        """The entry and the number of answers."""
        if self._episode is None:
            return BfclState()
        entry = self._episode.entry
        return BfclState(
            episode_id=self._episode_id,
            step_count=len(self._episode.answered),
            entry_id=entry.entry_id,
            category=entry.category,
        )

    def _observed(self) -> BfclObservation:
        episode = self._episode
        assert episode is not None  # noqa: S101  # reset begins one
        request, verdict = episode.request, episode.verdict
        return BfclObservation(
            done=episode.done,
            reward=episode.reward,
            messages=[] if request is None else request.messages,
            tools=[] if request is None else request.tools,
            turn_rewards=list(episode.turn_rewards),
            shaping=episode.shaping,
            error_type=None if verdict is None else verdict.error_type,
        )


def main(argv: Sequence[str] | None = None) -> None:
    """Serves episodes until it is stopped."""
    parser = argparse.ArgumentParser(prog="openenv_server", description="Serve BFCL as an OpenEnv server.")
    parser.add_argument("--host", default="127.0.0.1", help="address to listen at (default: 127.0.0.1)")
    parser.add_argument("--port", type=int, default=8000, help="port (default: 8000)")
    parser.add_argument("--categories", default="multi_turn", help="that a seed draws from, with commas")
    parser.add_argument("--split", help="only one side of a frozen split, such as train:clusters-v1")
    parser.add_argument("--sessions", type=int, default=256, help="at once (default: 256)")
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged data (default: data)")
    parser.add_argument("--cache", type=Path, default=Path("cache"), help="has web/ (default: cache)")
    options = parser.parse_args(argv)
    setting = open_setting(options.data, options.cache, "simulated")
    categories = resolve_categories(options.categories.split(","))
    ids = entry_ids(setting, categories, Rules.VERIFIED)
    if options.split:
        side = named_split(options.split, setting)
        ids = tuple(entry_id for entry_id in ids if entry_id in side)
    app = create_fastapi_app(
        lambda: BfclEnvironment(ids, options.data, options.cache),
        BfclAction,
        BfclObservation,
        max_concurrent_envs=options.sessions,
    )
    uvicorn.run(app, host=options.host, port=options.port, log_level="warning")


if __name__ == "__main__":
    main()
