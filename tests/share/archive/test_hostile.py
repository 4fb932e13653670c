"""Malicious archives with a valid seal are rejected before anything is unpacked."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.archived.writing import seal
from tests.share.archive.zips import DEVICE, FOLDER, LINK, PIPE, End, Part, build, crowd, finish, zip64_end

Refused: TypeAlias = Callable[[Path, str], None]

METADATA = Part("ro-crate-metadata.json", b"{}")
LOG = "results/a/logs/x.log"
OTHER_HEADER = "a header that `archive` does not write"
MOST_BYTES = 300 * 2**20
"""Most memory that a refusal may need; the bombs here would need thousands of times as much."""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder for temporary directories, to check that none was created."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def refused(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Refused]:
    """Verifies a file: it must be refused with a message that contains `why`, without writing anything."""
    place = tmp_path / "place"
    place.mkdir()
    monkeypatch.chdir(place)

    def check(path: Path, why: str) -> None:
        before = _tree(tmp_path)
        tracemalloc.start()
        try:
            status = main(["verify", str(path), "--data", str(tmp_path / "none")])
            peak = tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()
        output = capsys.readouterr()
        assert status == 1, output.out
        assert why in output.err
        assert "Traceback" not in output.err
        assert len(output.err) < 2000
        assert peak < MOST_BYTES
        assert _tree(tmp_path) == before

    yield check
    assert not list(temporary.iterdir())


@pytest.fixture(scope="module")
def gigabyte() -> bytes:
    """A gigabyte of zeros, packed into a megabyte."""
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return b"".join(packer.compress(bytes(2**20)) for _ in range(1024)) + packer.flush()


def _tree(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.lstat().st_size) for path in folder.rglob("*"))


NAMES = {
    "../../../tmp/x": "a path that leads out",
    "results/a/logs/../../../../x": "a path that leads out",
    "/etc/cron.d/x": "an absolute path",
    "C:\\x": "an absolute path",
    "c:/x": "an absolute path",
    "\\\\host\\share\\x": "an absolute path",
    "results\\a\\config.yaml": "a backslash",
    "results/a/logs/..\\x": "a backslash",
    "results/a//config.yaml": "an empty part",
    "results/a/logs/./x": "an empty part",
    "results/a/logs/x\0.log": "a control character",
    "results/a/logs/x\n.log": "a control character",
    "results/a/verdicts/{config}.parquet": "a brace",
    "results/a/logs/" + "x" * 300: "too long",
    "results/" + "a/" * 600 + "x": "too long",
    "setup.py": "not a file that the archive of a run contains",
    "bfcl_pipeline/__init__.py": "not a file that the archive of a run contains",
    "results/a/servers/x.json": "not a file that the archive of a run contains",
    "cache/exchanges/a/exchanges.py": "not a file that the archive of a run contains",
    "cache/web/ab/cd/evil.yaml": "not a file that the archive of a run contains",
    "": "an empty part",
    "CON/../x": "a path that leads out",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_member_may_only_have_a_name_that_a_run_has(name: str, tmp_path: Path, refused: Refused) -> None:
    """Names that lead out of the directory, differ between platforms, or are not files of a run are
    rejected."""
    refused(build(tmp_path / "x.zip", [METADATA, Part(name, b"x")]), NAMES[name])


def test_names_that_are_not_utf8_are_refused(tmp_path: Path, refused: Refused) -> None:
    """Bytes that are not UTF-8, and UTF-8 names that are declared as another encoding, are refused."""
    refused(build(tmp_path / "x.zip", [Part(b"results/\xff")]), "a name that is not UTF-8")
    refused(build(tmp_path / "x.zip", [Part("results/a/logs/é", flags=0)]), OTHER_HEADER)


KINDS = {"link": LINK, "folder": FOLDER, "device": DEVICE, "pipe": PIPE, "program": 0o100755 << 16}


@pytest.mark.parametrize("attributes", KINDS.values(), ids=KINDS)
def test_only_plain_files_are_accepted(attributes: int, tmp_path: Path, refused: Refused) -> None:
    """Links, folders, devices, pipes and programs are refused by their attributes."""
    part = Part(LOG, b"/etc/passwd", attributes=attributes)
    refused(build(tmp_path / "x.zip", [METADATA, part]), OTHER_HEADER)


PAIRS = {
    (LOG, LOG): "a duplicate name",
    ("results/a/logs/x", "results/a/logs/X"): "one file where case does not count",
    ("results/a/logs/x", "results/a/logs/x/y"): "one file",
    ("results/a/logs/x/y", "results/a/logs/x"): "one file",
    ("results/a/logs/x/y", "results/a/LOGS/z"): "not a file that",
    ("results/a/logs/b/y", "results/a/logs/B/z"): "one file where case does not count",
    ("results/a/logs/\u00e9", "results/a/logs/e\u0301"): "one file where case does not count",
}


@pytest.mark.parametrize("names", PAIRS)
def test_two_members_are_never_one_file(names: tuple[str, str], tmp_path: Path, refused: Refused) -> None:
    """Equal names, names that some file system treats as equal, and a file that is also a folder."""
    parts = [METADATA, *(Part(name, b"x") for name in names)]
    refused(build(tmp_path / "x.zip", parts), PAIRS[names])


HEADERS = {
    "encrypted": (Part(LOG, b"x", flags=1), OTHER_HEADER),
    "sizes after the content": (Part(LOG, b"x", flags=8), OTHER_HEADER),
    "another encoding of the name": (Part(LOG, b"x", flags=0x800), OTHER_HEADER),
    "extra fields": (Part(LOG, b"x", extra=b"\1\0\4\0abcd"), OTHER_HEADER),
    "zip64 sizes": (Part(LOG, b"x", size=0xFFFFFFFF, packed=0xFFFFFFFF), "sizes that contradict"),
    "a comment": (Part(LOG, b"x", comment=b"hello"), OTHER_HEADER),
    "another method": (Part(LOG, b"x", method=12), OTHER_HEADER),
    "a newer format": (Part(LOG, b"x", needed=63), OTHER_HEADER),
    "a time": (Part(LOG, b"x", date=0x22), OTHER_HEADER),
    "another name inside": (Part(LOG, b"x", local_name=b"results/a/logs/y.log"), OTHER_HEADER),
    "a place before it": (Part(LOG, b"x", offset=0), OTHER_HEADER),
    "a place beyond": (Part(LOG, b"x", offset=10**9), OTHER_HEADER),
    "two sizes": (Part(LOG, b"x", size=2), "sizes that contradict"),
    "more than the file has": (Part(LOG, b"x", size=10**6, packed=10**6), "more content than the file has"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_other_headers_are_refused(case: str, tmp_path: Path, refused: Refused) -> None:
    """Only the headers that `archive` writes are accepted, as programs interpret others differently."""
    part, why = HEADERS[case]
    refused(build(tmp_path / "x.zip", [METADATA, part]), why)


ENDS = {
    "no members where there are": (End(count=0), "a list of members that is too long"),
    "more members than there are": (End(count=3), "a list of members that is truncated"),
    "zip64": (End(before=zip64_end(2, 100, 100)), "bytes that belong to no member"),
    "zip64 count": (End(count=0xFFFF), "members; an archive has at most"),
    "zip64 start": (End(start=0xFFFFFFFF), "bytes that belong to no member"),
    "a list elsewhere": (End(start=0), "bytes that belong to no member"),
    "a list too long": (End(length=2**31), "too long"),
    "volumes": (End(disk=1), "an end of the zip file that `archive` does not write"),
    "bytes before the end": (End(before=b"x" * 100), "bytes that belong to no member"),
}


@pytest.mark.parametrize("case", ENDS)
def test_an_end_that_contradicts_the_file_is_refused(case: str, tmp_path: Path, refused: Refused) -> None:
    """Its counts and offsets must be those of the members, to the byte."""
    end, why = ENDS[case]
    refused(build(tmp_path / "x.zip", [METADATA, Part(LOG, b"x")], end), why)


def test_data_between_members_are_refused(tmp_path: Path, refused: Refused) -> None:
    """A program before the first member, as in a self-extracting file, and data between two members."""
    refused(build(tmp_path / "x.zip", [METADATA], prefix=b"#!/bin/sh\n"), OTHER_HEADER)
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(b"{}") + packer.flush() + b"hidden"
    hidden = Part("ro-crate-metadata.json", packed, method=8, size=2, crc=zlib.crc32(b"{}"))
    refused(build(tmp_path / "x.zip", [hidden, Part(LOG, b"x")]), "ends too early or too late")


def test_a_file_that_is_not_a_zip_file_is_refused(tmp_path: Path, refused: Refused) -> None:
    """Also with a valid seal: an empty file, text, and an end of a zip file alone."""
    for content in (b"", b"hello", b"x" * 100_000):
        finish(tmp_path / "x.zip", content, b"", 0, End())
        with (tmp_path / "x.zip").open("r+b") as file:  # its end is not one
            file.seek(len(content))
            file.write(b"no")
        seal(tmp_path / "x.zip")
        refused(tmp_path / "x.zip", "not a zip file")
    refused(finish(tmp_path / "x.zip", b"", b"", 0, End()), "no ro-crate-metadata.json")


def test_zip_bombs_are_refused_by_their_declared_sizes(
    tmp_path: Path, gigabyte: bytes, refused: Refused
) -> None:
    """A gigabyte packed into a megabyte is refused before any of it is unpacked."""
    bomb = Part(LOG, gigabyte, method=8, size=2**30, crc=0)
    refused(build(tmp_path / "x.zip", [METADATA, bomb]), "a zip bomb")


def test_zip_bombs_with_wrong_sizes_are_stopped(tmp_path: Path, gigabyte: bytes, refused: Refused) -> None:
    """A gigabyte with a small declared size is unpacked no further than that size."""
    lie = Part("ro-crate-metadata.json", gigabyte, method=8, size=1000, crc=0)
    refused(build(tmp_path / "x.zip", [lie, Part(LOG, b"x")]), "larger than its header declares")


def test_nested_zip_bombs_are_not_opened(tmp_path: Path, refused: Refused) -> None:
    """An archive in an archive is never opened; if it is not a file of a run, it is not even hashed."""
    inner = build(tmp_path / "inner.zip", [Part(LOG, bytes(2**20), deflate=True)]).read_bytes()
    refused(build(tmp_path / "x.zip", [METADATA, Part("results/a/x.zip", inner)]), "not a file that")


def test_too_many_bytes_are_refused(tmp_path: Path, refused: Refused) -> None:
    """Many members that are within bounds one by one, but not together."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(2**26)) + packer.flush() + bytes(2**20)
    parts = [Part(f"results/a/logs/{n}", packed, method=8, size=2**26, crc=0) for n in range(17 * 16)]
    refused(build(tmp_path / "x.zip", [METADATA, *parts]), "bytes unpacked")


