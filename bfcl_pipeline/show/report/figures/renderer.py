"""The renderer of charts: Vega-Lite by vl-convert, without a network and with its own font only.

The fonts of the machine are hidden from it: another version of the same font has other outlines, so a PNG
would differ from machine to machine. Characters that its own font lacks are not drawn (see `names.drawn`).
"""

import os
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

import vl_convert

from bfcl_pipeline.show.report.figures.style import config

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
