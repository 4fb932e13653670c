"""The report in a real browser: headless Chromium, and a record of what a page requests and reports.

The browser is the machine's own (tests/browser/install.sh installs Debian's); nothing is downloaded.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Protocol

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request, sync_playwright

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
"""The browser; None if there is none."""

OPTIONS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--font-render-hinting=none",
    "--force-color-profile=srgb",
    "--disable-partial-raster",
    "--num-raster-threads=1",
)
"""Chromium opens nothing but the page, and draws it the same on every machine with the same fonts."""

HEIGHT = 900
"""Of the window, in CSS pixels."""

SERIOUS = ("serious", "critical")
"""The impacts of axe-core's findings that fail a test."""


@contextmanager
def running_browser() -> Iterator[Browser]:
    """A headless Chromium, ended with the context."""
    assert CHROMIUM is not None
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*OPTIONS])
        yield browser
        browser.close()


@dataclass(slots=True)
class Observed:
    """What a page did since it was opened, beyond showing itself."""

    folder: Path  # of the report: it and the folder `report` beside it may be read
    pages: tuple[str, ...] = ()  # other pages of the folder that may be opened
    requests: list[str] = field(default_factory=list)  # every address, in order
    blocked: list[str] = field(default_factory=list)  # of these, what the page's policy did not let out
    console: list[str] = field(default_factory=list)  # warnings and errors
    errors: list[str] = field(default_factory=list)  # exceptions that no script caught

    def watch(self, page: Page) -> None:
        """Records what `page` does from now on."""
        page.on("request", lambda request: self.requests.append(request.url))
        page.on("requestfailed", lambda request: self._failed(request))
        page.on("console", lambda message: self._reported(message))
        page.on("pageerror", lambda error: self.errors.append(str(error)))

    def foreign(self) -> list[str]:
        """The requests that left the page for anything but files of the report or data in the page."""
        own = tuple(f"{self.folder.as_uri()}/{name}" for name in ("report.html", "report/", *self.pages))
        left = [url for url in self.requests if url not in self.blocked]
        return [url for url in left if not url.startswith((*own, "data:", "blob:"))]

    def _failed(self, request: Request) -> None:
        if request.failure == "csp":
            self.blocked.append(request.url)

    def _reported(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self.console.append(message.text)


class OpenReport(Protocol):
    """Opens a report in a new window; the test fails at its end if the page made a foreign request,
    or if a warning or an error was reported."""

    def __call__(
        self,
        report: Path,
        width: int = 1400,
        dark: bool = False,
        javascript: bool = True,
        fragment: str = "",
        expected: tuple[str, ...] = (),
    ) -> Page:
        """Opens it.

        Args:
            report: the file.
            width: of the window, in CSS pixels.
            dark: whether the reader prefers dark colours.
            javascript: whether scripts run.
            fragment: what follows `#` in the address, as it is written there.
            expected: beginnings of messages that this test provokes on the console.
        """


def faults(page: Page) -> list[str]:
    """The serious and critical findings of axe-core on the page as it is shown now, one line each."""
    response = Axe().run(page, options={"resultTypes": ["violations"]}).response
    return [
        f"{rule['impact']} {rule['id']}: {node['html'][:200]} {node['failureSummary'][:300]}"
        for rule in response["violations"]
        if rule["impact"] in SERIOUS
        for node in rule["nodes"]
    ]


def is_wider_than_window(page: Page) -> bool:
    """Whether the page as a whole must be scrolled sideways."""
    found = page.evaluate("document.documentElement.scrollWidth > document.documentElement.clientWidth")
    return bool(found)
