"""Models behind an API: one adapter per API format, and the connections and errors that they share."""
