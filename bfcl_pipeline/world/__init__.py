"""What a model's calls act on: simulated APIs, the web and its record, the sentence encoder."""
