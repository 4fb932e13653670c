"""MessageAPI: messages among the users of a workspace.

Covers users, login, and sending, deleting, listing and searching messages. Source: the function docs and
the behaviour of the release's message_api.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from random import Random
from typing import Any, Self

from bfcl_pipeline.benchmark.records import Json
from bfcl_pipeline.world.tools.api import WorldConfig, changes, reads, refuse_call
from bfcl_pipeline.world.tools.state import fill

Outcome = dict[str, Any]
Message = dict[str, Any]  # {the receiver's id: the content}

_LOGGED_OUT = "No user is currently logged in."


@dataclass(slots=True)
class MessageState:
    """The state that the checker compares."""

    generated_ids: set[int]  # ids of the messages that were sent in this conversation
    user_count: int  # number of the last added user
    user_map: dict[str, str]  # ids by name
    inbox: list[Message]  # oldest first
    message_count: int  # number of all sent messages
    current_user: str | None  # id of the logged-in user


@dataclass(slots=True)
class Draw:
    """The seed of message ids; not compared."""

    random_seed: int


class MessageAPI:
    """The workspace."""

    def __init__(self, state: MessageState, draw: Draw) -> None:
        self.state = state
        self._random = Random(draw.random_seed)  # noqa: S311  # the release's generator of ids

    @classmethod
    def load(cls, initial: Mapping[str, Json], config: WorldConfig) -> Self:
        """The initial workspace of an entry, completed from the release's defaults."""
        table = config.constants.table("message_api", "DEFAULT_STATE")
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
            return refuse_call(f"User '{user}' not found in the workspace.")
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
        """Whether a user is logged in."""
        return {"login_status": bool(self.state.current_user)}

    @changes
    def send_message(self, receiver_id: str, message: str) -> Outcome:
        """Appends a message to the user with that id to the inbox."""
        state = self.state
        if not state.current_user:
            return refuse_call(_LOGGED_OUT)
        if not self._is_user(receiver_id):
            return refuse_call(f"Receiver ID '{receiver_id}' not found.")
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
        """Deletes the first message that equals the receiver's latest message."""
        inbox = self.state.inbox
        if not self.state.current_user:
            return refuse_call(_LOGGED_OUT)
        for message in reversed(inbox):
            receiver, _ = _parts(message)
            if receiver == receiver_id:
                inbox.remove(message)
                return {
                    "deleted_status": True,
                    "receiver_id": receiver,
                    "message": f"Receiver {receiver_id}'s latest message deleted successfully.",
                }
        return refuse_call(f"Receiver ID {receiver_id} not found.")

    @reads
    def view_messages_sent(self) -> Outcome:
        """All messages by receiver, of all senders."""
        if not self.state.current_user:
            return refuse_call(_LOGGED_OUT)
        by_receiver: dict[str, list[str]] = {}
        for receiver, content in map(_parts, self.state.inbox):
            by_receiver.setdefault(receiver, []).append(content)
        return {"messages": by_receiver}

    @changes
    def add_contact(self, user_name: str) -> Outcome:
        """Adds a user under the next number, which is used even if its id already exists."""
        state = self.state
        if user_name in state.user_map:
            return refuse_call(f"User name '{user_name}' already exists.")
        state.user_count += 1
        user_id = f"USR{str(state.user_count).zfill(3)}"
        if self._is_user(user_id):
            return refuse_call(f"User ID '{user_id}' already exists.")
        state.user_map[user_name] = user_id
        return {
            "added_status": True,
            "user_id": user_id,
            "message": f"Contact '{user_name}' added successfully.",
        }

    @reads
    def search_messages(self, keyword: str) -> Outcome:
        """The messages that contain `keyword`, ignoring case."""
        if not self.state.current_user:
            return refuse_call(_LOGGED_OUT)
        wanted = keyword.lower()
        results = [
            {"receiver_id": receiver, "message": content}
            for receiver, content in map(_parts, self.state.inbox)
            if wanted in content.lower()
        ]
        return {"results": results}

    @reads
    def get_message_stats(self) -> Outcome:
        """The number of messages and of receivers."""
        if not self.state.current_user:
            return refuse_call(_LOGGED_OUT)
        receivers = [receiver for receiver, _ in map(_parts, self.state.inbox)]
        return {"stats": {"received_count": len(receivers), "total_contacts": len(set(receivers))}}

    def _is_user(self, user_id: str) -> bool:
        return user_id in self.state.user_map.values()

    def _new_id(self) -> int:
        """A random unused message id."""
        taken = self.state.generated_ids
        new = self._random.randint(10_000, 99_999)
        while new in taken:
            new = self._random.randint(10_000, 99_999)
        taken.add(new)
        return new


def _parts(message: Message) -> tuple[str, Any]:
    """The receiver and the content of a message; the first pair if it has several."""
    return list(message.items())[0]  # noqa: RUF015  # the model sees the text of its error
