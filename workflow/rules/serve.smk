# vLLM serves a local model while its job runs. Snakemake starts a service and the steps that use it as one group, and
# ends the service after them; it does not wait until the server is ready. So the status file is written immediately,
# and the job polls it until the server is ready (bfcl_pipeline/ask/models/serving).

for step in CHECKED.steps:
    if step.server:

        rule:
            """Serves one local model for the step that generates its responses."""
            name:
                f"serve_{step.name}"
            output:
                service(f"results/{{run}}/servers/{step.name}.json"),
            log:
                own=f"results/{{run}}/logs/serve/{step.name}.log",
                vllm=f"results/{{run}}/logs/serve/{step.name}.vllm.log",
            container:
                RUN.settings.images["vllm"]
            # The cores of a group are added up; a run with one core must be able to serve a model.
            threads: 0
            resources:
                **step.server_resources,
                # The profile provides one `server`, so that models on this machine are served one after the other.
                server=1,
            params:
                model=step.job.row.name,
            message:
                f"Serve {step.name}"
            # The file is created first because Snakemake waits for it only seconds; exec lets signals reach the server.
            shell:
                ": > {output:q}; exec bfcl-pipeline serve {params.model:q}"
                " --address-out {output:q} --log {log.vllm:q} --end-with-parent 2> {log.own:q}"
