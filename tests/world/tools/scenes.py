"""Scenes of simulated APIs as text: calls, and what comes of them.

A scene begins with `# what it shows`. An item is a call, or a place in the state such as `state.cards.one`,
and after ` => ` its result or value. `given {...}` changes the initial state of the scene, and
`given only {...}` replaces it. The further lines of an item are indented; white space counts as one blank.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Callable, Mapping
from string import Template
from typing import Any, TypeAlias

import pytest

from bfcl_pipeline.benchmark.records import Call, DecodeFailure, Mode
from bfcl_pipeline.dialogue.calls import decode_step
from bfcl_pipeline.world.tools import World, WorldConfig


class OneApi:
    """A world with one simulated API; methods take keywords."""

    def __init__(self, api: str, initial: Any, setting: WorldConfig) -> None:
        self._world = World.of([api], {api: initial}, setting, "test")
        self.run = self._world.run
        self.state: Any = self._world.states()[api]

    def text(self, name: str, /, **arguments: Any) -> str:
        """The result of a call."""
        return self.run(Call(name, dict(arguments.items())))

    def shown(self, name: str, /, **arguments: Any) -> Any:
        """The result of a call, which is JSON."""
        return json.loads(self.text(name, **arguments))


Scene: TypeAlias = list[tuple[str, str]]
"""Items, each with its result."""


def scenes(text: str, **words: str) -> dict[str, Scene]:
    """The scenes by what they show. words: what `$name` in an item stands for."""
    found = {}
    for block in re.split(r"^# ", text, flags=re.MULTILINE)[1:]:
        title, _, rest = block.partition("\n")
        items = re.sub(r"\n +", " ", rest.strip()).splitlines()
        assert title not in found, title
        found[title] = [item.partition(" => ")[::2] for item in items]
    return {
        title: [(Template(item).safe_substitute(words), result) for item, result in scene]
        for title, scene in found.items()
    }


def _played(scene: Scene, api: str, initial: Mapping[str, Any], setting: WorldConfig) -> Scene:
    """The scene with the results that its items have now."""
    given, results = {**initial}, list[str]()
    world: OneApi | None = None
    for item, _ in scene:
        if item.startswith("given "):
            changed = literal_eval(item.removeprefix("given ").removeprefix("only "))
            given = changed if item.startswith("given only ") else given | changed
            results.append("")
            continue
        world = world or OneApi(api, given, setting)
        results.append(" ".join(_result(world, item).split()))
    return [(item, result) for (item, _), result in zip(scene, results, strict=True)]


def _result(world: OneApi, item: str) -> str:
    if item.startswith("state."):
        value = world.state
        for name in item.split(".")[1:]:
            key = int(name) if name.isdigit() else name
            value = value[key] if isinstance(value, dict | list) else getattr(value, name)
        return repr(value)
    calls = decode_step(f"[{item}]", Mode.PROMPT)
    assert not isinstance(calls, DecodeFailure), item
    return world.run(calls[0])


def scene_test(api: str, initial: Mapping[str, Any], of: Mapping[str, Scene]) -> Callable[..., None]:
    """Makes a test of scenes. api: its methods are called. initial: its state when each scene starts."""

    @pytest.mark.parametrize("title", of)
    def test(setting: WorldConfig, title: str) -> None:
        """Each call has the result that its scene says, and leaves the state that it says."""
        assert _played(of[title], api, initial, setting) == of[title]

    return test
