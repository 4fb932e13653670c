"""The simulated web-search API: searches and page fetches over the web of a run."""