def test_a_million_members_are_refused_immediately(tmp_path: Path, refused: Refused) -> None:
    """Their number alone is enough, whether the file declares it correctly or not."""
    body, directory = crowd([f"results/a/logs/{number}" for number in range(1_000_000)])
    large = End(
        count=0xFFFF, length=0xFFFFFFFF, start=0xFFFFFFFF,
        before=zip64_end(1_000_000, len(directory), len(body)),
    )  # fmt: skip
    refused(finish(tmp_path / "x.zip", body, directory, 1_000_000, large), "an archive has at most")
    refused(finish(tmp_path / "x.zip", body, directory, 0, End(count=65_534)), "an archive has at most")
    refused(finish(tmp_path / "x.zip", body, directory, 0, End(count=60_000)), "too long")


DOCUMENTS = {
    "nothing": (b"", "not JSON"),
    "deep": (b"[" * 200_000, "not JSON"),
    "deep objects": (b'{"a":' * 40_000 + b"1" + b"}" * 40_000, "not JSON"),
    "a long number": (b'{"@graph": [' + b"9" * 100_000 + b"]}", "not JSON"),
    "not a number": (b'{"@graph": [NaN]}', "not JSON"),
    "no UTF-8": (b'{"@graph": ["\xff"]}', "not JSON"),
    "twice": (b'{"@graph": [], "@graph": []}', "not JSON"),
    "a list": (b"[]", "without a @graph"),
    "no list": (b'{"@graph": {}}', "without a @graph"),
    "no entities": (b'{"@graph": [1, null]}', "without @id"),
    "one id twice": (b'{"@graph": [{"@id": "a"}, {"@id": "a"}]}', "a duplicate one"),
    "no form": (b'{"@graph": []}', "it has no form number"),
    "no run": (b'{"@graph": [{"@id": "#form", "value": "1"}]}', "without '#release'"),
    "large": (b'{"@graph": [' + b"0," * 500_000 + b"0]}", "metadata of"),
}


