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
    """The first part of the addresses of conversations: whose they are; of two models beside each other."""
    return "+".join(quote(model, safe="") for model in models)


def linked_entry(entry_id: str) -> Markup:
    """The id of an entry, as a link to its conversation with the models of its table (`Table.models`)."""
    return Markup("<span data-entry>{}</span>").format(entry_id)
