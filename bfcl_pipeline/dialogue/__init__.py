"""Text in and out of a model: prompts, calls, families of open-weight models."""
