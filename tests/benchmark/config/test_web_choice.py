"""Search engine, proxy and pause of the config."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from bfcl_pipeline.base.errors import ConfigError
from bfcl_pipeline.benchmark.config import Job, ModelRow, WebChoice, load_run
from bfcl_pipeline.benchmark.config.check import check_config, config_schema
from bfcl_pipeline.benchmark.config.job import SEARCH_ENGINES
from bfcl_pipeline.benchmark.config.run_settings import complete_values
from bfcl_pipeline.benchmark.records import Mode

ROOT = Path(__file__).resolve().parents[3]
CONFIG = yaml.safe_load((ROOT / "config/config.yaml").read_text())
SEARCHING = {**CONFIG, "models": ["a", "b"], "categories": ["web_search_base"], "web": "record"}


def row(name: str) -> ModelRow:
    return ModelRow(name, "oracle", Mode.PROMPT, name)


def jobs(config: dict[str, Any], *rows: ModelRow) -> dict[str, Job]:
    run = load_run(config, {row.name: row for row in rows})
    return {job.name: job for job in run.jobs}


def test_the_defaults_are_those_of_the_schema() -> None:
    """So are the search engines among which commands let one choose."""
    assert tuple(config_schema()["properties"]["search_engine"]["enum"]) == SEARCH_ENGINES
    assert WebChoice() == WebChoice.of_config(complete_values({}))


def test_the_engine_of_the_config_is_that_of_all_jobs_on_the_network() -> None:
    """Without requests it decides nothing."""
    found = jobs({**SEARCHING, "search_engine": "serpapi"}, row("a"), row("b"))
    assert {job.web.engine for job in found.values()} == {"serpapi"}


@pytest.mark.parametrize("mode", ["simulated", "replay", "off"])
def test_a_web_without_requests_has_neither_proxy_nor_pause(mode: str) -> None:
    """The jobs of such a run are the same whatever the config says of them."""
    config = {**SEARCHING, "web": mode, "web_proxy": "none", "web_pause": 9}
    found = jobs(config, row("a"), row("b"))["a"].web
    assert (found.proxy, found.pause) == (WebChoice().proxy, WebChoice().pause)


@pytest.mark.parametrize("categories", [["web_search_base"], ["rest"]])
def test_proxy_and_pause_reach_all_requests_and_decide_nothing(categories: list[str]) -> None:
    """Searches, and web APIs of executed calls; without the two, the choice is that of the defaults."""
    plain = jobs({**SEARCHING, "categories": categories}, row("a"), row("b"))["a"]
    config = {**SEARCHING, "categories": categories, "web_proxy": "http://p.example:3128", "web_pause": 0}
    other = jobs(config, row("a"), row("b"))["a"]
    assert (other.web.proxy, other.web.pause) == ("http://p.example:3128", 0)
    assert other.web != plain.web == plain.web.deciding == other.web.deciding


@pytest.mark.parametrize(
    "address",
    [
        "http://user:pa55word@p.example:3128",
        "user:pa55word@p.example",
        "socks5://pa55word",
        "ftp://pa55word",
        "http://",
        "http://p.example:3128/pa55word",
        "http://p.example pa55word",
        "http://p.example:pa55word",
        "http://p.example\n",
        "",
    ],
)
def test_other_proxies_are_refused_without_being_repeated(address: str) -> None:
    """In the config and in Python: a user or a password in it would be recorded and archived."""
    for refuse in (
        lambda: WebChoice(proxy=address),
        lambda: check_config({"web_proxy": address}, config_schema()),
    ):
        with pytest.raises(ConfigError, match=r"web_proxy: expected environment, none, or http") as error:
            refuse()
        assert "pa55word" not in str(error.value)


@pytest.mark.parametrize("address", ["environment", "none", "https://p.example/", "http://[::1]:3128"])
def test_proxies_are_accepted(address: str) -> None:
    """The environment's, none, and addresses with http and https."""
    check_config({"web_proxy": address}, config_schema())
    assert WebChoice(proxy=address).proxy == address


@pytest.mark.parametrize("pause", [-1, 3601, float("nan")])
def test_other_pauses_are_refused(pause: float) -> None:
    """In the config and in Python."""
    with pytest.raises(ConfigError, match="web_pause"):
        check_config({"web_pause": pause}, config_schema())
    with pytest.raises(ConfigError, match="web_pause"):
        WebChoice(pause=pause)
