"""The HTTP behind the outcomes of the web cache: taped per call, kept as cassettes, played back."""
