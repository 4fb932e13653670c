"""The figures of a run."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest
from altair.utils.schemapi import debug_mode
from defusedxml.ElementTree import fromstring

from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.judge.scoring.memory_outcomes import Reason
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.figures import renderer, style
from bfcl_pipeline.show.report.figures.draw import (
    CAPTIONS,
    FIGURES,
    add_figures,
    draw,
    draw_run,
    write_figures,
)
from bfcl_pipeline.show.report.figures.experiments import ExperimentRun, experiment_figures
from bfcl_pipeline.show.report.figures.figure import DrawnFigure
from bfcl_pipeline.show.report.figures.names import LONGEST, Models, distinct, drawable_text
from bfcl_pipeline.show.report.figures.usage import frontier, ticks
from bfcl_pipeline.show.report.page import render
from bfcl_pipeline.show.report.page.render import render_page
from bfcl_pipeline.show.report.page.run_tables import RunTables, read_run_tables
from bfcl_pipeline.show.report.page.spec_tables import own_sections
from bfcl_pipeline.show.report.tables.answer_classes import IRRELEVANCE
from tests.support.changed_tables import with_rows
from tests.support.figure_docs import PAGE, document
from tests.support.figure_tables import full_tables

HOSTILE = (
    "<script>alert('&\"')</script>",
    "\u202eevil",
    "long " * 2000,
    "\u901a\u4e49",
    "same",
    "same",
    "a\nb\x1b[31m",
)
TEMPLATES = Path(style.__file__).parents[1] / "page/templates"


@pytest.fixture(scope="module")
def empty(made_up_run: Path) -> RunTables:
    """The tables of the made-up run, which has neither memory nor web search."""
    return read_run_tables(Run(made_up_run), Rules.OFFICIAL)


@pytest.fixture(scope="module")
def of_run(empty: RunTables) -> list[DrawnFigure]:
    """The figures of the made-up run."""
    return draw_run(empty)


@pytest.fixture(scope="module")
def tables(empty: RunTables) -> RunTables:
    """Tables with numbers for every figure, of models with hostile names."""
    return full_tables(empty, HOSTILE)


@pytest.fixture(scope="module")
def figures(tables: RunTables) -> list[DrawnFigure]:
    """The figures of these tables."""
    return draw_run(tables)


def elements(svg: str) -> list[Element]:
    return [*fromstring(svg).iter()]


def texts(svg: str) -> list[str]:
    return [element.text or "" for element in elements(svg) if element.tag.endswith("}text")]


def test_every_figure_is_drawn_with_title_caption_and_description(figures: list[DrawnFigure]) -> None:
    """A run with all numbers has every figure, each with the texts for people who do not see it.

    A figure that is missing here needs rows in `full_tables`.
    """
    assert [figure.name for figure in figures] == [spec.name for spec in FIGURES]
    for figure in figures:
        for svg in (figure.svg, figure.inline):
            root = fromstring(svg)
            title, about = root[0], root[1]
            assert root.get("role") == "img"
            assert (title.text, root.get("aria-labelledby")) == (
                figure.title,
                f"{title.get('id')} {about.get('id')}",
            )
            assert about.text
        assert figure.title
        assert figure.caption.endswith(".")


def test_every_figure_has_a_place_on_the_page_and_in_the_documentation() -> None:
    """Each place is a template's, and the reverse, or a section of a table; errors have a table for it."""
    texts = [path.read_text(encoding="utf-8") for path in TEMPLATES.glob("*.j2")]
    places = re.findall(r'\{\{ figure_html\(figures\["(\w+)"\]\) \}\}', "".join(texts))
    assert sorted(places) == sorted({spec.place for spec in FIGURES if spec.place} - own_sections().keys())
    assert [spec.name for spec in FIGURES if not spec.place] == ["errors"]
    assert all(spec.content for spec in FIGURES)
    page = PAGE.read_text(encoding="utf-8")
    assert page == document(page), "python -m tests.support.figure_docs"
    assert all(f"| `{name}` |" in page for name in experiment_figures([]))


