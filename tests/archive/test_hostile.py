"""Archives made by an enemy, who knows form and seal: each is refused before anything is unpacked."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TypeAlias

import pytest
from zips import DEVICE, FOLDER, LINK, PIPE, End, Part, build, crowd, finish, zip64_end

from bfcl_pipeline.cli import main

Refused: TypeAlias = Callable[[Path, str], None]

METADATA = Part("ro-crate-metadata.json", b"{}")
LOG = "results/a/logs/x.log"
MOST_BYTES = 300 * 2**20
"""What refusing may need at most; the bombs here would need thousands of times as much."""


@pytest.fixture
def temporary(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Where temporary folders are made, so that it can be seen whether one was."""
    folder = tmp_path / "temporary"
    folder.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(folder))
    return folder


@pytest.fixture
def refused(
    tmp_path: Path, temporary: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Iterator[Refused]:
    """Verifies a file, which must be refused with a message that says `why`, and nothing may be written."""
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
        told = capsys.readouterr()
        assert status == 1, told.out
        assert why in told.err
        assert "Traceback" not in told.err
        assert len(told.err) < 2000
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
    "results/a/logs/x\0.log": "no text",
    "results/a/logs/x\n.log": "no text",
    "results/a/verdicts/{config}.parquet": "a brace",
    "results/a/logs/" + "x" * 300: "too long",
    "results/" + "a/" * 600 + "x": "too long",
    "setup.py": "no file that the archive of a run has",
    "bfcl_pipeline/__init__.py": "no file that the archive of a run has",
    "results/a/servers/x.json": "no file that the archive of a run has",
    "cache/exchanges/a/exchanges.py": "no file that the archive of a run has",
    "cache/web/ab/cd/evil.yaml": "no file that the archive of a run has",
    "": "an empty part",
    "CON/../x": "a path that leads out",
}


@pytest.mark.parametrize("name", NAMES)
def test_a_member_may_only_have_a_name_that_a_run_has(name: str, tmp_path: Path, refused: Refused) -> None:
    """Names that lead out of the folder, mean something elsewhere, or belong to no run are refused."""
    refused(build(tmp_path / "x.zip", [METADATA, Part(name, b"x")]), NAMES[name])


def test_names_that_are_no_text_are_refused(tmp_path: Path, refused: Refused) -> None:
    """Bytes that are no UTF-8, or UTF-8 that says it is ASCII, are no name."""
    refused(build(tmp_path / "x.zip", [Part(b"results/\xff")]), "a name that is no text")
    refused(build(tmp_path / "x.zip", [Part("results/é", flags=0)]), "a name that is no text")


KINDS = {
    LINK: "a link",
    FOLDER: "a folder",
    DEVICE: "a device",
    PIPE: "a device",
    0o100755 << 16: "permissions",
}


@pytest.mark.parametrize("attributes", KINDS)
def test_only_plain_files_are_taken(attributes: int, tmp_path: Path, refused: Refused) -> None:
    """Links, folders, devices, pipes and programs are refused by what they are."""
    part = Part(LOG, b"/etc/passwd", attributes=attributes)
    refused(build(tmp_path / "x.zip", [METADATA, part]), KINDS[attributes])


PAIRS = {
    (LOG, LOG): "a name twice",
    ("results/a/logs/x", "results/a/logs/X"): "one file where case does not count",
    ("results/a/logs/x", "results/a/logs/x/y"): "one file",
    ("results/a/logs/x/y", "results/a/logs/x"): "one file",
    ("results/a/logs/x/y", "results/a/LOGS/z"): "no file that",
    ("results/a/logs/b/y", "results/a/logs/B/z"): "one file where case does not count",
    ("results/a/logs/\u00e9", "results/a/logs/e\u0301"): "one file where case does not count",
}


@pytest.mark.parametrize("names", PAIRS)
def test_two_members_are_never_one_file(names: tuple[str, str], tmp_path: Path, refused: Refused) -> None:
    """Equal names, names that some file system takes for equal, and a file that is also a folder."""
    parts = [METADATA, *(Part(name, b"x") for name in names)]
    refused(build(tmp_path / "x.zip", parts), PAIRS[names])


