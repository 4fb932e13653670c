"""How large an archive and its parts may be.

What is written keeps them, so that whoever reads may refuse what does not: an archive from a stranger costs
a bounded amount of time, memory and disk before it is known to be one.
"""

MAX_FILE_BYTES = 2**32 - 2**20
"""Of the archive: below this, a zip file needs none of the extensions for large ones."""

MAX_MEMBERS = 65_000
"""Likewise: their number fits in its 16 bits."""

MAX_UNPACKED_BYTES = 16 * 2**30
"""Of all members together."""

MAX_RATIO = 100
"""How many times its packed size a member may have, if it is larger than SMALL_BYTES."""

SMALL_BYTES = 64 * 2**10

MAX_NAME_BYTES = 1024
"""Of a member's name in UTF-8; each of its parts may have 255, as on most file systems."""

METADATA_BYTES = 256 * 2**10
"""What the metadata may have; METADATA_BYTES_EACH more for each member; METADATA_BYTES_MOST in all."""

METADATA_BYTES_EACH = 1536

METADATA_BYTES_MOST = 48 * 2**20

MAX_CONFIG_BYTES = 8 * 2**20
"""Of the config and of the models file of a run."""

MAX_ROWS = 1_000_000
"""Of a table; the largest of a run has two for each entry that a model is asked."""

MAX_VECTORS = 65_000
"""Of texts in vector memories; they are one member, and held in memory at once."""

CHUNK_BYTES = 2**20
"""What is read at once."""
