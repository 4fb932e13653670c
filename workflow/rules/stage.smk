rule stage:
    """Stages the pinned release. One row of data/entries/<category>.parquet is one entry of the benchmark."""
    output:
        texts="data/release/texts.json",
        models="data/release/models.json",
        entries=expand("data/entries/{category}.parquet", category=CATEGORIES),
    log:
        "data/release/stage.log",
    benchmark:
        "data/release/stage.benchmark.tsv"
    params:
        release=RUN.release.options,
    message:
        "Stage the release"
    shell:
        "bfcl-pipeline stage --data data {params.release:q} 2> {log:q}"
