"""Web caches in folders, archives of runs, zip and tar files: found, unpacked within bounds, or refused."""

from __future__ import annotations

import contextlib
import gzip
import io
import stat
import tarfile
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import ArchiveError, WebError
from bfcl_pipeline.runs.archived import packed_record
from bfcl_pipeline.runs.archived.packed_record import unpack_record
from bfcl_pipeline.runs.archived.web_record import opened_record
from bfcl_pipeline.world.tools.web_search.web import Hits, Page
from bfcl_pipeline.world.web.cache import LARGEST_CASSETTE_BYTES, WebCache
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey
from tests.world.web.two_records import add, crate, tar_of, tarred, tree, zipped

KEY = "ab" * 32
PLACE = f"ab/ab/{KEY}.json"
MOST_BYTES = 300 * 2**20


@pytest.fixture
def cache(tmp_path: Path) -> WebCache:
    """A web cache with two outcomes and their cassettes."""
    made = WebCache(tmp_path / "made" / "cache" / "web")
    add(made, SearchKey("tea", "wt-wt"), Hits(()))
    add(made, FetchKey("http://a.example/"), Page("text"))
    return made


PACKED: dict[str, Callable[[Path, Path], Path]] = {
    "a.zip": zipped,
    "b.zip": lambda folder, out: zipped(folder, out, "cache/web/"),
    "c.tar.gz": tarred,
    "d.tar.gz": lambda folder, out: tarred(folder, out, "someone/cache/web"),
    "e.crate.zip": crate,
    "renamed.zip": crate,
}


@pytest.mark.parametrize("name", PACKED)
def test_every_form_is_read(cache: WebCache, tmp_path: Path, name: str) -> None:
    """Outcomes and cassettes are unpacked under their names, wherever the cache is in the file."""
    with opened_record(PACKED[name](cache.folder, tmp_path / name)) as record:
        assert tree(record.folder) == tree(cache.folder)
        assert record.named(f"{record.folder}/x") == f"{tmp_path / name}/x"
        folder = record.folder
    assert not folder.exists()


@pytest.mark.parametrize("above", ["", "cache", "cache/web"])
def test_a_folder_is_read_in_place(cache: WebCache, tmp_path: Path, above: str) -> None:
    """The web cache itself, its cache/ and the checkout with it are all recognized."""
    with opened_record(tmp_path / "made" / above) as record:
        assert record.folder == cache.folder


def test_a_source_without_a_web_cache_is_an_error(tmp_path: Path) -> None:
    """A missing, empty or foreign folder or file is named with what is expected."""
    with pytest.raises(WebError, match="no such file"), opened_record(tmp_path / "none"):
        pass
    with pytest.raises(WebError, match="no recorded outcome"), opened_record(tmp_path):
        pass
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr("README.md", "")
    with pytest.raises(WebError, match="no recorded outcome"), opened_record(tmp_path / "x.zip"):
        pass


def test_other_files_are_counted_and_left(cache: WebCache, tmp_path: Path) -> None:
    """A README and the files that a desktop adds are not unpacked."""
    (cache.folder / "README.md").write_text("hello")
    (cache.folder / "ab" / "ab").mkdir(parents=True)
    (cache.folder / "ab" / "ab" / f"._{KEY}.json").write_text("x")
    with opened_record(zipped(cache.folder, tmp_path / "x.zip")) as record:
        assert record.packed_others == 2
        assert all(name.endswith((".json", ".yaml")) for name in tree(record.folder))


def test_a_changed_archive_of_a_run_is_refused(cache: WebCache, tmp_path: Path) -> None:
    """A broken seal, a file with another hash, and an archive without its seal are refused."""
    file = crate(cache.folder, tmp_path / "x.crate.zip")
    content = bytearray(file.read_bytes())
    content[100] ^= 1
    file.write_bytes(content)
    with pytest.raises(ArchiveError, match="the seal is broken"), opened_record(file):
        pass
    file.write_bytes(content[:-71])
    with pytest.raises(ArchiveError, match="no seal"), opened_record(file):
        pass
    name = sorted(tree(cache.folder))[0]
    other = {f"cache/web/{name}": b"x" * len(tree(cache.folder)[name])}
    with (
        pytest.raises(ArchiveError, match="expected sha256"),
        opened_record(crate(cache.folder, file, other)),
    ):
        pass


