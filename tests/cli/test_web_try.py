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


def test_a_search_prints_its_first_results(sites: WebServer, capsys: pytest.CaptureFixture[str]) -> None:
    """As a run gets them, and nothing is recorded."""
    sites.script(DUCKDUCKGO, http(RESULTS))
    assert tried("green  tea") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("6 results\n  About tea\n    https://tea.example/a?b=c%26d\n    On tea.\n")
    assert "About bag" in printed
    assert "About milk" not in printed
    [visit] = sites.asked
    assert (visit.tls, visit.method, visit.fields["q"]) == (True, "POST", "green tea")
    assert not Path("cache").exists()


def test_no_results_are_an_outcome(sites: WebServer, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that itself says so is no failure."""
    sites.script(DUCKDUCKGO, http(duckduckgo_page(Hits(()))))
    assert tried("qqqq") == 0
    assert capsys.readouterr().out == "0 results\n"


@pytest.mark.parametrize("status", ["202 Accepted", "403 Forbidden", "429 Too Many Requests"])
def test_a_refusal_says_what_helps(
    status: str, sites: WebServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no outcome, and is not asked again."""
    sites.script(DUCKDUCKGO, http(RESULTS, status))
    assert tried("tea") == 1
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith(
        f"The search engine duckduckgo failed once; the last failure: it refused with HTTP {status[:3]}."
    )
    for advised in ("web_pause", "web_proxy", "the other search engine"):
        assert advised in said.err
    assert len(sites.asked) == 1


def test_a_page_prints_its_first_lines(sites: WebServer, capsys: pytest.CaptureFixture[str]) -> None:
    """Control characters of a page do not reach the terminal."""
    sites.script("page.example/tea", http("<h1>Tea</h1>\n<p>\x1b[31mred\n" + "more\n" * 9))
    assert tried("https://page.example/tea#top") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("a page of 70 characters\n  <h1>Tea</h1>\n  <p>")
    assert "\x1b" not in printed
    assert len(printed.splitlines()) == 6
    assert [visit.url for visit in sites.asked] == ["https://page.example/tea"]


@pytest.mark.parametrize(
    ("address", "failure"),
    [
        ("https://page.example/none", "404 Client Error: Not Found"),
        ("http://127.0.0.1/", "its address is not on the public internet"),
    ],
)
def test_the_failure_of_a_page_is_an_outcome(
    address: str, failure: str, sites: WebServer, capsys: pytest.CaptureFixture[str]
) -> None:
    """The text that a model sees; private addresses are not asked."""
    assert tried(address) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("failure: ")
    assert failure in printed
    assert "A run records it" in printed
    assert len(sites.asked) == ("page" in address)


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
