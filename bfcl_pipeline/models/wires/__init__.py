"""Models behind an API: one adapter for each wire format, and the connection and errors they share."""
