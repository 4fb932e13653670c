"""The web cache: files are written once and checked when they are read."""

import json
import os
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone

import pytest

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.base.files import temporary_path
from bfcl_pipeline.base.process import this_process
from bfcl_pipeline.world.executables import ApiAnswer, ApiRequest
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page, WebFailure
from bfcl_pipeline.world.web import cache as cache_module
from bfcl_pipeline.world.web.cache import LONGEST_BODY, WebCache
from bfcl_pipeline.world.web.check import check_cache
from bfcl_pipeline.world.web.coverage import survey
from bfcl_pipeline.world.web.keys import ApiKey, FetchKey, SearchKey, digest

NOON = datetime(2026, 10, 1, 12, tzinfo=UTC)
TEA = SearchKey("tea", "wt-wt")
PAGE = FetchKey("http://example.com/")
API = ApiKey(ApiRequest("http://ip-api.com/json", (("lang", "fr"),)))


def add(cache, key, outcome, **more):
    return cache.add(key, outcome, engine='"test" \\n 1', recorded_at=NOON, **more)


@pytest.mark.parametrize(
    ("key", "outcome"),
    [
        (TEA, Hits((Hit("t", "http://h", "b"), Hit("", "", "")))),
        (TEA, Hits(())),
        (TEA, WebFailure("no")),
        (PAGE, Page("a\r\n\x00\u2028\ud800\U0001f600")),
        (PAGE, Page("")),
        (PAGE, WebFailure("404 Client Error: Not Found for url: http://example.com/")),
        # Quotes, backslashes and control characters do not give a file another form.
        (PAGE, Page('\\"\n\r\0\u2028\ud83c \U0001f375\\\\"')),
        (SearchKey('"tea\\', 'x": ['), Hits(())),
        (TEA, Hits((Hit("\\", '"', ": {"), Hit("", "", "\n]")))),
        (API, ApiAnswer(200, '{"city": "Z\u00fcrich"}')),
        (API, ApiAnswer(404, "")),
    ],
)
def test_recorded_outcomes_are_found(tmp_path, key, outcome):
    """Every kind of outcome is found unchanged, by another object too, once it is recorded."""
    cache = WebCache(tmp_path / "web")
    assert cache.find(key) is None
    assert add(cache, key, outcome) == outcome
    assert cache.find(key) == outcome == WebCache(tmp_path / "web").find(key)


def test_a_file_describes_its_outcome(tmp_path):
    """A file is two directories deep and has format, key, time in UTC and engine in clear text."""
    cache = WebCache(tmp_path)
    summer = NOON.astimezone(timezone(timedelta(hours=2)))
    cache.add(TEA, WebFailure("no"), engine="duckduckgo 1", recorded_at=summer)
    path = cache.path(TEA)
    assert [*cache.paths()] == [path]
    assert path.relative_to(tmp_path).parts == (path.stem[:2], path.stem[2:4], f"{path.stem}.json")
    document = json.loads(path.read_text())
    assert document["format"] == 1
    assert document["key"] == {"function": "search", "keywords": "tea", "region": "wt-wt"}
    assert document["recorded_at"] == "2026-10-01T12:00:00+00:00"
    assert document["engine"] == "duckduckgo 1"
    assert path.stat().st_mode & 0o777 == 0o666 & ~_umask()


def _umask():
    current = os.umask(0)
    os.umask(current)
    return current


def test_the_first_writer_wins(tmp_path):
    """Recording a key again returns the first outcome; its file and cassette are the only ones."""
    cache = WebCache(tmp_path)
    assert add(cache, PAGE, Page("first"), cassette=b"evidence 1\n") == Page("first")
    before = _files(tmp_path)
    assert add(cache, PAGE, Page("second"), cassette=b"evidence 2\n") == Page("first")
    assert _files(tmp_path) == before
    assert sorted(before.values())[0] == b"evidence 1\n"


def test_a_link_that_only_seems_to_fail_keeps_its_cassette(tmp_path, monkeypatch):
    """Over NFS a link can succeed and be reported as existing; the cassette is kept."""
    real = os.link

    def link(source, target):
        real(source, target)
        if target.suffix == ".json":
            raise FileExistsError(target)

    monkeypatch.setattr("bfcl_pipeline.base.files.os.link", link)
    cache = WebCache(tmp_path)
    assert add(cache, PAGE, Page("text"), cassette=b"evidence\n") == Page("text")
    assert b"evidence\n" in _files(tmp_path).values()


def test_nothing_is_overwritten_even_if_damaged(tmp_path):
    """A damaged outcome file is named, neither used nor replaced."""
    cache = WebCache(tmp_path)
    cache.path(PAGE).parent.mkdir(parents=True)
    cache.path(PAGE).write_bytes(b"")
    with pytest.raises(WebError, match=cache.path(PAGE).name):
        add(cache, PAGE, Page("text"), cassette=b"evidence\n")
    assert [*_files(tmp_path).values()] == [b""]


