"""SVG text as a file: as it is, or as PNG or PDF by way of typst, which brings its own renderer for both."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from conceptrules.io.whole_file import check_place, write_whole
from conceptrules.model.errors import InputError

FORMATS = (".svg", ".png", ".pdf")
_PAGE = '#set page(width: auto, height: auto, margin: 0pt)\n#image("picture.svg")\n'


def save(svg: str, path: str | os.PathLike[str]) -> None:
    """Write a file that ends in .svg, .png or .pdf; it appears whole or not at all."""
    write = check_picture(path)
    write_whole(write(svg), path)


def check_picture(path: str | os.PathLike[str]) -> Callable[[str], bytes]:
    """Return the function that makes a file of this name, or raise if there is none."""
    suffix = Path(path).suffix.lower()
    if suffix not in FORMATS:
        raise InputError(f"{path}: the name of a picture must end in one of {', '.join(FORMATS)}")
    check_place(path)
    if suffix == ".svg":
        return str.encode
    if find_spec("typst") is None:
        raise InputError(
            f"{suffix} pictures are made with typst; pip install 'conceptrules[plot]', or name an .svg file"
        )
    return png if suffix == ".png" else pdf


def png(svg: str) -> bytes:
    """Render with two pixels for each unit of the drawing."""
    return _rendered(svg, "png")


def pdf(svg: str) -> bytes:
    """Render one page of the size of the drawing; text stays text."""
    return _rendered(svg, "pdf")


def _rendered(svg: str, kind: str) -> bytes:
    """Render in a folder where the typesetter sees the drawing and nothing else."""
    typst: Any = import_module("typst")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "picture.svg").write_text(svg, encoding="utf-8")
        page = Path(folder, "page.typ")
        page.write_text(_PAGE, encoding="utf-8")
        for font in _fonts():
            shutil.copy(font, folder)
        # A unit of SVG is 1/96 inch. The time is left out, so that the same drawing gives the same file.
        made = typst.compile(str(page), root=folder, format=kind, ppi=192.0, timestamp=0, font_paths=[folder])
        return bytes(made)


def _fonts() -> list[Path]:
    """Return the fonts that come with matplotlib, so that words appear even where no font is installed."""
    found = find_spec("matplotlib")
    folder = Path(found.origin).parent / "mpl-data" / "fonts" / "ttf" if found and found.origin else Path()
    return [path for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf") if (path := folder / name).is_file()]
