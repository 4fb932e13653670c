"""Files of a web cache that were changed, without making their hashes right."""

import pytest

from bfcl_pipeline.world.web.check import check_cache


def _names(recorded):
    return [name for name in recorded.keys if recorded.document(name)["cassette"]]


EVERY_KIND = ("search", "search after a reset", "page", "missing page", "answer of an API")
MASKS = (0x20, 0x01, 0x07, 0x80, 0xFF)  # the first one changes the case of letters, as in `\\u00e9`


@pytest.mark.parametrize("name", EVERY_KIND)
def test_every_changed_byte_is_found(recorded, name):
    """A check names the file in which a byte was changed: any byte of an outcome, and of a cassette, all of
    which is under one hash, every seventh."""
    missed = []
    for file, step in ((recorded.path(name), 1), (recorded.cassette(name), 7)):
        content = file.read_bytes()
        for place in range(0, len(content), step):
            changed = bytearray(content)
            changed[place] ^= MASKS[0 if file.suffix == ".json" else place % len(MASKS)]
            file.write_bytes(changed)
            check = check_cache(recorded.cache, [recorded.keys[name]])
            if not check.failed or file.name not in "".join(check.damaged):
                missed.append((file.suffix, place))
        file.write_bytes(content)
    assert missed == []
    assert not check_cache(recorded.cache).failed


def test_a_cut_file_is_found(recorded):
    """A file without its last bytes, and an empty one, are damage."""
    for name in _names(recorded):
        for file in (recorded.path(name), recorded.cassette(name)):
            content = file.read_bytes()
            for kept in (0, 1, len(content) // 2, len(content) - 1):
                file.write_bytes(content[:kept])
                check = check_cache(recorded.cache, [recorded.keys[name]])
                assert [file.name in line for line in check.damaged] == [True]
            file.write_bytes(content)


def _renamed(path, name):
    path.rename(path.with_name(name))


def _exchanged(recorded):
    path, other = recorded.path("page"), recorded.path("missing page")
    first, second = path.read_bytes(), other.read_bytes()
    path.write_bytes(second)
    other.write_bytes(first)


def _folder(recorded):
    recorded.cassette("page").unlink()
    recorded.cassette("page").mkdir()


@pytest.mark.parametrize(
    ("change", "missing", "damaged", "unused"),
    [
        (lambda recorded: recorded.cassette("page").unlink(), 1, 0, 0),
        (lambda recorded: recorded.path("page").unlink(), 0, 0, 1),  # its cassette is left
        (lambda recorded: _renamed(recorded.path("page"), f"{'0' * 64}.json"), 0, 1, 1),
        (_exchanged, 0, 2, 2),
        (lambda recorded: _renamed(recorded.cassette("page"), "0.yaml"), 1, 0, 1),
        (_folder, 0, 1, 0),
    ],
    ids=["no cassette", "no outcome", "outcome renamed", "exchanged", "cassette renamed", "a folder"],
)
def test_files_that_are_elsewhere_are_reported(recorded, change, missing, damaged, unused):
    """What is missing, damaged and left is reported, never raised; only damage is a failure."""
    before = check_cache(recorded.cache).proven
    change(recorded)
    check = check_cache(recorded.cache)
    assert tuple(map(len, (check.missing, check.damaged, check.unused))) == (missing, damaged, unused)
    assert all(line.endswith(": no outcome names it") for line in check.unused)
    assert check.failed is (damaged > 0)
    assert check.proven == before - max(missing, damaged, unused)
    if missing:
        assert check.missing[0].startswith(f"{recorded.path('page')}: ")
