"""MessageAPI: messages among the users of a workspace.

Covers who is a user, who is logged in, and sending, deleting, listing and searching messages. Source:
the function docs and the behaviour of the release's message_api.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Self

from bfcl_pipeline.records import Json
from bfcl_pipeline.tools.api import Setting, changes, reads
from bfcl_pipeline.tools.state import fill

Outcome = dict[str, Any]
Message = dict[str, Any]  # the receiver's id, and what was sent

_LOGGED_OUT = "No user is currently logged in."


@dataclass(slots=True)
class MessageState:
    """What the workspace holds."""

    generated_ids: set[int]  # of messages sent here
    user_count: int  # users ever added; numbers the next one
    user_map: dict[str, str]  # ids by name
    inbox: list[Message]  # oldest first
    message_count: int  # messages ever sent
    current_user: str | None  # id of who is logged in


@dataclass(slots=True)
class Draw:
    """How the ids of messages are drawn."""

    random_seed: int


class MessageAPI:
    """The workspace."""

    def __init__(self, state: MessageState, draw: Draw) -> None:
        self.state = state
        self._random = Random(draw.random_seed)  # noqa: S311  # ids that the release draws, too

    @classmethod
    def load(cls, initial: Mapping[str, Json], setting: Setting) -> Self:
        """The workspace that an entry starts with; what it leaves open is the release's."""
        table = setting.constants.table("message_api", "DEFAULT_STATE")
        defaults = {**table, "generated_ids": set(table.get("generated_ids", ()))}  # JSON has no sets
        return cls(fill(MessageState, initial, defaults), fill(Draw, initial, {"random_seed": 200191}))

    @reads
    def list_users(self) -> Outcome:
        """The names of all users."""
        return {"user_list": list(self.state.user_map)}

    @reads
    def get_user_id(self, user: str) -> Outcome:
        """The id of the user of that name."""
        if user not in self.state.user_map:
            return _error(f"User '{user}' not found in the workspace.")
        return {"user_id": self.state.user_map[user]}

    @changes
    def message_login(self, user_id: str) -> Outcome:
        """Logs in the user of that id."""
        if not self._is_user(user_id):
            return {"login_status": False, "message": f"User ID '{user_id}' not found."}
        self.state.current_user = user_id
        return {"login_status": True, "message": f"User '{user_id}' logged in successfully."}

    @reads
    def message_get_login_status(self) -> Outcome:
        """Whether somebody is logged in."""
        return {"login_status": bool(self.state.current_user)}

    @changes
    def send_message(self, receiver_id: str, message: str) -> Outcome:
        """Puts a message to the user of that id at the end of the inbox."""
        state = self.state
        if not state.current_user:
            return _error(_LOGGED_OUT)
        if not self._is_user(receiver_id):
            return _error(f"Receiver ID '{receiver_id}' not found.")
        message_id = self._new_id()
        state.inbox.append({receiver_id: message})
        state.message_count += 1
        return {
            "sent_status": True,
            "message_id": {"new_id": message_id},
            "message": f"Message sent to '{receiver_id}' successfully.",
        }

    @changes
    def delete_message(self, receiver_id: str) -> Outcome:
        """Deletes the receiver's latest message, or rather the first one that is equal to it."""
        inbox = self.state.inbox
        if not self.state.current_user:
            return _error(_LOGGED_OUT)
        for message in reversed(inbox):
            receiver, _ = _parts(message)
            if receiver == receiver_id:
                inbox.remove(message)
                return {
                    "deleted_status": True,
                    "receiver_id": receiver,
                    "message": f"Receiver {receiver_id}'s latest message deleted successfully.",
                }
        return _error(f"Receiver ID {receiver_id} not found.")

    @reads
    def view_messages_sent(self) -> Outcome:
        """All messages by receiver, whoever sent them."""
        if not self.state.current_user:
            return _error(_LOGGED_OUT)
        by_receiver: dict[str, list[str]] = {}
        for receiver, content in map(_parts, self.state.inbox):
            by_receiver.setdefault(receiver, []).append(content)
        return {"messages": by_receiver}

    @changes
    def add_contact(self, user_name: str) -> Outcome:
        """Adds a user, under the next number. A number is spent even if its id is already taken."""
        state = self.state
        if user_name in state.user_map:
            return _error(f"User name '{user_name}' already exists.")
        state.user_count += 1
        user_id = f"USR{str(state.user_count).zfill(3)}"
        if self._is_user(user_id):
            return _error(f"User ID '{user_id}' already exists.")
        state.user_map[user_name] = user_id
        return {
            "added_status": True,
            "user_id": user_id,
            "message": f"Contact '{user_name}' added successfully.",
        }

    @reads
    def search_messages(self, keyword: str) -> Outcome:
        """The messages with `keyword` in them, in whatever case."""
        if not self.state.current_user:
            return _error(_LOGGED_OUT)
        wanted = keyword.lower()
        found = [
            {"receiver_id": receiver, "message": content}
            for receiver, content in map(_parts, self.state.inbox)
            if wanted in content.lower()
        ]
        return {"results": found}

    @reads
    def get_message_stats(self) -> Outcome:
        """How many messages there are, and to how many receivers."""
        if not self.state.current_user:
            return _error(_LOGGED_OUT)
        receivers = [receiver for receiver, _ in map(_parts, self.state.inbox)]
        return {"stats": {"received_count": len(receivers), "total_contacts": len(set(receivers))}}

    def _is_user(self, user_id: str) -> bool:
        return user_id in self.state.user_map.values()

    def _new_id(self) -> int:
        """An id that no message has."""
        taken = self.state.generated_ids
        new = self._random.randint(10_000, 99_999)
        while new in taken:
            new = self._random.randint(10_000, 99_999)
        taken.add(new)
        return new


def _parts(message: Message) -> tuple[str, Any]:
    """The receiver and the content of a message; of several, the first."""
    return list(message.items())[0]  # noqa: RUF015  # its error is a text that a model sees


def _error(message: str) -> Outcome:
    return {"error": message}
