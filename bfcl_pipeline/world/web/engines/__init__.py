"""The search engines: those of the package ddgs, one at a time, and SerpApi.

`ddgs_engine` searches with an engine class of ddgs, as `adapted`: its HTTP client is replaced by `client`,
so that every status and page is seen and recorded, and its results keep their addresses. `facts` has what
ddgs does not tell about an engine: its hosts, and how its pages say "no results" and "prove that you are no
robot". `serpapi` is a paid service. `giving_up` ceases to ask an engine that refuses for good.
"""
