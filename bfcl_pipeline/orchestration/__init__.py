"""Effects of a workflow run on its machine: interrupted runs, orphaned jobs, outdated results, resources, shards."""
