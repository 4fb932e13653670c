"""`archive --sign`, `sign` and `verify` on the archive of a real run, as two people use them."""

from __future__ import annotations

import base64
import hashlib
import json
import shutil
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.cli import main
from bfcl_pipeline.share.archive.attestations import sign_archive, stale_statements
from bfcl_pipeline.share.signing.signature import SigningOptions, statements_path
from tests.share.archive.repacked import repack
from tests.share.archive.small_run import NAME, SmallRun
from tests.support.ssh_keys import allow, fingerprint, make_key, needs_ssh

pytestmark = needs_ssh


@pytest.fixture
def file(archived: Path, tmp_path: Path) -> Path:
    """A copy of the archive."""
    copy = tmp_path / f"{NAME}.crate.zip"
    shutil.copyfile(archived, copy)
    return copy


@pytest.fixture
def alice(tmp_path: Path) -> Path:
    """Her key."""
    return make_key(tmp_path / "alice")


class Verified:
    """The output of `verify` without the staged release: hashes and statements only."""

    def __init__(self, file: Path, capsys: pytest.CaptureFixture[str], *options: str) -> None:
        nothing = file.parent / "nothing"
        nothing.mkdir(exist_ok=True)
        capsys.readouterr()
        self.status = main(["verify", str(file), "--data", str(nothing), *options])
        said = capsys.readouterr()
        self.text, self.error = said.out, said.err


def statement(file: Path) -> dict[str, Any]:
    """The first statement beside an archive."""
    line = statements_path(file).read_bytes().splitlines()[0]
    document: dict[str, Any] = json.loads(base64.b64decode(json.loads(line)["payload"]))
    return document


@pytest.mark.usefixtures("derived_before")
def test_a_run_is_archived_and_signed_and_verified(
    own_run: SmallRun, alice: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """With the results as derived: the signer is named for what only they can say."""
    file = own_run.folder / "signed.crate.zip"
    assert own_run.archive(file, "--sign", str(alice)) == 0
    assert f"signed by {fingerprint(alice)}" in capfd.readouterr().out
    signers = allow(own_run.folder / "signers", ("alice@example.org", alice))
    assert own_run.verify(file, "--signers", str(signers), "--require-signature", "alice@example.org") == 0
    output = capfd.readouterr().out
    headings = [line.partition(":")[0] for line in output.splitlines() if line[:1].isupper()]
    assert headings == ["Derived", "Attested", "Not covered"]
    derived, attested, not_covered = output.split("\n\n")[1:]
    assert "verified      results" in derived
    assert f"attested      statement  signed by alice@example.org ({fingerprint(alice)})" in attested
    assert f"attested      run        alice@example.org: {NAME}, ended 20" in attested
    assert "cannot be verified: it rests on the word of alice@example.org" in not_covered


def test_the_statement_says_what_the_archive_says(file: Path, alice: Path, small_run: SmallRun) -> None:
    """Release, files, models, answers, scores and marks; and twice the same bytes."""
    sign_archive(file, SigningOptions(key=alice))
    first = statements_path(file).read_bytes()
    said, models = statement(file)["predicate"], ("near/chat-FC", "near/chat-FC~2", "oracle-FC")
    assert said["run"] == NAME
    assert said["release"]["version"] == "2026.3.23"
    assert sorted(said["files"]) == ["config", "models", "requirements"]
    assert said["marks"] == ["chosen entries", "own errata"]
    assert [model["name"] for model in said["models"]] == [*models]
    answers = said["models"][0]["answers"]
    assert answers["number"] == len(small_run.journal.read_bytes().splitlines()) - 2  # another run's, torn
    assert answers["first"] < answers["last"]
    assert {(score["model"], score["rules"]) for score in said["scores"]} == {*product(models, Rules)}
    assert all(score["low"] <= score["overall"] <= score["high"] for score in said["scores"])
    sign_archive(file, SigningOptions(key=alice))
    assert statements_path(file).read_bytes() == first


def test_several_people_sign(file: Path, alice: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Each adds a line; the same key replaces its own. Only those who are named vouch."""
    bob = make_key(file.parent / "bob")
    for key in (alice, bob, alice):
        assert main(["sign", str(file), "--key", str(key)]) == 0
    assert "beside 1 other signature\n" in capsys.readouterr().out
    assert len(statements_path(file).read_bytes().splitlines()) == 2
    assert not stale_statements(file, hashlib.sha256(file.read_bytes()).hexdigest())
    signers = allow(file.parent / "signers", ("bob", bob))
    verified = Verified(file, capsys, "--signers", str(signers))
    assert verified.status == 3  # nothing is staged
    assert f"attested      statement  signed by bob ({fingerprint(bob)})" in verified.text
    assert (
        f"unknown       statement  signed by {fingerprint(alice)}, which is not in {signers}"
        in verified.text
    )
    moved = file.rename(file.with_name("renamed.zip"))
    verified = Verified(moved, capsys, "--signers", str(signers), "--statements", f"{file}.intoto.jsonl")
    assert "attested      statement  signed by bob" in verified.text


def test_an_unsigned_archive_is_claimed_by_nobody(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """It is verified as before; a demanded signature is missing."""
    verified = Verified(file, capsys)
    assert verified.status == 3
    assert "claimed       run" in verified.text
    assert "nobody known here vouches for that" in verified.text
    assert "statement" not in verified.text
    verified = Verified(file, capsys, "--require-signature")
    assert verified.status == 1
    assert "DIFFERS       statement  there is no valid statement of a signer who is trust" in verified.text


def test_a_damaged_archive_with_a_valid_statement_is_refused(
    file: Path, alice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """One bit: nothing is read, and no signature makes up for it; nor can it be signed."""
    sign_archive(file, SigningOptions(key=alice))
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 1
    file.write_bytes(content)
    before = statements_path(file).read_bytes()
    verified = Verified(file, capsys, "--signers", str(allow(file.parent / "signers", ("alice", alice))))
    assert verified.status == 1
    assert "the seal is broken" in verified.error
    assert "attested" not in verified.text
    assert main(["sign", str(file), "--key", str(alice)]) == 1
    assert statements_path(file).read_bytes() == before


def test_statements_about_another_archive_are_not_mixed(
    file: Path, alice: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Signing stops: the file would have a line that differs. What to do is said."""
    sign_archive(file, SigningOptions(key=alice))
    other = repack(file, file.with_name("other.zip"), {f"results/{NAME}/logs/note.log": b"x"})
    other.replace(file)
    assert main(["sign", str(file), "--key", str(alice)]) == 1
    error = capsys.readouterr().err
    assert "has statements about another file" in error
    assert stale_statements(file, hashlib.sha256(file.read_bytes()).hexdigest())
    assert "Move the file of statements away, then sign again." in error
    statements_path(file).write_bytes(b"garbage\n")
    assert main(["sign", str(file), "--key", str(alice)]) == 1
    assert "Move the file away, then sign again." in capsys.readouterr().err


def test_contradicting_options_are_named(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Before anything is signed."""
    for arguments, what in (
        ([], "name the SSH key to sign with, --key FILE, or --sigstore"),
        (["--identity-token", "token"], "name an SSH key to sign with, or --sigstore"),
        (["--key", "absent"], "absent: no such file"),
        (["--key", "absent", "--sigstore"], "with an SSH key or with sigstore"),
    ):
        assert main(["sign", str(file), *arguments]) == 1
        assert what in capsys.readouterr().err
        assert not statements_path(file).exists()
