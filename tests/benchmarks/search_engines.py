"""What each search engine makes of each situation: python -m tests.benchmarks.search_engines

Searches with every engine of ddgs on a server on this machine that answers with the engine's own pages,
refusals and broken answers. Prints a line for each situation: the outcome of most engines, and the engines
for which it is another one. "no such page": none is known of the site.
"""

from bfcl_pipeline.web.engines.ddgs_engine import DDGS_VERSION
from tests.support.search_pages import PAGES
from tests.support.search_situations import table


def main() -> None:
    """Prints the table."""
    print(f"{len(PAGES)} search engines of ddgs {DDGS_VERSION}: {', '.join(PAGES)}\n")
    for line in table():
        print(line, flush=True)


if __name__ == "__main__":
    main()
