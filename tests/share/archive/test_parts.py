"""Parts of the archive code: shapes of keys, paths in logs, names, members that change."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ArchiveError
from bfcl_pipeline.base.secrets import LONGEST, named_secrets
from bfcl_pipeline.runs.archived.members import CHUNK_BYTES, METADATA, member
from bfcl_pipeline.runs.archived.reading import SealedArchive
from bfcl_pipeline.runs.archived.secrets import Search
from bfcl_pipeline.runs.archived.writing import write_archive
from bfcl_pipeline.share.archive.contents import without_paths

A40 = "aB3" * 14
SHAPED = [
    f"sk-{A40}",
    f"sk-ant-api03-{A40}",
    "AKIAIOSFODNN7EXAMPLE",
    f"aws_secret_access_key = {A40[:40]}",
    "AIza" + "b" * 35,
    "ya29." + "c" * 40,
    "hf_" + "D" * 34,
    "ghp_" + "e" * 36,
    "github_pat_" + "F1" * 30,
    "glpat-abc1" + "g" * 20,
    "xoxb-123456789012-abcdefghij",
    "gsk_" + "h" * 52,
    "xai-" + "i" * 80,
    "nvapi-" + "j" * 64,
    "Authorization: Bearer abc123" + "k" * 20,
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.abcdefghijklmno",
    "-----BEGIN RSA PRIVATE KEY-----\nMIIE",
    "https://user:hunter22@example.org/",
]
HARMLESS = [
    "desk-lamp-with-a-long-name-2024-edition",
    "class='sk-loading-animation-of-the-page'",
    "Bearer tokens are described below, in section 3",
    "AKIA is the prefix of an access key",
    "hf_hub_download(repo_id, filename)",
    "http://localhost:8000/v1/chat/completions",
    "-----BEGIN PUBLIC KEY-----",
    "0123456789abcdef" * 4,
]


@pytest.mark.parametrize("text", SHAPED)
def test_a_text_with_the_shape_of_a_key_is_found(text: str) -> None:
    """At the start of a file, within a line, after a line break in JSON."""
    for before, after in (("", ""), ("see ", " there"), ('{"a": "x\\n', '"}')):
        found = list(Search({}).findings(member("a.txt", (before + text + after).encode())))
        assert found, before


def test_a_text_that_only_resembles_a_key_is_not_found() -> None:
    assert not list(Search({}).findings(member("a.txt", "\n".join(HARMLESS).encode())))


@pytest.mark.parametrize("offset", [0, 1, 10, 30, LONGEST - 1, LONGEST, LONGEST + 1, 2 * LONGEST])
def test_a_key_across_two_pieces_of_a_file_is_found_once(offset: int, tmp_path: Path) -> None:
    """Files are read in pieces; a key that spans two of them is one finding, with line and whole text."""
    key = f"sk-{A40}".encode()
    path = tmp_path / "x.log"
    path.write_bytes(b"\n" * (CHUNK_BYTES - offset - 1) + b" " + key + b"\n" + b"x\n" * CHUNK_BYTES)
    (finding,) = Search({}).findings(member("x.log", path))
    (whole,) = Search({}).findings(member("x.log", key))
    assert finding.fingerprint == whole.fingerprint
    assert finding.place == f"line {CHUNK_BYTES - offset:,}"


def test_keys_in_binary_values_are_found_without_building_the_document() -> None:
    """A cassette is parsed, not built: tags of Python and aliases that double again and again are text."""
    key = f"sk-{A40}".encode()
    bomb = "".join(f"a{n}: &a{n} [*a{n - 1}, *a{n - 1}]\n" for n in range(1, 64))
    document = f"a0: &a0 [x]\n{bomb}b: !!python/name:os.system\nc: !!binary {b64encode(key).decode()}\n"
    (finding,) = Search({}).findings(member("x.yaml", document.encode()))
    (plain,) = Search({}).findings(member("x.log", key))
    assert (finding.place, finding.fingerprint) == ("a binary part", plain.fingerprint)


def test_values_of_the_environment_are_searched_for() -> None:
    """Those that are named or whose name is that of a key; short ones are not. Forms: test_secrets."""
    variables = {"K": "a secret/with+signs", "SHORT_KEY": "abc", "MY_TOKEN": "t" * 16, "PATH": "/bin" * 9}
    found = named_secrets(variables, ["K"])
    assert found == {"K": "a secret/with+signs", "MY_TOKEN": "t" * 16}
    (finding,) = Search(found).findings(member("a.txt", b"q=a+secret%2Fwith%2Bsigns"))
    assert finding.what == "the value of K"


PLACES = {
    "see /home/alice/x/y.py:12": "see .../y.py:12",
    "/home/alice": ".../user",
    "'/opt/a b/c' (/usr/bin/bash)": "'.../a b/c' (.../bash)",
    "--data=/srv/data/entries": "--data=.../entries",
    "http://host:8000/v1/models": "http://host:8000/v1/models",
    "results/small/tables and/or 21/11/2026": "results/small/tables and/or 21/11/2026",
    "</div></p>": "</div></p>",
    "host: node17": "host: ...",
}


def test_paths_and_hosts_are_redacted() -> None:
    """Absolute paths keep their last part; relative paths, URLs and dates are unchanged."""
    assert {text: without_paths(text) for text in PLACES} == PLACES


def test_a_file_that_changes_during_archiving_is_not_archived(tmp_path: Path) -> None:
    """Only the bytes that were searched and hashed are written."""
    path = tmp_path / "x.log"
    path.write_text("before")
    found = member("results/a/logs/x.log", path)
    path.write_text("after!")
    with pytest.raises(ArchiveError, match="changed while it was archived"):
        write_archive(tmp_path / "x.zip", [member(METADATA, b"{}"), found])
    assert sorted(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("name", ["../x", "results/a/logs/x\\y", "data/entries/x.parquet"])
def test_names_that_cannot_be_read_back_are_not_written(name: str, tmp_path: Path) -> None:
    with pytest.raises(ArchiveError, match="cannot be archived"):
        write_archive(tmp_path / "x.zip", [member(name, b"x")])
    twins = [member(f"results/a/logs/{model}/x.log", b"") for model in ("qwen", "Qwen")]
    with pytest.raises(ArchiveError, match="one file where case does not count"):
        write_archive(tmp_path / "x.zip", twins)


def test_a_file_that_compresses_too_well_is_stored(tmp_path: Path) -> None:
    """A log of equal lines would be refused as a zip bomb; it is stored so that it can be read back."""
    text = b"waiting\n" * 1_000_000
    write_archive(tmp_path / "x.zip", [member("results/a/logs/x.log", text)])
    with SealedArchive(tmp_path / "x.zip") as opened:
        assert b"".join(opened.chunks("results/a/logs/x.log")) == text
        assert not opened.members["results/a/logs/x.log"].deflated
