"""The tables of a site: who is ranked with whom, with which ranks, and data for its scripts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.share.gallery import pages as site_pages
from bfcl_pipeline.share.gallery.pages import (
    archive_page,
    compare_page,
    comparisons,
    entries_page,
    index_page,
    verdicts,
)
from bfcl_pipeline.share.gallery.record import OWN_ERRATA, ArchiveRecord, read_record, write_record
from bfcl_pipeline.share.gallery.standings import standings
from bfcl_pipeline.share.gallery.tables import badges
from bfcl_pipeline.show.compare.compare import Comparer
from bfcl_pipeline.show.compare.sides import Choice, read_sides
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from tests.support.gallery_records import HOSTILE, Records, record_of
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks


def names(of: object) -> list[str]:
    return [one.row["display_name"] for one in of]  # type: ignore[attr-defined]


def test_models_of_other_entries_stand_in_another_table(records: Records) -> None:
    """The largest is first, in any order of archives; those that were refused or differ are in none."""
    large, small = standings(records.archives)
    for order in (1, -1):
        archives = sorted(records.archives, key=lambda archive: archive.sha256)[::order]
        again = [names(table.of[Rules.OFFICIAL]) for table in standings(archives)]
        assert again == [names(table.of[Rules.OFFICIAL]) for table in (large, small)]
    assert names(large.of[Rules.OFFICIAL]) == ["best", HOSTILE, "half", "worst"]
    assert names(small.of[Rules.OFFICIAL]) == ["best"]
    assert large.of[Rules.OFFICIAL][0].archive.run == "first"
    assert small.of[Rules.OFFICIAL][0].row["rank_low"] is None


def test_ranks_over_archives_are_those_of_one_run(tmp_path: Path) -> None:
    """The same models in one run and in one archive each have the same ranks, intervals and groups."""
    models = [
        MadeUpModel("a", {"simple_python": marks(60), "irrelevance": marks(20)}),
        MadeUpModel("b", {"simple_python": marks(57, 3), "irrelevance": marks(20)}),
        MadeUpModel("c", {"simple_python": marks(20, 40), "irrelevance": marks(9, 10, 1)}),
    ]
    for name in ("all", *"abc"):
        (tmp_path / name).mkdir()
    together = read_run_tables(Run(made_up_tables(tmp_path / "all", models)), Rules.OFFICIAL)["leaderboard"]
    alone = [record_of(made_up_tables(tmp_path / model.name, [model])) for model in models]
    [table] = standings(alone)
    columns = ("model", "rank", "rank_low", "rank_high", "rank_group", "detectable", "overall")
    found = [[one.row[name] for name in columns] for one in table.of[Rules.OFFICIAL]]
    assert found == [[row[name] for name in columns] for row in together]
    assert {row["rank_group"] for row in together} > {1}


@pytest.mark.parametrize("change", [{"release": "1 (sha256 0)"}, {"web": "simulated"}, {"by_weight": True}])
def test_models_of_other_settings_stand_in_another_table(records: Records, change: dict[str, Any]) -> None:
    """Another release, web or kind of sample; titles that would be equal are numbered."""
    first, second = records.archives[0], records.archives[2]
    assert len(standings([first, second])) == 1
    assert second.derived is not None
    models = [replace(model, settings=replace(model.settings, **change)) for model in second.derived.models]
    other = replace(second, derived=replace(second.derived, models=models))
    titles = [table.title for table in standings([first, other])]
    assert len(set(titles)) == 2
    if "by_weight" in change:
        assert [title[-9:] for title in titles] == [" (1 of 2)", " (2 of 2)"]


def test_differences_are_those_of_compare(records: Records) -> None:
    """Of the two models of one run, with their limits and p-values; under each rule set."""
    [table, _] = standings(records.archives)
    found = comparisons(table)
    for rules in Rules:
        numbering, (hostile, half) = read_sides([Choice(Run(records.runs[1]))], rules)
        expected = Comparer(numbering, rules).compare(hostile, half).scores
        for row, score in zip(found[rules.value]["1-2"], expected, strict=True):
            assert row[0].rstrip("*") == score.score
            assert row[4:7] == [round(value, 5) for value in (score.difference, score.low, score.high)]
            assert row[7:9] == [score.only_first, score.only_second]
    assert len(found["official"]) == 6


def test_pairs_are_bounded(records: Records, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of more models than the bound, only the first ones by rank are compared."""
    monkeypatch.setattr(site_pages, "MOST_MODELS", 3)
    [table, _] = standings(records.archives)
    assert names(site_pages.compared_models(table)) == ["best", HOSTILE, "half"]
    assert len(comparisons(table)["official"]) == 3 * 2 // 2


def test_letters_of_verdicts(tmp_path: Path) -> None:
    """Right, wrong, without a verdict, right in some trials, left out by the rules."""
    one = Marks([True, False, None, True], verified=[True, False, None, True], left_out={3})
    two = Marks([True, True, None, True], verified=[True, True, None, True], left_out={3})
    models = [MadeUpModel("m", {"simple_python": one}), MadeUpModel("m~2", {"simple_python": two})]
    [table] = standings([record_of(made_up_tables(tmp_path, models))])
    assert verdicts(table)["official"] == ["1~-1"]
    assert verdicts(table)["verified"] == ["1~- "]
    [one_model] = table.of[Rules.OFFICIAL]
    assert one_model.model.trials == 2
    assert one_model.row["simple_python"] == pytest.approx((2 / 3 + 1) / 2)


def test_a_record_is_read_as_it_was_written(records: Records, tmp_path: Path) -> None:
    """A damaged one, or one of another key, is as none."""
    path = tmp_path / "record.json"
    for record in records.archives:
        write_record(path, record)
        again = read_record(path, record.key)
        assert again is not None
        assert pages([again]) == pages([record])
        assert read_record(path, "other") is None
    for damaged in (b"", b"\xff", b"[]", b"{}", path.read_bytes()[:-9]):
        path.write_bytes(damaged)
        assert read_record(path, "key") is None


def pages(archives: list[ArchiveRecord]) -> list[str]:
    tables = standings(archives)
    return [
        index_page(archives, tables, HOSTILE),
        entries_page(tables, {}, HOSTILE),
        compare_page(tables, {}, HOSTILE),
        *(archive_page(archive, HOSTILE, None) for archive in archives),
    ]


def test_hostile_names_are_escaped_in_every_page(records: Records) -> None:
    """Also in the data of scripts, whose elements they cannot end."""
    for page in pages(list(records.archives)):
        assert "<img" not in page
        assert "<script>document" not in page
        assert page.count("</script>") == page.count("<script")
    data = (
        compare_page(standings(records.archives), {}, "x").partition('id="data">')[2].partition("</script>")
    )
    models = json.loads(data[0])[0]["models"]
    assert HOSTILE in {model["model"] for model in models}


def test_an_archive_with_errata_of_its_own_has_a_badge(records: Records) -> None:
    """The badge names the files, which stand in the facts of its page."""
    plain = records.archives[0]
    assert plain.derived is not None
    derived = replace(plain.derived, facts={OWN_ERRATA: "mine.yaml"})
    assert [text for text, _, _ in badges(plain)] == ["derived"]
    (_, (text, _, about)) = badges(replace(plain, derived=derived))
    assert (text, about) == ("own errata", "its verified scores use errata of its own: mine.yaml")
