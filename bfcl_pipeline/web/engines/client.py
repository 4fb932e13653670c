"""The HTTP client that ddgs's engines are given in the place of their own.

Covers one request through primp, which speaks TLS as a browser does: bounded in size and time, without
redirects, to the engine's hosts only, every exchange on the tape; played from a cassette within `playing`.
A status other than 200 raises what it means, so that ddgs never takes it for "no results".
"""
