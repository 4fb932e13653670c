"""What each search engine makes of each situation: python -m tests.benchmarks.search_engines

Prints what is known of each engine of ddgs, then searches with it on a server on this machine that answers
with the engine's own pages, refusals and broken answers: a line for each situation, with the outcome of
most engines, and the engines for which it is another one. "no such page": none is known of the site.
"""

from bfcl_pipeline.world.web.engines.ddgs_engine import DDGS_VERSION, DdgsEngine
from bfcl_pipeline.world.web.engines.facts import FACTS
from tests.support.search_pages import PAGES
from tests.support.search_situations import table


def main() -> None:
    """Prints the tables."""
    print(f"{'engine':<11}  pages  longest query  says no results  switched off by ddgs {DDGS_VERSION}")
    for name in PAGES:
        facts, off = FACTS[name], "yes" if DdgsEngine(name).switched_off else ""
        marked = "yes" if facts.nothing or not facts.complete else "not known how"
        print(f"{name:<11}  {facts.pages:>5}  {facts.longest_query:>13}  {marked:<15}  {off}".rstrip())
    print()
    for line in table():
        print(line, flush=True)


if __name__ == "__main__":
    main()
