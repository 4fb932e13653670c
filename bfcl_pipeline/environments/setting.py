"""What many episodes share: entries, texts, worlds, judges, and the memories that sessions leave.

A setting is read once from the staged release and never changed by an episode. Nothing is sent or fetched.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

from bfcl_pipeline.ask.generation import ChatAsking, Responder, conversation
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
from bfcl_pipeline.judge.scoring import Judge
from bfcl_pipeline.judge.scoring.multi_turn import MultiTurnChecker
from bfcl_pipeline.show.playback.conditions import Conditions
from bfcl_pipeline.world.tools import World
from bfcl_pipeline.world.web.apis import ApisByMode
from bfcl_pipeline.world.web.presented import present_entry

WEBS = ("simulated", "replay", "off")
"""Modes of the web in which nothing is fetched, so that an episode can be repeated."""


@dataclass(frozen=True)
class Setting:
    """The staged release with one web, loaded as it is needed."""

    data: Path  # the staged release
    cache: Path  # has web/ and encoder/
    web: WebChoice

    @cached_property
    def conditions(self) -> Conditions:
        """Under which transcripts are played again."""
        return Conditions(self.data, read_constants(self.data), self.cache, self.web)

    @cached_property
    def texts(self) -> Texts:
        """The prompt texts of the release."""
        return read_texts(self.data)

    @cached_property
    def entries_of(self) -> Callable[[str], Mapping[str, Entry]]:
        """By category: its entries by id, sessions included, with the tools of the web."""

        @cache
        def entries(category: str) -> Mapping[str, Entry]:
            read = read_entries(entries_path(self.data, category))
            return {entry.entry_id: present_entry(entry, self.web) for entry in read}

        return entries

    def entry(self, entry_id: str) -> Entry:
        """A scored entry. Raises ConfigError if there is none with this id."""
        category = category_of(entry_id)
        found = self.entries_of(category).get(entry_id) if category in CATEGORIES else None
        if found is None or found.prerequisite:
            raise ConfigError(f"no scored entry {entry_id!r}. `bfcl-pipeline show` explains ids.")
        return found

    @cached_property
    def judge_of(self) -> Callable[[str], Judge]:
        """The judge of an entry, by its id."""

        @cache
        def judge(entry_id: str) -> Judge:
            entry = self.entry(entry_id)
            executes = CATEGORIES[entry.category].executes
            apis = ApisByMode(self.data, self.cache / "web")(self.web.mode) if executes else None
            constants = self.conditions.constants
            return Judge(entry, constants) if apis is None else Judge(entry, constants, apis)

        return judge

    @cached_property
    def turns_of(self) -> Callable[[str, Rules], MultiTurnChecker]:
        """What finds the first failing turn of a multi-turn entry under a rule set."""
        return cache(
            lambda entry_id, rules: MultiTurnChecker(
                judged(self.entry(entry_id), rules), self.conditions.constants
            )
        )

    def world(self, entry: Entry, memory: Json = None) -> World:
        """A new world for one conversation. memory: a snapshot; None: an empty one."""
        initial = None if memory is None else dict.fromkeys(entry.apis, memory)
        return World.for_entry(entry, self._world_config(entry), "model", initial)

    @cached_property
    def _world_config(self) -> Callable[..., Json]:
        paths = JobPaths(data=self.data, encoder_cache=self.cache / "encoder")
        return world_configs(paths, self.web, 0, offline=True)

    @cached_property
    def oracle_of(self) -> Callable[[str, Mode, Rules], Oracle]:
        """The oracle for a category: its answers are those of the truth that a rule set judges by."""

        @cache
        def oracle(category: str, mode: Mode, rules: Rules) -> Oracle:
            model = Oracle(ModelRow(name="oracle", kind="oracle", mode=mode, display_name="oracle"))
            model.prepare([judged(entry, rules) for entry in self.entries_of(category).values()])
            return model

        return oracle

    def responder(self, entry: Entry, mode: Mode, rules: Rules) -> Responder:
        """The oracle's answers to the requests of one conversation over `entry`, in order."""
        return self.oracle_of(entry.category, mode, rules).responder(judged(entry, rules))

    @cached_property
    def _memories(self) -> dict[tuple[str, Rules], Json]:
        return {}

    def oracle_memory(self, entry: Entry, rules: Rules) -> Json:
        """The snapshot that the sessions before `entry` leave if the oracle holds them; None without any."""
        before: Json = None
        for session_id in entry.depends_on:
            key = (session_id, rules)
            if key not in self._memories:
                session = self.entries_of(entry.category)[session_id]
                self._memories[key] = self._after_oracle(session, rules, before)
            before = self._memories[key]
        return before

    def _after_oracle(self, session: Entry, rules: Rules, before: Json) -> Json:
        world, respond = self.world(session, before), self.responder(session, Mode.FC, rules)
        steps = conversation(session, ChatAsking(Mode.FC), self.texts, world)
        request = next(steps)
        while True:
            try:
                request = steps.send(respond(request))
            except StopIteration:
                return snapshot_of(world)


@cache
def open_setting(data: Path, cache_folder: Path, web: str) -> Setting:
    """The setting of these directories, once in a process. Raises ConfigError for another web."""
    if web not in WEBS:
        raise ConfigError(unknown_name("web of an episode", web, WEBS))
    return Setting(data, cache_folder, WebChoice(mode=web, cache=cache_folder / "web"))


def judged(entry: Entry, rules: Rules) -> Entry:
    """`entry` with the truth that `rules` judge by; sessions, and entries that are left out, as they are."""
    found = verified_entry(entry) if rules is Rules.VERIFIED and not entry.prerequisite else entry
    return entry if isinstance(found, LeftOut) else found


def check_judged(entry: Entry, rules: Rules) -> None:
    """Raises ConfigError if `rules` leave `entry` out: it has no verdict, hence no reward."""
    found = verified_entry(entry) if rules is Rules.VERIFIED else entry
    if isinstance(found, LeftOut):
        raise ConfigError(
            f"{entry.entry_id} is left out of the rules verified: {found.erratum.what} Choose another "
            "entry, or rules='official'."
        )


def entry_ids(setting: Setting, categories: Sequence[str], rules: Rules) -> tuple[str, ...]:
    """The ids of the scored entries that `rules` judge, in the release's order."""
    return tuple(
        entry.entry_id
        for category in categories
        for entry in setting.entries_of(category).values()
        if not entry.prerequisite
        and not (rules is Rules.VERIFIED and isinstance(verified_entry(entry), LeftOut))
    )


def snapshot_of(world: World) -> Json:
    """The content of the memory of a world that has one."""
    return None if world.memory is None else world.memory.snapshot()
