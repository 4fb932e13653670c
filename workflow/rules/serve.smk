# A local model is served by vLLM for as long as the run asks it. Snakemake starts a service and those who ask it
# as one group, and ends the service after them; what it does not do is wait until a server is ready. So the
# address is there at once, and who asks waits (bfcl_pipeline/models/serving).

for part in PARTS:
    if part.folder in SERVED:

        rule:
            """Serves one local model to the step that asks it. Makes no rows."""
            name:
                f"serve_{part.name}"
            output:
                service(f"results/{{run}}/servers/{part.name}.json"),
            log:
                own=f"results/{{run}}/logs/serve/{part.name}.log",
                vllm=f"results/{{run}}/logs/serve/{part.name}.vllm.log",
            container:
                config["containers"]["vllm"]
            # The cores of a group are added up, and a run with one core must be able to ask a model.
            threads: 0
            resources:
                **serving_resources(ROWS[part.folder]),
                # As the profile has one of these, models on this machine are served one after the other.
                server=1,
            params:
                models="config/models.yaml",
                model=RUN.model_of(part.folder),
            message:
                f"Serve {part.name}"
            # The address first, for which Snakemake waits but seconds; exec, as it signals what it started.
            shell:
                ": > {output:q}; exec bfcl-pipeline serve {params.model:q} --models {params.models:q}"
                " --address-out {output:q} --log {log.vllm:q} --end-with-parent 2> {log.own:q}"