def _refused(file: Path, why: str, folder: Path) -> None:
    """The file is refused with a reason, in little memory, and nothing is written outside the folder."""
    folder.mkdir()
    before = {path for path in folder.parent.rglob("*") if folder not in path.parents}
    tracemalloc.start()
    try:
        with pytest.raises(ArchiveError, match=why) as raised:
            unpack_record(file, folder)
        assert tracemalloc.get_traced_memory()[1] < MOST_BYTES
    finally:
        tracemalloc.stop()
    assert len(str(raised.value)) < 1_000
    assert {path for path in folder.parent.rglob("*") if folder not in path.parents} == before


NAMES = {
    f"../{PLACE}": "leads out",
    f"x/../../{PLACE}": "leads out",
    f"/{PLACE}": "leads out",
    f"C:/{PLACE}": "not a path on every system",
    PLACE.replace("/", "\\"): "not a path on every system",
    f"\u202e/{PLACE}": "not a path on every system",
    f"{'x' * 2000}/{PLACE}": "not a path on every system",
}


@pytest.mark.parametrize("name", NAMES, ids=range(len(NAMES)))
@pytest.mark.parametrize("form", ["zip", "tar"])
def test_names_that_lead_elsewhere_are_refused(tmp_path: Path, name: str, form: str) -> None:
    """No member of a zip or tar file leaves the folder, on any system."""
    file = tmp_path / "x"
    if form == "zip":
        with zipfile.ZipFile(file, "w") as archive:
            archive.writestr(zipfile.ZipInfo(name), b"{}")
    else:
        info = tarfile.TarInfo(name)
        info.size = 2
        tar_of(file, (info, b"{}"))
    _refused(file, NAMES[name], tmp_path / "out")


@pytest.mark.parametrize("kind", [tarfile.SYMTYPE, tarfile.LNKTYPE, tarfile.FIFOTYPE, tarfile.CHRTYPE])
def test_links_and_devices_are_refused(tmp_path: Path, kind: bytes) -> None:
    """A member that is not a regular file is refused, whatever its name."""
    info = tarfile.TarInfo("x/link")
    info.type, info.linkname = kind, "/etc/passwd"
    _refused(tar_of(tmp_path / "x", (info, b"")), "a link, a device", tmp_path / "out")


def test_a_link_in_a_zip_file_is_refused(tmp_path: Path) -> None:
    """The mode of a member is checked, as other programs follow it."""
    info = zipfile.ZipInfo(PLACE)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr(info, "/etc/passwd")
    _refused(tmp_path / "x", "a link or a device", tmp_path / "out")


@pytest.mark.filterwarnings("ignore:Duplicate name")
@pytest.mark.parametrize(
    ("other", "why"), [(PLACE, "one file"), (f"./{PLACE}", "one file"), (f"two/{PLACE}", "one file")]
)
def test_twins_are_refused(tmp_path: Path, other: str, why: str) -> None:
    """Two members for one file of the cache are refused, equal or not."""
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr(PLACE, b"{}")
        archive.writestr(other, b"{}")
    _refused(tmp_path / "x", why, tmp_path / "out")


def test_two_caches_in_one_file_are_refused(tmp_path: Path) -> None:
    """It would not be clear which of them is meant."""
    with zipfile.ZipFile(tmp_path / "x", "w") as archive:
        archive.writestr(f"one/{PLACE}", b"{}")
        archive.writestr(f"two/cd/cd/{'cd' * 32}.json", b"{}")
    _refused(tmp_path / "x", "two web caches", tmp_path / "out")


