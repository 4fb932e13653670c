"""Asks a model again for answers that an archive has, and compares how well both agree with it."""
