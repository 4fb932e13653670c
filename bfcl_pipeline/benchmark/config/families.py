"""The table of families of open-weight models: which models are asked by which prompt. Facts only.

families.yaml has the rows; `dialogue.families` writes the prompts and reads the answers. Keys and
values are checked by a test, not when they are read.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, TypeAlias

from bfcl_pipeline.base.yaml_reader import read_yaml_file
from bfcl_pipeline.benchmark.records import Json, Mode, NameStyle

SystemAsUser: TypeAlias = Literal["never", "first", "every"]
"""The turns whose system messages become messages of the user."""

ResultRole: TypeAlias = Literal["tool", "ipython", "user", "identified"]
"""How results of calls follow an answer: a message each in this role; `user`, one message with the list of
all of them; `identified`, a tool message each with the id of its call."""

OWN_TEMPLATE = "model"
"""Instead of a file: prompts are written by the chat template of each model's own tokenizer."""


@dataclass(frozen=True, slots=True)
class FamilyRow:
    """One family: models that are sent the same prompts and whose answers are read alike."""

    name: str  # in models files and reports
    models: tuple[str, ...]  # names of the leaderboard's models; of an own family, names on the hub
    official: str | None  # the leaderboard's handler that asks them so; None: a family of our own
    template: str  # file of `bfcl_pipeline/dialogue/families/templates`, or OWN_TEMPLATE
    reader: str  # key of `bfcl_pipeline.dialogue.families.readers.READERS`
    mode: Mode = Mode.FC  # the form of answers that have been read, in which they are scored
    name_style: NameStyle = NameStyle.DOTTED  # of functions in the prompt
    system_prompt: bool = False  # whether the prompt begins with the benchmark's own system prompt
    system_as_user: SystemAsUser = "never"  # its turns
    joins_users: bool = False  # whether consecutive messages of the user become one
    functions: str = (
        "docs"  # key of `bfcl_pipeline.dialogue.families.rendering.FORMS`: what the template receives
    )
    result_role: ResultRole = "tool"
    between_arguments: str = ","  # in the text of a call that names its result, in mode fc
    stop_token_ids: tuple[int, ...] = ()  # sent with the request, if there are any
    skip_special_tokens: bool | None = None  # sent with the request, unless null

    @property
    def request_options(self) -> dict[str, Json]:
        """What a request has besides its prompt."""
        options: dict[str, Json] = {}
        if self.stop_token_ids:
            options["stop_token_ids"] = list(self.stop_token_ids)
        if self.skip_special_tokens is not None:
            options["skip_special_tokens"] = self.skip_special_tokens
        return options


@cache
def load_families() -> Mapping[str, FamilyRow]:
    """All families by name, in the order of the table."""
    rows = read_yaml_file(Path(__file__).with_name("families.yaml"))
    return {row["name"]: _row(row) for row in rows}


def _row(values: dict[str, object]) -> FamilyRow:
    given: dict[str, object] = {
        key: tuple(value) if isinstance(value, list) else value for key, value in values.items()
    }
    if "mode" in given:
        given["mode"] = Mode(str(given["mode"]))
    if "name_style" in given:
        given["name_style"] = NameStyle(str(given["name_style"]))
    return FamilyRow(**given)  # type: ignore[arg-type]  # a test checks the table


def family_of(name: str, model: str, mode: Mode) -> str | None:
    """The family of a model; None if it is not known.

    Args:
        name: its name in a models file. The leaderboard's name decides by itself.
        model: its name on the hub.
        mode: of its row; tells apart models that the leaderboard lists twice.
    """
    by_name, by_model = _known()
    return by_name.get(name) or by_model.get((model, mode))


def is_own(family: str | None) -> bool:
    """Whether a family is one of our own, which the leaderboard does not have."""
    row = load_families().get(family or "")
    return row is not None and row.official is None


def way_of_asking(family: str | None, mode: str) -> str:
    """How open weights are asked, for people. family: None if their server's chat template is used."""
    if is_own(family):
        return f"prompts of our own family {family}, not of the leaderboard"
    if family is not None:
        return f"prompts of the leaderboard, family {family}"
    return f"server's chat template{' and tool parser' if mode == Mode.FC else ''}"


@cache
def _known() -> tuple[Mapping[str, str], Mapping[tuple[str, Mode], str]]:
    """Families by the leaderboard's names, and by names on the hub with the mode of a row."""
    by_name = {model: family.name for family in load_families().values() for model in family.models}
    by_model: dict[tuple[str, Mode], str] = {}
    for model, family in by_name.items():
        hub = model.removesuffix("-FC")
        by_model[hub, Mode.FC if model != hub else Mode.PROMPT] = family
    for model, family in by_name.items():  # listed once: the mode of the row does not matter
        hub = model.removesuffix("-FC")
        for mode in Mode:
            by_model.setdefault((hub, mode), family)
    return by_name, by_model
