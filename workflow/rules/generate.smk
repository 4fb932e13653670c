# An embedded model is limited by the processor: each category is a job, and jobs run in parallel. A model behind an
# API is limited by its server: one job runs all its categories, so that all requests share one rate limit, one budget
# and one journal, and the longest conversations start first.


rule generate:
    """Runs one embedded model on one category. One row is one entry with the model's whole response."""
    input:
        texts="data/release/texts.json",
        entries="data/entries/{category}.parquet",
    output:
        responses="results/{run}/responses/{model}/{category}.parquet",
    log:
        "results/{run}/logs/generate/{model}/{category}.log",
    benchmark:
        "results/{run}/benchmarks/generate/{model}/{category}.tsv"
    wildcard_constraints:
        model="|".join(map(re.escape, EMBEDDED)) or "(?!)",
        category="(?!memory_).*",
    params:
        job=lambda wildcards: to_argv(RUN.job(wildcards.model, wildcards.category)),
        # Not used by the command; reruns the job if the kind of the model changes.
        kind=lambda wildcards: RUN.jobs_of(wildcards.model)[0].row.kind,
        out=subpath(output.responses, parent=True),
        sessions=lambda wildcards, output: (
            ["--sessions-out", f"results/{wildcards.run}/memory/{wildcards.model}"]
            if "sessions" in output.keys()
            else []
        ),
    message:
        "Generate {wildcards.category} with {wildcards.model}"
    shell:
        "bfcl-pipeline generate {params.job:q} --out {params.out:q} {params.sessions:q} 2> {log:q}"


use rule generate as generate_memory with:
    input:
        texts="data/release/texts.json",
        entries="data/entries/{category}.parquet",
        encoder=lambda wildcards: encoder_of([wildcards.category]),
    output:
        responses="results/{run}/responses/{model}/{category}.parquet",
        sessions="results/{run}/memory/{model}/{category}.parquet",
    wildcard_constraints:
        model="|".join(map(re.escape, EMBEDDED)) or "(?!)",
        category="memory_.*",


for files in API_JOBS:

    rule:
        """Runs one model behind an API on all its categories, or one shard of them. One row is one entry, as above."""
        name:
            f"generate_{files.name}"
        input:
            texts="data/release/texts.json",
            entries=files.entries,
            encoder=files.encoder,
            server=files.server,
            previous_trial=ancient(files.previous_trial),
        # Without wildcards: Snakemake compares each file with all outputs that begin with a wildcard, which is slow.
        output:
            responses=files.responses,
            sessions=files.sessions,
        log:
            f"results/{RUN.name}/logs/generate/{files.name}.log",
        benchmark:
            f"results/{RUN.name}/benchmarks/generate/{files.name}.tsv"
        resources:
            **(
                {}
                if files.job.replay
                else generation_resources(files.job.row, served=bool(files.server))
            ),
        params:
            job=to_argv(files.job),
            out=files.responses_folder,
            sessions_out=files.sessions_folder,
            # Not used by the command; reruns the job if the endpoint or the options change.
            row=files.job.row.asked,
            # Incremented when a job ends with entries to be retried, so that the next run repeats the job.
            retries=retry_count(Path(files.retries)),
            retry_count_out=(
                [] if files.job.replay else ["--retry-count-out", files.retries]
            ),
        message:
            f"Generate all categories with {files.name}"
        shell:
            "bfcl-pipeline generate {params.job:q} --progress-lines --out {params.out:q}"
            " --sessions-out {params.sessions_out:q} {params.retry_count_out:q} 2> {log:q}"


for model, shards in gathered(API_JOBS).items():

    rule:
        """Merges the shards of one model's responses. One row is one entry, in the benchmark's order."""
        name:
            f"gather_{model}"
        input:
            entries=shards[0].entries,
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
