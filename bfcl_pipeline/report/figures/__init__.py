"""The figures of a run: charts of its tables as SVG and PNG, in one style, without a browser or a network."""
