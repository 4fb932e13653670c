"""Malicious archives with a valid seal are rejected before anything is unpacked."""

from __future__ import annotations

import json
import tracemalloc
import zlib
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TypeAlias

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.runs.archived.members import rejection_reason
from bfcl_pipeline.runs.archived.writing import seal
from tests.share.archive.zips import DEVICE, FOLDER, LINK, PIPE, End, Part, build, crowd, finish, zip64_end

Attack: TypeAlias = Callable[[Path], Path]
"""Writes a malicious file to a path, and returns it."""

METADATA = Part("ro-crate-metadata.json", b"{}")
LOG = "results/a/logs/x.log"
OTHER_HEADER = "a header that `archive` does not write"
NOT_OF_A_RUN = "not a file that the archive of a run contains"
MOST_BYTES = 300 * 2**20
"""Most memory that a refusal may need; the bombs here would need thousands of times as much."""


def zipped(*parts: Part, end: End | None = None, prefix: bytes = b"") -> Attack:
    return lambda path: build(path, parts, end, prefix)


def with_log(end: End) -> Attack:
    return zipped(METADATA, Part(LOG, b"x"), end=end)


def with_metadata(text: bytes) -> Attack:
    return zipped(Part("ro-crate-metadata.json", text), Part(LOG, b"x"))


def described(
    files: Mapping[str, Mapping[str, str]],
    *names: str,
    listed: bool = True,
    extra: Sequence[Mapping[str, object]] = (),
) -> Attack:
    """Small members with metadata of `files`; entities in `extra` replace others."""
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
    return zipped(metadata, *(Part(name, b"x") for name in names))


def of_form(value: str | None) -> Attack:
    form = {"@id": "#form"} if value is None else {"@id": "#form", "value": value}
    return described({}, LOG, extra=[form, {"@id": "#commit", "value": "c" * 40}])


def without_end(content: bytes) -> Attack:
    """A file with a valid seal whose end is not that of a zip file."""

    def attack(path: Path) -> Path:
        finish(path, content, b"", 0, End())
        with path.open("r+b") as file:
            file.seek(len(content))
            file.write(b"no")
        seal(path)
        return path

    return attack


@cache
def gigabyte() -> bytes:
    packer = zlib.compressobj(6, zlib.DEFLATED, -15)
    return b"".join(packer.compress(bytes(2**20)) for _ in range(1024)) + packer.flush()


def bomb(size: int) -> Attack:
    """A member that unpacks to a gigabyte and declares another size, or that one."""
    lie = size < 2**30
    name = "ro-crate-metadata.json" if lie else LOG  # the metadata are unpacked first

    def attack(path: Path) -> Path:
        part = Part(name, gigabyte(), method=8, size=size, crc=0)
        return build(path, [part, Part(LOG, b"x")] if lie else [METADATA, part])

    return attack


@cache
def million() -> tuple[bytes, bytes]:
    return crowd([f"results/a/logs/{number}" for number in range(1_000_000)])


def crowded(count: int, zip64: bool = False) -> Attack:
    """A million members, of which the end declares `count`; zip64: also the extension, and rightly."""

    def attack(path: Path) -> Path:
        body, listed = million()
        if not zip64:
            return finish(path, body, listed, 0, End(count=count))
        before = zip64_end(1_000_000, len(listed), len(body))
        end = End(count=count, length=0xFFFFFFFF, start=0xFFFFFFFF, before=before)
        return finish(path, body, listed, 1_000_000, end)

    return attack


def hidden(path: Path) -> Path:
    """Bytes after the end of a packed member, before the next member."""
    packer = zlib.compressobj(wbits=-15)
    packed = packer.compress(b"{}") + packer.flush() + b"hidden"
    first = Part("ro-crate-metadata.json", packed, method=8, size=2, crc=zlib.crc32(b"{}"))
    return build(path, [first, Part(LOG, b"x")])


