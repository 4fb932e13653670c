"""Asks a model again for answers that an archive has, and tests whether they could be this model's."""
