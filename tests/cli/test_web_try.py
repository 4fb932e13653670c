"""`bfcl-pipeline web try`: one search or fetch over TLS, through a proxy, to sites of this machine."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from bfcl_pipeline.cli import main
from bfcl_pipeline.world.tools.web_search.web import Hit, Hits
from bfcl_pipeline.world.web.cache import WebCache
from bfcl_pipeline.world.web.keys import SearchKey
from tests.support.web_sites import AUTHORITY, Sites, answer, web_sites

DUCKDUCKGO = "html.duckduckgo.com/html/"
SERPAPI = "serpapi.com/search.json"
KEY = "key-of-a-paid-account"


def results(*names: str, after: int = 0) -> str:
    """A page of DuckDuckGo with one result for each name. after: number of the page, if there is a next."""
    blocks = "".join(
        f'<div class="result results_links web-result"><div class="links_main result__body">'
        f'<h2 class="result__title"><a class="result__a" href="https://{name}.example/a?b=c%26d">'
        f'About {name}</a></h2><a class="result__snippet" href="https://{name}.example/">A page on {name}.'
        "</a></div></div>"
        for name in names
    )
    following = f"<form action='/html/' method='post'><input name='s' value='{after * 10}'></form>"
    more = f"<div class='nav-link'>{following}</div>" if after else ""
    return f"<html><body><div class='results'>{blocks}{more}</div></body></html>"


NOTHING = (
    '<html><body><div class="results"><div class="result result--no-result"><div class="no-results">'
    "No results.</div></div></div></body></html>"
)
CAPTCHA = (
    '<html><body><form id="challenge-form" action="//duckduckgo.com/anomaly.js?cc=botnet"></form></body>'
    "</html>"
)


@pytest.fixture(scope="module")
def all_sites(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Sites]:
    names = ["html.duckduckgo.com", "serpapi.com", "www.mojeek.com", "www.bing.com", "page.example"]
    with web_sites(tmp_path_factory.mktemp("authority"), names) as sites:
        yield sites


@pytest.fixture
def sites(all_sites: Sites, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sites:
    """The sites, reached without pauses from an empty working folder; the terminal has 80 columns."""
    all_sites.answers.clear()
    all_sites.visits.clear()
    all_sites.reached_through_the_environment(monkeypatch)
    monkeypatch.chdir(tmp_path)
    configured("web_pause: 0")
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.delenv("SERPAPI_API_KEY", raising=False)
    return all_sites


def configured(line: str) -> None:
    Path("config").mkdir(exist_ok=True)
    Path("config/config.yaml").write_text(f"{line}\n")


def tried(*words: str) -> int:
    return main(["web", "try", *words])


def test_results_are_shown(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """A search prints its request, the first results and that a run would record them."""
    sites.script(DUCKDUCKGO, answer(results("tea", "cup", "pot", "leaf", "bag", "milk")))
    assert tried("green  tea", "--region", "us-en") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("search    green tea\nregion    us-en\nby        duckduckgo by ddgs ")
    assert "POST     html.duckduckgo.com     200" in printed
    assert "6 results in " in printed
    assert " 1. About tea\n    https://tea.example/a?b=c%26d\n    A page on tea.\n" in printed
    assert "About bag" in printed
    assert "About milk" not in printed
    assert "in a run  yes, as 6 results" in printed
    assert "to do" not in printed
    [visit] = sites.visits
    assert (visit.tls, visit.method, visit.fields["q"]) == (True, "POST", "green tea")


def test_one_page_is_asked_for_unless_more_are_wanted(sites: Sites) -> None:
    """A search asks for one page of results; --pages asks for more."""
    pages = [answer(results(name, after=number)) for number, name in enumerate(("tea", "cup", "pot"), 1)]
    sites.script(DUCKDUCKGO, *pages)
    assert tried("tea") == 0
    assert len(sites.visits) == 1
    sites.script(DUCKDUCKGO, *pages)
    assert tried("tea", "--pages", "2") == 0
    assert len(sites.visits) == 3


def test_no_results_are_an_outcome(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """A page that itself says "no results" is what a run would record."""
    sites.script(DUCKDUCKGO, answer(NOTHING))
    assert tried("qqqq") == 0
    printed = capsys.readouterr().out
    assert "No results, as the site itself says" in printed
    assert "yes, as a search without results" in printed


@pytest.mark.parametrize(
    "given",
    [
        answer(CAPTCHA),
        answer(CAPTCHA, "202 Accepted"),
        answer("", "403 Forbidden"),
        answer("", "429 Too Many Requests", Retry_After="7"),
    ],
)
def test_a_refusal_says_what_helps(given: bytes, sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """A refusal is no outcome; the first advice is another proxy, then an engine, then a longer pause."""
    sites.script(DUCKDUCKGO, given)
    assert tried("tea") == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "s: duckduckgo: " in printed
    assert "in a run no: it would ask up to 5 times, then the question would get the status" in printed
    order = [printed.index(words) for words in ("1. Proxy: use another", "2. Another search", "3. Pause")]
    assert order == sorted(order)
    assert len(sites.visits) == 1  # no retries


def test_without_a_proxy_one_is_advised(
    sites: Sites, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A machine that reaches nothing is told to check its network, or to use a proxy."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.delenv(name)
    tried(
        "--proxy", "none", "https://page.example/"
    )  # a failure to record only where other names are known
    printed = " ".join(capsys.readouterr().out.split())
    assert "proxy none" in printed
    assert "GET page.example - 0 " in printed
    assert "1. Connection: check the network" in printed
    assert sites.visits == []


@pytest.mark.parametrize("page", ["<html><body>Soon here: a new design</body></html>", "<html>cut"])
def test_a_page_that_cannot_be_read_is_no_outcome(
    page: str, sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    """Changed markup, or half a page, is never shown as "no results"."""
    sites.script(DUCKDUCKGO, answer(page))
    assert tried("tea") == 1
    printed = " ".join(capsys.readouterr().out.split())
    assert "in a run no: " in printed
    assert "Another search engine: --search-engine serpapi" in printed


def test_another_engine_and_its_own_name(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """--search-engine asks that engine alone."""
    sites.script("www.mojeek.com/search", answer("", "403 Forbidden"))
    assert tried("--search-engine", "mojeek", "tea") == 1
    assert "by        mojeek by ddgs " in capsys.readouterr().out
    assert {visit.host for visit in sites.visits} == {"www.mojeek.com"}


def test_an_engine_that_ddgs_has_switched_off_can_be_tried(
    sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is asked all the same, and the reader is told."""
    sites.script("www.bing.com/search", answer("", "403 Forbidden"))
    assert tried("--search-engine", "bing", "tea") == 1
    assert "note      ddgs does not use this engine at present" in capsys.readouterr().out
    assert {visit.host for visit in sites.visits} == {"www.bing.com"}


