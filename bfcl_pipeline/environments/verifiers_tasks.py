# mypy: disable-error-code="import-not-found, misc, no-any-return, untyped-decorator"
"""The interface of verifiers v1: a taskset of entries, a harness that plays them, and their environment.

The model is asked through the endpoint of verifiers, so that its traces and token histories are complete.
Tools differ by task and appear in later turns, and calls of single-turn entries are compared, not run;
hence a harness of our own, which runs in the process of verifiers, in place of a loop over a tool server.
`bfcl_verifiers` is the name under which verifiers imports it.
"""

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import httpx
import verifiers.v1 as vf
from verifiers.v1.errors import MODEL_TRANSPORT_ERROR_EXIT_CODE

from bfcl_pipeline.benchmark.definition import resolve_categories
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.environments.episode import Episode
from bfcl_pipeline.environments.setting import entry_ids, open_setting
from bfcl_pipeline.environments.splits import named_split

_RESULT = "bfcl"
"""The key of an episode's result in the information of a trace."""

_UNFINISHED: dict[str, Any] = {"reward": 0.0, "turn_rewards": [0.0], "shaping": 0.0}


class BfclConfig(vf.TasksetConfig):
    """Which entries, and how they are played: the arguments of Episode."""

    categories: str = "multi_turn"
    """Categories and groups, separated by commas."""
    split: str = ""
    """Only one side of a frozen split, such as `train:clusters-v1` or `test:clusters-v1`."""
    rules: str = "verified"
    mode: str = "fc"
    web: str = "simulated"
    memory: str = "oracle"
    data: str = "data"
    cache: str = "cache"


class BfclData(vf.TaskData):
    """One entry."""

    category: str
    settings: dict[str, str]
    """The arguments of Episode."""


class BfclTask(vf.Task[BfclData]):
    """One entry, rewarded by its verdict."""

    @property
    def key(self) -> str:
        """The id of the entry."""
        return self.data.settings["entry_id"]

    @vf.reward
    async def verdict(self, trace: vf.Trace) -> float:
        """1 if the verdict is valid; 0 also for an episode that a limit of verifiers has ended."""
        return float(trace.info.get(_RESULT, _UNFINISHED)["reward"])

    @vf.metric
    async def bfcl(self, trace: vf.Trace) -> Mapping[str, float]:
        """The reward under the name of the category; the share of right turns; the shaping."""
        result = trace.info.get(_RESULT, _UNFINISHED)
        turns = result["turn_rewards"]
        shown = {"turns": sum(turns) / len(turns), "shaping": result["shaping"]}
        return {self.data.category: result["reward"], **shown}


class BfclTaskset(vf.Taskset[BfclTask, BfclConfig]):
    """The entries of categories that the rules judge."""

    def load(self) -> Iterator[BfclTask]:
        """One task for each entry, in the release's order."""
        names = ("rules", "mode", "web", "memory", "data", "cache")
        settings = {name: str(getattr(self.config, name)) for name in names}
        setting = open_setting(Path(settings["data"]), Path(settings["cache"]), settings["web"])
        categories = resolve_categories(self.config.categories.split(","))
        wanted = named_split(self.config.split, setting) if self.config.split else None
        for category in categories:
            for entry_id in entry_ids(setting, [category], Rules(settings["rules"])):
                if wanted is None or entry_id in wanted:
                    first = setting.entry(entry_id).turns[0]
                    data = BfclData(
                        id=entry_id,
                        name=entry_id,
                        prompt=str(first[-1]["content"]),  # for people; the harness asks the whole request
                        category=category,
                        settings={"entry_id": entry_id, **settings},
                    )
                    yield BfclTask(data, self.config.task)


class BfclHarness(vf.Harness[vf.HarnessConfig]):
    """Plays an episode with the model; nothing that it writes is executed."""

    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self,
        ctx: vf.ModelContext,
        trace: vf.Trace,
        runtime: vf.Runtime,  # noqa: ARG002  # the episode needs none
        endpoint: str,
        secret: str,
        mcp_urls: dict[str, str],  # noqa: ARG002  # it has no tool servers
        data: vf.TaskData,
    ) -> vf.ProgramResult:
        """Asks the model until the episode ends; its result is in the information of the trace."""
        assert isinstance(data, BfclData)  # noqa: S101  # the tasks of BfclTaskset
        episode = Episode(**data.settings)
        headers = {"Authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(base_url=endpoint, headers=headers, timeout=None) as client:  # noqa: S113
            while (request := episode.request) is not None:
                body: dict[str, Any] = {"model": ctx.model, "messages": request.messages}
                if request.tools:
                    body["tools"] = request.tools
                try:
                    answered = await client.post("/chat/completions", json=body)
                except httpx.TransportError as error:
                    return vf.ProgramResult(MODEL_TRANSPORT_ERROR_EXIT_CODE, "", str(error))
                if answered.is_error:  # verifiers has noted why: a limit, or the model's server
                    return vf.ProgramResult(1, "", answered.text)
                episode.answer(answered.json()["choices"][0]["message"])
        if episode.reward is None:  # of the machinery: no reward, but an error that is retried
            return vf.ProgramResult(1, "", str(episode.verdict))
        trace.info[_RESULT] = {
            "reward": episode.reward,
            "error_type": episode.verdict and episode.verdict.error_type,
            "turn_rewards": episode.turn_rewards,
            "shaping": episode.shaping,
        }
        return vf.ProgramResult(0, "", "")


class BfclEnvConfig(vf.EnvConfig):
    """One seat. Its harness runs in the process of verifiers: no sandbox is needed."""

    agent: vf.AgentConfig = vf.AgentConfig(runtime=vf.SubprocessConfig())


class BfclEnv(vf.Env[BfclEnvConfig]):
    """A single agent, the model that is trained or tested."""

    async def run(self, task: vf.Task, agents: vf.Agents) -> None:
        """Plays one entry."""
        await agents.agent.run(task)
