"""What users of the simulated workspace rely on, and the release's quirks."""

from __future__ import annotations

import pytest

from bfcl_pipeline.base.errors import MalformedRelease
from bfcl_pipeline.world.tools import WorldConfig
from bfcl_pipeline.world.tools.messages import MessageAPI
from bfcl_pipeline.world.tools.state import snapshot
from tests.world.tools.scenes import scene_test, scenes

INITIAL = {"current_user": "USR001"}

SCENES = scenes(
    r"""
# An entry without a state starts with four users and three messages, logged out.
given only {}
list_users() => {"user_list": ["Alice", "Bob", "Catherine", "Daniel"]}
message_get_login_status() => {"login_status": false}
state.inbox => [{'USR002': 'My name is Alice. I want to connect.'}, {'USR003': 'Could you upload the
    file?'}, {'USR004': 'Could you upload the file?'}]
state.message_count => 3
state.generated_ids => set()

# Messages require a login.
given only {}
send_message(receiver_id='USR002', message='hi') => {"error": "No user is currently logged in."}
delete_message(receiver_id='USR002') => {"error": "No user is currently logged in."}
view_messages_sent() => {"error": "No user is currently logged in."}
search_messages(keyword='hi') => {"error": "No user is currently logged in."}
get_message_stats() => {"error": "No user is currently logged in."}

# The id of a user logs in; any other id is refused and logs no user out.
given only {}
get_user_id(user='Bob') => {"user_id": "USR002"}
get_user_id(user='Eve') => {"error": "User 'Eve' not found in the workspace."}
message_login(user_id='USR002') => {"login_status": true, "message": "User 'USR002' logged in
    successfully."}
message_login(user_id='Bob') => {"login_status": false, "message": "User ID 'Bob' not found."}
state.current_user => 'USR002'

# Message ids are drawn as in the release, each at most once.
send_message(receiver_id='USR002', message='hi') => {"sent_status": true, "message_id": {"new_id":
    67410}, "message": "Message sent to 'USR002' successfully."}
send_message(receiver_id='USR002', message='hi') => {"sent_status": true, "message_id": {"new_id":
    41772}, "message": "Message sent to 'USR002' successfully."}
state.generated_ids => {67410, 41772}
state.message_count => 5

# Message ids are others with another seed.
given {'random_seed': 7}
send_message(receiver_id='USR002', message='hi') => {"sent_status": true, "message_id": {"new_id":
    52445}, "message": "Message sent to 'USR002' successfully."}

# A message to an unknown receiver draws no id and is not stored.
send_message(receiver_id='Bob', message='hi') => {"error": "Receiver ID 'Bob' not found."}
state.generated_ids => set()
state.message_count => 3
state.inbox => [{'USR002': 'My name is Alice. I want to connect.'}, {'USR003': 'Could you upload the
    file?'}, {'USR004': 'Could you upload the file?'}]

# A receiver that cannot be a key fails after the id is drawn, as in the release.
given {'user_map': {'Eve': ['USR005']}, 'inbox': []}
send_message(receiver_id=['USR005'], message='hi') => Error during execution: unhashable type: 'list'
state.generated_ids => {67410}
state.inbox => []

# The first of equal messages is deleted, not the latest; the message count does not change.
given {'inbox': [{'USR002': 'hi'}, {'USR003': 'hi'}, {'USR002': 'hi'}]}
delete_message(receiver_id='USR002') => {"deleted_status": true, "receiver_id": "USR002", "message":
    "Receiver USR002's latest message deleted successfully."}
state.inbox => [{'USR003': 'hi'}, {'USR002': 'hi'}]
state.message_count => 3
delete_message(receiver_id='USR009') => {"error": "Receiver ID USR009 not found."}

# Messages are shown by receiver, of all senders; a message to several receivers under the first.
given {'inbox': [{'USR002': 'a', 'USR003': 'b'}, {'USR002': 'c'}, {'USR004': 'd'}]}
view_messages_sent() => {"messages": {"USR002": ["a", "c"], "USR004": ["d"]}}
get_message_stats() => {"stats": {"received_count": 3, "total_contacts": 2}}

# A search ignores case.
search_messages(keyword='FILE?') => {"results": [{"receiver_id": "USR003", "message": "Could you upload
    the file?"}, {"receiver_id": "USR004", "message": "Could you upload the file?"}]}

# A contact is assigned the next number; one with an existing id is skipped, and the next attempt works.
given {'user_map': {'Alice': 'USR005'}}
add_contact(user_name='Alice') => {"error": "User name 'Alice' already exists."}
add_contact(user_name='Eve') => {"error": "User ID 'USR005' already exists."}
add_contact(user_name='Eve') => {"added_status": true, "user_id": "USR006", "message": "Contact 'Eve'
    added successfully."}
state.user_map => {'Alice': 'USR005', 'Eve': 'USR006'}

# Invalid arguments fail with Python's messages.
search_messages(keyword=5) => Error during execution: 'int' object has no attribute 'lower'
add_contact(user_name=['Eve']) => Error during execution: unhashable type: 'list'
delete_message() => Error during execution: MessageAPI.delete_message() missing 1 required positional
    argument: 'receiver_id'
""",
)

test_scenes = scene_test("MessageAPI", INITIAL, SCENES)


def test_worlds_start_alike(setting: WorldConfig) -> None:
    """A change in one workspace does not reach another, nor a copy of its state."""
    one, other = MessageAPI.load(INITIAL, setting), MessageAPI.load(INITIAL, setting)
    before = snapshot(one.state)
    one.send_message("USR002", "hi")
    one.add_contact("Eve")
    assert other.state == before != one.state


def test_a_malformed_state_is_named(setting: WorldConfig) -> None:
    """A state of another type is an error of staging, not of a model."""
    with pytest.raises(MalformedRelease, match="inbox: expected list, got dict"):
        MessageAPI.load({"inbox": {}}, setting)
