"""A workflow run on its machine: interrupted and copied runs, orphaned jobs, resources, shards."""
