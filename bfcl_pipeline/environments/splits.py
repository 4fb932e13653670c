"""Splits for training and testing that share no scenario: whole groups of related entries on one side.

Entries are related if they share a cluster of the statistics (a multi-turn scenario, a memory or web
question, a live function doc, a restated entry), a function doc, a memory scenario with its facts, or a
question in nearly the same words. Not separated, and reported: the tools of the simulated APIs, which all
multi-turn, memory and web entries have in common, and function names with different docs.
"""

import hashlib
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.base.text import text_table, unknown_name
from bfcl_pipeline.benchmark.definition import CATEGORIES, V4_CATEGORIES
from bfcl_pipeline.benchmark.definition.clusters import cluster_of, memory_scenario
from bfcl_pipeline.benchmark.records import Entry, Rules
from bfcl_pipeline.benchmark.tables import read_table
from bfcl_pipeline.environments.setting import Setting
from bfcl_pipeline.judge.scoring.aggregate import Count, leaderboard_scores
from bfcl_pipeline.runs.run import Run

NEARLY = 0.8
"""The share of the words of two questions, of all their different words, from which they are the same."""

TRAIN, TEST = SIDES = ("train", "test")


@dataclass(frozen=True, slots=True)
class Split:
    """The side of every scored entry."""

    sides: Mapping[str, str]  # by entry id, train or test
    groups: Mapping[str, str]  # by entry id, the id of the first entry of its group

    @property
    def digest(self) -> str:
        """The SHA-256 of the sides."""
        return hashlib.sha256(json.dumps(sorted(self.sides.items())).encode()).hexdigest()

    def ids(self, side: str) -> frozenset[str]:
        """The entries of one side."""
        return frozenset(entry_id for entry_id, own in self.sides.items() if own == side)


FROZEN = {"clusters-v1": (0.7, 1, "8e8fb6458cd2866213ec02405bb3464de0fdbd49825a4cf5da5ac7ad37e0806d")}
"""The frozen splits of all scored entries of V4: by name the share of train, the seed and the digest."""


def frozen_split(name: str, setting: Setting) -> Split:
    """A split of FROZEN. Raises ConfigError if there is none, or the staged release gives another one."""
    if name not in FROZEN:
        raise ConfigError(unknown_name("split", name, FROZEN))
    train, seed, digest = FROZEN[name]
    made = split(v4_entries(setting), train, seed)
    if made.digest != digest:
        raise ConfigError(f"split {name}: the staged entries are not those of the pinned release.")
    return made


def named_split(named: str, setting: Setting) -> frozenset[str]:
    """The entries of `SIDE:NAME`, such as train:clusters-v1. Raises ConfigError if it is not one."""
    side, _, name = named.partition(":")
    if side not in SIDES:
        raise ConfigError(f"split {named!r}: expected SIDE:NAME, such as train:{next(iter(FROZEN))}.")
    return frozen_split(name, setting).ids(side)


def v4_entries(setting: Setting) -> list[Entry]:
    """The entries of V4 without sessions, restatements included."""
    return [
        entry
        for category in V4_CATEGORIES
        for entry in setting.entries_of(category).values()
        if not entry.prerequisite
    ]


def split(entries: Sequence[Entry], train: float, seed: int) -> Split:
    """Divides `entries`, so that no group is on both sides.

    Large groups are placed first, each where it brings every category nearest to its share; the seed
    decides among groups of one size. The same entries, share and seed always give the same split.

    Args:
        entries: with distinct ids, without sessions.
        train: the share of each category that is aimed at, between 0 and 1.
        seed: of the order of groups.

    Raises ConfigError if `train` is not between 0 and 1.
    """
    if not 0 < train < 1:
        raise ConfigError(f"--train: expected a share between 0 and 1; got {train}.")
    groups = group_entries(entries)
    members: dict[str, list[Entry]] = defaultdict(list)
    for entry in entries:
        members[groups[entry.entry_id]].append(entry)
    totals = Counter(entry.category for entry in entries)
    placed: Counter[str] = Counter()  # in train, by category
    seen: Counter[str] = Counter()  # on either side
    sides = {}
    for first in sorted(members, key=lambda one: (-len(members[one]), _drawn(seed, one))):
        sizes = Counter(entry.category for entry in members[first])
        seen += sizes
        distance = {}
        for side in SIDES:
            ours = placed + sizes if side == TRAIN else placed
            distance[side] = sum(((ours[name] - train * seen[name]) / totals[name]) ** 2 for name in sizes)
        side = min(SIDES, key=lambda one: distance[one])
        placed += sizes if side == TRAIN else Counter()
        sides.update(dict.fromkeys((entry.entry_id for entry in members[first]), side))
    return Split(sides, groups)


def _drawn(seed: int, text: str) -> str:
    return hashlib.sha256(f"{seed} {text}".encode()).hexdigest()


