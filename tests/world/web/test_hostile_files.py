"""Files of a web cache from anybody: pipes, devices, JSON that needs gigabytes."""

import os
from datetime import UTC, datetime

import pytest

from bfcl_pipeline.base.errors import WebError
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits, Page
from bfcl_pipeline.world.web import cache as cache_module
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.check import check_cache
from bfcl_pipeline.world.web.coverage import survey
from bfcl_pipeline.world.web.keys import FetchKey, SearchKey

NOON = datetime(2026, 11, 1, 12, tzinfo=UTC)
KEY = FetchKey.of("https://tea.example/")


def _cache(folder):
    cache = WebCache(folder)
    cache.path(KEY).parent.mkdir(parents=True)
    return cache


def _link_to_device(path):
    path.symlink_to("/dev/zero")


@pytest.mark.parametrize("make", [os.mkfifo, _link_to_device, os.mkdir], ids=["pipe", "device", "folder"])
def test_what_is_not_a_file_is_damage(tmp_path, make):
    """A pipe, device or folder in the place of an outcome or cassette is damage, and is not waited for."""
    cache = _cache(tmp_path / "one")
    make(cache.path(KEY))
    assert len(check_cache(cache).damaged) == len(survey(cache).damaged) == 1

    cache = _cache(tmp_path / "two")
    cache.add(KEY, Page("Tea."), engine="requests", recorded_at=NOON, cassette=b"interactions: []\n")
    (cassette,) = cache.folder.glob("??/??/*.yaml")
    cassette.unlink()
    make(cassette)
    assert len(check_cache(cache).damaged) == 1


@pytest.mark.parametrize(
    "content",
    [
        b"[" + b"[]," * 1_000 + b"1]",
        b'["","",""]',
        b"[" * 100_000,
        b" " * 100 + b"[]\n",
        b"[" + b"9" * 5_000 + b"]\n",
        b'"' + b'\\"' * 100_000,
        b"\n" * 1_000,
        b'{"a": {"b": 1}}\n',
    ],
)
def test_json_in_another_form_is_not_parsed(tmp_path, monkeypatch, content):
    """A file that is not written line by line, as outcomes are, is refused before it is parsed."""
    cache = _cache(tmp_path)
    cache.path(KEY).write_bytes(content)
    monkeypatch.setattr(cache_module.json, "loads", pytest.fail)
    with pytest.raises(WebError, match="line 1 has another form"):
        cache.read(cache.path(KEY))


@pytest.mark.parametrize(("limit", "said"), [("LARGEST_OUTCOME_BYTES", "bytes"), ("_MOST_LINES", "lines")])
def test_outcome_files_are_bounded(tmp_path, monkeypatch, limit, said):
    """A file with more bytes or lines than an outcome can have is refused before it is parsed."""
    cache = _cache(tmp_path)
    cache.add(KEY, Page("Tea."), engine="requests", recorded_at=NOON)
    monkeypatch.setattr(cache_module, limit, 10)
    monkeypatch.setattr(cache_module.json, "loads", pytest.fail)
    with pytest.raises(WebError, match=f"more than 10 {said}"):
        cache.find(KEY)


@pytest.mark.parametrize(
    ("key", "outcome"),
    [
        (KEY, Page('\\"\n\r\0\u2028\ud83c \U0001f375\\\\"')),
        (KEY, Page("")),
        (SearchKey('"tea\\', 'x": ['), Hits(())),
        (SearchKey("tea", "us-en"), Hits((Hit("\\", '"', ": {"), Hit("", "", "\n]")))),
    ],
)
def test_every_text_can_be_recorded(tmp_path, key, outcome):
    """Quotes, backslashes and control characters in texts do not give a file another form."""
    cache = WebCache(tmp_path)
    cache.add(key, outcome, engine='"\\n', recorded_at=NOON)
    assert cache.find(key) == outcome