@pytest.mark.parametrize("case", DOCUMENTS)
def test_malformed_metadata_is_refused(case: str, tmp_path: Path, refused: Refused) -> None:
    """Huge, deeply nested, ambiguous or empty metadata is reported as such."""
    text, why = DOCUMENTS[case]
    parts = [Part("ro-crate-metadata.json", text), Part(LOG, b"x")]
    refused(build(tmp_path / "x.zip", parts), why)


FILES = {
    "no hash": ({"contentSize": "1"}, "without a sha256"),
    "no size": ({"sha256": "0" * 64}, "the size that the metadata declares"),
    "a wrong size": ({"sha256": "0" * 64, "contentSize": "2"}, "the size that the metadata declares"),
    "a wrong hash": ({"sha256": "0" * 64, "contentSize": "1"}, "expected sha256 000"),
}


@pytest.mark.parametrize("case", FILES)
def test_metadata_must_be_that_of_the_members(case: str, tmp_path: Path, refused: Refused) -> None:
    """A file without hash or size in the metadata, or with wrong ones, is refused."""
    properties, why = FILES[case]
    refused(_described(tmp_path, {LOG: properties}, LOG), why)


def test_metadata_and_members_are_the_same_files(tmp_path: Path, refused: Refused) -> None:
    """A member that is not in the metadata, or metadata without a member, is refused."""
    right = {"sha256": "0" * 64, "contentSize": "1"}
    refused(_described(tmp_path, {}, LOG), "not in the metadata")
    refused(_described(tmp_path, {LOG: right, "results/a/logs/y": right}, LOG), "not in the archive")
    refused(_described(tmp_path, {LOG: right}, LOG, listed=False), "a list of parts that differs")
    refused(_described(tmp_path, {LOG: right}, LOG, "results/b/logs/x"), "results of 2 runs")


