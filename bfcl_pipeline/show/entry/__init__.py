"""Single entries and exchanges as pages for a terminal."""
