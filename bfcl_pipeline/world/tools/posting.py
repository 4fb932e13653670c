"""TwitterAPI: tweets, comments, retweets, and the users that an account follows.

Covers login, posting and searching tweets, and following. As in the release, tweets posted without
`mentions` share one list of mentions, and comments of the initial state belong to no tweet, because their
tweet ids are text. Source: the function docs and the behaviour of the release's posting_api.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import BoundExceeded, WorldConfig, changes, reads
from bfcl_pipeline.world.tools.state import fill

Record = dict[str, Any]

MAX_COMMON = 10_000
"""Characters of the shared list of mentions, which every tweet that shares it shows."""

_NONE_GIVEN: list[Any] = []  # default of `tags` and `mentions`; compared by identity, never changed


@dataclass(slots=True)
class TwitterState:
    """The state that the checker compares."""

    username: str  # the account of the conversation
    password: str
    authenticated: bool  # whether the account is logged in
    tweets: dict[int, Record]  # by id, oldest first
    comments: dict[Any, list[Record]]  # by tweet id; ids of the initial state are text
    retweets: dict[str, list[int]]  # ids of tweets by user
    following_list: list[str]  # users that the account follows
    tweet_counter: int  # id of the next tweet


class TwitterAPI:
    """The posting system."""

    def __init__(self, state: TwitterState) -> None:
        self.state = state
        self._common_mentions: list[Any] = []  # shared by all tweets that are posted without `mentions`
        self._common_room = MAX_COMMON

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The initial account of an entry; tweet ids become numbers."""
        state = fill(TwitterState, initial, config.constants.table("posting_api", "DEFAULT_STATE"))
        try:
            state.tweets = {int(tweet_id): tweet for tweet_id, tweet in state.tweets.items()}
        except ValueError as error:
            raise MalformedRelease(f"initial state of TwitterState: id of a tweet: {error}") from None
        return cls(state)

    @changes
    def authenticate_twitter(self, username: str, password: str) -> dict[str, bool]:
        """Logs in if the name and the password are those of the account."""
        state = self.state
        correct = username == state.username and password == state.password
        if correct:
            state.authenticated = True
        return {"authentication_status": correct}

    @reads
    def posting_get_login_status(self) -> dict[str, bool]:
        """Whether the account is logged in."""
        return {"login_status": bool(self.state.authenticated)}

    @changes
    def post_tweet(
        self, content: str, tags: list[str] = _NONE_GIVEN, mentions: list[str] = _NONE_GIVEN
    ) -> Record:
        """Posts a tweet under the next id."""
        state = self.state
        if not state.authenticated:
            return _unauthenticated("posting")
        tweet = {
            "id": state.tweet_counter,
            "username": state.username,
            "content": content,
            "tags": [] if tags is _NONE_GIVEN else tags,
            "mentions": self._common_mentions if mentions is _NONE_GIVEN else mentions,
        }
        state.tweets[state.tweet_counter] = tweet
        state.tweet_counter += 1
        return tweet

    @changes
    def retweet(self, tweet_id: int) -> Record:
        """Adds the tweet to the retweets of the account, once."""
        state = self.state
        if not state.authenticated:
            return _unauthenticated("retweeting")
        if tweet_id not in state.tweets:
            return _missing(tweet_id)
        own = state.retweets.setdefault(state.username, [])
        if tweet_id in own:
            return {"retweet_status": "Already retweeted"}
        own.append(tweet_id)
        return {"retweet_status": "Successfully retweeted"}

    @changes
    def comment(self, tweet_id: int, comment_content: str) -> Record:
        """Adds a comment of the account to the tweet."""
        state = self.state
        if not state.authenticated:
            return _unauthenticated("commenting")
        if tweet_id not in state.tweets:
            return _missing(tweet_id)
        written = {"username": state.username, "content": comment_content}
        state.comments.setdefault(tweet_id, []).append(written)
        return {"comment_status": "Comment added successfully"}

    @changes
    def mention(self, tweet_id: int, mentioned_usernames: list[str]) -> Record:
        """Adds names to the mentions of the tweet; no login is needed."""
        if tweet_id not in self.state.tweets:
            return _missing(tweet_id)
        mentions = self.state.tweets[tweet_id]["mentions"]
        if mentions is self._common_mentions:
            self._common_room -= len(str(mentioned_usernames))
            if self._common_room < 0:
                raise BoundExceeded(f"tweets have at most {MAX_COMMON:,} characters of mentions in common")
        mentions.extend(mentioned_usernames)
        return {"mention_status": "Users mentioned successfully"}

    @changes
    def follow_user(self, username_to_follow: str) -> Record:
        """Follows a user that the account does not follow yet."""
        state = self.state
        if not state.authenticated:
            return _unauthenticated("following")
        if username_to_follow in state.following_list:
            return {"follow_status": False}
        state.following_list.append(username_to_follow)
        return {"follow_status": True}

    @reads
    def list_all_following(self) -> Record:
        """The users that the account follows."""
        if not self.state.authenticated:
            return _unauthenticated("listing following")
        return {"following_list": self.state.following_list}

    @changes
    def unfollow_user(self, username_to_unfollow: str) -> Record:
        """Stops following a user."""
        state = self.state
        if not state.authenticated:
            return _unauthenticated("unfollowing")
        if username_to_unfollow not in state.following_list:
            return {"unfollow_status": False}
        state.following_list.remove(username_to_unfollow)
        return {"unfollow_status": True}

    @reads
    def get_tweet(self, tweet_id: int) -> Record:
        """The tweet with that id."""
        return self.state.tweets[tweet_id] if tweet_id in self.state.tweets else _missing(tweet_id)

    @reads
    def get_user_tweets(self, username: str) -> list[Record]:
        """The tweets of a user, oldest first."""
        return [tweet for tweet in self.state.tweets.values() if tweet["username"] == username]

    @reads
    def search_tweets(self, keyword: str) -> list[Record]:
        """The tweets with the keyword in their text or as a tag, ignoring case."""
        return [tweet for tweet in self.state.tweets.values() if _is_about(tweet, keyword)]

    @reads
    def get_tweet_comments(self, tweet_id: int) -> list[Record] | Record:
        """The comments on the tweet."""
        if tweet_id not in self.state.tweets:
            return _missing(tweet_id)
        return self.state.comments.get(tweet_id, [])

    @reads
    def get_user_stats(self, username: str) -> dict[str, int]:
        """The number of tweets and retweets of a user; for the account itself also of followed users."""
        state = self.state
        return {
            "tweet_count": len(self.get_user_tweets(username)),
            "following_count": len(state.following_list) if username == state.username else 0,
            "retweet_count": len(state.retweets.get(username, [])),
        }


def _is_about(tweet: Record, keyword: str) -> bool:
    if keyword.lower() in tweet["content"].lower():
        return True
    return keyword.lower() in [tag.lower() for tag in tweet["tags"]]


def _unauthenticated(what: str) -> Record:
    return {"error": f"User not authenticated. Please authenticate before {what}."}


def _missing(tweet_id: int) -> Record:
    return {"error": f"Tweet with ID {tweet_id} not found."}
