"""The section of the report on what the benchmark is."""

from __future__ import annotations

import re
import shutil
from html import unescape
from pathlib import Path

import pytest

from bfcl_pipeline.benchmark.definition import V4_CATEGORIES
from bfcl_pipeline.benchmark.records import Rules
from bfcl_pipeline.runs.run import Run
from bfcl_pipeline.show.report.page.overview import BENCHMARK_BIBTEX, SOFTWARE_BIBTEX
from bfcl_pipeline.show.report.page.render import render_page, write_page
from bfcl_pipeline.show.report.page.run_tables import read_run_tables
from tests.support.written_run import page_of, section


@pytest.mark.usefixtures("without_figures")
def test_every_category_is_there_with_an_example(staged: Path, made_up_run: Path, tmp_path: Path) -> None:
    """Each category has its version, entries, weight and a question from the staged release."""
    copied = tmp_path / "run"
    shutil.copytree(made_up_run, copied)
    text = section(
        write_page(Run(copied, tmp_path, staged), Rules.OFFICIAL).read_text("utf-8"), "benchmark"
    )
    assert re.findall(r"<code>([a-z_]+)</code></td>", text) == list(V4_CATEGORIES)
    assert text.count("For example: ") == len(V4_CATEGORIES)
    assert "Find the area of a triangle" in text
    assert '<td class="number" data-value="0.1">10.00 %</td>' in text


def test_without_the_release_the_page_has_no_examples(made_up_run: Path) -> None:
    """The rest of the section needs nothing staged: versions, composition and the warning about V3."""
    text = section(page_of(made_up_run), "benchmark")
    assert "For example" not in text
    assert "27 of 2 hops, 33 of 3 hops, 39 of 4 hops, 1 of 5 hops" in text
    assert "30 customer, 25 healthcare" in text
    assert "V4 totals do not compare with V3&#39;s" in text


def test_an_example_is_shown_as_text(made_up_run: Path) -> None:
    """Markup, control characters and length of an example have no effect on the page."""
    example = "<script>x</script>\u202e\x1b" + "long " * 1000
    tables = read_run_tables(Run(made_up_run), Rules.OFFICIAL)
    text = section(render_page(tables, examples={"multiple": example}), "benchmark")
    assert "&lt;script&gt;x&lt;/script&gt;\\u202e\\x1blong" in text
    assert "more characters)" in text
    assert text.count("long ") < 100


def test_the_citations_can_be_copied(made_up_run: Path) -> None:
    """The BibTeX entries stand in the page as they are."""
    text = unescape(section(page_of(made_up_run), "benchmark"))
    assert f'<pre tabindex="0">{BENCHMARK_BIBTEX}</pre>' in text
    assert f'<pre tabindex="0">{SOFTWARE_BIBTEX}</pre>' in text
