"""What identifies the weights of an open model, and the prompts of its family."""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.ask.jobs.options import add_job_options, job_from, to_argv
from bfcl_pipeline.ask.models import build_adapter, weights
from bfcl_pipeline.ask.models.weights import (
    MOST_BYTES,
    _sha256,
    folder_digest,
    identified_rows,
    identify_weights,
)
from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import Job, ModelRow, load_models, recorded_models
from bfcl_pipeline.benchmark.config.families import load_families
from bfcl_pipeline.benchmark.config.model_rows import UNKNOWN_WEIGHTS
from bfcl_pipeline.dialogue.families import rendering
from bfcl_pipeline.dialogue.families.rendering import prompts_digest

COMMIT = "0123456789abcdef" * 2 + "01234567"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The files of a model, with documents and a subdirectory that do not count."""
    made = tmp_path / "model"
    (made / "original").mkdir(parents=True)
    (made / "config.json").write_text("{}")
    (made / "model.safetensors").write_bytes(b"weights")
    (made / "README.md").write_text("about")
    (made / "original/weights.pth").write_bytes(b"other")
    return made


@pytest.fixture
def cache(tmp_path: Path) -> Path:
    """Where hashes are kept."""
    return tmp_path / "cache"


def row(tmp_path: Path, **values: Any) -> ModelRow:
    """The row of a models file with `values`."""
    path = tmp_path / "models.yaml"
    path.write_text(yaml.safe_dump({"models": [{"name": "m-FC", **values}]}))
    return load_models([path])["m-FC"]


def served(tmp_path: Path, model: object, **values: Any) -> ModelRow:
    return row(tmp_path, kind="vllm", model=str(model), **{"family": "qwen3-fc", **values})


def test_the_digest_is_that_of_the_files_from_which_a_model_is_loaded(folder: Path, cache: Path) -> None:
    """It changes with their contents and names, and not with documents or the place of the directory."""
    before = folder_digest(folder, cache=cache)
    assert before.startswith("sha256:")
    (folder / "README.md").write_text("changed")
    (folder / "original/weights.pth").write_bytes(b"changed")
    moved = folder.rename(folder.with_name("moved"))
    assert folder_digest(moved, cache=cache) == before
    (moved / "model.safetensors").rename(moved / "other.safetensors")
    renamed = folder_digest(moved, cache=cache)
    (moved / "other.safetensors").write_bytes(b"weight5")
    assert len({before, renamed, folder_digest(moved, cache=cache)}) == 3


def test_a_file_is_read_once(folder: Path, cache: Path) -> None:
    """Its hash is kept by size and modification time; a file of hashes that is damaged counts as absent."""
    before = folder_digest(folder, cache=cache)
    weights = folder / "model.safetensors"
    times = weights.stat()
    weights.write_bytes(b"WEIGHTS")
    os.utime(weights, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert folder_digest(folder, cache=cache) == before  # it was not read
    (kept,) = cache.iterdir()
    kept.write_text('{"model.safetensors": [7, "?", null]}')
    assert folder_digest(folder, cache=cache) != before


def test_the_names_of_the_hubs_cache_are_hashes(tmp_path: Path, cache: Path) -> None:
    """A link to a file that is named by its SHA-256 counts with that name, without being read."""
    blobs, snapshot = tmp_path / "hub/blobs", tmp_path / "hub/snapshots/c"
    blobs.mkdir(parents=True)
    snapshot.mkdir(parents=True)
    for name in ("a" * 64, "b" * 64):
        (blobs / name).write_bytes(b"equal")
    digests = set()
    for name in ("a" * 64, "b" * 64):
        (snapshot / "model.safetensors").unlink(missing_ok=True)
        (snapshot / "model.safetensors").symlink_to(blobs / name)
        digests.add(folder_digest(snapshot, cache=cache / name))
    assert len(digests) == 2


def test_further_chat_templates_count(folder: Path, cache: Path) -> None:
    """Prompts by the template of a model's tokenizer may be of the subdirectory that has further ones."""
    before = folder_digest(folder, cache=cache)
    (folder / "additional_chat_templates").mkdir()
    template = folder / "additional_chat_templates/tool_use.jinja"
    template.write_text("a")
    first = folder_digest(folder, cache=cache)
    template.write_text("other")
    assert len({before, first, folder_digest(folder, cache=cache)}) == 3


@pytest.mark.parametrize("part", ["original/weights.pth", "../weights.pth"])
def test_weights_elsewhere_count_if_an_index_names_them(folder: Path, cache: Path, part: str) -> None:
    """Libraries load them from wherever the index says."""
    (folder / part).write_bytes(b"first")
    (folder / "model.safetensors.index.json").write_text(json.dumps({"weight_map": {"a": part, "b": 1}}))
    before = folder_digest(folder, cache=cache)
    (folder / part).write_bytes(b"changed")
    assert folder_digest(folder, cache=cache) != before
    (folder / "model.safetensors.index.json").write_text("[" * 100_000)
    assert folder_digest(folder, cache=cache).startswith("sha256:")


def test_only_regular_files_of_plausible_size_are_read(folder: Path, cache: Path) -> None:
    """Links in a circle, devices and pipes do not count; a file too large for weights is an error.

    Empty files are not opened, since those of /proc may never end.
    """
    before = folder_digest(folder, cache=cache)
    (folder / "circle").symlink_to("circle")
    (folder / "again").symlink_to(".")
    (folder / "device").symlink_to("/dev/zero")
    os.mkfifo(folder / "pipe")
    assert folder_digest(folder, cache=cache) == before
    with pytest.raises(ConfigError, match="not a file of a model"):
        _sha256(folder / "config.json", MOST_BYTES + 1)
    assert _sha256(folder / "never opened", 0) == hashlib.sha256(b"").hexdigest()