def test_bombs_are_refused(tmp_path: Path) -> None:
    """Gigabytes in a small zip or tar.gz file are never unpacked, also not as headers or other files."""
    with zipfile.ZipFile(tmp_path / "zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(PLACE, bytes(2**26))
    _refused(tmp_path / "zip", "a zip bomb", tmp_path / "out1")
    zeros = gzip.compress(bytes(2**20)) * 4096  # of many members, together 4 GiB
    for number, name in enumerate((PLACE, "other")):
        info = tarfile.TarInfo(name)
        info.size = 2**32
        (tmp_path / f"tar{number}").write_bytes(gzip.compress(info.tobuf(tarfile.GNU_FORMAT)) + zeros)
        _refused(tmp_path / f"tar{number}", "more than|larger", tmp_path / f"tar_out{number}")
    header = tarfile.TarInfo("pax")
    header.type, header.size = tarfile.XHDTYPE, 2**31
    (tmp_path / "pax").write_bytes(gzip.compress(header.tobuf(tarfile.GNU_FORMAT)) + zeros)
    _refused(tmp_path / "pax", "larger than a record", tmp_path / "pax_out")


def test_a_member_that_is_larger_than_a_web_cache_has_is_refused(tmp_path: Path) -> None:
    """Files are bounded one by one, before they are read."""
    info = tarfile.TarInfo(PLACE)
    info.size = LARGEST_CASSETTE_BYTES + 1
    (tmp_path / "x").write_bytes(info.tobuf())
    with (tmp_path / "x").open("r+b") as file:
        file.truncate(LARGEST_CASSETTE_BYTES + 10_240)
    _refused(tmp_path / "x", "has more than", tmp_path / "out")


def test_too_many_members_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A list of members that would fill the memory is not loaded, nor written to the disk."""
    most = 1_000
    monkeypatch.setattr(packed_record, "MAX_MEMBERS", most)
    body = io.BytesIO()
    with tarfile.open(fileobj=body, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        archive.addfile(tarfile.TarInfo("x"))
    header = body.getvalue()[:512]
    (tmp_path / "tar").write_bytes(gzip.compress(header * (most + 2)))
    _refused(tmp_path / "tar", "members", tmp_path / "out1")
    end = b"PK\1\2" + bytes(100) + b"PK\6\7" + bytes(16) + b"PK\5\6" + bytes(18)
    (tmp_path / "zip64").write_bytes(b"PK\3\4" + end)
    _refused(tmp_path / "zip64", "zip64", tmp_path / "out2")


@pytest.mark.parametrize("form", [zipped, tarred])
def test_a_cut_gives_no_other_content(
    cache: WebCache, tmp_path: Path, form: Callable[[Path, Path], Path]
) -> None:
    """A file that is cut anywhere raises nothing but ArchiveError, and never gives other content."""
    whole = form(cache.folder, tmp_path / "whole").read_bytes()
    intact = tree(cache.folder)
    for length in range(0, len(whole), 97):
        (tmp_path / "cut").write_bytes(whole[:length])
        folder = tmp_path / f"out{length}"
        folder.mkdir()
        with contextlib.suppress(ArchiveError):  # no other error
            unpack_record(tmp_path / "cut", folder)
        for path in folder.rglob("*.*"):
            name = path.relative_to(folder).as_posix()
            assert intact[name].startswith(path.read_bytes())


def test_a_file_that_is_cut_is_refused(cache: WebCache, tmp_path: Path) -> None:
    """Without its end, neither a zip nor a tar.gz file is read as a smaller record."""
    for form in (zipped, tarred):
        file = form(cache.folder, tmp_path / f"{form.__name__}")
        file.write_bytes(file.read_bytes()[:-40])
        folder = tmp_path / f"{form.__name__}-out"
        folder.mkdir()
        with pytest.raises(ArchiveError, match="refused"):
            unpack_record(file, folder)


def test_other_files_hold_no_record(tmp_path: Path) -> None:
    """What is neither a zip nor a tar file gives no outcome, and raises nothing but ArchiveError."""
    for content in (b"", b"x", b"PK", b"\x1f\x8b", b"\x1f\x8b\x08\x00junk" * 50, b"\0" * 2000, b"x" * 2000):
        (tmp_path / "x").write_bytes(content)
        folder = tmp_path / f"out{len(content)}-{content[:1].hex()}"
        folder.mkdir()
        with contextlib.suppress(ArchiveError):
            unpack_record(tmp_path / "x", folder)
        assert tree(folder) == {}
