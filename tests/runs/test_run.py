"""A recorded run: its config and rows are strict, and nothing is read before it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import RunSample, SampleBy
from bfcl_pipeline.benchmark.config.choices import JournalChoice, ShownEntries
from bfcl_pipeline.benchmark.config.run_record import recorded_config
from bfcl_pipeline.benchmark.config.run_settings import ReleasePin, read_settings
from bfcl_pipeline.benchmark.definition import release
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run, open_run
from tests.support import ROOT, run_form

SHIPPED = yaml.safe_load((ROOT / "config/config.yaml").read_text(encoding="utf-8"))


def recorded(folder: Path, **changes: object) -> Run:
    """The run in `folder` with the shipped config, as runs record it, with some values changed."""
    (folder / "config.yaml").write_text(recorded_config({**SHIPPED, **changes}))
    return Run(folder)


def test_a_run_is_opened_by_its_name_or_its_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both are the same run; an unknown name is an error with a similar one."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "results/mini"
    folder.mkdir(parents=True)
    for source in ("mini", Path("results/mini"), folder):
        assert open_run(source).folder.resolve() == folder
    with pytest.raises(ConfigError, match=r"no run 'mimi'. Did you mean 'mini'"):
        open_run("mimi")


def test_the_config_of_a_run_has_every_key_typed(tmp_path: Path) -> None:
    """What a run records is read back."""
    changes = {"run": "r", "sample": 20, "seed": 3, "rules": "corrected", "journal": "run", "web": "replay"}
    config = recorded(tmp_path, **changes, report={"entries": "all"}, search_engine="serpapi").config
    assert config is not None
    assert (config.run, config.sample, config.seed, config.entry_ids) == ("r", RunSample(20), 3, None)
    assert (config.rules, config.journal, config.shown) == (
        *(Rules.CORRECTED, JournalChoice.RUN, ShownEntries.ALL),
    )
    assert (config.categories, config.trials, config.budget) == (("all",), 1, None)
    assert config.web is not None
    assert (config.web.mode, config.web.engine) == ("replay", "serpapi")
    assert (config.release.version, config.release.sha256) == (release.VERSION, release.SHA256)


@pytest.mark.parametrize("key", ["seed", "vllm"])
def test_a_missing_key_is_refused(key: str, tmp_path: Path) -> None:
    """What a run did not record is not guessed, also inside mappings."""
    recorded(tmp_path)
    file = tmp_path / "config.yaml"
    lines = file.read_text().splitlines(keepends=True)
    file.write_text("".join(line for line in lines if not line.strip().startswith(f"{key}:")))
    with pytest.raises(ConfigError, match=f"config.yaml: .*the key '{key}' is missing"):
        read_settings(file)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("- a\n", "expected a mapping of keys, got list"),
        ("", "expected a mapping of keys, got NoneType"),
        ("modles: [a]\n", r"unknown key 'modles'.*Did you mean 'models'"),
        ("report: {entries: some}\n", r"report\.entries: expected .*got \"some\""),
        ("rules: strict\n", "rules: expected official"),
        ("journal: theirs\n", "journal: expected shared or run"),
        ("search_engine: [serpapi]\n", "search_engine: expected a text"),
        ("errata: {a: b}\n", "errata: expected a list"),
        ("web: null\n", "web: expected a text, got null"),
        ("fetch_failures: '0.5'\n", "fetch_failures: expected a number"),
        ("imported: [x]\n", "imported: expected a text"),
    ],
)
def test_another_config_is_refused(tmp_path: Path, text: str, message: str) -> None:
    """The error names the file, the key and what is expected."""
    (tmp_path / "config.yaml").write_text(run_form.recorded(text) if ":" in text else text)
    with pytest.raises(ConfigError, match=rf"config\.yaml: {message}"):
        _ = Run(tmp_path).rules


HOSTILE = {
    "nested": f"models: {'[' * 50_000}",
    "expands": "imported: &a [x, x]\nreport: [*a, *a]\nmodels: []\n",
    "endless": "imported: &a [*a]\nmodels: []\n",
    "a number without end": f"seed: {'9' * 6_000}\nmodels: []\n",
    "a date": "web: 2026-01-01\nmodels: []\n",
    "not UTF-8": b"web: \xff\n",
}

READERS: dict[str, Callable[[Run], object]] = {
    "config": lambda run: run.config,
    "models": lambda run: run.rows,
}


@pytest.mark.parametrize("content", HOSTILE.values(), ids=HOSTILE.keys())
@pytest.mark.parametrize("name", READERS)
def test_a_hostile_file_is_refused(name: str, content: str | bytes, tmp_path: Path) -> None:
    """A file that is deep, expands, or has other values than texts and numbers is an error naming it."""
    written = content if isinstance(content, bytes) else content.encode()
    (tmp_path / f"{name}.yaml").write_bytes(written)
    with pytest.raises(ConfigError, match=rf"{name}\.yaml: "):
        READERS[name](Run(tmp_path))


def test_a_folder_without_records_has_the_defaults(tmp_path: Path) -> None:
    """Verdicts or tables alone are a run, of which nothing else is known."""
    run = Run(tmp_path)
    assert (run.config, run.rows, run.imported) == (None, {}, False)
    assert (run.name, run.rules, run.shown) == (tmp_path.name, Rules.OFFICIAL, ShownEntries.WRONG)
    assert (run.errata, run.sizes_in_means) == ([], None)
    assert run.journals == Path("cache/exchanges")


@pytest.mark.parametrize("web", ["null", "replay"])
def test_an_imported_run_says_what_is_known(tmp_path: Path, web: str) -> None:
    """Its web may be unknown, and its release has no hash; other keys are checked as those of any run."""
    text = f"imported: a tool\nrun: r\nmodels: [m]\nrelease: {{version: '1'}}\nweb: {web}\n"
    (tmp_path / "config.yaml").write_text(run_form.recorded(text))
    run = Run(tmp_path)
    assert run.imported
    assert run.config is not None
    assert (run.config.imported, run.config.release) == ("a tool", ReleasePin("1", "", None))
    assert (run.config.web and run.config.web.mode) == (None if web == "null" else web)
    (tmp_path / "config.yaml").write_text(run_form.recorded(f"{text}nope: 1\n"))
    with pytest.raises(ConfigError, match="unknown key 'nope'"):
        _ = Run(tmp_path).config


def test_a_file_is_read_once_and_only_if_needed(tmp_path: Path) -> None:
    """What was read stays, whatever becomes of the file."""
    run = recorded(tmp_path, rules="verified")
    (tmp_path / "models.yaml").write_text("never read: [")
    assert run.rules is Rules.VERIFIED
    (tmp_path / "config.yaml").unlink()
    assert run.rules is Rules.VERIFIED


@pytest.mark.parametrize(
    ("value", "sample"),
    [
        (None, None),
        (20, RunSample(20)),
        ({"entries": 1000, "by": "weight"}, RunSample(1000, SampleBy.WEIGHT)),
        ({"by": "size", "entries": 7}, RunSample(7)),
    ],
)
def test_only_a_sample_by_weight_has_sizes_of_its_own_in_means(
    tmp_path: Path, value: Any, sample: RunSample | None
) -> None:
    """The entries of the release."""
    run = recorded(tmp_path, sample=value)
    assert run.config is not None
    assert run.config.sample == sample
    weighted = sample is not None and sample.by is SampleBy.WEIGHT
    assert (run.sizes_in_means or {}).get("live_multiple") == (1053 if weighted else None)


def test_journals_and_errata_are_found_in_the_folder_of_the_run(tmp_path: Path) -> None:
    """Errata by their names alone: a recorded path leads nowhere else."""
    run = recorded(tmp_path, journal="run")
    assert run.journals == tmp_path / "exchanges"
    (tmp_path / "config.yaml").write_text(run_form.recorded("errata: [../../mine.yaml]\n"))
    assert Run(tmp_path).errata == [tmp_path / "errata/mine.yaml"]


def test_tables_are_found_by_the_name_of_a_model(tmp_path: Path) -> None:
    """A name with a slash is a folder with an underscore."""
    run = Run(tmp_path)
    assert run.responses("o/m", "rest") == tmp_path / "responses/o_m/rest.parquet"
    assert run.sessions("o/m", "rest") == tmp_path / "memory/o_m/rest.parquet"
    assert run.verdicts("o/m") == tmp_path / "verdicts/o_m.parquet"
    assert run.table("usage") == tmp_path / "tables/usage.parquet"
