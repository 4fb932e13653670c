"""Measures how long a browser takes to open a report, and what its bytes are.

    python -m benchmarks.page_open results/embedded/report.html [--times 5]

Opens the file several times in headless Chromium, each time in a new window, and prints the median seconds
from the start of the navigation to: the first paint, the document read and its scripts run (DOM ready), the
load event, and the first frame that is drawn after it. Then the bytes of each section. Needs Chromium
(tests/browser/install.sh).
"""

from __future__ import annotations

import argparse
import re
from pathlib import Path
from statistics import median

from playwright.sync_api import Browser

from tests.support.browser import CHROMIUM, HEIGHT, running_browser

TIMINGS = """() => new Promise(done => requestAnimationFrame(() => setTimeout(() => {
  const drawn = performance.now();
  const [page] = performance.getEntriesByType("navigation");
  new PerformanceObserver(paints => done({
    "first paint": paints.getEntries()[0].startTime,
    "DOM ready": page.domContentLoadedEventEnd,
    "load event": page.loadEventEnd,
    "drawn": drawn,
  })).observe({type: "paint", buffered: true});
})))"""
"""Milliseconds since the start of the navigation."""


def timings(browser: Browser, report: Path) -> dict[str, float]:
    """The seconds from the start of the navigation to each event, of one opening."""
    context = browser.new_context(viewport={"width": 1400, "height": HEIGHT}, offline=True)
    page = context.new_page()
    page.goto(report.resolve().as_uri(), wait_until="load")
    taken = page.evaluate(TIMINGS)
    context.close()
    return {event: milliseconds / 1000 for event, milliseconds in taken.items()}


def medians(report: Path, times: int) -> dict[str, float]:
    """The medians of so many openings, after one that is not counted."""
    with running_browser() as browser:
        timings(browser, report)
        taken = [timings(browser, report) for _ in range(times)]
    return {event: median(one[event] for one in taken) for event in taken[0]}


def section_bytes(report: Path) -> dict[str, int]:
    """The bytes of each section of the page, and of what is outside of them, largest first."""
    text = report.read_text(encoding="utf-8")
    found = re.finditer(r'<section id="([\w-]+)".*?</section>', text, re.DOTALL)
    sizes = {part[1]: len(part[0].encode()) for part in found}
    sizes["outside of sections"] = len(text.encode()) - sum(sizes.values())
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("report", type=Path, help="report.html of a run")
    parser.add_argument("--times", type=int, default=5, help="openings (default: 5)")
    options = parser.parse_args()
    if not options.report.is_file():
        parser.error(f"{options.report}: no such file. `bfcl-pipeline report RUN` writes it.")
    if CHROMIUM is None:
        parser.error("Chromium is not installed. tests/browser/install.sh installs it (Debian, as root).")
    print(f"{options.report.stat().st_size / 1e6:.2f} MB")
    for event, seconds in medians(options.report, options.times).items():
        print(f"{event:<20} {seconds:6.2f} s")
    for section, size in section_bytes(options.report).items():
        print(f"{section:<20} {size / 1e6:6.2f} MB")


if __name__ == "__main__":
    main()
