"""The release as bytes: verified before it is read, from a wheel or a folder."""

from __future__ import annotations

import base64
import hashlib
import zipfile
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import HashMismatch, MalformedRelease, StagingError
from bfcl_pipeline.benchmark.definition import release as pinned
from bfcl_pipeline.benchmark.staging.release_files import MODEL_CONFIG, RELEASE_FILES
from bfcl_pipeline.benchmark.staging.source import contents_sha256, read_bounded, read_folder, read_wheel

QUESTIONS = "bfcl_eval/data/BFCL_v4_simple_java.json"


def test_the_pinned_contents_are_those_of_the_pinned_wheel(real_release):
    """The two pinned hashes name the same release."""
    assert contents_sha256(real_release.files) == pinned.CONTENTS_SHA256


def test_only_named_files_are_read(real_release):
    """Staging reads only the files of the release that it lists."""
    assert tuple(real_release.files) == RELEASE_FILES


def test_a_wrong_hash_is_reported_before_the_wheel_is_opened(tmp_path):
    """Content with another hash is refused by its hash, even if it is not a wheel."""
    path = tmp_path / "some.whl"
    with pytest.raises(HashMismatch, match=f"some.whl.*expected sha256 {pinned.SHA256}, got "):
        read_wheel(path, b"not a zip", pinned.SHA256)


@pytest.mark.parametrize("keep", [0, 10, 1000, -1])
def test_a_truncated_wheel_is_malformed(altered_wheel, keep):
    """A truncated wheel is an error that names it, even if its hash is the expected one."""
    path, _ = altered_wheel({})
    content = path.read_bytes()[:keep]
    with pytest.raises(MalformedRelease, match=r"altered\.whl: not a readable wheel"):
        read_wheel(path, content, hashlib.sha256(content).hexdigest())


def test_a_damaged_member_is_malformed(altered_wheel, real_release):
    """A member with a wrong checksum is rejected."""
    path, _ = altered_wheel({})
    content = path.read_bytes()
    damaged = content.replace(real_release.files[QUESTIONS][:40], b"x" * 40, 1)
    assert damaged != content
    with pytest.raises(MalformedRelease, match="not a readable wheel"):
        read_wheel(path, damaged, hashlib.sha256(damaged).hexdigest())


def test_a_missing_member_is_named(altered_wheel):
    """A wheel without one of the files is refused; the error has the name of the file."""
    path, sha256 = altered_wheel({QUESTIONS: None})
    with pytest.raises(MalformedRelease, match=f"{QUESTIONS}: missing"):
        read_wheel(path, path.read_bytes(), sha256)


def test_a_member_that_inflates_without_end_is_refused(real_release, tmp_path):
    """The size of a member is limited, regardless of the size that the archive declares."""
    path = tmp_path / "bomb.whl"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in RELEASE_FILES:
            archive.writestr(name, b"\0" * (40 * 2**20) if name == RELEASE_FILES[0] else b"")
    content = path.read_bytes()
    assert len(content) < 2**20
    with pytest.raises(MalformedRelease, match=f"{RELEASE_FILES[0]}: more than"):
        read_wheel(path, content, hashlib.sha256(content).hexdigest())


def test_names_in_the_wheel_are_not_used_as_paths(altered_wheel, tmp_path, monkeypatch):
    """A wheel with a name that leads out of the folder writes no files."""
    path, sha256 = altered_wheel({"../../escaped": b"x", "/escaped": b"x"})
    inside = tmp_path / "a" / "b"
    inside.mkdir(parents=True)
    monkeypatch.chdir(inside)
    read_wheel(path, path.read_bytes(), sha256)
    assert not [*tmp_path.rglob("escaped")]


@pytest.mark.parametrize("below", ["", "bfcl_eval"])
def test_a_folder_is_verified_like_the_wheel(altered_folder, real_release, below):
    """An unpacked wheel, or the package folder in it, has the pinned contents."""
    assert read_folder(altered_folder({}) / below, pinned.SHA256).files == real_release.files


def test_an_altered_folder_is_accepted_by_its_hash(altered_folder):
    """One changed byte is a wrong hash; a folder is accepted if the hash of its contents is given."""
    folder = altered_folder({QUESTIONS: b"{}\n"})
    with pytest.raises(HashMismatch, match="not the pinned release") as refused:
        read_folder(folder, pinned.SHA256)
    named = str(refused.value).split("got ")[1].split(".")[0]
    assert read_folder(folder, named).files[QUESTIONS] == b"{}\n"


def test_an_altered_file_is_named_if_there_is_a_record(altered_folder, real_release):
    """With the wheel's RECORD beside the package, the error names the file that differs."""
    folder = altered_folder({MODEL_CONFIG: b"models = {}\n"})
    record = folder / "bfcl_eval-1.dist-info" / "RECORD"
    record.parent.mkdir()
    lines = []
    for name, content in real_release.files.items():
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        lines.append(f"{name},sha256={digest},{len(content)}")
    record.write_text("\n".join([*lines, "bfcl_eval-1.dist-info/RECORD,,", ""]))
    with pytest.raises(HashMismatch, match=f"{MODEL_CONFIG}: not the pinned release"):
        read_folder(folder, pinned.SHA256)


def test_a_missing_file_of_a_folder_is_named(altered_folder):
    """A folder without one of the files is refused; the error has the path of the file."""
    with pytest.raises(MalformedRelease, match=f"unpacked/{QUESTIONS}: missing"):
        read_folder(altered_folder({QUESTIONS: None}), pinned.SHA256)


def test_a_missing_source_is_named(tmp_path):
    """A source that cannot be read is a staging error with its path."""
    with pytest.raises(StagingError, match=r"nowhere\.whl: cannot be read \(No such file"):
        read_bounded(tmp_path / "nowhere.whl", 4)


def test_a_file_that_is_too_large_is_refused(tmp_path):
    """A file larger than the limit is not loaded into memory."""
    path = tmp_path / "large"
    path.write_bytes(b"12345")
    assert read_bounded(path, 5) == b"12345"
    with pytest.raises(MalformedRelease, match="more than 4 bytes"):
        read_bounded(path, 4)


def test_hashes_are_compared_ignoring_case(real_wheel: Path):
    """A sha256 in capitals is the same sha256."""
    read_wheel(real_wheel, real_wheel.read_bytes(), pinned.SHA256.upper())