def _edited(change, *, hashed=False):
    """Changes a document; hashed: with a hash that fits it."""

    def damage(path):
        document = json.loads(path.read_text())
        change(document)
        if hashed:
            del document["sha256"]
            document["sha256"] = digest(document)
        path.write_text(json.dumps(document, indent=1) + "\n")

    return damage


def _written(content):
    return lambda path: path.write_bytes(content)


def _made(make):
    return lambda path: (path.unlink(), make(path))


CASSETTES = ("../../secret.yaml", "/etc/passwd", "a/b", "..", "", "\0", "x")
FORMS = [  # of JSON that could need gigabytes
    *(b"[" + b"[]," * 1_000 + b"1]", b'["","",""]', b"[" * 100_000, b" " * 100 + b"[]\n"),
    *(b"[" + b"9" * 5_000 + b"]\n", b'"' + b'\\"' * 100_000, b"\n" * 1_000, b'{"a": {"b": 1}}\n'),
]
FORM = "line 1 has another form"
DAMAGE = [
    (lambda path: path.write_bytes(path.read_bytes()[:-20]), ""),
    (_written(b""), ""),
    (_written(b"\xff\xfe\x00"), FORM),
    (_written(b"[]"), "written in another way|not a JSON object"),
    (_written(b"NaN"), ""),
    *((_written(content), FORM) for content in FORMS),
    (_edited(lambda document: document["outcome"].update(text="another")), "sha256 does not match"),
    (_edited(lambda document: document["key"].update(url="http://other/")), "sha256 does not match"),
    (_edited(lambda document: document.update(recorded_at="2020-01-01T00:00:00+00:00")), "sha256 does"),
    (_edited(lambda document: document.update(engine="another")), "sha256 does not match"),
    (_edited(lambda document: document.update(format=2)), "expected format 1, got 2"),
    (_edited(lambda document: document.pop("sha256")), "sha256 does not match"),
    (_edited(lambda document: document.pop("outcome")), "sha256 does not match"),
    # With a hash that fits.
    (_edited(lambda document: document.pop("outcome"), hashed=True), "a field is missing"),
    *(
        (_edited(lambda document, name=name: document.update(cassette=name), hashed=True), "its cassette")
        for name in CASSETTES
    ),
    (_edited(lambda one: one.update(recorded_at="2026-01-01T00:00:00"), hashed=True), "no time zone"),
    (_edited(lambda one: one.update(recorded_at="yesterday"), hashed=True), "Invalid isoformat"),
    (_edited(lambda one: one["key"].update(url="http://other/"), hashed=True), "holds the fetch of"),
    # In the place of a file: what is not waited for.
    (_made(os.mkdir), ""),
    (_made(os.mkfifo), ""),
    (_made(lambda path: path.symlink_to("/dev/zero")), ""),
]


@pytest.mark.parametrize(("damage", "said"), DAMAGE, ids=range(len(DAMAGE)))
def test_damage_is_named_and_not_used(tmp_path, monkeypatch, damage, said):
    """Any change to an outcome file is a WebError that names the file and what to do. JSON that is not
    written line by line, as outcomes are, is refused before it is parsed."""
    cache = WebCache(tmp_path)
    add(cache, PAGE, Page("text"), cassette=b"evidence\n")
    name = cache.path(PAGE).name
    damage(cache.path(PAGE))
    if said == FORM:
        monkeypatch.setattr(cache_module.json, "loads", pytest.fail)
    with pytest.raises(WebError, match=f"{name}.*({said}).*delete it and record again"):
        cache.find(PAGE)
    for damaged in (survey(cache).damaged, check_cache(cache).damaged):
        assert [name in line for line in damaged] == [True]


@pytest.mark.parametrize("make", [os.mkfifo, lambda path: path.symlink_to("/dev/zero"), os.mkdir])
def test_a_cassette_that_is_not_a_file_is_damage(tmp_path, make):
    """A pipe, device or folder in its place is damage, and is not waited for."""
    cache = WebCache(tmp_path)
    add(cache, PAGE, Page("Tea."), cassette=b"interactions: []\n")
    (cassette,) = cache.folder.glob("??/??/*.yaml")
    cassette.unlink()
    make(cassette)
    assert len(check_cache(cache).damaged) == 1


