"""The renderer of charts: Vega-Lite by vl-convert, made into SVG that is small, safe and equal everywhere.

It has no network and its own font only. The fonts of the machine are hidden from it: another version of the
same font has other outlines, so a PNG would differ from machine to machine. Characters that its own font
lacks are not drawn (see `names.drawable_text`).

It writes names of models as text, and `clean_svg` does not rely on it: only the elements and attributes
that figures need are kept, so nothing in a figure runs, loads or refers to anything outside. Coordinates
are rounded to hundredths of a pixel: the last digits of a width need not be the same on other processors.
"""

import os
import re
import tempfile
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import vl_convert
from defusedxml.ElementTree import fromstring

from bfcl_pipeline.show.report.figures.style import FAMILIES, FONT, GROUND, config

SCALE = 2.0
"""Pixels of a PNG for a pixel of the SVG."""

_VEGA_LITE = "6.4"  # the version of Altair's schema
_FONTS = "FONTCONFIG_FILE"
_NO_FONTS = "<fontconfig><dir>{}</dir></fontconfig>"  # without any directory, the usual ones are searched
_EMPTY = '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"/>'


def svg(spec: dict[str, Any], text_scale: float = 1.0) -> str:
    """A chart as SVG. text_scale: how much larger texts are than usual."""
    _hide_fonts()
    return vl_convert.vegalite_to_svg(
        spec, vl_version=_VEGA_LITE, config=dict(config(text_scale)), allowed_base_urls=[]
    )


def png(drawn: str) -> bytes:
    """An SVG as PNG."""
    _hide_fonts()
    return vl_convert.svg_to_png(drawn, scale=SCALE)


@cache
def _hide_fonts() -> None:
    """Makes the renderer list the fonts of an empty directory, listed once, before its first work."""
    before = os.environ.get(_FONTS)
    with tempfile.TemporaryDirectory(prefix="bfcl-figures-") as folder:
        listed = Path(folder) / "fonts.conf"
        listed.write_text(_NO_FONTS.format(folder), encoding="utf-8")
        os.environ[_FONTS] = str(listed)
        try:
            vl_convert.svg_to_png(_EMPTY)
        finally:
            if before is None:
                del os.environ[_FONTS]
            else:
                os.environ[_FONTS] = before


_SPACE = "http://www.w3.org/2000/svg"
_TAGS = ("svg", "g", "path", "line", "rect", "text", "tspan", "defs", "clipPath")
_NUMBERS = {
    *("d", "dy", "font-size", "height", "stroke-width", "transform"),
    *("viewBox", "width", "x", "x2", "y", "y2"),
}
_INHERITED = {
    *("fill", "fill-opacity", "font-size", "font-style", "font-weight", "text-anchor"),
    *("stroke", "stroke-dasharray", "stroke-linecap", "stroke-opacity", "stroke-width"),
}
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
