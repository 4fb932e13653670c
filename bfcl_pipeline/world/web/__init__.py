"""The webs that a conversation can be given: real, recorded, simulated; and failures put into one."""