@pytest.mark.parametrize(("limit", "said"), [("LARGEST_OUTCOME_BYTES", "bytes"), ("_MOST_LINES", "lines")])
def test_outcome_files_are_bounded(tmp_path, monkeypatch, limit, said):
    """A file with more bytes or lines than an outcome can have is refused before it is parsed."""
    cache = WebCache(tmp_path)
    add(cache, PAGE, Page("Tea."))
    monkeypatch.setattr(cache_module, limit, 10)
    monkeypatch.setattr(cache_module.json, "loads", pytest.fail)
    with pytest.raises(WebError, match=f"more than 10 {said}"):
        cache.find(PAGE)


@pytest.mark.parametrize(
    ("key", "outcome"),
    [
        (TEA, Page("a page")),
        (PAGE, Hits(())),
        (PAGE, Page(None)),
        (TEA, Hits((Hit("t", None, "b"),))),
        (PAGE, ApiAnswer(200, "")),
        (API, Page("")),
        (API, WebFailure("")),
        (API, ApiAnswer(200, None)),
        (API, ApiAnswer(True, "")),
        (API, ApiAnswer(0, "")),
        (API, ApiAnswer(200, "x" * (LONGEST_BODY + 1))),
    ],
    ids=lambda value: str(value)[:40],
)
def test_only_outcomes_are_recorded(tmp_path, key, outcome):
    """An outcome of the wrong type is rejected, and nothing is written."""
    with pytest.raises(WebError, match="Cannot record"):
        add(WebCache(tmp_path), key, outcome)
    assert not _files(tmp_path)


def test_an_unwritable_cache_is_an_error(tmp_path, monkeypatch):
    """Without hard links, or space, adding is a WebError and leaves nothing."""
    monkeypatch.setattr("bfcl_pipeline.base.files.os.link", _not_permitted)
    with pytest.raises(WebError, match="hard links"):
        add(WebCache(tmp_path), PAGE, Page("text"), cassette=b"evidence\n")
    assert not _files(tmp_path)


def _not_permitted(*_):
    raise PermissionError(1, "Operation not permitted")


def test_an_interrupted_writer_leaves_no_outcome(tmp_path, monkeypatch):
    """A writer that ends before the link leaves no file that the next one would use."""
    cache = WebCache(tmp_path)
    with monkeypatch.context() as patch:
        patch.setattr("bfcl_pipeline.base.files.os.fsync", _stopped)
        with pytest.raises(KeyboardInterrupt):
            add(cache, PAGE, Page("half"))
    assert cache.find(PAGE) is None
    assert add(cache, PAGE, Page("whole")) == Page("whole")


def _stopped(*_):
    raise KeyboardInterrupt


def _files(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_next_writer_deletes_files_of_a_killed_writer(tmp_path):
    """Temporary files of outcome and cassette are deleted, except those of live writers."""
    cache = WebCache(tmp_path)
    path = cache.path(PAGE)
    evidence = path.with_name(f"{path.stem}.0123456789ab.yaml")
    path.parent.mkdir(parents=True)
    dead = replace(this_process(), started="1")
    alive = temporary_path(evidence)
    for unfinished in (temporary_path(path, dead), temporary_path(evidence, dead), alive):
        unfinished.write_text("half")
    add(cache, PAGE, Page("text"))
    assert {*_files(tmp_path)} == {path, alive}


OF_AN_EARLIER_VERSION = """\
{
 "format": 1,
 "key": {
  "function": "search",
  "keywords": "tea",
  "region": "wt-wt"
 },
 "outcome": {
  "kind": "hits",
  "hits": [
   {
    "title": "T",
    "href": "https://t.example/",
    "body": "b"
   }
  ]
 },
 "recorded_at": "2026-10-01T12:00:00+00:00",
 "engine": "serpapi by requests of bfcl-pipeline 0.17.0",
 "cassette": null,
 "cassette_sha256": null,
 "sha256": "c1800cc2e1248bdf82663a51ec10aa78feb40577389328d6c0118cf0588d98b5"
}
"""


def test_a_search_that_an_earlier_version_recorded_is_that_of_duckduckgo(tmp_path):
    """It is found at its place."""
    name = "d0bf9e29ccb14994d95496f8db1708ecaa35aa6e0287fb9b67c19ba97f4a3b45.json"
    path = tmp_path / "d0" / "bf" / name
    path.parent.mkdir(parents=True)
    path.write_text(OF_AN_EARLIER_VERSION)
    cache, found = WebCache(tmp_path), Hits((Hit("T", "https://t.example/", "b"),))
    assert cache.find(SearchKey.of("tea", "wt-wt")) == found
    assert survey(cache).damaged == []
    written = tmp_path / "again"
    recorded = cache.read(path)
    WebCache(written).add(TEA, found, engine=recorded.engine, recorded_at=recorded.recorded_at)
    assert (written / "d0" / "bf" / name).read_text() == OF_AN_EARLIER_VERSION
