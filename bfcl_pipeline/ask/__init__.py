"""Sending requests: jobs, the conversation loop, models, answers that exist already, the workflow."""
