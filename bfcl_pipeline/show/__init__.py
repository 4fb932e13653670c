"""What people read of a run: tables, page, figures, one entry, comparisons, the screen."""
