"""What many episodes share: entries, texts, worlds, judges, and the memories that sessions leave.

A setting is read once from the staged release and never changed by an episode. Nothing is sent or fetched.
"""

import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from bfcl_pipeline.ask.generation import ChatAsking, Responder, WorldConfigOf, conversation
from bfcl_pipeline.ask.jobs.worlds import world_configs
from bfcl_pipeline.ask.models.oracle import Oracle
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import unknown_name
from bfcl_pipeline.benchmark.config import JobPaths, ModelRow, WebChoice
from bfcl_pipeline.benchmark.definition import CATEGORIES, category_of
from bfcl_pipeline.benchmark.errata import LeftOut, verified_entry
from bfcl_pipeline.benchmark.records import Entry, Json, Mode, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.dialogue.prompts import Texts
from bfcl_pipeline.dialogue.release_texts import read_constants, read_texts
from bfcl_pipeline.judge.scoring import NO_APIS, Judge
from bfcl_pipeline.judge.scoring.multi_turn import MultiTurnChecker
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.world.executables import Apis
from bfcl_pipeline.world.tools import World
from bfcl_pipeline.world.web.presented import present_entry

WEBS = ("simulated", "replay", "off")
"""Modes of the web in which nothing is fetched, so that an episode can be repeated."""


@dataclass(frozen=True)
class Setting:
    """The staged release with one web, loaded as it is needed."""

    data: Path  # the staged release
    cache: Path  # has web/ and encoder/
    web: WebChoice

    @functools.cached_property
    def conditions(self) -> Conditions:
        """Under which transcripts are played again."""
        return Conditions(self.data, read_constants(self.data), self.cache, self.web)

    @functools.cached_property
    def texts(self) -> Texts:
        """The prompt texts of the release."""
        return read_texts(self.data)

    @functools.cache  # noqa: B019  # a setting lives as long as the process
    def entries_of(self, category: str) -> Mapping[str, Entry]:
        """The entries of a category by id, sessions included, with the tools of the web."""
        read = read_entries(entries_path(self.data, category))
        return {entry.entry_id: present_entry(entry, self.web) for entry in read}

    def entry(self, entry_id: str) -> Entry:
        """A scored entry. Raises ConfigError if there is none with this id."""
        category = category_of(entry_id)
        found = self.entries_of(category).get(entry_id) if category in CATEGORIES else None
        if found is None or found.prerequisite:
            raise ConfigError(f"no scored entry {entry_id!r}. `bfcl-pipeline show` explains ids.")
        return found

    @functools.cache  # noqa: B019
    def judge_of(self, entry_id: str) -> Judge:
        """The judge of an entry."""
        entry = self.entry(entry_id)
        apis: Apis = NO_APIS
        if CATEGORIES[entry.category].executes:
            apis = self.conditions.apis(self.web.mode)
        return Judge(entry, self.conditions.constants, apis)

    @functools.cache  # noqa: B019
    def turns_of(self, entry_id: str, rules: Rules) -> MultiTurnChecker:
        """What finds the first failing turn of a multi-turn entry under a rule set."""
        return MultiTurnChecker(judged(self.entry(entry_id), rules), self.conditions.constants)

    def world(self, entry: Entry, memory: Json = None) -> World:
        """A new world for one conversation. memory: a snapshot; None: an empty one."""
        initial = None if memory is None else dict.fromkeys(entry.apis, memory)
        return World.for_entry(entry, self._world_config(entry), "model", initial)

    @functools.cached_property
    def _world_config(self) -> WorldConfigOf:
        paths = JobPaths(data=self.data, encoder_cache=self.cache / "encoder")
        return world_configs(paths, self.web, 0, offline=True)

    @functools.cache  # noqa: B019
    def oracle_of(self, category: str, mode: Mode, rules: Rules) -> Oracle:
        """The oracle for a category: its answers are those of the truth that a rule set judges by."""
        model = Oracle(ModelRow(name="oracle", kind="oracle", mode=mode, display_name="oracle"))
        model.prepare([judged(entry, rules) for entry in self.entries_of(category).values()])
        return model

    def responder(self, entry: Entry, mode: Mode, rules: Rules) -> Responder:
        """The oracle's answers to the requests of one conversation over `entry`, in order."""
        return self.oracle_of(entry.category, mode, rules).responder(judged(entry, rules))

    def oracle_memory(self, entry: Entry, rules: Rules) -> Json:
        """The snapshot that the sessions before `entry` leave if the oracle holds them, if any."""
        return self._after_oracle(entry.category, entry.depends_on, rules) if entry.depends_on else None

    @functools.cache  # noqa: B019
    def _after_oracle(self, category: str, sessions: tuple[str, ...], rules: Rules) -> Json:
        before = self._after_oracle(category, sessions[:-1], rules) if sessions[1:] else None
        session = self.entries_of(category)[sessions[-1]]
        world, respond = self.world(session, before), self.responder(session, Mode.FC, rules)
        steps = conversation(session, ChatAsking(Mode.FC), self.texts, world)
        request = next(steps)
        while True:
            try:
                request = steps.send(respond(request))
            except StopIteration:
                return snapshot_of(world)


@functools.cache
def open_setting(data: Path, cache_folder: Path, web: str) -> Setting:
    """The setting of these directories, once in a process. Raises ConfigError for another web."""
    if web not in WEBS:
        raise ConfigError(unknown_name("web of an episode", web, WEBS))
    return Setting(data, cache_folder, WebChoice(mode=web, cache=cache_folder / "web"))


def judged(entry: Entry, rules: Rules) -> Entry:
    """`entry` with the truth that `rules` judge by; sessions and what is left out as they are."""
    found = verified_entry(entry) if rules is Rules.VERIFIED and not entry.prerequisite else entry
    return entry if isinstance(found, LeftOut) else found


def _left_out(entry: Entry, rules: Rules) -> LeftOut | None:
    found = verified_entry(entry) if rules is Rules.VERIFIED else entry
    return found if isinstance(found, LeftOut) else None


def check_judged(entry: Entry, rules: Rules) -> None:
    """Raises ConfigError if `rules` leave `entry` out: it has no verdict, hence no reward."""
    if (found := _left_out(entry, rules)) is not None:
        raise ConfigError(f"{entry.entry_id} is left out of the rules {rules}: {found.erratum.what}")


def entry_ids(setting: Setting, categories: Sequence[str], rules: Rules) -> tuple[str, ...]:
    """The ids of the scored entries that `rules` judge, in the release's order."""
    return tuple(
        entry.entry_id
        for category in categories
        for entry in setting.entries_of(category).values()
        if not entry.prerequisite and _left_out(entry, rules) is None
    )


def snapshot_of(world: World) -> Json:
    """The content of the memory of a world that has one."""
    return None if world.memory is None else world.memory.snapshot()
