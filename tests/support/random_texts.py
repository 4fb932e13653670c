"""Characters of random texts, without what takes `hypothesis` seconds in every new checkout.

The characters of `st.text()` are those that UTF-8 can encode, found by encoding each of a million.
These are the same, named by their category.
"""

from hypothesis import strategies as st

CHARACTERS = st.characters(exclude_categories=["Cs"])
"""All but lone surrogates."""
