"""The figures of a run: charts of its tables as SVG and PNG, without a browser or a network."""