def test_the_engine_of_the_config_is_the_default(sites: Sites) -> None:
    """Without --search-engine, that of config/config.yaml in the working folder is tried."""
    configured("search_engine: mojeek")
    sites.script("www.mojeek.com/search", answer("", "403 Forbidden"))
    assert tried("tea") == 1
    assert {visit.host for visit in sites.visits} == {"www.mojeek.com"}


def test_a_key_is_never_printed(
    sites: Sites, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """SerpApi's key is sent, and printed nowhere, even if the site echoes it."""
    monkeypatch.setenv("SERPAPI_API_KEY", KEY)
    echoed = {"organic_results": [{"title": f"your {KEY}", "link": f"https://a.example/?k={KEY}"}]}
    sites.script(SERPAPI, answer(json.dumps(echoed), kind="application/json"))
    for words in (["tea"], ["--json", "tea"]):
        assert tried("--search-engine", "serpapi", *words) == 0
    sites.script(SERPAPI, answer(json.dumps({"error": f"bad {KEY}"}), "401 Unauthorized"))
    assert tried("--search-engine", "serpapi", "tea") == 1
    assert {visit.fields["api_key"] for visit in sites.visits} == {KEY}
    captured = capsys.readouterr()
    assert KEY not in captured.out + captured.err
    assert "SCRUBBED" in captured.out


def test_a_missing_key_is_one_line(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """An engine that needs a key says so before anything is sent."""
    assert tried("--search-engine", "serpapi", "tea") == 1
    assert "SERPAPI_API_KEY" in one_line(capsys)
    assert sites.visits == []


def test_a_page_is_shown_as_a_model_sees_it(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """A fetch prints size, type and the first lines, in the form that is asked for."""
    html = "<html><body><h1>Tea</h1>" + "".join(f"<p>line {n}</p>" for n in range(30)) + "</body></html>"
    sites.script("page.example/tea", answer(html))
    assert tried("https://page.example/tea") == 0
    printed = capsys.readouterr().out
    assert printed.startswith("fetch     https://page.example/tea\nby        requests of bfcl-pipeline ")
    assert f"GET      page.example     200    {len(html)}" in printed
    assert f"{len(html)} characters in " in printed
    assert "  <html><body><h1>Tea</h1><p>line 0</p>" in printed
    assert f"in a run  yes, as a page of {len(html)} characters" in printed
    assert tried("--as", "markdown", "https://page.example/tea") == 0
    printed = capsys.readouterr().out
    assert "  # Tea\n" in printed
    assert "more lines)" in printed


def test_redirects_are_listed(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """Every request of a fetch is a row."""
    sites.script("page.example/old", answer("", "301 Moved", Location="/new"))
    sites.script("page.example/new", answer("here"))
    assert tried("https://page.example/old") == 0
    assert [visit.path for visit in sites.visits] == ["/old", "/new"]
    printed = capsys.readouterr().out
    assert printed.count("GET      page.example") == 2
    assert " 301 " in printed


def test_the_failure_of_a_page_is_an_outcome(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """A 403 is shown in the words that a model sees; how to record the page instead is said."""
    sites.script("page.example/x", answer("", "403 Forbidden"))
    assert tried("https://page.example/x") == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "403 Client Error: Forbidden for url: https://page.example/x" in printed
    assert "yes, as a failure with this text" in printed
    assert "Recorded, the refusal stays" in printed


def test_a_proxy_that_is_down_is_no_outcome(
    sites: Sites, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A proxy that cannot be reached is named, without its password."""
    for name in ("HTTP_PROXY", "HTTPS_PROXY"):
        monkeypatch.setenv(name, "http://somebody:a-secret-word@127.0.0.1:1")
    for words in (["tea"], ["https://page.example/"], ["--json", "tea"]):
        assert tried(*words) == 1
        printed = " ".join(capsys.readouterr().out.split())
        assert "check the proxy" in printed
        assert "http://127.0.0.1:1" in printed
        assert "secret" not in printed
    assert sites.visits == []


@pytest.mark.parametrize(("asked", "status"), [("tea", 1), ("https://page.example/", 0)])
def test_certificates_are_checked(
    asked: str,
    status: int,
    sites: Sites,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    """A site whose authority is not known is not asked, and how to name an authority is said."""
    monkeypatch.delenv(AUTHORITY)
    assert tried(asked) == status
    assert "to do     1. Certificates: if a proxy" in capsys.readouterr().out
    assert sites.visits == []


def test_a_proxy_with_a_password_belongs_in_the_environment(
    sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    """As in the config, and the password is not repeated."""
    assert tried("--proxy", "http://somebody:a-secret-word@127.0.0.1:1", "tea") == 1
    error = one_line(capsys)
    assert "environment variables HTTP_PROXY and HTTPS_PROXY" in error
    assert "secret" not in error
    assert sites.visits == []


def test_a_form_that_a_page_does_not_have_is_said(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """Markup that cannot be converted is the error that a model would see."""
    sites.script("page.example/", answer("<![x>"))
    assert tried("--as", "truncate", "https://page.example/") == 0
    assert "  an error: " in capsys.readouterr().out


def test_nothing_is_recorded(sites: Sites, tmp_path: Path) -> None:
    """The web cache is not written to, with an outcome or without one."""
    sites.script(DUCKDUCKGO, answer(results("tea")), answer("", "403 Forbidden"))
    sites.script("page.example/", answer("x"))
    assert [tried("tea"), tried("tea"), tried("https://page.example/")] == [0, 1, 0]
    assert [path.name for path in tmp_path.rglob("*") if path.is_file()] == ["config.yaml"]


def test_an_earlier_record_is_stated(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """What the web cache has already is stated with its date and software, and stays as it is."""
    cache = WebCache(Path("kept"))
    noon = datetime(2026, 10, 1, 12, tzinfo=UTC)
    cache.add(SearchKey("tea", "wt-wt"), Hits((Hit("a", "b", "c"),)), engine="duck 1", recorded_at=noon)
    sites.script(DUCKDUCKGO, answer(results("tea")))
    assert tried("--record", "kept", "tea") == 0
    assert "recorded  2026-10-01 12:00 UTC by duck 1" in capsys.readouterr().out


def test_json_has_everything(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """--json prints one object, with all results."""
    names = ["tea", "cup", "pot", "leaf", "bag", "milk"]
    sites.script(DUCKDUCKGO, answer(results(*names)))
    assert tried("--json", "tea") == 0
    document = json.loads(capsys.readouterr().out)
    assert document["asked"] == {"function": "search", "keywords": "tea", "region": "wt-wt"}
    assert [hit["title"] for hit in document["outcome"]["hits"]] == [f"About {name}" for name in names]
    [sent] = document["requests"]
    assert (sent["host"], sent["status"], sent["problem"]) == ("html.duckduckgo.com", 200, "")
    assert sent["bytes"] > 0
    assert sent["seconds"] >= 0


def test_hostile_text_is_made_visible(sites: Sites, capsys: pytest.CaptureFixture[str]) -> None:
    """Control and bidirectional characters of a page do not reach the terminal."""
    sites.script("page.example/", answer("a\x1b[31mred\u202egnp\x07", kind="text/plain\x1b[2J"))
    assert tried("https://page.example/") == 0
    printed = capsys.readouterr().out
    assert "\\x1b[31mred\\u202egnp\\x07" in printed
    assert not set("\x1b\u202e\x07") & set(printed)


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("  ", "nothing to search for"),
        ("page.example/tea", "For the page give https://page.example/tea"),
        ("ftp://page.example/", "not the address of a page"),
        ("file:///etc/passwd", "not the address of a page"),
        ("http:///path", "not the address of a page"),
        ("https://page.example:port/", "not an address"),
        ("http://127.0.0.1/", "a private address"),
        ("http://localhost:8000/", "a private address"),
        ("http://[::1]/", "a private address"),
        ("https://user:password@10.0.0.1/", "https://10.0.0.1/: a private address"),
        ("tea " * 6_000, "more than 20,000 characters"),
    ],
)
def test_what_cannot_be_asked_is_one_line(
    asked: str, said: str, sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    """Bad input is one line that says what to do, and nothing is sent."""
    assert tried(asked) == 1
    assert said in one_line(capsys)
    assert sites.visits == []


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("search_engine: altavista", "unknown search_engine 'altavista'"),
        ("search_engine: [brave]", "search_engine: unexpected value"),
        ("web_pause: soon", "web_pause: unexpected value soon"),
        ("web_pause: -1", "web_pause: expected 0 to 3600 seconds"),
        ("web_proxy: socks5://127.0.0.1:1", "web_proxy: expected environment, none, or http"),
        ("web: [", "not readable as YAML"),
    ],
)
def test_a_config_that_cannot_be_used_is_one_line(
    line: str, said: str, sites: Sites, capsys: pytest.CaptureFixture[str]
) -> None:
    """The key is named, and nothing is sent."""
    configured(line)
    assert tried("tea") == 1
    assert said in " ".join(capsys.readouterr().err.split())
    assert sites.visits == []


def test_an_address_can_be_searched_for(sites: Sites) -> None:
    """--search searches for text that looks like an address."""
    sites.script(DUCKDUCKGO, answer(results("tea")))
    assert tried("--search", "page.example/tea") == 0
    assert sites.visits[0].fields["q"] == "page.example/tea"


def one_line(capsys: pytest.CaptureFixture[str]) -> str:
    """The error, which is one line, and nothing else was printed."""
    captured = capsys.readouterr()
    assert captured.out == ""
    assert captured.err.count("\n") == 1
    return captured.err
