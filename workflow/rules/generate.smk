# An embedded model computes: a job for each category, side by side. A model behind a wire waits: one job for
# all its categories, so that its requests share one limit, one budget and one journal, the longest first.


rule generate:
    """Asks one embedded model one category. One row is one entry and all that the model did on it."""
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
        models="config/models.yaml",
        # Read by no command: a model that is someone else now is asked again.
        kind=lambda wildcards: MODELS[
            RUN.job(wildcards.model, wildcards.category).model
        ].kind,
        model=lambda wildcards: RUN.job(wildcards.model, wildcards.category).model,
        selection=lambda wildcards: RUN.job(wildcards.model, wildcards.category).options,
        sessions=lambda wildcards, output: (
            ["--sessions-out", f"results/{wildcards.run}/memory/{wildcards.model}"]
            if "sessions" in output.keys()
            else []
        ),
        replay=REPLAY,
    message:
        "Ask {wildcards.model} {wildcards.category}"
    shell:
        "bfcl-pipeline generate --run {wildcards.run:q} --model {params.model:q} --models {params.models:q}"
        " --category {wildcards.category:q} --data data --out results/{wildcards.run}/responses/{wildcards.model:q}"
        " {params.sessions:q} {params.selection:q} {params.replay:q} 2> {log:q}"


use rule generate as generate_memory with:
    input:
        texts="data/release/texts.json",
        entries="data/entries/{category}.parquet",
        encoder=lambda wildcards: (
            ["data/encoder/model.safetensors"]
            if wildcards.category == "memory_vector"
            else []
        ),
    output:
        responses="results/{run}/responses/{model}/{category}.parquet",
        sessions="results/{run}/memory/{model}/{category}.parquet",
    wildcard_constraints:
        model="|".join(map(re.escape, EMBEDDED)) or "(?!)",
        category="memory_.*",


for part in PARTS:

    rule:
        """Asks one model behind a wire all its categories. One row is one entry, as above."""
        name:
            f"generate_{part.name}"
        input:
            texts="data/release/texts.json",
            entries=expand(
                "data/entries/{category}.parquet",
                category=RUN.categories_of(part.folder),
            ),
            encoder=(
                ["data/encoder/model.safetensors"]
                if "memory_vector" in RUN.categories_of(part.folder)
                else []
            ),
            server=(
                f"results/{RUN.name}/servers/{part.name}.json"
                if part.folder in SERVED
                else []
            ),
            # Side by side the trials of a model would be over its limits: one goes after the other.
            before=(
                ancient(
                    expand(
                        "results/{run}/responses/{model}/{category}.parquet",
                        run=RUN.name,
                        model=RUN.trial_before(part.folder),
                        category=RUN.categories_of(part.folder),
                    )
                )
                if RUN.trial_before(part.folder)
                else []
            ),
        # Paths in full: the maker of a file is sought among all those whose paths begin with a wildcard.
        output:
            responses=expand(
                "{folder}/{category}.parquet",
                folder=part.responses(RUN.name),
                category=RUN.categories_of(part.folder),
            ),
            sessions=expand(
                "{folder}/{category}.parquet",
                folder=part.sessions(RUN.name),
                category=RUN.memory_of(part.folder),
            ),
        log:
            f"results/{RUN.name}/logs/generate/{part.name}.log",
        benchmark:
            f"results/{RUN.name}/benchmarks/generate/{part.name}.tsv"
        resources:
            **(
                {}
                if REPLAY
                else asking_resources(ROWS[part.folder], served=part.folder in SERVED)
            ),
        params:
            run=RUN.name,
            models="config/models.yaml",
            model=RUN.model_of(part.folder),
            responses=part.responses(RUN.name),
            sessions=part.sessions(RUN.name),
            categories=RUN.categories_of(part.folder),
            selection=(*RUN.options_of(part.folder), *part.options),
            budget=[] if RUN.budget is None else ["--budget", RUN.budget / part.of],
            server=lambda wildcards, input: (
                ["--endpoint-from", input.server] if input.server else []
            ),
            # Read by no command: a model that is asked elsewhere or otherwise now is asked again.
            row=ROWS[part.folder].asked,
            # Grows when a job ends with entries that the machinery failed: the next run asks them again.
            again=requeued(Path("results", RUN.name, "requeued", part.name)),
            once=REPLAY
            or [
                "--wait-for-owner",
                *("--requeue-out", f"results/{RUN.name}/requeued/{part.name}"),
            ],
        message:
            f"Ask {part.name} everything"
        shell:
            "bfcl-pipeline generate --run {params.run:q} --model {params.model:q} --models {params.models:q}"
            " --category {params.categories:q} --data data --out {params.responses:q} --sessions-out {params.sessions:q}"
            " --cache cache/exchanges --progress-lines {params.once:q}"
            " {params.selection:q} {params.budget:q} {params.server:q} 2> {log:q}"


for folder in dict.fromkeys(part.folder for part in PARTS if not part.whole):

    rule:
        """Joins what several servers of one model were asked. One row is one entry, in the benchmark's order."""
        name:
            f"gather_{folder}"
        input:
            entries=expand(
                "data/entries/{category}.parquet", category=RUN.categories_of(folder)
            ),
            responses=expand(
                "{shard}/{category}.parquet",
                shard=[
                    part.responses("{run}") for part in PARTS if part.folder == folder
                ],
                category=RUN.categories_of(folder),
            ),
            sessions=expand(
                "{shard}/{category}.parquet",
                shard=[
                    part.sessions("{run}") for part in PARTS if part.folder == folder
                ],
                category=RUN.memory_of(folder),
            ),
        output:
            responses=expand(
                "results/{{run}}/responses/{model}/{category}.parquet",
                model=folder,
                category=RUN.categories_of(folder),
            ),
            sessions=expand(
                "results/{{run}}/memory/{model}/{category}.parquet",
                model=folder,
                category=RUN.memory_of(folder),
            ),
        log:
            f"results/{{run}}/logs/gather/{folder}.log",
        # Seconds of work: one job with the judging, on a cluster.
        group:
            f"judged_{folder}"
        params:
            folder=folder,
            shards=[
                f"results/{RUN.name}/shards/{part.name}"
                for part in PARTS
                if part.folder == folder
            ],
            categories=RUN.categories_of(folder),
        message:
            f"Join the shards of {folder}"
        shell:
            "bfcl-pipeline gather {params.shards:q} --category {params.categories:q} --data data"
            " --out results/{wildcards.run}/responses/{params.folder:q}"
            " --sessions-out results/{wildcards.run}/memory/{params.folder:q} 2> {log:q}"
