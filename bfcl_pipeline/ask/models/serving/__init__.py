"""Local models: a vLLM server that runs as long as a run uses it, and the file with its address."""
