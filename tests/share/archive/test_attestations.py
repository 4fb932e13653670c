"""Statements about an archive: each edited field, other subject, unknown type and untrusted key is told."""

from __future__ import annotations

import copy
import json
import re
import subprocess
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest
from google.protobuf import json_format
from in_toto_attestation.v1.statement import Statement as InTotoStatement

from bfcl_pipeline.base.errors import BadSignature, ConfigError
from bfcl_pipeline.base.strict_json import canonical
from bfcl_pipeline.runs.archived.findings import Findings, Part, Verification
from bfcl_pipeline.share.archive.attestations import AttestationOptions, check_attestations
from bfcl_pipeline.share.archive.statement import (
    PREDICATE_TYPE,
    first_difference,
    make_statement,
    read_statement,
)
from bfcl_pipeline.share.signing.signature import LINES, SigningOptions, Trust, statements_path
from bfcl_pipeline.share.signing.signed_line import sign_statement
from tests.support.ssh_keys import allow, fingerprint, needs_ssh

pytestmark = needs_ssh
ROOT = Path(__file__).resolve().parents[3]
SHA256 = "a" * 64
PREDICATE: dict[str, Any] = {
    "run": "small",
    "release": {"version": "2026.3.23", "sha256": "b" * 64},
    "models": [{"name": "one", "answers": {"number": 3, "first": None}}, {"name": "two"}],
    "scores": [{"model": "one", "overall": 0.5, "low": 0.25, "high": 0.75, "entries": 4}],
    "software": {"commit": "c" * 40, "changed": False},
    "marks": ["sample"],
}


class Checked:
    """What `check_attestations` finds in some lines beside an archive."""

    def __init__(self, folder: Path, *lines: bytes, **options: Any) -> None:
        file = folder / "run.crate.zip"
        statements_path(file).write_bytes(b"".join(line + b"\n" for line in lines))
        findings = Findings(lambda line: None)
        done = check_attestations(file, SHA256, lambda: PREDICATE, AttestationOptions(**options), findings)
        self.result, self.signers = done
        self.lines = [f"{finding.outcome} {finding.what}" for finding in findings.found]
        assert {finding.part for finding in findings.found} <= {Part.ATTESTED, Part.NOT_COVERED}


def signed(key: Path, predicate: Mapping[str, Any] = PREDICATE, sha256: str = SHA256) -> bytes:
    return sign_statement(make_statement("run.crate.zip", sha256, predicate), SigningOptions(key=key))


def test_nothing_beside_the_archive_is_no_difference(tmp_path: Path) -> None:
    findings = Findings(lambda line: None)
    done = check_attestations(tmp_path / "run", SHA256, lambda: PREDICATE, AttestationOptions(), findings)
    assert (*done, findings.found) == (Verification.COMPLETE, [], [])


def test_a_key_is_unknown_until_it_is_named(keys: tuple[Path, Path], tmp_path: Path) -> None:
    """Both are valid signatures; only one says who vouches."""
    line = signed(keys[0])
    unknown = Checked(tmp_path, line)
    assert unknown.result is Verification.COMPLETE
    assert unknown.signers == []
    assert unknown.lines == [
        f"unknown signed by {fingerprint(keys[0])}, whose owner is not known here; --signers names the "
        "keys that you trust"
    ]
    signers = allow(tmp_path / "signers", ("alice@example.org", keys[0]))
    known = Checked(tmp_path, line, trust=Trust(signers))
    assert known.signers == ["alice@example.org"]
    assert known.lines == [f"attested signed by alice@example.org ({fingerprint(keys[0])})"]


def test_several_signers_vouch(keys: tuple[Path, Path], tmp_path: Path) -> None:
    """Each line stands for itself: one that does not hold is told by its number."""
    alice, bob = keys
    signers = allow(tmp_path / "signers", ("alice", alice), ("bob", bob))
    lines = [signed(alice), b"garbage", signed(bob)]
    checked = Checked(tmp_path, *lines, trust=Trust(signers))
    assert checked.result is Verification.DIFFERS
    assert checked.signers == ["alice", "bob"]
    assert checked.lines[1].startswith("DIFFERS line 2: not JSON, or truncated")


