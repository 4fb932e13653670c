"""`bfcl-pipeline web try`: one search or fetch over TLS, through a proxy, to sites of this machine."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from tests.support.search_pages import duckduckgo_page
from tests.support.web_server import WebServer, http, web_server

DUCKDUCKGO = "html.duckduckgo.com/html/"
SERPAPI = "serpapi.com/search.json"
KEY = "key-of-a-paid-account"
NAMES = ("tea", "cup", "pot", "leaf", "bag", "milk")
RECORDED = "A run records it, and the model sees it. Another proxy (--proxy) may reach the page.\n"
RESULTS = duckduckgo_page(
    Hits(tuple(Hit(f"About {name}", f"https://{name}.example/a?b=c%26d", f"On {name}.") for name in NAMES))
)


@pytest.fixture(scope="module")
def all_sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WebServer]:
    names = ["html.duckduckgo.com", "serpapi.com", "page.example"]
    with web_server(tmp_path_factory.mktemp("authority"), names) as sites:
        yield sites


@pytest.fixture
def sites(all_sites: WebServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> WebServer:
    """The sites, reached without pauses from an empty working folder."""
    all_sites.forget()
    all_sites.reached_through_the_environment(monkeypatch)
    monkeypatch.chdir(tmp_path)
    configured("web_pause: 0")
    monkeypatch.delenv("SERPAPI_API_KEY", raising=False)
    return all_sites


def configured(line: str) -> None:
    Path("config").mkdir(exist_ok=True)
    Path("config/config.yaml").write_text(f"{line}\n")


def tried(*words: str) -> int:
    return main(["web", "try", *words])


ADVICE = (
    "Wait an hour and run again with a longer web_pause, go through another proxy (web_proxy), or use the "
    "other search engine. What is recorded is not asked again."
)
ASKED = [
    (
        "green  tea",
        http(RESULTS),
        "6 results\n"
        + "".join(f"  About {n}\n    https://{n}.example/a?b=c%26d\n    On {n}.\n" for n in NAMES[:5]),
    ),
    ("qqqq", http(duckduckgo_page(Hits(()))), "0 results\n"),
    # Control characters of a page do not reach the terminal.
    (
        "https://page.example/tea#top",
        http("<h1>Tea</h1>\n<p>\x1b[31mred\n" + "more\n" * 9),
        "a page of 70 characters\n  <h1>Tea</h1>\n  <p>\\x1b[31mred\n  more\n  more\n  more\n",
    ),
    (
        "https://page.example/none",
        http("", "404 Not Found"),
        "failure: 404 Client Error: Not Found for url: https://page.example/none\n" + RECORDED,
    ),
    (
        "http://127.0.0.1/",
        None,
        "failure: Failed to connect to 127.0.0.1: its address is not on the public internet\n" + RECORDED,
    ),
]
"""What is asked, the answer (None: nothing is sent), and all that is printed."""


@pytest.mark.parametrize(("asked", "answer", "printed"), ASKED, ids=[asked for asked, *_ in ASKED])
def test_what_is_printed(
    sites: WebServer, capsys: pytest.CaptureFixture[str], asked: str, answer: bytes | None, printed: str
) -> None:
    """The first results of a search, or lines of a page, as a run gets them; nothing is recorded."""
    sites.script("", *([answer] if answer else []))
    assert tried(asked) == 0
    assert capsys.readouterr().out == printed
    assert len(sites.asked) == (answer is not None)
    if not asked.startswith("http"):
        [visit] = sites.asked
        assert (visit.tls, visit.method, visit.fields["q"]) == (True, "POST", " ".join(asked.split()))
    assert not Path("cache").exists()


@pytest.mark.parametrize("status", ["202 Accepted", "403 Forbidden", "429 Too Many Requests"])
def test_a_refusal_says_what_helps(
    status: str, sites: WebServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no outcome, and is not asked again."""
    sites.script(DUCKDUCKGO, http(RESULTS, status))
    assert tried("tea") == 1
    said = capsys.readouterr()
    failed = f"failed once; the last failure: it refused with HTTP {status[:3]}."
    assert (said.out, said.err) == ("", f"The search engine duckduckgo {failed} {ADVICE}\n")
    assert len(sites.asked) == 1


def test_the_paid_service_needs_its_key_and_does_not_print_it(
    sites: WebServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key is in no line, although the service repeats it."""
    assert tried("tea", "--search-engine", "serpapi") == 1
    assert "SERPAPI_API_KEY, which is not set" in capsys.readouterr().err
    monkeypatch.setenv("SERPAPI_API_KEY", KEY)
    found = {"organic_results": [{"title": f"Tea {KEY}", "link": "https://t.example/", "snippet": ""}]}
    sites.script(SERPAPI, http(json.dumps(found)), http(json.dumps({"error": KEY}), "401 Unauthorized"))
    assert tried("tea", "--search-engine", "serpapi") == 0
    assert tried("tea", "--search-engine", "serpapi") == 1
    said = capsys.readouterr()
    assert "1 result" in said.out
    assert "refused the key" in said.err
    assert KEY not in said.out + said.err
    assert {visit.fields["api_key"] for visit in sites.asked} == {KEY}


def test_what_is_not_given_is_as_in_the_config(
    sites: WebServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The engine and the proxy; a config that no run accepts is refused."""
    configured("search_engine: serpapi")
    assert tried("tea") == 1
    assert "SERPAPI_API_KEY, which is not set" in capsys.readouterr().err
    configured("web_proxy: http://127.0.0.1:9")
    assert tried("https://page.example/tea") == 1
    assert "expected the proxy http://127.0.0.1:9 to fetch" in capsys.readouterr().err
    sites.script("page.example/tea", http("tea"))
    assert tried("https://page.example/tea", "--proxy", "environment") == 0
    configured("web_pause: fast")
    assert tried("tea") == 1
    assert "web_pause" in capsys.readouterr().err


def test_the_password_of_a_proxy_is_not_printed(
    sites: WebServer, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Although the page repeats it."""
    monkeypatch.setenv("HTTPS_PROXY", sites.address.replace("http://", "http://me:pass-4711@"))
    sites.script("page.example/tea", http("your password is pass-4711"))
    assert tried("https://page.example/tea") == 0
    assert "pass-4711" not in capsys.readouterr().out
