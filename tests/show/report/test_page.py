"""The HTML report of a run."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from bfcl_pipeline.base.errors import TableError
from bfcl_pipeline.benchmark.definition import FORMATS
from bfcl_pipeline.benchmark.records import Mode, Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.render import write_page
from bfcl_pipeline.show.report.page.table import Cell, Table, without_empty_columns
from tests.support.synthetic_run import MadeUpModel, Marks, made_up_tables, marks
from tests.support.written_run import page_of

STYLE = Path(__file__).parents[3] / "bfcl_pipeline" / "show" / "report" / "page" / "templates" / "style.css"


class Outline(HTMLParser):
    """Collects tags with their attributes, and whether they are balanced."""

    VOID = ("meta", "link", "br", "img", "hr", "input")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture(scope="module")
def page(made_up_run: Path) -> str:
    """The page of the made-up run."""
    return page_of(made_up_run)


def test_the_page_is_well_formed(page: str) -> None:
    """Every element is closed by its own end, in order."""
    assert Outline(page).open == []


def test_the_page_loads_nothing_from_outside(page: str) -> None:
    """No element loads a file; links to models are the only addresses."""
    for tag, attributes in Outline(page).tags:
        assert tag not in ("link", "img", "iframe", "object", "embed", "base", "form")
        assert "src" not in attributes
        assert tag == "a" or "href" not in attributes
    assert "url(" not in page
    assert "@import" not in page
    (policy,) = [
        attributes["content"] for _, attributes in Outline(page).tags if "http-equiv" in attributes
    ]
    assert policy
    assert policy.startswith("default-src 'none'; base-uri 'none'; form-action 'none'; ")
    assert "unsafe" not in policy


def test_a_hostile_name_is_shown_as_text(page: str) -> None:
    """Markup in a model's name is escaped, and an address that is not a web address is not a link."""
    assert "<script>alert" not in page
    assert "&lt;script&gt;alert(&#39;&amp;&#34;&#39;)&lt;/script&gt;" in page
    assert "javascript:alert" not in page
    assert sum(tag == "script" for tag, _ in Outline(page).tags) == 1
    links = {attributes["href"] for tag, attributes in Outline(page).tags if tag == "a"}
    assert {link for link in links if link and not link.startswith("#")} == {"https://example.org/oracle"}


def test_no_element_has_a_style_or_handler_of_its_own(page: str) -> None:
    """The page has no inline styles or handlers, which its policy would block."""
    for _, attributes in Outline(page).tags:
        assert "style" not in attributes
        assert not [name for name in attributes if name.startswith("on")]


def test_the_same_tables_give_the_same_page_anywhere(
    tmp_path: Path, made_up_models: list[MadeUpModel]
) -> None:
    """The page does not depend on the time, the path or the order of files."""
    pages = {
        write_page(
            Run(made_up_tables(tmp_path / str(step), made_up_models[::step]), tmp_path, tmp_path),
            Rules.OFFICIAL,
        ).read_bytes()
        for step in (1, -1)
    }
    assert len(pages) == 1
    assert str(tmp_path).encode() not in pages.pop()


def test_the_top_of_the_page_has_the_release_and_all_notices(page: str) -> None:
    """It names the release, missing categories, unanswered entries and embedded models."""
    assert "bfcl-eval 2026.3.23" in page
    assert "19 categories were not evaluated" in page
    assert (
        "<li>In no score: 2 entries without a verdict, 2 not asked, not recorded or of unknown cause.</li>"
        in page
    )
    assert "Oracle (Prompt): embedded models of the pipeline." in page
    assert page.count('<span class="badge">embedded</span>') == 3  # leaderboard, heat map, bars


def test_numbers_intervals_and_gaps_are_shown(page: str) -> None:
    """The overall has its interval, a category its counts, and N/A no sort key."""
    assert re.search(
        r'<td class="number overall" data-value="0.058\d+"[^>]*>5.83\*<small>2.5–5.8</small>', page
    )
    assert (
        'title="simple_python: 1 of 3 right, 33.33 % (95 % interval 6.1–79.2); '
        '25.00 to 50.00 if 1 without a verdict were wrong, or right"' in page
    )
    assert '<td class="heat missing" title="format_sensitivity: not evaluated">N/A</td>' in page


def test_columns_without_a_value_are_left_out(page: str) -> None:
    """The leaderboard and the categories name the columns that no model has a value for."""
    left_out = re.findall(r"<p class=\"note\">Not shown, since no row has a value: (.*?)\.</p>", page)
    assert left_out[0] == "Multi-turn, Web search, Memory, Relevance, Cost ($)"
    assert any("simple_java, simple_javascript" in titles for titles in left_out)
    assert "memory_kv: not evaluated" not in page
    table = Table(
        "T",
        [[Cell("", width=2), Cell("both", width=2)], [Cell(name) for name in "abcd"]],
        [[Cell("x"), Cell("1"), Cell.number("N/A", None), Cell("2")]],
        [[Cell("all", width=3), Cell("3")]],
    )
    found = without_empty_columns(table)
    assert [
        [(cell.text, cell.width) for cell in row] for row in (*found.head, *found.rows, *found.foot)
    ] == [
        [("", 2), ("both", 1)],
        [("a", 1), ("b", 1), ("d", 1)],
        [("x", 1), ("1", 1), ("2", 1)],
        [("all", 2), ("3", 1)],
    ]
    assert found.left_out == ["c"]