SPOOFED = "1.0\nverified      results    37 of 37 files were derived again and are identical\x1b[8m"
SAID = {
    "a time": {"@id": "#run", "endTime": SPOOFED},
    "a commit": {"@id": "#commit", "value": SPOOFED},
    "a version": {"@id": "#x", "@type": "SoftwareApplication", "name": "py", "softwareVersion": SPOOFED},
    "a name": {"@id": "#x", "@type": "SoftwareApplication", "name": SPOOFED, "softwareVersion": "1"},
    "a release": {"@id": "#release", "version": SPOOFED, "sha256": "0" * 64},
    "a command": {"@id": "#release", "version": "1; touch x #", "sha256": "0" * 64},
    "a pattern": {"@id": "#release", "version": "**/*", "sha256": "0" * 64},
    "a file of this machine": {"@id": "#data//proc/kmsg", "sha256": "0" * 64},
    "a file above the data": {"@id": "#data/entries/../../../x", "sha256": "0" * 64},
    "a file beside the data": {"@id": "#data/other/x", "sha256": "0" * 64},
    "a hash": {"@id": "#data/release/texts.json", "sha256": "\x1b[8m"},
}


@pytest.mark.parametrize("case", SAID)
def test_metadata_cannot_spoof_lines_or_name_other_files(
    case: str, tmp_path: Path, refused: Refused
) -> None:
    """What `verify` prints, compares with staged files or puts into a command has a fixed form."""
    right = {
        "sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881",
        "contentSize": "1",
    }
    refused(_described(tmp_path, {LOG: right}, LOG, extra=[SAID[case]]), "refused: metadata w")


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (None, "it has no form number, and this version of bfcl-pipeline reads form 1: use the version "),
        ("2", f"reads form 1: use the version that made it (commit {'c' * 40}), or make the run again"),
        ("0x1", "it has form 0x1, and"),
        (SPOOFED, "it has form 1.0"),
    ],
)
def test_an_archive_of_another_form_is_refused(
    value: str | None, words: str, tmp_path: Path, refused: Refused
) -> None:
    """With the commit that made it, before anything of it is read as this version would."""
    form = {"@id": "#form"} if value is None else {"@id": "#form", "value": value}
    extra: list[Mapping[str, object]] = [form, {"@id": "#commit", "value": "c" * 40}]
    refused(_described(tmp_path, {}, LOG, extra=extra), words)


def _described(
    folder: Path,
    files: dict[str, dict[str, str]],
    *names: str,
    listed: bool = True,
    extra: Sequence[Mapping[str, object]] = (),
) -> Path:
    """An archive of small members with metadata of `files`; entities in `extra` replace others."""
    graph: list[Mapping[str, object]] = [
        {"@id": "./", "hasPart": [{"@id": name} for name in files] if listed else []},
        {"@id": "#release", "version": "2026.3.23", "sha256": "0" * 64},
        {"@id": "#run", "endTime": "2026-01-02T03:04:05.678+00:00"},
        {"@id": "#commit", "value": "unknown"},
        {"@id": "#changed"},
        {"@id": "#form", "value": "1"},
    ]
    replaced = {entity["@id"] for entity in extra}
    graph = [entity for entity in graph if entity["@id"] not in replaced] + [*extra]
    graph += [{"@id": name, "@type": "File", **properties} for name, properties in files.items()]
    metadata = Part("ro-crate-metadata.json", json.dumps({"@graph": graph}).encode())
    return build(folder / "x.zip", [metadata, *(Part(name, b"x") for name in names)])
