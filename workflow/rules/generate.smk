# One job runs all categories of a model. For a model behind an API, all requests then share one rate limit, one budget and
# one journal, and the longest conversations start first; an embedded model loads its libraries once.

for step in CHECKED.steps:

    rule:
        """Runs one model on all its categories, or one shard of them. One row is one entry with the model's whole response."""
        name:
            f"generate_{step.name}"
        input:
            staged=ancient(CHECKED.staged(step.staged, step.job.folder)),
            server=step.server,
            results=step.answers,
            previous_trial=ancient(step.previous_trial),
        # Without wildcards: Snakemake compares each file with all outputs that begin with a wildcard, which is slow.
        output:
            responses=step.responses,
            sessions=step.sessions,
        log:
            f"results/{RUN.name}/logs/generate/{step.name}.log",
        benchmark:
            f"results/{RUN.name}/benchmarks/generate/{step.name}.tsv"
        # Of embedded models, those of mode prompt have one category more and start first. The same models of mode fc then find
        # the embeddings cached. Less than the priority of the record of the run.
        priority: len(step.job.categories) / 100 if step.job.embedded else 0
        # Scoring takes seconds: one cluster job does both for an embedded model, and for one whose answers are read.
        group:
            None if step.job.remote else f"judged_{step.name}"
        resources:
            **step.resources,
        params:
            # Has proxy and pause too, on which no answer depends. Snakemake does not compare params that are made from
            # `resources`, so that a job is not repeated if one of the two changes. For the same reason the option that names
            # the record of what makes the answers is here.
            job=lambda wildcards, resources, step=step: step.options,
            # Not used by the command; reruns the job if another of its options changes.
            deciding=step.deciding,
            folders=[
                f"--out={step.responses_folder}",
                f"--sessions-out={step.sessions_folder}",
            ],
            # Not used by the command; reruns the job if the kind, the endpoint or the options change.
            row=step.job.row.asked,
            keep_going=(
                [] if step.job.replay or step.job.recorded else ["--keep-going"]
            ),
        message:
            f"Generate all categories with {step.name}"
        shell:
            "bfcl-pipeline generate {params.job:q} --progress-out .snakemake/progress/{log:q} {params.folders:q}"
            " {params.keep_going:q} 2> {log:q}"


for model, shards in CHECKED.gathered.items():

    rule:
        """Merges the shards of one model's responses. One row is one entry, in the benchmark's order."""
        name:
            f"gather_{model}"
        input:
            entries=ancient(CHECKED.staged(shards[0].entries, model)),
            responses=[path for shard in shards for path in shard.responses],
            sessions=[path for shard in shards for path in shard.sessions],
        output:
            responses=expand(
                f"results/{RUN.name}/responses/{model}/{{category}}.parquet",
                category=RUN.categories_of(model),
            ),
            sessions=expand(
                f"results/{RUN.name}/memory/{model}/{{category}}.parquet",
                category=RUN.memory_of(model),
            ),
        log:
            f"results/{RUN.name}/logs/gather/{model}.log",
        # Takes seconds, therefore grouped with the scoring into one cluster job.
        group:
            f"judged_{model}"
        params:
            shards=[shard.shard_folder for shard in shards],
            categories=RUN.categories_of(model),
            out=f"results/{RUN.name}/responses/{model}",
            sessions_out=f"results/{RUN.name}/memory/{model}",
        message:
            f"Merge the shards of {model}"
        shell:
            "bfcl-pipeline gather {params.shards:q} --category {params.categories:q} --data data"
            " --out {params.out:q} --sessions-out {params.sessions_out:q} 2> {log:q}"