def heavy(path: Path) -> Path:
    """Many members that are within bounds one by one, but not together."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    packed = packer.compress(bytes(2**26)) + packer.flush() + bytes(2**20)
    parts = [Part(f"results/a/logs/{n}", packed, method=8, size=2**26, crc=0) for n in range(17 * 16)]
    return build(path, [METADATA, *parts])


def nested(path: Path) -> Path:
    inner = build(path, [Part(LOG, bytes(2**20), deflate=True)]).read_bytes()
    return build(path, [METADATA, Part("results/a/x.zip", inner)])


REPORT, RECORDS = "results/mini/report", "cache/exchanges/a/provenance"
NAMES = {
    "a path that leads out": ["../../../tmp/x", "results/a/logs/../../../../x", "CON/../x"],
    "an absolute path": ["/etc/cron.d/x", "C:\\x", "c:/x", "\\\\host\\share\\x"],
    "a backslash": ["results\\a\\config.yaml", "results/a/logs/..\\x"],
    "an empty part": ["results/a//config.yaml", "results/a/logs/./x", ""],
    "a control character": ["results/a/logs/x\0.log", "results/a/logs/x\n.log"],
    "a brace": ["results/a/verdicts/{config}.parquet"],
    "too long": ["results/a/logs/" + "x" * 300, "results/" + "a/" * 600 + "x"],
    NOT_OF_A_RUN: [
        *(f"{REPORT}/{name}" for name in ("e3.html", "a/e3.js", ".e3.js", "e3.js.exe", "E 3.js")),
        *(f"{RECORDS}/{name}" for name in ("mine.json", "0" * 63 + ".json", "A" * 64 + ".json")),
        *(f"{RECORDS}/{name}" for name in ("0" * 64, "x/y.json")),
        *("setup.py", "bfcl_pipeline/__init__.py", "results/a/servers/x.json"),
        *("cache/exchanges/a/exchanges.py", "cache/web/ab/cd/evil.yaml"),
    ],
}

KINDS = {"link": LINK, "folder": FOLDER, "device": DEVICE, "pipe": PIPE, "program": 0o100755 << 16}

PAIRS = {
    (LOG, LOG): "a duplicate name",
    ("results/a/logs/x", "results/a/logs/X"): "one file where case does not count",
    ("results/a/logs/x", "results/a/logs/x/y"): "one file",
    ("results/a/logs/x/y", "results/a/logs/x"): "one file",
    ("results/a/logs/x/y", "results/a/LOGS/z"): "not a file that",
    ("results/a/logs/b/y", "results/a/logs/B/z"): "one file where case does not count",
    ("results/a/logs/\u00e9", "results/a/logs/e\u0301"): "one file where case does not count",
}

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

FILES = {
    "no hash": ({"contentSize": "1"}, "without a sha256"),
    "no size": ({"sha256": "0" * 64}, "the size that the metadata declares"),
    "a wrong size": ({"sha256": "0" * 64, "contentSize": "2"}, "the size that the metadata declares"),
    "a wrong hash": ({"sha256": "0" * 64, "contentSize": "1"}, "expected sha256 000"),
}

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

RIGHT = {"sha256": "2d711642b726b04401627ca9fbac32f5c8530fb1903cc4db02258717921a4881", "contentSize": "1"}
"""The metadata of a member that is the letter x."""

ZEROS = {"sha256": "0" * 64, "contentSize": "1"}

ATTACKS: Sequence[tuple[str, Attack, str]] = [
    # Names that lead out of the directory, differ between platforms, or are not files of a run.
    *(
        (f"name {name!r:.60}", zipped(METADATA, Part(name, b"x")), why)
        for why, names in NAMES.items()
        for name in names
    ),
    ("a name that is not UTF-8", zipped(Part(b"results/\xff")), "a name that is not UTF-8"),
    ("a UTF-8 name declared as another encoding", zipped(Part("results/a/logs/é", flags=0)), OTHER_HEADER),
    # Links, folders, devices, pipes and programs, by their attributes.
    *(
        (kind, zipped(METADATA, Part(LOG, b"/etc/passwd", attributes=attributes)), OTHER_HEADER)
        for kind, attributes in KINDS.items()
    ),
    # Equal names, names that some file system treats as equal, and a file that is also a folder.
    *(
        (f"{one!r} and {two!r}", zipped(METADATA, Part(one, b"x"), Part(two, b"x")), why)
        for (one, two), why in PAIRS.items()
    ),
    # Headers other than those that `archive` writes: programs interpret them differently.
    *((case, zipped(METADATA, part), why) for case, (part, why) in HEADERS.items()),
    # An end that contradicts the file: its counts and offsets are those of the members, to the byte.
    *((f"an end with {case}", with_log(end), why) for case, (end, why) in ENDS.items()),
    ("a program before the first member", zipped(METADATA, prefix=b"#!/bin/sh\n"), OTHER_HEADER),
    ("bytes between two members", hidden, "ends too early or too late"),
    ("an empty file", without_end(b""), "not a zip file"),
    ("a text", without_end(b"hello"), "not a zip file"),
    ("a long text", without_end(b"x" * 100_000), "not a zip file"),
    ("an end alone", zipped(), "no ro-crate-metadata.json"),
    # Bombs: refused by what their headers declare, and unpacked no further than that.
    ("a gigabyte", bomb(2**30), "a zip bomb"),
    ("a gigabyte that declares a kilobyte", bomb(1000), "larger than its header declares"),
    ("a bomb in an archive in the archive", nested, "not a file that"),
    ("too many bytes together", heavy, "bytes unpacked"),
    ("a million members", crowded(0xFFFF, zip64=True), "an archive has at most"),
    ("a million members, 65,534 declared", crowded(65_534), "an archive has at most"),
    ("a million members, 60,000 declared", crowded(60_000), "too long"),
    # Huge, deeply nested, ambiguous or empty metadata.
    *((f"metadata: {case}", with_metadata(text), why) for case, (text, why) in DOCUMENTS.items()),
    # Metadata and members are the same files.
    *((f"a file with {case}", described({LOG: of}, LOG), why) for case, (of, why) in FILES.items()),
    ("a member that is not described", described({}, LOG), "not in the metadata"),
    ("a missing member", described({LOG: ZEROS, "results/a/logs/y": ZEROS}, LOG), "not in the archive"),
    ("a list without parts", described({LOG: ZEROS}, LOG, listed=False), "a list of parts that differs"),
    ("two runs", described({LOG: ZEROS}, LOG, "results/b/logs/x"), "results of 2 runs"),
    # What `verify` prints, compares with staged files or puts into a command has a fixed form.
    *(
        (f"spoofed by {case}", described({LOG: RIGHT}, LOG, extra=[entity]), "refused: metadata w")
        for case, entity in SAID.items()
    ),
    # A run of another form is not read as one of this form; the commit that made it is named.
    ("no form", of_form(None), "no form number, and this version of bfcl-pipeline reads form 1: use the "),
    ("a later form", of_form("2"), f"reads form 1: use the version that made it (commit {'c' * 40}), or "),
    ("a form in other digits", of_form("0x1"), "it has form 0x1, and"),
    ("a form that spoofs", of_form(SPOOFED), "it has form 1.0"),
]
"""Each attack, by name, and the words of its refusal."""


@pytest.mark.parametrize(
    ("attack", "refusal"), [pytest.param(attack, why, id=name) for name, attack, why in ATTACKS]
)
def test_a_malicious_archive_is_refused(
    attack: Attack,
    refusal: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """With one short message, in little memory, and without writing anything, also for a while."""
    for name in ("temporary", "place"):
        (tmp_path / name).mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    monkeypatch.chdir(tmp_path / "place")
    path = attack(tmp_path / "x.zip")
    before = _tree(tmp_path)
    tracemalloc.start()
    try:
        status = main(["verify", str(path), "--data", str(tmp_path / "none")])
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    output = capsys.readouterr()
    assert status == 1, output.out
    assert refusal in output.err
    assert "Traceback" not in output.err
    assert len(output.err) < 2000
    assert peak < MOST_BYTES
    assert _tree(tmp_path) == before


def _tree(folder: Path) -> list[tuple[str, int]]:
    return sorted((str(path), path.lstat().st_size) for path in folder.rglob("*"))


def test_files_of_a_run_may_be_members() -> None:
    """Conversations that the page loads have names of letters and digits, records those of digests."""
    record = f"cache/exchanges/a/provenance/{'0' * 64}.json"
    for name in ("results/mini/report/e3.js", "results/mini/report/a12c3.js", record):
        assert rejection_reason(name) is None
