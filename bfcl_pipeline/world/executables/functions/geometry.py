"""Areas, distances, and points on a line."""

from math import pi
from typing import Any

from bfcl_pipeline.world.executables.functions.work import EvaluationWork


def calculate_triangle_area(work: EvaluationWork, base: Any, height: Any) -> Any:
    """Half of base times height."""
    return work.times(base, height) / 2


def geometry_area_circle(radius: Any) -> Any:
    """The area of a circle."""
    return pi * radius**2


def get_distance(pointA: Any, pointB: Any) -> Any:
    """The distance of two points in the plane."""
    return ((pointA[0] - pointB[0]) ** 2 + (pointA[1] - pointB[1]) ** 2) ** 0.5


def polygon_area(work: EvaluationWork, vertices: Any) -> Any:
    """The area of a polygon by the shoelace formula. Raises ValueError for fewer than three vertices.

    AttributeError for what is not a list: the release appends to its argument.
    """
    if len(vertices) < 3:
        raise ValueError("a polygon has at least 3 vertices")
    if not isinstance(vertices, list):
        raise AttributeError(f"{type(vertices).__name__!r} object has no attribute 'append'")  # noqa: TRY004
    doubled = 0
    for one, following in zip(vertices, [*vertices[1:], vertices[0]], strict=True):
        doubled += work.times(one[0], following[1]) - work.times(following[0], one[1])
    return abs(doubled) / 2.0


def max_points(work: EvaluationWork, points: Any) -> Any:
    """The largest number of points on one line.

    As in the release, a vertical line and a point that is the same as another are counted alike, and lines
    are told apart by their slopes as floats.
    """
    most = 1
    count = len(points)
    if count < 2:
        return 1
    for place in range(count):
        by_slope: dict[Any, int] = {}
        for other in range(place + 1, count):
            work.spend()
            rise = points[other][1] - points[place][1]
            run = points[other][0] - points[place][0]
            slope = rise / run if run != 0 else "vertical"
            by_slope[slope] = by_slope.get(slope, 0) + 1
        most = max(most, *by_slope.values(), 0)
    return most + 1
