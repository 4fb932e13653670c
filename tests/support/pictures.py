"""Makes the pictures of the report in docs/ from a finished run of the embedded models.

    python -m tests.support.pictures [--run results/embedded] [--site SITE] [--out docs]

With --site, a site by `bfcl-pipeline gallery`, the picture of it as well.

Needs Chromium (tests/browser/install.sh) and the font DejaVu Sans (Debian: fonts-dejavu-core). The same
page, Chromium and font give the same bytes.
"""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Browser, Page

from tests.support.browser import CHROMIUM, running_browser

FONT = "DejaVu Sans"
STYLE = f"""
html {{ font-family: "{FONT}" !important; }}
* {{ caret-color: transparent !important; animation: none !important; transition: none !important; }}
"""


@dataclass(frozen=True, slots=True)
class Picture:
    """What one picture shows."""

    width: int  # of the window, in CSS pixels, which are the pixels of the picture
    height: int
    dark: bool = False
    fragment: str = ""  # what follows `#` in the address
    shown: str = "#explorer"  # what is there when the scripts of the page have run
    opened: bool = False  # whether the conversation of the first entry of the list is open


PICTURES: Mapping[str, Picture] = {
    "report.png": Picture(1440, 1400),
    "conversation.png": Picture(
        1440, 890, fragment="entries?model=lexical&category=multi_turn_base", opened=True
    ),
}
"""The pictures by the name of their file."""

GALLERY = "gallery.png"

GALLERY_PICTURE = Picture(1440, 980, shown="table")
"""That of a site of archives."""


def take(browser: Browser, report: Path, picture: Picture) -> bytes:
    """One picture as a PNG file. Raises SystemExit if the font is not installed."""
    context = browser.new_context(
        viewport={"width": picture.width, "height": picture.height},
        color_scheme="dark" if picture.dark else "light",
        reduced_motion="reduce",
        bypass_csp=True,  # for the font
        offline=True,
        locale="en-US",
    )
    page = context.new_page()
    page.goto(report.resolve().as_uri() + (f"#{picture.fragment}" if picture.fragment else ""))
    page.add_style_tag(content=STYLE)
    page.locator(picture.shown).first.wait_for()  # the scripts have made their links
    if picture.opened:
        page.locator("#entries-table tbody a").first.click()
        page.locator("#conversation-body .part").first.wait_for()
    if FONT not in (fonts := _fonts(page)):
        raise SystemExit(f"the font {FONT} is not installed (Debian: fonts-dejavu-core); used: {fonts}")
    taken = page.screenshot(animations="disabled", caret="hide", scale="css")
    context.close()
    return taken


def _fonts(page: Page) -> list[str]:
    """The fonts in which the heading of the page is drawn."""
    session = page.context.new_cdp_session(page)
    session.send("DOM.enable")
    session.send("CSS.enable")
    root = session.send("DOM.getDocument")["root"]["nodeId"]
    heading = session.send("DOM.querySelector", {"nodeId": root, "selector": "h1"})["nodeId"]
    drawn = session.send("CSS.getPlatformFontsForNode", {"nodeId": heading})["fonts"]
    return [font["familyName"] for font in drawn]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--run", type=Path, default=Path("results/embedded"), help="a run by `make run`")
    parser.add_argument("--site", type=Path, help="a site by `bfcl-pipeline gallery`")
    parser.add_argument("--out", type=Path, default=Path("docs"), help="the folder of the pictures")
    options = parser.parse_args()
    report = options.run / "report.html"
    if not report.is_file():
        parser.error(f"{report}: no such file. `make run` makes it; or name another run by --run.")
    if CHROMIUM is None:
        parser.error("Chromium is not installed. tests/browser/install.sh installs it (Debian, as root).")
    with running_browser() as browser:
        shown = [(name, report, picture) for name, picture in PICTURES.items()]
        if options.site:
            shown.append((GALLERY, options.site / "index.html", GALLERY_PICTURE))
        for name, page, picture in shown:
            taken = take(browser, page, picture)
            (options.out / name).write_bytes(taken)
            print(f"{options.out / name}: {picture.width} x {picture.height}, {len(taken):,} bytes")


if __name__ == "__main__":
    main()
