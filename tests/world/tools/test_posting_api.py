from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import World, WorldConfig
from bfcl_pipeline.world.tools.posting import MAX_COMMON, TwitterAPI

LOGGED_IN = {"authenticated": True}


def twitter(setting: WorldConfig, **initial: Any) -> TwitterAPI:
    return TwitterAPI.load(LOGGED_IN | initial, setting)


def test_defaults(setting: WorldConfig) -> None:
    """An entry without a state starts logged out, without tweets, following two users."""
    api = TwitterAPI.load({}, setting)
    assert api.posting_get_login_status() == {"login_status": False}
    assert api.search_tweets("") == []
    assert api.state.following_list == ["alice", "bob"]


def test_login(setting: WorldConfig) -> None:
    """Only the name and password of the account log in, and a failed attempt logs no user out."""
    api = TwitterAPI.load({}, setting)
    assert api.authenticate_twitter("john", "wrong") == {"authentication_status": False}
    assert api.authenticate_twitter("john", "john123") == {"authentication_status": True}
    assert api.authenticate_twitter("john", "wrong") == {"authentication_status": False}
    assert api.posting_get_login_status() == {"login_status": True}


@pytest.mark.parametrize(
    ("method", "arguments", "what"),
    [
        ("post_tweet", ("hi",), "posting"),
        ("retweet", (0,), "retweeting"),
        ("comment", (0, "hi"), "commenting"),
        ("follow_user", ("alice",), "following"),
        ("list_all_following", (), "listing following"),
        ("unfollow_user", ("alice",), "unfollowing"),
    ],
)
def test_needs_login(setting: WorldConfig, method: str, arguments: tuple[Any, ...], what: str) -> None:
    """Actions of the account are refused without a login."""
    error = {"error": f"User not authenticated. Please authenticate before {what}."}
    assert getattr(TwitterAPI.load({}, setting), method)(*arguments) == error


def test_post(setting: WorldConfig) -> None:
    """A tweet is assigned the id of the counter, even if another tweet has that id."""
    api = twitter(setting, tweets={"3": {"id": 3}}, tweet_counter=3)
    tweet = {"id": 3, "username": "john", "content": "hi", "tags": ["#a"], "mentions": ["@b"]}
    assert api.post_tweet("hi", ["#a"], ["@b"]) == tweet
    assert api.state.tweets == {3: tweet}
    assert api.state.tweet_counter == 4


def test_common_mentions(setting: WorldConfig) -> None:
    """Tweets of a conversation without `mentions` share all later mentions."""
    api = twitter(setting)
    api.post_tweet("one")
    api.post_tweet("two", mentions=[])
    api.mention(0, ["@x"])
    assert api.post_tweet("three")["mentions"] == ["@x"]
    assert [tweet["mentions"] for tweet in api.get_user_tweets("john")] == [["@x"], [], ["@x"]]
    assert twitter(setting).post_tweet("elsewhere")["mentions"] == []


def test_comments(setting: WorldConfig) -> None:
    """Comments of the initial state have ids that are text, so no tweet shows them."""
    api = twitter(setting, tweets={"1": {"id": 1}}, comments={"1": [{"username": "a", "content": "b"}]})
    assert api.get_tweet_comments(1) == []
    api.comment(1, "c")
    assert api.get_tweet_comments(1) == [{"username": "john", "content": "c"}]
    assert list(api.state.comments) == ["1", 1]


def test_retweet(setting: WorldConfig) -> None:
    """A tweet is retweeted once."""
    api = twitter(setting)
    api.post_tweet("one")
    assert api.retweet(0) == {"retweet_status": "Successfully retweeted"}
    assert api.retweet(0) == {"retweet_status": "Already retweeted"}
    assert api.retweet(7) == {"error": "Tweet with ID 7 not found."}
    assert api.get_user_stats("john") == {"tweet_count": 1, "following_count": 2, "retweet_count": 1}
    assert api.get_user_stats("alice") == {"tweet_count": 0, "following_count": 0, "retweet_count": 0}


def test_search(setting: WorldConfig) -> None:
    """A keyword is searched within the text, and as a whole tag."""
    api = twitter(setting)
    for content, tag in (("Tech now", "#x"), ("other", "#TECH"), ("other", "#techno")):
        api.post_tweet(content, [tag])
    assert [tweet["id"] for tweet in api.search_tweets("tech")] == [0]
    assert [tweet["id"] for tweet in api.search_tweets("#tech")] == [1]


def test_follow(setting: WorldConfig) -> None:
    """Following and unfollowing each happen once."""
    api = twitter(setting)
    assert [api.follow_user(name)["follow_status"] for name in ("eve", "eve")] == [True, False]
    assert [api.unfollow_user(name)["unfollow_status"] for name in ("bob", "bob")] == [True, False]
    assert api.list_all_following() == {"following_list": ["alice", "eve"]}


def test_tweet_ids(setting: WorldConfig) -> None:
    """An initial state with a tweet id that is not a number is refused."""
    with pytest.raises(MalformedRelease, match="id of a tweet"):
        twitter(setting, tweets={"first": {}})


def test_wrong_types(setting: WorldConfig) -> None:
    """Mentions that are not a list fail with Python's message, and change nothing."""
    world = World.of(["TwitterAPI"], {"TwitterAPI": LOGGED_IN}, setting, "m")
    world.run(Call("post_tweet", {"content": "hi"}))
    failed = world.run(Call("mention", {"tweet_id": 0, "mentioned_usernames": 5}))
    assert failed == "Error during execution: 'int' object is not iterable"
    assert world.states()["TwitterAPI"].tweets[0]["mentions"] == []


def test_common_mentions_are_bounded(setting: WorldConfig) -> None:
    """Shared mentions stay short, because every tweet that shares them shows them."""
    world = World.of(["TwitterAPI"], {"TwitterAPI": LOGGED_IN}, setting, "m")
    world.run(Call("post_tweet", {"content": ""}))
    names = ["x" * 98] * (MAX_COMMON // 150)
    assert "success" in world.run(Call("mention", {"tweet_id": 0, "mentioned_usernames": names}))
    assert "in common" in world.run(Call("mention", {"tweet_id": 0, "mentioned_usernames": names}))
    assert len(world.states()["TwitterAPI"].tweets[0]["mentions"]) == len(names)