def leaves(value: Any, place: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The places of all values in a predicate that are neither objects nor lists."""
    if not isinstance(value, (dict, list)):
        yield place
        return
    for name, part in value.items() if isinstance(value, dict) else enumerate(value):
        yield from leaves(part, (*place, name))


def edited(place: tuple[Any, ...], value: Any) -> dict[str, Any]:
    predicate = copy.deepcopy(PREDICATE)
    inner: Any = predicate
    for name in place[:-1]:
        inner = inner[name]
    inner[place[-1]] = value
    return predicate


def test_each_edited_field_is_named(keys: tuple[Path, Path], tmp_path: Path) -> None:
    """Even if a trusted key signed it; and the archive's value beside it."""
    signers = allow(tmp_path / "signers", ("alice", keys[0]))
    start = f"signed by alice ({fingerprint(keys[0])}), but does not say what the archive says: "
    places = list(leaves(PREDICATE))
    for place in places:
        name = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in place)[1:]
        difference = first_difference(edited(place, "other"), PREDICATE)
        assert difference is not None
        assert difference.startswith(f'{name} is "other", in the archive ')
    checked = Checked(tmp_path, signed(keys[0], edited(places[-1], "other")), trust=Trust(signers))
    assert (checked.result, checked.signers) == (Verification.DIFFERS, [])
    (line,) = checked.lines
    assert f'{start}{name} is "other", in the archive ' in line


@pytest.mark.parametrize(
    ("stated", "what"),
    [
        ({**PREDICATE, "extra": 1}, "extra is not a field of such a statement"),
        ({name: value for name, value in PREDICATE.items() if name != "run"}, "run is missing"),
        ({**PREDICATE, "marks": []}, "marks[0] is missing"),
        (edited(("software", "changed"), 0), "software.changed is 0, in the archive false"),
        (edited(("models", 0, "answers", "number"), 3.0), "answers.number is 3.0, in the archive 3"),
        (edited(("release",), ["x"]), "release is a list of 1, in the archive an object of 2"),
        (
            edited(("software", "changed"), json.loads("[" * 900 + "]" * 900)),
            "changed is a list of 1, in the",
        ),
        ({**PREDICATE, "x" * 5000: 1}, "more characters) is not a field of such a statement"),
        (edited(("run",), "\ud800"), 'run is "\\ud800", in the archive "small"'),
        (edited(("run",), "x" * 5000), "more characters"),
    ],
)
def test_other_forms_of_a_predicate_differ(stated: dict[str, Any], what: str) -> None:
    """Added, missing and other types; a long value is cut."""
    difference = first_difference(stated, PREDICATE)
    assert difference is not None
    assert what in difference
    assert len(difference) < 300


def test_a_statement_without_a_valid_signature_differs(keys: tuple[Path, Path], tmp_path: Path) -> None:
    """A payload under the signature of another, by a trusted key."""
    document = json.loads(signed(keys[0]))
    document["payload"] = json.loads(signed(keys[1], edited(("run",), "other")))["payload"]
    trust = Trust(allow(tmp_path / "signers", ("alice", keys[0])))
    checked = Checked(tmp_path, canonical(document), trust=trust)
    assert checked.result is Verification.DIFFERS
    assert checked.lines == ["DIFFERS the signature does not hold: incorrect signature"]


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"predicateType": "https://example.org/other"}, "of the unknown type 'https://example.org/other'"),
        ({"predicateType": None}, "of the unknown type 'None'"),
        ({"_type": "https://in-toto.io/Statement/v0.1"}, "not an in-toto statement"),
        (
            {"subject": [{"digest": {"sha256": "d" * 64}}]},
            f"about another file, with the sha256 {'d' * 64}",
        ),
        ({"subject": []}, "exactly one file"),
        ({"subject": [{"digest": {"sha256": SHA256}}] * 2}, "exactly one file"),
        ({"subject": [{"digest": {"sha256": SHA256.upper()}}]}, "exactly one file"),
        ({"subject": [{"digest": {"sha512": SHA256}}]}, "exactly one file"),
        ({"subject": ["x"]}, "exactly one file"),
        ({"extra": 1}, "not an in-toto statement"),
    ],
)
def test_another_statement_differs(
    change: dict[str, Any], what: str, keys: tuple[Path, Path], tmp_path: Path
) -> None:
    """An unknown type or form, signed by a trusted key."""
    document = json.loads(make_statement("run.crate.zip", SHA256, PREDICATE)) | change
    line = sign_statement(canonical(document), SigningOptions(key=keys[0]))
    checked = Checked(tmp_path, line, trust=Trust(allow(tmp_path / "signers", ("alice", keys[0]))))
    assert (checked.result, checked.signers) == (Verification.DIFFERS, [])
    assert what in checked.lines[0]


