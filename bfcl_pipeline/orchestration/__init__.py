"""Effects of a workflow run on its machine: interrupted runs, orphaned jobs, retries, resources, shards."""