def group_entries(entries: Sequence[Entry]) -> dict[str, str]:
    """By entry id: the id of the first entry of its group, within which entries are related."""
    leaders = {entry.entry_id: entry.entry_id for entry in entries}
    places = {entry.entry_id: place for place, entry in enumerate(entries)}

    def leader(entry_id: str) -> str:
        while leaders[entry_id] != entry_id:
            leaders[entry_id] = entry_id = leaders[leaders[entry_id]]
        return entry_id

    def join(one: str, other: str) -> None:
        first, second = sorted((leader(one), leader(other)), key=places.__getitem__)
        leaders[second] = first

    holders: dict[str, str] = {}  # by what entries share, the first that has it
    for entry in entries:
        for key in _shared_keys(entry):
            join(holders.setdefault(key, entry.entry_id), entry.entry_id)
    for one, other in near_duplicates({entry.entry_id: words(entry) for entry in entries}):
        join(one, other)
    return {entry_id: leader(entry_id) for entry_id in leaders}


def _shared_keys(entry: Entry) -> Iterator[str]:
    """What entries on two sides must not share."""
    yield f"cluster {cluster_of(entry.category, entry.entry_id, entry.base_entry_id)}"
    yield f"entry {entry.base_entry_id or entry.entry_id}"
    if (scenario := memory_scenario(entry.entry_id)) is not None:
        yield f"memory {scenario}"
    if CATEGORIES[entry.category].single_turn:
        yield from (f"doc {json.dumps(doc, sort_keys=True)}" for doc in entry.functions)


def words(entry: Entry) -> frozenset[str]:
    """The different words of what the user says in an entry."""
    said = (
        str(message["content"]) for turn in entry.turns for message in turn if message["role"] == "user"
    )
    return frozenset(" ".join(said).lower().split())


def near_duplicates(texts: Mapping[str, frozenset[str]]) -> Iterator[tuple[str, str]]:
    """The pairs of texts that share at least NEARLY of their words; some pairs of equal texts are left out.

    Two such texts share one of their rarest words, so that only texts with such a word are compared.
    """
    first_of: dict[frozenset[str], str] = {}
    for name, own in texts.items():
        if own and first_of.setdefault(own, name) != name:
            yield first_of[own], name
    frequency = Counter(word for own in first_of for word in own)
    holders: dict[str, list[frozenset[str]]] = defaultdict(list)
    for own, name in first_of.items():
        rare = sorted(own, key=lambda word: (frequency[word], word))[
            : len(own) - int(NEARLY * len(own)) + 1
        ]
        for other in {other for word in rare for other in holders[word]}:
            if len(own & other) >= NEARLY * len(own | other):
                yield first_of[other], name
        for word in rare:
            holders[word].append(own)


def shared_otherwise(made: Split, entries: Iterable[Entry]) -> dict[str, int]:
    """How many names both sides have nevertheless: of tools of simulated APIs, of single-turn functions."""
    names: dict[tuple[str, str], set[str]] = defaultdict(set)
    for entry in entries:
        kind = "single-turn function names" if CATEGORIES[entry.category].single_turn else "tool names"
        for doc in entry.functions:
            names[kind, doc["name"]].add(made.sides[entry.entry_id])
    return dict(Counter(kind for (kind, _), sides in names.items() if len(sides) == len(SIDES)))


def scores_by_side(made: Split, run: Run, rules: Rules) -> str:
    """The V4 scores of each model of a run in per cent, on train and on test: categories, groups, overall.

    Scores of which a category has no verdict on a side are left out. Raises TableError if a table of
    verdicts is missing, and ConfigError if no category has verdicts on both sides.
    """
    rows = []
    for model in run.models:
        answered, correct = Counter[tuple[str, str]](), Counter[tuple[str, str]]()
        columns = ["category", "entry_id", "rules", "valid"]
        for row in read_table(run.verdicts(model), columns).to_pylist():
            side = made.sides.get(row["entry_id"])
            if side is not None and row["rules"] == rules.value and row["valid"] is not None:
                answered[side, row["category"]] += 1
                correct[side, row["category"]] += row["valid"]
        train, test = (
            leaderboard_scores({name: Count(answered[s, name], correct[s, name]) for name in V4_CATEGORIES})
            for s in SIDES
        )
        for name, score in train.items():
            if score.complete and test[name].complete:
                shares = (100 * score.accuracy, 100 * test[name].accuracy)
                shown = [f"{share:.1f}" for share in shares]
                rows.append((model, name, *shown, f"{shares[0] - shares[1]:+.1f}"))
    if not rows:
        raise ConfigError(f"no category has verdicts ({rules}) on both sides: evaluate more entries.")
    return text_table(("model", "score", *SIDES, "train - test"), rows, right={2, 3, 4})
