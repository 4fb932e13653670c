"""What users of the simulated social network rely on, the release's quirks, and the bounds."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import World, WorldConfig
from bfcl_pipeline.world.tools.posting import MAX_COMMON, TwitterAPI
from tests.world.tools.scenes import scene_test, scenes

INITIAL = {"authenticated": True}

SCENES = scenes(
    r"""
# An entry without a state starts logged out, without tweets, following two users.
given only {}
posting_get_login_status() => {"login_status": false}
search_tweets(keyword='') => []
state.following_list => ['alice', 'bob']

# Only the name and password of the account log in, and a failed attempt logs no user out.
given only {}
authenticate_twitter(username='john', password='wrong') => {"authentication_status": false}
authenticate_twitter(username='john', password='john123') => {"authentication_status": true}
authenticate_twitter(username='john', password='wrong') => {"authentication_status": false}
posting_get_login_status() => {"login_status": true}

# Actions of the account are refused without a login.
given only {}
post_tweet(content='hi') => {"error": "User not authenticated. Please authenticate before posting."}
retweet(tweet_id=0) => {"error": "User not authenticated. Please authenticate before retweeting."}
comment(tweet_id=0, comment_content='hi') => {"error": "User not authenticated. Please authenticate
    before commenting."}
follow_user(username_to_follow='alice') => {"error": "User not authenticated. Please authenticate before
    following."}
list_all_following() => {"error": "User not authenticated. Please authenticate before listing
    following."}
unfollow_user(username_to_unfollow='alice') => {"error": "User not authenticated. Please authenticate
    before unfollowing."}

# A tweet is assigned the id of the counter, even if another tweet has that id.
given {'tweets': {'3': {'id': 3}}, 'tweet_counter': 3}
post_tweet(content='hi', tags=['#a'], mentions=['@b']) => {"id": 3, "username": "john", "content": "hi",
    "tags": ["#a"], "mentions": ["@b"]}
state.tweets => {3: {'id': 3, 'username': 'john', 'content': 'hi', 'tags': ['#a'], 'mentions': ['@b']}}
state.tweet_counter => 4

# Tweets of a conversation without `mentions` share all later mentions.
post_tweet(content='one') => {"id": 0, "username": "john", "content": "one", "tags": [], "mentions": []}
post_tweet(content='two', mentions=[]) => {"id": 1, "username": "john", "content": "two", "tags": [],
    "mentions": []}
mention(tweet_id=0, mentioned_usernames=['@x']) => {"mention_status": "Users mentioned successfully"}
post_tweet(content='three') => {"id": 2, "username": "john", "content": "three", "tags": [], "mentions":
    ["@x"]}
get_user_tweets(username='john') => [{'id': 0, 'username': 'john', 'content': 'one', 'tags': [],
    'mentions': ['@x']}, {'id': 1, 'username': 'john', 'content': 'two', 'tags': [], 'mentions': []},
    {'id': 2, 'username': 'john', 'content': 'three', 'tags': [], 'mentions': ['@x']}]

# Another conversation does not share them.
post_tweet(content='elsewhere') => {"id": 0, "username": "john", "content": "elsewhere", "tags": [],
    "mentions": []}

# Comments of the initial state have ids that are text, so no tweet shows them.
given {'tweets': {'1': {'id': 1}}, 'comments': {'1': [{'username': 'a', 'content': 'b'}]}}
get_tweet_comments(tweet_id=1) => []
comment(tweet_id=1, comment_content='c') => {"comment_status": "Comment added successfully"}
get_tweet_comments(tweet_id=1) => [{'username': 'john', 'content': 'c'}]
state.comments => {'1': [{'username': 'a', 'content': 'b'}], 1: [{'username': 'john', 'content': 'c'}]}

# A tweet is retweeted once.
post_tweet(content='one') => {"id": 0, "username": "john", "content": "one", "tags": [], "mentions": []}
retweet(tweet_id=0) => {"retweet_status": "Successfully retweeted"}
retweet(tweet_id=0) => {"retweet_status": "Already retweeted"}
retweet(tweet_id=7) => {"error": "Tweet with ID 7 not found."}
get_user_stats(username='john') => {"tweet_count": 1, "following_count": 2, "retweet_count": 1}
get_user_stats(username='alice') => {"tweet_count": 0, "following_count": 0, "retweet_count": 0}

# A keyword is searched within the text, and as a whole tag.
post_tweet(content='Tech now', tags=['#x']) => {"id": 0, "username": "john", "content": "Tech now",
    "tags": ["#x"], "mentions": []}
post_tweet(content='other', tags=['#TECH']) => {"id": 1, "username": "john", "content": "other", "tags":
    ["#TECH"], "mentions": []}
post_tweet(content='other', tags=['#techno']) => {"id": 2, "username": "john", "content": "other",
    "tags": ["#techno"], "mentions": []}
search_tweets(keyword='tech') => [{'id': 0, 'username': 'john', 'content': 'Tech now', 'tags': ['#x'],
    'mentions': []}]
search_tweets(keyword='#tech') => [{'id': 1, 'username': 'john', 'content': 'other', 'tags': ['#TECH'],
    'mentions': []}]

# Following and unfollowing each happen once.
follow_user(username_to_follow='eve') => {"follow_status": true}
follow_user(username_to_follow='eve') => {"follow_status": false}
unfollow_user(username_to_unfollow='bob') => {"unfollow_status": true}
unfollow_user(username_to_unfollow='bob') => {"unfollow_status": false}
list_all_following() => {"following_list": ["alice", "eve"]}

# Mentions that are not a list fail with Python's message, and change nothing.
post_tweet(content='hi') => {"id": 0, "username": "john", "content": "hi", "tags": [], "mentions": []}
mention(tweet_id=0, mentioned_usernames=5) => Error during execution: 'int' object is not iterable
state.tweets.0 => {'id': 0, 'username': 'john', 'content': 'hi', 'tags': [], 'mentions': []}
""",
)

test_scenes = scene_test("TwitterAPI", INITIAL, SCENES)


def test_tweet_ids(setting: WorldConfig) -> None:
    """An initial state with a tweet id that is not a number is refused."""
    with pytest.raises(MalformedRelease, match="id of a tweet"):
        TwitterAPI.load({"tweets": {"first": {}}}, setting)


def test_common_mentions_are_bounded(setting: WorldConfig) -> None:
    """Shared mentions stay short, because every tweet that shares them shows them."""
    world = World.of(["TwitterAPI"], {"TwitterAPI": INITIAL}, setting, "m")
    world.run(Call("post_tweet", {"content": ""}))
    names = ["x" * 98] * (MAX_COMMON // 150)
    assert "success" in world.run(Call("mention", {"tweet_id": 0, "mentioned_usernames": names}))
    assert "in common" in world.run(Call("mention", {"tweet_id": 0, "mentioned_usernames": names}))
    assert len(world.states()["TwitterAPI"].tweets[0]["mentions"]) == len(names)
