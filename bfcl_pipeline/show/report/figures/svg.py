"""SVG of the renderer, made small, safe and equal everywhere.

The renderer writes names of models as text, and this module does not rely on it: only the elements and
attributes that figures need are kept, so nothing in a figure runs, loads or refers to anything outside.
Coordinates are rounded to hundredths of a pixel: the last digits of a width need not be the same on
processors of another kind.
"""

import re
from collections.abc import Mapping
from xml.etree import ElementTree

from defusedxml.ElementTree import fromstring

from bfcl_pipeline.show.report.figures.style import FAMILIES, FONT, GROUND

_SPACE = "http://www.w3.org/2000/svg"
_TAGS = frozenset({"svg", "g", "path", "line", "rect", "text", "tspan", "defs", "clipPath"})
_NUMBERS = frozenset(
    (
        "d",
        "dy",
        "font-size",
        "height",
        "stroke-width",
        "transform",
        "viewBox",
        "width",
        "x",
        "x2",
        "y",
        "y2",
    )
)
_INHERITED = frozenset(
    (
        *("fill", "fill-opacity", "font-size", "font-style", "font-weight", "text-anchor"),
        *("stroke", "stroke-dasharray", "stroke-linecap", "stroke-opacity", "stroke-width"),
    )
)
_ATTRIBUTES = _NUMBERS | _INHERITED | {"clip-path", "id", "opacity", "stroke-miterlimit"}
_DEFAULTS = {"opacity": "1", "stroke-width": "1", "transform": "translate(0,0)", "stroke-dasharray": "1,0"}
_DRAWN = ("path", "line", "rect")
_NOT_DRAWN = (None, "none", "transparent")
_DECIMALS = re.compile(r"-?(?<!\d)\d++(?:\.\d++(?:e-?\d+)?|e-?\d+)")
_REFERENCE = re.compile(r"url\(#([A-Za-z0-9_-]+)\)")


def clean_svg(svg: str, name: str, title: str, about: str, ground: bool) -> str:
    """The figure `name` as SVG.

    Args:
        svg: what the renderer wrote.
        name: begins every identifier.
        title: the text of the element title.
        about: the text of the element desc.
        ground: whether it has a background.
    """
    ElementTree.register_namespace("", _SPACE)
    root = _element(fromstring(svg, forbid_dtd=True), name)
    if root is None:  # the renderer always writes an element svg
        raise ValueError(f"{name}: the renderer wrote no SVG")
    children = list(root)
    root[:] = [child for child in children if ground or not _is_ground(child)]
    described = {"role": "img", "aria-labelledby": f"{name}-title {name}-desc", "font-family": FAMILIES}
    for key, value in described.items():
        root.set(key, value)
    for place, (tag, text) in enumerate((("title", title), ("desc", about))):
        element = ElementTree.Element(f"{{{_SPACE}}}{tag}", {"id": f"{name}-{tag}"})
        element.text = text
        root.insert(place, element)
    return ElementTree.tostring(root, encoding="unicode")


def _is_ground(element: ElementTree.Element) -> bool:
    return element.tag == f"{{{_SPACE}}}rect" and element.get("fill") == GROUND


def _element(found: ElementTree.Element, name: str) -> ElementTree.Element | None:
    """The element with what is kept of it; None if nothing of it is drawn."""
    tag = found.tag.removeprefix(f"{{{_SPACE}}}")
    if tag not in _TAGS or found.get("display") == "none" or _is_invisible(tag, found.attrib):
        return None
    kept = ElementTree.Element(f"{{{_SPACE}}}{tag}", _attributes(found.attrib, name))
    kept.text = found.text if tag in ("text", "tspan") else None
    for child in found:
        element = _element(child, name)
        if element is None:
            continue
        if element.tag == f"{{{_SPACE}}}g" and not element.attrib:
            kept.extend(element)
        else:
            kept.append(element)
    if tag in ("g", "defs") and not len(kept):
        return None
    if tag == "g":
        _share(kept)
    return kept


def _share(group: ElementTree.Element) -> None:
    """Moves the attributes that all elements of a group have in common to the group, which they inherit."""
    for name in sorted(_INHERITED & set(group[0].attrib)):
        values = {child.get(name) for child in group}
        if len(group) > 1 and len(values) == 1:
            group.set(name, group[0].attrib[name])
            for child in group:
                del child.attrib[name]


def _is_invisible(tag: str, attributes: Mapping[str, str]) -> bool:
    if tag not in _DRAWN or {"x", "y", "width", "height"} == set(attributes):  # the last: a clip path
        return False
    if "d" in attributes and attributes["d"] in ("", "M0,0h0v0h0Z"):
        return True
    return all(attributes.get(name) in _NOT_DRAWN for name in ("fill", "stroke"))


def _attributes(found: Mapping[str, str], name: str) -> dict[str, str]:
    kept = {}
    for key, value in found.items():
        if key == "font-family" and value != FONT:
            raise ValueError(f"{name}: a text in the font {value!r}, not {FONT}")
        if key not in _ATTRIBUTES:
            continue
        text = _DECIMALS.sub(_rounded, value) if key in _NUMBERS else value
        if key == "id":
            text = f"{name}-{value}"
        elif key == "clip-path":
            text = _REFERENCE.sub(rf"url(#{name}-\1)", value)
        if _DEFAULTS.get(key) != text:
            kept[key] = text
    return kept


def _rounded(number: re.Match[str]) -> str:
    text = f"{float(number[0]):.2f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