def test_large_weights_are_announced(folder: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A line before gigabytes are read, and none when their hashes are known."""
    lines: list[str] = []
    monkeypatch.setattr(weights, "ANNOUNCED_BYTES", 2**27)
    with (folder / "model.safetensors").open("wb") as file:
        file.truncate(2**27)
    folder_digest(folder, lines.append, cache)
    folder_digest(folder, lines.append, cache)
    assert len(lines) == 1
    assert "hashing 0.1 GiB of weights" in lines[0]


def test_only_rows_of_open_weights_that_a_run_loads_are_identified(
    tmp_path: Path, folder: Path, cache: Path
) -> None:
    """Others are as they were: APIs, and servers that run already."""
    api = row(tmp_path, kind="openai_chat")
    assert identify_weights(api, cache=cache) is api
    endpoint = served(tmp_path, folder, backend="endpoint", endpoint="http://127.0.0.1:1/v1")
    assert identify_weights(endpoint, cache=cache).weights is None
    assert identify_weights(served(tmp_path, folder), cache=cache).weights == folder_digest(
        folder, cache=cache
    )
    assert identify_weights(served(tmp_path, tmp_path / "absent"), cache=cache).weights == UNKNOWN_WEIGHTS
    rows = {"a": served(tmp_path, folder), "b": served(tmp_path, folder)}
    found = identified_rows(rows, ["a"], lambda _line: None, cache)
    assert (found["a"].weights is None, found["b"].weights is None) == (False, True)


def test_weights_that_a_row_names_are_checked(tmp_path: Path, folder: Path, cache: Path) -> None:
    """Other files are an error before anything is asked."""
    named = served(tmp_path, folder, weights=folder_digest(folder, cache=cache))
    assert identify_weights(named, cache=cache).weights == named.weights
    (folder / "config.json").write_text("{ }")
    with pytest.raises(ConfigError, match="are not those that its row names"):
        identify_weights(named, cache=cache)


def test_a_model_of_the_hub_has_the_commit_of_the_cache(
    tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """That of the revision, if it is there; it is recorded, and answers do not depend on it."""
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    named = served(tmp_path, "org/name")
    assert identify_weights(named, cache=cache).weights is None
    refs = tmp_path / "hub/models--org--name/refs"
    refs.mkdir(parents=True)
    (refs / "main").write_text(COMMIT)
    found = identify_weights(named, cache=cache)
    assert found.weights == f"commit:{COMMIT}"
    assert found.asked == named.asked
    pinned = served(tmp_path, "org/name", revision=COMMIT[::-1])
    assert identify_weights(pinned, cache=cache).weights == f"commit:{COMMIT[::-1]}"
    assert pinned.asked["revision"] == COMMIT[::-1]


def test_keys_of_journals_have_the_weights_and_the_revision(
    tmp_path: Path, folder: Path, cache: Path
) -> None:
    """Whether the run sends prompts or the server makes them."""
    by_prompts = served(tmp_path, folder)
    by_server = row(
        tmp_path, kind="vllm", model=str(folder), prompting="server", vllm={"tool_parser": "hermes"}
    )
    for one in (by_prompts, by_server):
        before = build_adapter(one, offline=True).identity
        found = identify_weights(one, cache=cache)
        assert found.weights is not None
        assert build_adapter(found, offline=True).identity == {**before, "weights": found.weights}
        assert found.asked == {**one.asked, "weights": found.weights}
        revised = replace(one, revision="v2")
        assert build_adapter(revised, offline=True).identity == {**before, "revision": "v2"}


def test_a_recorded_row_keeps_its_digests(tmp_path: Path, folder: Path, cache: Path) -> None:
    """What a run records reads back as the same row, without the weights; so does the job's command."""
    found = identify_weights(served(tmp_path, folder, revision="v2"), cache=cache)
    path = tmp_path / "recorded.yaml"
    path.write_text(recorded_models([found]))
    assert load_models([path]) == {"m-FC": found}
    job = Job(row=found, categories=("simple_python",), run="r")
    parser = argparse.ArgumentParser()
    add_job_options(parser)
    # Digests of prompts are recorded by the workflow only.
    expected = replace(job, row=replace(found, prompts=None))
    argv = to_argv(job, tmp_path / "models.yaml")
    assert job_from(vars(parser.parse_args(argv))) == expected


def test_prompts_are_identified_by_row_and_templates(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """Their digest changes with the templates and the facts of the family, and not with its models."""
    assert all(prompts_digest(name) for name in load_families())
    before = prompts_digest("qwen3-fc")
    assert before.startswith("sha256:")
    family = load_families()["qwen3-fc"]
    others = {"qwen3-fc": replace(family, models=()), "other": replace(family, joins_users=True)}
    monkeypatch.setattr(rendering, "load_families", lambda: others)
    assert prompts_digest("qwen3-fc") == before != prompts_digest("other")
    templates = Path(shutil.copytree(rendering.TEMPLATES, tmp_path / "templates"))
    monkeypatch.setattr(rendering, "TEMPLATES", templates)
    assert prompts_digest("qwen3-fc") == before
    for name in (family.template, "qwen3_messages.jinja"):  # the second is included by the first
        text = (templates / name).read_text()
        (templates / name).write_text(text + "{# changed #}")
        assert prompts_digest("qwen3-fc") != before
        (templates / name).write_text(text)
