"""Archives with one changed member, new hashes and a new seal: what a command refuses before it uses it."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

import pytest
import yaml

from bfcl_pipeline.cli import main
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import NAME, SmallRun
from tests.support.run_form import FORM_LINE

Change: TypeAlias = Callable[[SmallRun], Mapping[str, bytes]]
"""The changed members of the archive of a run."""

RESULTS = f"results/{NAME}"
STATUS = {"verify": 1, "compare": 1, "diff": 2}
"""The exit status of each command; that of `diff` is not that of runs that differ."""


def member(name: str, content: bytes) -> Change:
    """Another content of a file of the results."""
    return lambda _run: {f"{RESULTS}/{name}": content}


def config(**changes: Any) -> Change:
    """Other values in the config; those of `release` are added to it."""

    def change(run: SmallRun) -> Mapping[str, bytes]:
        values = yaml.safe_load((run.results / "config.yaml").read_text())
        new = {**values, **changes, "release": {**values["release"], **changes.get("release", {})}}
        return {f"{RESULTS}/config.yaml": yaml.safe_dump(new).encode()}

    return change


def edited(pattern: str, edit: Callable[[bytes], bytes]) -> Change:
    """Another content of the first file of the run that a pattern names."""

    def change(run: SmallRun) -> Mapping[str, bytes]:
        path = min(run.folder.glob(pattern))
        return {path.relative_to(run.folder).as_posix(): edit(path.read_bytes())}

    return change


def unknown_changes(content: bytes) -> bytes:
    """A record that does not say whether its code has local changes."""
    for value in (b"true", b"false"):
        content = content.replace(b'"changed":' + value, b'"changed":null')
    return content


YAMLS = {
    "aliases": (b"a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n", "a YAML alias"),
    "depth": (b"[" * 100_000, "levels deep"),
    "objects": (b"!!python/object/apply:os.system ['true']\n", "not readable as YAML"),
    "nothing": (b"", "expected"),
    "not YAML": (b"a: [\n", "not readable as YAML"),
    "not UTF-8": (b"\xff\xfe\x00", "not readable as YAML"),
    "a date": (b"models: [2026-01-01]\n", "a value is not a text"),
    "an invalid date": (b"models: [2026-99-99]\n", "not readable as YAML"),
    "a long number": (b"models: [" + b"9" * 5000 + b"]\n", "not readable as YAML"),
    "a key that is not a text": (b"models: [{1: 2}]\n", "a value is not a text"),
}
LOCAL = "it names a local path"
CASSETTE = "cache/web/*/*/*.yaml"
RECORD = "cache/exchanges/near_chat-FC/provenance/*.json"
BESIDE = f"{RESULTS}/logs/generate/oracle-FC.provenance.json"
OF_ITS_NAME = "provenance/.*not that of its name"

HOSTILE: Mapping[str, tuple[Change, str]] = {
    **{
        f"{file}: {case}": (member(file, text), rf"{re.escape(file)}.*{why}")
        for case, (text, why) in YAMLS.items()
        for file in ("config.yaml", "models.yaml")
    },
    # Config, release and files must be consistent before anything is run.
    "a release from a local path": (config(release={"source": "/etc"}), LOCAL),
    "models from a local path": (config(models_file="/etc/passwd"), LOCAL),
    "models from local paths": (config(models_file=["/proc/self/environ"]), LOCAL),
    "another release": (config(release={"sha256": "0" * 64}), "but the metadata names"),
    "another run": (config(run="other"), "it is the config of the run 'other', not of 'small'"),
    "an unknown key": (config(command="rm"), "unknown key 'command'"),
    "trials without end": (config(trials=10**12), "trials: expected at most 100"),
    "no results": (
        config(models=["oracle-FC"], trials=1, categories=["multiple"], entry_ids=None),
        "is not complete",
    ),
    "a short config": (member("config.yaml", f"{FORM_LINE}run: other\n".encode()), r"config\.yaml"),
    "no models": (member("models.yaml", b"models: []\n"), "models"),
    "no table": (member("verdicts/oracle-FC.parquet", b"PAR1"), "not a readable Parquet file"),
    # What the outcome of a search, and the name of a record, say of another file.
    "a cassette": (edited(CASSETTE, lambda _: b"version: 2\n"), "cassette differs from the recorded one"),
    "an edited record": (edited(RECORD, lambda content: content.replace(b"Linux", b"Minix")), OF_ITS_NAME),
    "an empty record": (edited(RECORD, lambda _: b"{}"), OF_ITS_NAME),
    "a large record": (edited(RECORD, lambda it: it + b" " * 2**16), "provenance/.*more than 65,536 bytes"),
    "a record beside a log": (edited(BESIDE, unknown_changes), "not a record of what made answers"),
}
"""Each change, and a pattern of the message about it."""

READ_BY = {"another run": STATUS, "config.yaml: aliases": STATUS} | dict.fromkeys(
    ("a short config", "no models", "no table"), ("diff",)
)
"""The commands that read such a member; `verify` alone reads the others."""


def refused(
    command: str, file: Path, archived: Path, run: SmallRun, capsys: pytest.CaptureFixture[str]
) -> str:
    """What a command says of a file that it refuses; it names the file, and no temporary directory."""
    data = ["--data", str(run.data)]
    arguments = {
        "verify": [str(file), *data, "--cores", "2"],
        "compare": [str(file)],
        "diff": [str(archived), str(file), *data, "--cache", str(run.cache)],
    }
    capsys.readouterr()
    assert main([command, *arguments[command]]) == STATUS[command]
    said = capsys.readouterr().err
    assert str(file) in said
    assert "/bfcl-" not in said.replace(str(file), "")
    return said


@pytest.mark.parametrize(
    ("case", "command"), [(case, command) for case in HOSTILE for command in READ_BY.get(case, ["verify"])]
)
def test_a_hostile_member_is_refused(
    case: str,
    command: str,
    archived: Path,
    small_run: SmallRun,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """By each command that reads it, with what is wrong."""
    change, refusal = HOSTILE[case]
    file = repack(archived, tmp_path / "x.zip", change(small_run))
    assert re.search(refusal, refused(command, file, archived, small_run, capsys))


@pytest.mark.parametrize("command", STATUS)
def test_a_changed_byte_is_refused(
    command: str, archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The seal covers every byte of the file."""
    file = tmp_path / "x.zip"
    content = bytearray(archived.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    said = refused(command, file, archived, small_run, capsys)
    assert f"{file}: the seal is broken" in said


def test_verdicts_with_another_hash_are_refused(
    archived: Path, small_run: SmallRun, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A valid seal does not help a member that is not that of the metadata, when it alone is read."""
    name = f"{RESULTS}/verdicts/oracle-FC.parquet"
    right = (small_run.folder / name).read_bytes()
    other = right[:-1] + bytes([right[-1] ^ 1])

    def keep_the_old_hash(metadata: bytes) -> bytes:
        new, old = (hashlib.sha256(content).hexdigest().encode() for content in (other, right))
        return metadata.replace(new, old)

    file = repack(archived, tmp_path / "x.zip", {name: other}, keep_the_old_hash)
    said = refused("compare", file, archived, small_run, capsys)
    assert "oracle-FC.parquet': refused: expected sha256" in said
