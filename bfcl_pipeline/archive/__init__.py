"""A run as one file that anybody can check: written, read back with care, derived again, compared."""
