"""A polite rate: at least a pause between two requests to one host, over all threads and processes."""