def test_what_is_signed_must_be_a_statement() -> None:
    for payload in (b"", b"x", b"[]", b'{"a":1,"a":2}', b"[" * 100_000):
        with pytest.raises(BadSignature, match="what was signed is not"):
            read_statement(payload)


def test_a_demanded_signature_must_be_of_a_trusted_signer(keys: tuple[Path, Path], tmp_path: Path) -> None:
    """Of anybody who is named, or of one person."""
    alice, bob = keys
    signers = Trust(allow(tmp_path / "signers", ("alice", alice)))
    demanded = "a signer who is trusted here, which --require-signature demands"
    for lines, options, missing in (
        ([signed(alice)], {"trust": signers}, None),
        ([signed(alice)], {"trust": signers, "principal": "alice"}, None),
        ([signed(alice)], {"trust": signers, "principal": "bob"}, "bob, which --require-signature demands"),
        ([signed(bob)], {"trust": signers}, demanded),
        ([signed(alice)], {}, demanded),
        ([signed(alice, sha256="e" * 64)], {"trust": signers}, demanded),
        ([], {"trust": signers}, demanded),
    ):
        checked = Checked(tmp_path, *lines, required=True, **options)
        assert checked.result is (Verification.COMPLETE if missing is None else Verification.DIFFERS)
        if missing is not None:
            assert checked.lines[-1] == f"DIFFERS there is no valid statement of {missing}"


def test_too_many_statements_are_refused(tmp_path: Path) -> None:
    checked = Checked(tmp_path, *[b"{}"] * (LINES + 1))
    assert checked.result is Verification.DIFFERS
    assert len(checked.lines) == 1
    assert "65 lines; a file of statements has at most 64" in checked.lines[0]


def test_files_that_the_verifier_names_must_exist(tmp_path: Path) -> None:
    """A typing error must not pass for an unsigned archive."""
    absent = tmp_path / "absent"
    for options in (AttestationOptions(statements=absent), AttestationOptions(Trust(signers=absent))):
        with pytest.raises(ConfigError, match="absent: no such file"):
            options.check()


def test_equal_predicates_have_equal_bytes() -> None:
    backwards = dict(reversed(PREDICATE.items()))
    statement = make_statement("run.crate.zip", SHA256, PREDICATE)
    assert make_statement("run.crate.zip", SHA256, backwards) == statement
    document = json.loads(statement)
    assert document["predicateType"] == PREDICATE_TYPE
    assert document["subject"] == [{"name": "run.crate.zip", "digest": {"sha256": SHA256}}]


def test_the_statement_is_one_of_in_toto() -> None:
    """The project's own types read it, and find nothing missing."""
    parsed = json_format.Parse(
        make_statement("run.crate.zip", SHA256, PREDICATE), InTotoStatement([], "", {}).pb
    )
    read = InTotoStatement.copy_from_pb(parsed)
    read.validate()
    assert read.pb.subject[0].digest["sha256"] == SHA256
    assert json_format.MessageToDict(read.pb.predicate) == PREDICATE


def test_the_signature_can_be_checked_by_hand(keys: tuple[Path, Path], tmp_path: Path) -> None:
    """By the commands in docs/archive.md, which use nothing of this program."""
    (block,) = re.findall(
        r"```sh\n(python3 - embedded.*?)```", (ROOT / "docs/archive.md").read_text(), re.DOTALL
    )
    (tmp_path / "embedded.crate.zip.intoto.jsonl").write_bytes(signed(keys[0]) + b"\n")
    for owner, status in ((keys[0], 0), (keys[1], 255)):
        allow(tmp_path / "signers", ("alice@example.org", owner))
        done = subprocess.run(["sh", "-c", block], cwd=tmp_path, capture_output=True, text=True)
        assert (done.returncode, SHA256 in done.stdout) == (status, True)
