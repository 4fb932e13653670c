"""Pages of the web whose text is remembered while conversations are played again."""

import pytest

from bfcl_pipeline.show.playback.conditions import PageTexts
from bfcl_pipeline.world.tools.web_search.page_text import page_text

PAGE = "<html><body><h1>Bread</h1>" + "<p>Rye is sown in autumn \ud83d.</p>" * 1_000 + "</body></html>"
OTHER = PAGE.replace("Rye", "Oat")


@pytest.fixture
def converted(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The modes of the conversions that take place."""
    modes: list[str] = []

    def counted(html: str, mode: str) -> str:
        modes.append(mode)
        return page_text(html, mode)

    monkeypatch.setattr("bfcl_pipeline.world.tools.web_search.page_text.page_text", counted)
    return modes


def test_a_page_is_converted_once_per_mode(converted: list[str]) -> None:
    """Its text is that of a conversion, also with half a UTF-16 pair; a page as it is needs no memory."""
    texts = PageTexts()
    for _ in range(2):
        for page in (PAGE, OTHER):
            for mode in ("markdown", "truncate", "raw"):
                assert texts.text(page, mode) == page_text(page, mode)
    assert converted == ["markdown", "truncate", "raw"] * 2 + ["raw"] * 2


def test_what_came_first_stays(converted: list[str]) -> None:
    """Beyond the bound on its size nothing is remembered."""
    texts = PageTexts(most=1)
    for page in (PAGE, OTHER, PAGE, OTHER):
        assert texts.text(page, "truncate") == page_text(page, "truncate")
    assert len(converted) == 3


def test_an_error_is_not_remembered(converted: list[str]) -> None:
    """An unknown mode is refused each time."""
    texts = PageTexts()
    for _ in range(2):
        with pytest.raises(ValueError, match="Unsupported mode"):
            texts.text(PAGE, "sideways")
    assert converted == ["sideways"] * 2