def test_a_figure_is_drawn_from_the_tables_of_its_record(tables: RunTables) -> None:
    """Without the rows of one of them it is another figure, or none."""
    models = Models.of(tables)
    for spec in FIGURES:
        whole = spec.make(tables, models)
        for name in spec.tables:
            assert spec.make(with_rows(tables, **{name: []}), models) != whole, (spec.name, name)


def test_without_numbers_there_is_no_figure(empty: RunTables) -> None:
    """A figure needs its numbers: empty tables give none."""
    nothing = with_rows(empty, **{name: [] for spec in FIGURES for name in spec.tables})
    models = Models.of(empty)
    assert [spec.make(nothing, models) for spec in FIGURES] == [None] * len(FIGURES)


def test_a_run_has_the_figures_of_its_numbers(of_run: list[DrawnFigure]) -> None:
    """The made-up run has scores, errors and formats, and one model with latencies: too few to compare."""
    assert [figure.name for figure in of_run] == [
        *("overall", "categories", "errors", "formats", "weights", "composition")
    ]


def test_names_are_text(figures: list[DrawnFigure]) -> None:
    """Markup in a name is text, and only harmless elements and attributes are left."""
    for figure in figures:
        for element in elements(figure.svg) + elements(figure.inline):
            assert element.tag.rpartition("}")[2] in {
                *("svg", "g", "path", "line", "rect", "text", "tspan", "defs", "clipPath", "title", "desc")
            }
            for name, value in element.attrib.items():
                assert not name.startswith("on")
                assert name not in ("style", "href", "class")
                assert "url(" not in value or re.fullmatch(r"url\(#[\w-]+\)", value)
    assert any("<script>" in text for text in texts(figures[0].svg))


def test_names_are_short_visible_and_distinct(figures: list[DrawnFigure]) -> None:
    """Names have characters of the font only, are cut, and are numbered if they repeat."""
    names = distinct(HOSTILE)
    assert len(set(names)) == len(HOSTILE)
    assert max(map(len, names)) <= LONGEST
    assert [names[1], *names[3:]] == [r"\u202eevil", r"\u901a\u4e49", "same", "same (2)", r"a\nb\x1b[31m"]
    assert "\N{HORIZONTAL ELLIPSIS}" in names[2]
    assert {name.strip() for name in names} <= set(texts(figures[0].svg))
    assert drawable_text("Zürich Ωж – 1†") == "Zürich Ωж – 1†"


def test_names_that_are_cut_keep_what_tells_them_apart() -> None:
    """Long names that differ in the middle are not cut there; names of one model are cut as before."""
    dated = [f"Vendor-Reasoning-Preview-{size}b-2026-11-01 (FC)" for size in (7, 72)]
    names = distinct([*dated, "y" * 20 + "x" * 20])
    assert [re.search(r"-(\d+)b-", name)[1] for name in names[:2]] == ["7", "72"]  # type: ignore[index]
    assert max(map(len, names)) <= LONGEST
    assert re.fullmatch("y+\N{HORIZONTAL ELLIPSIS}x+", names[2])


def about(figures: list[DrawnFigure], name: str) -> str:
    """The description of a figure."""
    (svg,) = (figure.svg for figure in figures if figure.name == name)
    return fromstring(svg)[1].text or ""


def test_figures_have_the_numbers_of_the_tables(figures: list[DrawnFigure]) -> None:
    """Reasons are summed over models, each memory by itself; kinds are shares of wrong answers."""
    assert "90.0\N{DAGGER}" in texts(figures[0].svg)
    assert about(figures, "overall").startswith("Overall in per cent")
    text = about(figures, "memory_failures")
    models = len(HOSTILE)
    reasons = {reason: place for place, reason in enumerate(Reason, 1)}
    assert f"Key-value: Never stored {reasons[Reason.NEVER_STORED] * models}," in text
    rest = reasons[Reason.NOT_EXACT] + reasons[Reason.NO_ANSWER]
    assert f"Other {rest * models};" in text
    assert "Pasted the question 5.0" in about(figures, "web_failures")
    assert "Never searched" not in about(figures, "web_failures"), "no answer has this kind"
    assert "(a) all answers: median 2 hops 4.0, 3 hops 5.0" in about(figures, "web_steps_spread")
    assert "(b) right answers: median 2 hops 3.0" in about(figures, "web_steps_spread")
    assert "2 hops 10" in about(figures, "composition")
    assert about(figures, "weights").startswith(
        "Non-live 10 %, Live 10 %, Irrelevance 10 %, Multi-turn 30 %"
    )


