from __future__ import annotations

from typing import Any

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.benchmark.records import Call
from bfcl_pipeline.world.tools import World, WorldConfig
from bfcl_pipeline.world.tools.messages import MessageAPI
from bfcl_pipeline.world.tools.state import snapshot


def workspace(setting: WorldConfig, **initial: Any) -> MessageAPI:
    """A workspace in which USR001 is logged in."""
    return MessageAPI.load({"current_user": "USR001"} | initial, setting)


def test_defaults(setting: WorldConfig) -> None:
    """An entry without a state starts with four users and three messages, logged out."""
    api = MessageAPI.load({}, setting)
    assert api.list_users() == {"user_list": ["Alice", "Bob", "Catherine", "Daniel"]}
    assert api.message_get_login_status() == {"login_status": False}
    assert len(api.state.inbox) == api.state.message_count == 3
    assert api.state.generated_ids == set()


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("send_message", ("USR002", "hi")),
        ("delete_message", ("USR002",)),
        ("view_messages_sent", ()),
        ("search_messages", ("hi",)),
        ("get_message_stats", ()),
    ],
)
def test_needs_login(setting: WorldConfig, method: str, arguments: tuple[Any, ...]) -> None:
    """Messages require a login."""
    error = {"error": "No user is currently logged in."}
    assert getattr(MessageAPI.load({}, setting), method)(*arguments) == error


def test_login(setting: WorldConfig) -> None:
    """The id of a user logs in; any other id is refused and logs no user out."""
    api = MessageAPI.load({}, setting)
    assert api.get_user_id("Bob") == {"user_id": "USR002"}
    assert api.get_user_id("Eve") == {"error": "User 'Eve' not found in the workspace."}
    assert api.message_login("USR002")["login_status"] is True
    assert api.message_login("Bob") == {"login_status": False, "message": "User ID 'Bob' not found."}
    assert api.state.current_user == "USR002"


def test_sending_draws_ids(setting: WorldConfig) -> None:
    """Message ids are drawn as in the release, each at most once."""
    api = workspace(setting)
    sent = [api.send_message("USR002", "hi") for _ in range(2)]
    assert sent[0] == {
        "sent_status": True,
        "message_id": {"new_id": 67410},
        "message": "Message sent to 'USR002' successfully.",
    }
    assert api.state.generated_ids == {67410, sent[1]["message_id"]["new_id"]}
    assert api.state.message_count == 5
    assert workspace(setting, random_seed=7).send_message("USR002", "hi") != sent[0]


def test_unknown_receiver(setting: WorldConfig) -> None:
    """A message to an unknown receiver draws no id and is not stored."""
    api = workspace(setting)
    before = snapshot(api.state)
    assert api.send_message("Bob", "hi") == {"error": "Receiver ID 'Bob' not found."}
    assert api.state == before


def test_a_failure_half_way_spends_an_id(setting: WorldConfig) -> None:
    """A receiver that cannot be a key fails after the id is drawn, as in the release."""
    api = workspace(setting, user_map={"Eve": ["USR005"]}, inbox=[])
    with pytest.raises(TypeError, match="unhashable type: 'list'"):
        api.send_message(["USR005"], "hi")  # type: ignore[arg-type]
    assert api.state.generated_ids == {67410}
    assert api.state.inbox == []


def test_deleting_takes_the_first_equal_message(setting: WorldConfig) -> None:
    """The first of equal messages is deleted, not the latest; the message count does not change."""
    inbox = [{"USR002": "hi"}, {"USR003": "hi"}, {"USR002": "hi"}]
    api = workspace(setting, inbox=inbox)
    assert api.delete_message("USR002") == {
        "deleted_status": True,
        "receiver_id": "USR002",
        "message": "Receiver USR002's latest message deleted successfully.",
    }
    assert api.state.inbox == [{"USR003": "hi"}, {"USR002": "hi"}]
    assert api.state.message_count == 3
    assert api.delete_message("USR009") == {"error": "Receiver ID USR009 not found."}


def test_views_are_by_receiver(setting: WorldConfig) -> None:
    """Messages are shown by receiver, of all senders; a message to several receivers under the first."""
    api = workspace(setting, inbox=[{"USR002": "a", "USR003": "b"}, {"USR002": "c"}, {"USR004": "d"}])
    assert api.view_messages_sent() == {"messages": {"USR002": ["a", "c"], "USR004": ["d"]}}
    assert api.get_message_stats() == {"stats": {"received_count": 3, "total_contacts": 2}}


def test_search_ignores_case(setting: WorldConfig) -> None:
    """A search ignores case."""
    api = workspace(setting)
    assert api.search_messages("FILE?") == {
        "results": [
            {"receiver_id": "USR003", "message": "Could you upload the file?"},
            {"receiver_id": "USR004", "message": "Could you upload the file?"},
        ]
    }


def test_adding_a_contact(setting: WorldConfig) -> None:
    """A contact is assigned the next number; a number with an existing id is skipped, and the next attempt
    works."""
    api = workspace(setting, user_map={"Alice": "USR005"})
    assert api.add_contact("Alice") == {"error": "User name 'Alice' already exists."}
    assert api.add_contact("Eve") == {"error": "User ID 'USR005' already exists."}
    assert api.add_contact("Eve")["user_id"] == "USR006"
    assert api.state.user_map == {"Alice": "USR005", "Eve": "USR006"}


@pytest.mark.parametrize(
    ("call", "text"),
    [
        (Call("search_messages", {"keyword": 5}), "'int' object has no attribute 'lower'"),
        (Call("add_contact", {"user_name": ["Eve"]}), "unhashable type: 'list'"),
        (
            Call("delete_message", {}),
            "MessageAPI.delete_message() missing 1 required positional argument: 'receiver_id'",
        ),
    ],
)
def test_invalid_arguments(setting: WorldConfig, call: Call, text: str) -> None:
    """Invalid arguments fail with Python's messages."""
    world = World.of(["MessageAPI"], {"MessageAPI": {"current_user": "USR001"}}, setting, "model_entry")
    assert world.run(call) == f"Error during execution: {text}"


def test_worlds_start_alike(setting: WorldConfig) -> None:
    """A change in one workspace does not reach another, nor a copy of its state."""
    one, other = workspace(setting), workspace(setting)
    before = snapshot(one.state)
    one.send_message("USR002", "hi")
    one.add_contact("Eve")
    assert other.state == before != one.state


def test_a_malformed_state_is_named(setting: WorldConfig) -> None:
    """A state of another type is an error of staging, not of a model."""
    with pytest.raises(MalformedRelease, match="inbox: expected list, got dict"):
        workspace(setting, inbox={})