def test_the_lowest_and_the_highest_of_each_score_are_in_a_table(page: str) -> None:
    """A score of a model with entries that have no verdict has a range, and their number."""
    table = re.search(r"<summary>Entries without a verdict: .*?</table>", page, re.DOTALL)
    assert table is not None
    assert re.search(
        r'<td [^>]*title="[^"]*of unknown cause">\d+\.\d\d to \d+\.\d\d<small>1 entry<', table[0]
    )


def test_it_can_be_linked_how_entries_are_counted(page: str) -> None:
    """The leaderboard leads to the section, which explains why two counts of entries differ."""
    assert '<a href="#counting">How we count</a>' in page
    assert re.search(r'<section id="counting">.*203 entries where another has 201', page, re.DOTALL)


def test_the_smallest_segments_of_the_bars_can_be_seen(tmp_path: Path) -> None:
    """One error beside thousands has a visible segment, and the longest bar is still the whole width."""
    few = Marks([False] * 2_001, error_types=("rare", *["usual"] * 2_000))
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"live_multiple": few})])
    page = page_of(run)
    widths = [
        float(width) for width in re.findall(r'<rect class="c\d" x="[^"]*" y="0" width="([^"]*)"', page)
    ]
    assert [len(widths), min(widths), sum(widths)] == pytest.approx([2, 9.9, 1_000], abs=0.1)


def test_the_cost_of_a_model_without_prices_is_unknown(tmp_path: Path) -> None:
    """Dollars of rented GPUs are not shown beside dollars of prices; nothing is sent to embedded models."""
    asked = {"simple_python": marks(2)}
    latencies, tokens = {"simple_python": [1.0, 2.0]}, {"simple_python": [(1000, 100), (3000, 300)]}
    names = ("priced", "tie/a", "oracle")
    models = [MadeUpModel(name, asked, latencies=latencies, tokens=tokens) for name in names]
    page = page_of(made_up_tables(tmp_path, models))
    cell = r'<td class="number na" title="The model[^"]*no prices\.[^"]* rented GPUs\.">unknown<'
    assert len(re.findall(cell, page)) == 1
    assert page.count('title="nothing was sent"') == 1
    assert re.search('<th scope="col" class="number" title="US dollars of all requests', page)


def test_headings_that_need_it_are_explained(page: str) -> None:
    """Tooltips explain the columns on formats and scored entries."""
    for title in ("Best minus worst accuracy", "Share and number of the run"):
        assert re.search(rf'<th scope="col" class="number" title="{title}', page)
    assert "<dt>Format max \N{GREEK CAPITAL LETTER DELTA}</dt>" in page


def test_sections_without_content_are_left_out(tmp_path: Path) -> None:
    """The page of a perfect function-calling model has no errors and no prompt formats."""
    run = made_up_tables(tmp_path, [MadeUpModel("perfect", {"multiple": marks(3)})])
    page = page_of(run)
    assert "No answer was scored as wrong." in page
    assert 'id="formats"' not in page
    assert "0 differ" in page
    assert Outline(page).open == []


def test_many_models_have_a_row_each(tmp_path: Path) -> None:
    """With more than ten models, the tables of errors and formats have rows instead of columns for them."""
    asked = {"simple_python": marks(1, 2), "format_sensitivity": marks(len(FORMATS), len(FORMATS))}
    models = [MadeUpModel(f"model {number:02}", asked, Mode.PROMPT) for number in range(11)]
    text = page_of(made_up_tables(tmp_path, models))
    assert Outline(text).open == []
    for heading in re.findall(r"<thead>.*?</thead>", text, re.DOTALL):
        assert "model 07" not in heading
    for section in ("errors", "formats"):
        shown = re.search(rf'<section id="{section}"[^>]*>.*?</section>', text, re.DOTALL)
        assert shown is not None
        rows = re.findall(r'<th scope="row" class="name".*?<bdi>(.*?)</bdi>', shown[0])
        assert rows[-len(models) :] == [model.name for model in models]


def test_only_100_per_cent_has_the_full_colour(tmp_path: Path) -> None:
    """4,999 of 5,000 is shown as 99.9 in the colour below."""
    run = made_up_tables(tmp_path, [MadeUpModel("m", {"live_multiple": marks(4999, 1)})])
    page = page_of(run)
    assert re.search(r'class="heat h9"[^>]*>99.9<', page)


def test_corrected_rules_are_named_on_the_page(made_up_run: Path) -> None:
    """A notice says that the numbers are not comparable with the leaderboard."""
    page = page_of(made_up_run, Rules.CORRECTED)
    assert "these numbers are not comparable with the leaderboard" in page


def test_without_tables_the_error_names_the_command(tmp_path: Path) -> None:
    """The error names the directory and the command that makes the tables."""
    with pytest.raises(TableError, match=r"tables.*bfcl-pipeline aggregate"):
        write_page(Run(tmp_path, tmp_path, tmp_path), Rules.OFFICIAL)
    assert not (tmp_path / "report.html").exists()


def luminance(colour: str) -> float:
    channels = [int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5)]
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def contrast(one: str, other: str) -> float:
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


def test_text_is_readable_on_every_colour_of_the_scale() -> None:
    """In light and dark, each step of the heat map has a contrast of at least 4.5 to its text."""
    light, dark = re.findall(r":root \{(.*?)\n *\}", STYLE.read_text(encoding="utf-8"), re.DOTALL)[:2]
    for block in (light, dark):
        colours = dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))
        for level in range(11):
            ink = colours["high-ink" if level >= 8 else "low-ink"]
            assert contrast(colours[f"h{level}"], ink) >= 4.5, level
        assert contrast(colours["soft"], colours["ground"]) >= 4.5
        assert contrast(colours["soft"], colours["panel"]) >= 4.5
