"""Addresses within the page: of its list of entries, filtered, and of the conversation of one entry.

The script of the list makes links of them; without it they would lead nowhere and are not shown.
"""

from urllib.parse import quote, urlencode

from markupsafe import Markup


def entries_link(**filters: str) -> str:
    """The address of the list of entries with these filters.

    filters: model, second, category, verdict, error, status, rules or text.
    """
    return f"#entries?{urlencode(filters)}"


def conversation_of(*models: str) -> str:
    """The first part of the addresses of conversations: the model, or two beside each other."""
    return "+".join(quote(model, safe="") for model in models)


def entry_link(entry_id: str, *models: str) -> str:
    """The address of the conversation of one model over an entry, or of two beside each other."""
    return f"#{conversation_of(*models)}/{quote(entry_id, safe='')}"


def linked_entry(entry_id: str, *models: str) -> Markup:
    """The id of an entry in a fixed-width font, as a link to its conversation.

    models: whose conversation; none: the models of its table (`Table.models`).
    """
    of = Markup('="{}"').format(conversation_of(*models)) if models else ""
    return Markup("<code><span data-entry{}>{}</span></code>").format(of, entry_id)
