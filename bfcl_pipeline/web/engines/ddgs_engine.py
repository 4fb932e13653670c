"""A search with one engine of the package ddgs.

Covers asking page by page, and what an answer without results means: a page that itself says so is "no
results", a page that is cut short is an Outage, a captcha is SearchRateLimited, any other is UnknownAnswer.
ddgs is pinned, so that a cassette is read as it was when it was recorded.
"""