HEADERS = {
    "encrypted": (Part(LOG, b"x", flags=0x801), "encryption"),
    "data behind it": (Part(LOG, b"x", flags=0x808), "a header that"),
    "extra fields": (Part(LOG, b"x", extra=b"\1\0\4\0abcd"), "extra fields"),
    "zip64 sizes": (Part(LOG, b"x", size=0xFFFFFFFF, packed=0xFFFFFFFF), "extensions for large"),
    "a comment": (Part(LOG, b"x", comment=b"hello"), "a comment"),
    "another method": (Part(LOG, b"x", method=12), "packed by a method"),
    "a newer format": (Part(LOG, b"x", needed=63), "a header that"),
    "a time": (Part(LOG, b"x", date=0x22), "a time that"),
    "another name inside": (Part(LOG, b"x", local_name=b"results/a/logs/y.log"), "contradict each other"),
    "a place before it": (Part(LOG, b"x", offset=0), "a place that another member has"),
    "a place beyond": (Part(LOG, b"x", offset=10**9), "a place that another member has"),
    "two sizes": (Part(LOG, b"x", size=2), "two sizes that contradict"),
    "more than the file has": (Part(LOG, b"x", size=10**6, packed=10**6), "more content than the file has"),
}


@pytest.mark.parametrize("case", HEADERS)
def test_headers_that_we_do_not_write_are_refused(case: str, tmp_path: Path, refused: Refused) -> None:
    """Whatever else a zip file can say is not read, as readers may take it differently."""
    part, why = HEADERS[case]
    refused(build(tmp_path / "x.zip", [METADATA, part]), why)


ENDS = {
    "no members where there are": (End(count=0), "a list of members that is too long"),
    "more members than there are": (End(count=3), "a list of members that is cut off"),
    "zip64": (End(before=zip64_end(2, 100, 100)), "bytes that belong to no member"),
    "zip64 count": (End(count=0xFFFF), "extensions for large"),
    "zip64 start": (End(start=0xFFFFFFFF), "extensions for large"),
    "a list elsewhere": (End(start=0), "bytes that belong to no member"),
    "a list too long": (End(length=2**31), "too long"),
    "volumes": (End(disk=1), "several volumes"),
    "bytes before the end": (End(before=b"x" * 100), "bytes that belong to no member"),
}


@pytest.mark.parametrize("case", ENDS)
def test_an_end_that_contradicts_the_file_is_refused(case: str, tmp_path: Path, refused: Refused) -> None:
    """Its counts and places have to be those of the members, to the byte."""
    end, why = ENDS[case]
    refused(build(tmp_path / "x.zip", [METADATA, Part(LOG, b"x")], end), why)


def test_nothing_may_hide_between_members(tmp_path: Path, refused: Refused) -> None:
    """A program before the first member, as of a file that unpacks itself, or a gap, is refused."""
    refused(build(tmp_path / "x.zip", [METADATA], prefix=b"#!/bin/sh\n"), "a place that another member has")


def test_what_is_no_zip_file_is_refused(tmp_path: Path, refused: Refused) -> None:
    """Also with a seal that is right: nothing at all, text, and an end alone."""
    for content in (b"", b"hello", b"x" * 100_000):
        finish(tmp_path / "x.zip", content, b"", 0, End())
        with (tmp_path / "x.zip").open("r+b") as file:  # its end is not one
            file.seek(len(content))
            file.write(b"no")
        from bfcl_pipeline.archive.seal import seal

        seal(tmp_path / "x.zip")
        refused(tmp_path / "x.zip", "no zip file")
    refused(finish(tmp_path / "x.zip", b"", b"", 0, End()), "no ro-crate-metadata.json")


def test_bombs_are_refused_by_what_they_declare(tmp_path: Path, gigabyte: bytes, refused: Refused) -> None:
    """A gigabyte packed into a megabyte is refused before any of it is unpacked."""
    bomb = Part(LOG, gigabyte, method=8, size=2**30, crc=0)
    refused(build(tmp_path / "x.zip", [METADATA, bomb]), "a bomb")


def test_bombs_that_lie_are_stopped(tmp_path: Path, gigabyte: bytes, refused: Refused) -> None:
    """A gigabyte that says it is small is unpacked no further than it says."""
    lie = Part("ro-crate-metadata.json", gigabyte, method=8, size=1000, crc=0)
    refused(build(tmp_path / "x.zip", [lie, Part(LOG, b"x")]), "larger than it says")


def test_bombs_within_bombs_are_only_bytes(tmp_path: Path, refused: Refused) -> None:
    """An archive in an archive is never opened; one that is no file of a run is not even hashed."""
    inner = build(tmp_path / "inner.zip", [Part(LOG, bytes(2**20), deflate=True)]).read_bytes()
    refused(build(tmp_path / "x.zip", [METADATA, Part("results/a/x.zip", inner)]), "no file that")


