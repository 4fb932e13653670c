"""ro-crate-preview.html of an archive: what it holds and how to verify it, for a person.

One page without scripts and outside resources, made from the given facts only, so that equal runs have
equal pages. RO-Crate 1.1 asks for a page that shows the metadata of the root and has
a link to the metadata file.
"""

from collections import Counter
from collections.abc import Sequence

from jinja2 import Environment

from bfcl_pipeline.runs.archived.members import ArchiveMember
from bfcl_pipeline.runs.archived.names import METADATA
from bfcl_pipeline.share.archive.authors import Author
from bfcl_pipeline.share.archive.crate import RunFacts

_PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>BFCL V4, run {{ facts.run }}</title>
<style>
body { font: 1rem/1.5 system-ui, sans-serif; max-width: 48rem; margin: 2rem auto; padding: 0 1rem }
table { border-collapse: collapse } th, td { text-align: left; padding: .2rem 1.5rem .2rem 0 }
td.number { text-align: right } pre { overflow-x: auto } th, td, code { overflow-wrap: anywhere }
</style>
</head>
<body>
<h1>BFCL V4, run <bdi>{{ facts.run }}</bdi></h1>
<p>One evaluation of the Berkeley Function-Calling Leaderboard V4 with bfcl-pipeline
{{ facts.versions["bfcl-pipeline"] }}: requests and answers, verdicts and tables. The results are in
<a href="results/{{ facts.run | urlencode }}/report.html">report.html</a>, the metadata for programs in
<a href="{{ metadata }}">{{ metadata }}</a>, a description of the files in
<a href="README.md">README.md</a>.</p>
<table>
{%- for author in authors %}
<tr><th scope="row">Author</th><td><bdi>{{ author.name }}</bdi>
{%- if author.orcid %}, <a href="{{ author.orcid }}">{{ author.orcid }}</a>{% endif %}</td></tr>
{%- endfor %}
<tr><th scope="row">Ended</th><td>{{ facts.end }}</td></tr>
<tr><th scope="row">Benchmark</th><td>{{ facts.release.name }} {{ facts.release.version }}</td></tr>
<tr><th scope="row">Commit of the code</th>
<td>{{ facts.checkout.commit or "unknown" }}{{ ", with local changes" if facts.checkout.dirty }}</td></tr>
{%- for name, version in versions %}
<tr><th scope="row">{{ name }}</th><td>{{ version }}</td></tr>
{%- endfor %}
<tr><th scope="row">License</th><td>Apache-2.0; answers of models and web pages are under the terms of their
owners</td></tr>
</table>
<h2>Verify</h2>
<pre>bfcl-pipeline stage
bfcl-pipeline verify {{ facts.run }}.crate.zip</pre>
<p>derives every answer, verdict and table again from the records in the archive and compares them byte for
byte. README.md says how to install bfcl-pipeline.</p>
<h2>Content</h2>
<table>
<tr><th scope="col">Directory</th><th scope="col">Files</th><th scope="col">Bytes</th></tr>
{%- for name, files, size in content %}
<tr><td>{{ name }}</td><td class="number">{{ "{:,}".format(files) }}</td>
<td class="number">{{ "{:,}".format(size) }}</td></tr>
{%- endfor %}
</table>
</body>
</html>
"""


def preview(facts: RunFacts, authors: Sequence[Author], members: Sequence[ArchiveMember]) -> bytes:
    """The page for `members`, without itself and the metadata."""
    files: Counter[str] = Counter()
    sizes: Counter[str] = Counter()
    for member in members:
        directory = member.name.partition("/")[0] + "/" if "/" in member.name else "(top)"
        files[directory] += 1
        sizes[directory] += member.size
    page = Environment(autoescape=True).from_string(_PAGE)
    text = page.render(
        facts=facts,
        authors=authors,
        metadata=METADATA,
        versions=sorted({**facts.versions, **facts.versions_when_made}.items()),
        content=[(name, files[name], sizes[name]) for name in sorted(files)],
    )
    return f"{text}\n".encode()