def test_a_short_range_of_costs_has_labels() -> None:
    """The log scale labels at least two values, whatever its range."""
    for high in (1.01, 1.3, 2, 7, 40, 1e3, 1e6):
        assert len(ticks([0.37, 0.37 * high])) >= 2


def test_identifiers_are_unique_on_a_page(figures: list[DrawnFigure]) -> None:
    """Figures of one page do not share an identifier, and each reference has its target."""
    page = "".join(figure.inline for figure in figures)
    identifiers = Counter(re.findall(r' id="([^"]+)"', page))
    assert set(identifiers.values()) == {1}
    assert set(re.findall(r"url\(#([^)]+)\)", page)) <= set(identifiers)


def test_the_page_shows_the_figures_of_its_sections(empty: RunTables, figures: list[DrawnFigure]) -> None:
    """Each figure is inline in the page, in the order of the records, at the places of its sections."""
    page = render_page(empty, figures=figures[::-1])
    found = re.findall(r'<figure id="(\w+)-figure">', page)
    shown = [*("overall", "categories", "cost", "latency", "formats", "weights", "composition")]
    assert [name for name in found if name in shown] == shown
    assert len(set(found)) == len(found)
    assert "<script>alert" not in page
    assert not re.search(r"<svg[^>]*style=", page)


def test_a_figure_stands_in_the_section_of_a_table(
    empty: RunTables, figures: list[DrawnFigure], monkeypatch: pytest.MonkeyPatch
) -> None:
    """If its place is the name of the table; above the rows."""
    more = replace(FIGURES[0], name="more", place=IRRELEVANCE.name)
    monkeypatch.setattr(render, "FIGURES", [*FIGURES, more])
    texts = {"model": empty["leaderboard"][0]["model"], "category": "irrelevance", "rules": "official"}
    row = dict.fromkeys((column.name for column in IRRELEVANCE.columns), 1) | texts
    page = render_page(
        with_rows(empty, irrelevance=[row]), figures=[*figures, replace(figures[0], name="more")]
    )
    section = page.partition('<section id="irrelevance">')[2].partition("</section>")[0]
    assert 0 < section.index('id="more-figure"') < section.index("<table")


def test_the_report_knows_the_colours_of_its_dark_form() -> None:
    """The style of the page replaces each colour of text, lines and ground."""
    css = (TEMPLATES / "style.css").read_text(encoding="utf-8")
    for colour in (style.INK, style.SOFT, style.LINE, style.GROUND):
        assert f'[fill="{colour}"]' in css
        assert f'[stroke="{colour}"]' in css


def luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first: str, second: str) -> float:
    dark, light = sorted((luminance(first), luminance(second)))
    return (light + 0.05) / (dark + 0.05)


def test_figures_are_readable_in_grey() -> None:
    """Neighbours in a bar differ in lightness; lines and points differ without their colour."""
    assert min(contrast(*pair) for pair in pairwise(style.STACK)) >= 1.4
    assert len({tuple(dash) for dash in style.DASHES}) == len(set(style.SHAPES)) == style.MOST_SERIES
    assert contrast(style.INK, style.GROUND) >= 7
    assert contrast(style.SOFT, style.GROUND) >= 4.5
    assert min(contrast(colour, style.GROUND) for colour in style.SERIES) >= 2


def test_bytes_do_not_depend_on_the_process(
    of_run: list[DrawnFigure], made_up_run: Path, tmp_path: Path
) -> None:
    """Another process with another locale, time zone, hash seed and list of fonts writes the same bytes."""
    write_figures(tmp_path / "here", of_run)
    other = {"PYTHONHASHSEED": "7", "LC_ALL": "C", "TZ": "Asia/Kathmandu", "FONTCONFIG_FILE": "/dev/null"}
    command = [sys.executable, "-m", "bfcl_pipeline.cli", "figures", str(made_up_run), "--out"]
    subprocess.run([*command, str(tmp_path / "there")], check=True, env={**os.environ, **other})
    here, there = (
        {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}
        for folder in (tmp_path / "here", tmp_path / "there")
    )
    assert here == there
    assert {path.rpartition(".")[2] for path in here} == {"svg", "png", "md"}