def test_more_than_there_is_room_for_is_refused(tmp_path: Path, refused: Refused) -> None:
    """Many members, each within bounds, that are too much together."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(2**26)) + packer.flush() + bytes(2**20)
    parts = [Part(f"results/a/logs/{n}", packed, method=8, size=2**26, crc=0) for n in range(17 * 16)]
    refused(build(tmp_path / "x.zip", [METADATA, *parts]), "bytes unpacked")


def test_a_million_members_are_refused_at_once(tmp_path: Path, refused: Refused) -> None:
    """Their number alone is enough, whether the file says it or hides it."""
    body, directory = crowd([f"results/a/logs/{number}" for number in range(1_000_000)])
    large = End(
        count=0xFFFF, length=0xFFFFFFFF, start=0xFFFFFFFF,
        before=zip64_end(1_000_000, len(directory), len(body)),
    )  # fmt: skip
    refused(finish(tmp_path / "x.zip", body, directory, 1_000_000, large), "extensions for large")
    refused(finish(tmp_path / "x.zip", body, directory, 0, End(count=65_534)), "no archive has more than")
    refused(finish(tmp_path / "x.zip", body, directory, 0, End(count=60_000)), "too long")


DOCUMENTS = {
    "nothing": (b"", "no JSON"),
    "deep": (b"[" * 200_000, "no JSON"),
    "deep objects": (b'{"a":' * 40_000 + b"1" + b"}" * 40_000, "no JSON"),
    "a long number": (b'{"@graph": [' + b"9" * 100_000 + b"]}", "no JSON"),
    "not a number": (b'{"@graph": [NaN]}', "no JSON"),
    "no UTF-8": (b'{"@graph": ["\xff"]}', "no JSON"),
    "twice": (b'{"@graph": [], "@graph": []}', "no JSON"),
    "a list": (b"[]", "without a @graph"),
    "no list": (b'{"@graph": {}}', "without a @graph"),
    "no entities": (b'{"@graph": [1, null]}', "no @id"),
    "one id twice": (b'{"@graph": [{"@id": "a"}, {"@id": "a"}]}', "no @id, or another's"),
    "no run": (b'{"@graph": []}', "without '#release'"),
    "large": (b'{"@graph": [' + b"0," * 500_000 + b"0]}", "metadata of"),
}


@pytest.mark.parametrize("case", DOCUMENTS)
def test_metadata_that_is_none_is_refused(case: str, tmp_path: Path, refused: Refused) -> None:
    """Huge, deeply nested, ambiguous or empty metadata is told as such."""
    text, why = DOCUMENTS[case]
    parts = [Part("ro-crate-metadata.json", text), Part(LOG, b"x")]
    refused(build(tmp_path / "x.zip", parts), why)


FILES = {
    "no hash": ({"contentSize": "1"}, "without a sha256"),
    "no size": ({"sha256": "0" * 64}, "and not what metadata says"),
    "a wrong size": ({"sha256": "0" * 64, "contentSize": "2"}, "and not what metadata says"),
    "a wrong hash": ({"sha256": "0" * 64, "contentSize": "1"}, "expected sha256 000"),
}


@pytest.mark.parametrize("case", FILES)
def test_metadata_must_be_that_of_the_members(case: str, tmp_path: Path, refused: Refused) -> None:
    """A file without hash or size, or with others than it has, is refused."""
    said, why = FILES[case]
    refused(_described(tmp_path, {LOG: said}, LOG), why)


def test_metadata_and_members_are_the_same_files(tmp_path: Path, refused: Refused) -> None:
    """A member that is not described, or a description without a member, is refused."""
    said = {"sha256": "0" * 64, "contentSize": "1"}
    refused(_described(tmp_path, {}, LOG), "not in the metadata")
    refused(_described(tmp_path, {LOG: said, "results/a/logs/y": said}, LOG), "not in the archive")
    refused(_described(tmp_path, {LOG: said}, LOG, listed=False), "whose list of parts")
    refused(_described(tmp_path, {LOG: said}, LOG, "results/b/logs/x"), "results of 2 runs")


def _described(folder: Path, files: dict[str, dict[str, str]], *names: str, listed: bool = True) -> Path:
    """An archive of small members with metadata that says `files` of them."""
    graph: list[dict[str, object]] = [
        {"@id": "./", "hasPart": [{"@id": name} for name in files] if listed else []},
        {"@id": "#release"},
        {"@id": "#run"},
        {"@id": "#commit"},
        {"@id": "#changed"},
    ]
    graph += [{"@id": name, "@type": "File", **said} for name, said in files.items()]
    metadata = Part("ro-crate-metadata.json", json.dumps({"@graph": graph}).encode())
    return build(folder / "x.zip", [metadata, *(Part(name, b"x") for name in names)])
