"""How often `verify --ask-again` tells answers apart: python -m benchmarks.ask_again [--trials N]

In each trial a scripted model has a usual answer to each drawn request of the staged release and, for each
request, a chance of another answer: in other words, or with other calls too. The archive's answers are
those of the same model, of the same model on other hardware, of another model, or its own with some
replaced by right ones. All answers go through the comparison of `--ask-again`. Prints for each setting how
often the answers are told apart, with the exact 95 % interval, at which levels, and how often they are
verified.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.special import betaincinv

from bfcl_pipeline.ask.generation.conversation import ChatAsking
from bfcl_pipeline.ask.models.oracle import answer
from bfcl_pipeline.base.text import text_table
from bfcl_pipeline.benchmark.records import Entry, Exchange, Json, Mode, Request, Rules
from bfcl_pipeline.benchmark.tables import entries_path, read_entries
from bfcl_pipeline.share.asked_again.comparison import (
    ERROR_RATE,
    SAME_CALLS,
    SAME_TEXTS,
    ComparedAnswer,
    LevelComparison,
    compare_answers,
    compared_form,
)

CATEGORIES = ("simple_python", "multiple", "parallel", "parallel_multiple", "live_simple", "irrelevance")
ENTRIES = 60  # of each category
CALLS, WORDS = 5, 5  # answers that models give to one request; 0 has the right calls
ACCURACY = 0.45  # share of requests to which the usual answer of a model is right
LEVELS = (SAME_TEXTS, SAME_CALLS, f"wrong, {Rules.OFFICIAL}")  # in the table
DRIFT = {"same_calls": 0.97, "same_words": 0.8}  # of the usual answers on other hardware

Numbers = NDArray[np.int64]


@dataclass(frozen=True)
class Answers:
    """An answer to each drawn request."""

    calls: Numbers  # which of CALLS
    words: Numbers  # which of WORDS


@dataclass(frozen=True)
class Model:
    """A scripted model."""

    usual: Answers
    varies: NDArray[np.float64]  # for each request, the chance of another answer than the usual

    @classmethod
    def draw(cls, random: np.random.Generator, requests: int, varies: float) -> Model:
        """A model that varies in this share of its answers: in most requests hardly, in some often."""
        right = random.random(requests) < ACCURACY
        calls = np.where(right, 0, random.integers(1, CALLS, requests))
        chances = random.beta(0.3, 0.3 * (1 - varies) / varies, requests) if varies else np.zeros(requests)
        return cls(Answers(calls, random.integers(0, WORDS, requests)), chances)

    def answers(self, random: np.random.Generator) -> Answers:
        """Half of the answers that are not the usual ones have other calls, all have other words."""
        size = len(self.varies)
        other = random.random(size) < self.varies
        return Answers(
            _changed(random, self.usual.calls, CALLS, other & (random.random(size) < 0.5)),
            _changed(random, self.usual.words, WORDS, other),
        )


def _changed(random: np.random.Generator, of: Numbers, kinds: int, where: NDArray[np.bool_]) -> Numbers:
    """Other answers where it says so."""
    return np.where(where, (of + random.integers(1, kinds, len(of))) % kinds, of)


@dataclass(frozen=True)
class Setting:
    """What is simulated."""

    archive: str  # whose answers the archive has, for the table
    varies: float = 0.02  # share of the model's answers that are not its usual ones
    requests: int = 50
    same_calls: float = 1.0  # share of requests to which the archive's model usually makes the same calls
    same_words: float = 1.0  # share of requests to which it usually has the same words
    edited: float = 0.0  # share of the archive's answers that are replaced by right ones
    honest: bool = False

    def archived(self, random: np.random.Generator, model: Model) -> Answers:
        """The archive's answers: those of a model that is this one, or like it."""
        size = self.requests
        calls = _changed(random, model.usual.calls, CALLS, random.random(size) >= self.same_calls)
        words = _changed(random, model.usual.words, WORDS, random.random(size) >= self.same_words)
        answers = Model(Answers(calls, words), model.varies).answers(random)
        edited = random.random(size) < self.edited / (1 - ACCURACY)  # wrong ones only
        return Answers(np.where(edited, 0, answers.calls), answers.words)