def test_fonts_of_the_machine_are_not_used() -> None:
    """The font of figures is the renderer's own; a font of the machine is as unknown as one that is not."""
    drawings = [
        renderer.png(
            '<svg xmlns="http://www.w3.org/2000/svg" width="99" height="30">'
            f'<text x="5" y="20" font-family="{family}">Score</text></svg>'
        )
        for family in (style.FONT, "DejaVu Sans", "No Such Font")
    ]
    assert drawings[0] != drawings[1] == drawings[2]


def test_no_address_is_loaded() -> None:
    """The renderer refuses data from an address."""
    spec = {"data": {"url": "http://127.0.0.1:9/data.json"}, "mark": "point"}
    with pytest.raises(ValueError, match="External data url not allowed"):
        renderer.svg(spec)


def test_a_hundred_models_stay_small(empty: RunTables) -> None:
    """With 100 models the figures of the page are less than 400 kB, and all are in the overall figure."""
    names = [f"Vendor Model {number} (FC)" for number in range(100)]
    with debug_mode(False):  # altair has checked these charts of fewer models
        figures = draw_run(full_tables(empty, names))
    assert sum(len(figure.inline.encode()) for figure in figures) < 400_000
    assert set(names) <= set(texts(figures[0].svg))
    assert "The 8 highest ranked of 100 models are shown." in figures[1].caption


def test_the_frontier_has_what_nothing_beats() -> None:
    """A point is on the frontier unless another has a higher score at no higher cost."""
    rows = [{"x": x, "y": y} for x, y in ((1, 10), (2, 9), (2, 30), (3, 30), (4, 50))]
    assert [(row["x"], row["y"]) for row in frontier(rows)] == [(1, 10), (2, 30), (4, 50)]


def test_files_of_a_run_are_replaced_and_those_of_a_user_kept(
    figures: list[DrawnFigure], tmp_path: Path
) -> None:
    """The folder of a run has its figures only; another directory keeps what else it has."""
    for folder, write in ((tmp_path / "run", write_figures), (tmp_path / "paper", add_figures)):
        folder.mkdir()
        (folder / "old.svg").touch()
        write(folder, figures[:1])
    names = {"overall.svg", "overall.png", CAPTIONS}
    assert {path.name for path in (tmp_path / "run").iterdir()} == names
    assert {path.name for path in (tmp_path / "paper").iterdir()} == {*names, "old.svg"}


def test_a_web_that_is_not_the_real_one_is_named_without_titles(tables: RunTables) -> None:
    """A figure without title still states that its web is simulated."""
    (untitled,) = draw_run(tables, titled=False, figures=FIGURES[:1])
    assert "Overall score" not in texts(untitled.svg)
    assert any("simulated web" in text for text in texts(untitled.svg))


def experiment(tables: RunTables, correct: int, tools: bool, failures: float | None) -> ExperimentRun:
    rows = [row | {"correct": correct} for row in tables["web_hops"]]
    return ExperimentRun(with_rows(tables, web_hops=rows), tools, failures)


def test_runs_of_experiments_are_joined(tables: RunTables) -> None:
    """Means over models by tools, by the share of fetches that fail, and by snippets."""
    runs = [
        experiment(tables, 8, tools=True, failures=0.0),
        experiment(tables, 5, tools=True, failures=0.5),
        experiment(tables, 1, tools=False, failures=0.0),
    ]
    found = {figure.name: figure for figure in draw(experiment_figures(runs), "Runs")}
    assert list(found) == ["experiment_tools", "experiment_failures", "experiment_snippets"]
    assert {"80.0", "10.0"} <= set(texts(found["experiment_tools"].svg))
    assert {"80.0", "50.0"} <= set(texts(found["experiment_failures"].svg))
    assert "10.0" not in texts(found["experiment_failures"].svg)
    assert set(experiment_figures(runs[1:2]).values()) == {None}
