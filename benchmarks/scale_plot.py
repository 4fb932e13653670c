"""The figures of `scale.py` as one picture: how each grows with the number of models."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes

COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00")
"""Colours that people with colour blindness can distinguish, as on the report page."""


def plot(figures: Sequence[Mapping[str, Any]], path: Path) -> None:
    """Draws the figures (dicts of `scale.Figure`) into an SVG or PNG file; equal ones give equal bytes."""
    try:
        import matplotlib
        from matplotlib.figure import Figure
    except ImportError:
        sys.exit("a plot needs matplotlib: pip install matplotlib")
    matplotlib.rcParams.update(
        {
            "svg.hashsalt": "scale",
            "svg.fonttype": "none",
            "font.family": "sans-serif",
            "font.sans-serif": ["Liberation Sans", "DejaVu Sans"],
            "font.size": 9,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.grid": True,
            "grid.color": "#dbe1e8",
            "axes.edgecolor": "#556170",
        }
    )
    picture = Figure(figsize=(9.6, 6.4), layout="constrained")
    planning, tables, memory, disk = picture.subplots(2, 2).flatten()
    kinds = [f"{kind}, {state}" for kind in ("API", "embedded") for state in ("from nothing", "complete")]
    lines = {kind: _points(figures, f"plan, {kind}", "processor_seconds") for kind in kinds}
    _draw(planning, "Planning 23 categories of each (snakemake -n)", "seconds of a processor", lines, 20)
    aggregated = "aggregate and report"
    lines = {"5,106 entries each": _points(figures, aggregated, "processor_seconds")}
    lines["half with 5,200 of formats too"] = _points(
        figures, f"{aggregated}, half with prompt formats", "processor_seconds"
    )
    _draw(tables, "Tables and report", "seconds of processors", lines, 60)
    lines = {
        "aggregate and report": _points(figures, aggregated, "peak_bytes", 1e-9),
        "planning, embedded": _points(figures, "plan, embedded, from nothing", "peak_bytes", 1e-9),
    }
    _draw(memory, "Memory at its peak", "GB", lines, 2)
    most = max(one["models"] for one in figures)
    whats = ("journal, thinking", "web cache", "journal, short answers")
    lines = {
        what: [(count, size * count) for _, size in _points(figures, what, "disk_bytes", 1e-9)[:1]]
        for what in whats
        for count in [most]
    }
    lines = {what: [(0, 0.0), *points] for what, points in lines.items() if points}
    lines["responses and verdicts"] = _points(figures, aggregated, "disk_bytes", 1e-9)
    _draw(disk, "Left on the disk by full runs", "GB", lines, None)
    options: dict[str, Any] = {"metadata": {"Date": None}} if path.suffix == ".svg" else {"dpi": 150}
    picture.savefig(path, **options)


def _points(
    figures: Sequence[Mapping[str, Any]], what: str, amount: str, factor: float = 1.0
) -> list[tuple[int, float]]:
    return [(one["models"], one[amount] * factor) for one in figures if one["what"] == what]


def _draw(
    axes: Axes,
    title: str,
    unit: str,
    lines: Mapping[str, Sequence[tuple[int, float]]],
    limit: float | None,
) -> None:
    axes.set_title(title, loc="left", fontweight="bold", fontsize=10)
    for (name, points), colour, style in zip(lines.items(), COLOURS, cycle(("-", "--")), strict=False):
        if points:
            xs, ys = zip(*points, strict=True)
            axes.plot(xs, ys, style, marker="o", markersize=4, color=colour, label=name)
    if limit is not None:
        axes.axhline(limit, color="#556170", linestyle="--", linewidth=1)
        axes.annotate("limit", (0, limit), xytext=(2, -10), textcoords="offset points", color="#556170")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0, top=None if limit is None else limit * 1.1)
    axes.set_xlabel("models")
    axes.set_ylabel(unit)
    axes.legend(frameon=False, loc="best")