def settings() -> Iterator[Setting]:
    """The rows of the table."""
    for requests in (50, 200):
        for varies in (0, 0.02, 0.1, 0.3):
            yield Setting("the same model", varies, requests, honest=True)
    for requests in (50, 200):
        for varies in (0.02, 0.1):
            yield Setting("the same, other hardware", varies, requests, **DRIFT, honest=True)
    for same in (0.3, 0.6, 0.8, 0.9):
        yield Setting(f"another, {same:.0%} same calls", same_calls=same, same_words=0.3)
    for requests in (50, 200):
        for same in (0.3, 0.6, 0.8, 0.9):
            yield Setting(f"another, {same:.0%} same, no words", requests=requests, same_calls=same)
    for requests in (50, 200):
        for edited in (0.05, 0.1, 0.25, 0.5):
            yield Setting(f"{edited:.0%} edited to be right", requests=requests, edited=edited)


class Release:
    """Requests of the staged release, and what is compared of the answers to them."""

    def __init__(self, data: Path) -> None:
        self.entries: list[Entry] = [
            entry for name in CATEGORIES for entry in read_entries(entries_path(data, name))[:ENTRIES]
        ]
        self.form = cache(self._form)

    def _form(self, place: int, calls: int, words: int) -> ComparedAnswer:
        entry = self.entries[place]
        request = Request(Mode.FC, ())
        reply = {"role": "assistant", "content": f"Wording {words}."}
        exchange = Exchange(request, _result(entry, calls), reply=reply)
        return compared_form(entry, exchange, ChatAsking(Mode.FC))


def _result(entry: Entry, number: int) -> Json:
    """The right answer to an entry, or one of several wrong ones."""
    right = answer(entry, Mode.FC)
    if number == 0:
        return right
    if isinstance(right, list):
        name, arguments = next(iter(right[0].items()))
        return [{name: json.dumps({**json.loads(arguments), "extra": number})}, *right[1:]]
    return [{str(entry.functions[0]["name"]): json.dumps({"extra": number})}]


def trial(setting: Setting, release: Release, random: np.random.Generator) -> list[LevelComparison]:
    """The comparison of one archive."""
    drawn = random.permutation(len(release.entries))[: setting.requests]
    model = Model.draw(random, setting.requests, setting.varies)
    archived, first, second = (
        [release.form(int(place), int(one.calls[at]), int(one.words[at])) for at, place in enumerate(drawn)]
        for one in (setting.archived(random, model), model.answers(random), model.answers(random))
    )
    return compare_answers(list(zip(archived, first, second, strict=True)))


def interval(found: int, of: int) -> tuple[float, float]:
    """The exact 95 % interval of a share (Clopper and Pearson)."""
    low = float(betaincinv(found, of - found + 1, 0.025)) if found else 0.0
    return low, float(betaincinv(found + 1, of - found, 0.975)) if found < of else 1.0


def shown(found: int, of: int) -> list[str]:
    """A share and its interval."""
    low, high = interval(found, of)
    return [f"{found / of:.1%}", f"{low:.1%} to {high:.1%}"]


def main() -> None:
    """Prints the table."""
    parser = argparse.ArgumentParser(description=str(__doc__).split("\n", maxsplit=1)[0])
    parser.add_argument("--data", type=Path, default=Path("data"), help="the staged release")
    parser.add_argument("--trials", type=int, default=200)
    options = parser.parse_args()
    release, rows, errors, honest = Release(options.data), [], 0, 0
    for number, setting in enumerate(settings()):
        random = np.random.default_rng([19, number])
        results = [trial(setting, release, random) for _ in range(options.trials)]
        failed = [{one.level for one in result if one.decision == "fail"} for result in results]
        verified = sum(
            not fails and any(one.decision == "pass" for one in result if one.level in LEVELS[:2])
            for fails, result in zip(failed, results, strict=True)
        )
        told = sum(map(bool, failed))
        if setting.honest:
            errors, honest = errors + told, honest + len(results)
        rows.append(
            [
                setting.archive,
                f"{setting.varies:.0%}",
                str(setting.requests),
                *shown(told, len(results)),
                *(f"{sum(level in fails for fails in failed) / len(results):.1%}" for level in LEVELS),
                f"{verified / len(results):.1%}",
            ]
        )
    head = ("the archive's model", "varies", "N", "told apart", "95 % interval", *LEVELS, "verified")
    print(text_table(head, rows, right=range(1, len(head))))
    rate, limits = shown(errors, honest)
    print(f"\nHonest archives told apart: {errors} of {honest:,}, {rate} ({limits}).")
    print(f"The stated error rate is {ERROR_RATE:.0%}.")


if __name__ == "__main__":
    main()
