"""The search engines: DuckDuckGo by the package ddgs, and SerpApi, a paid service that asks it."""
