"""A drawing as SVG, one self-contained text without anything that runs or loads, and as a picture file.

PNG and PDF are made with typst, which has a renderer of its own for both.
"""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from os import PathLike
from pathlib import Path
from typing import Any

from conceptrules.draw.appearance import BACKGROUND, INK, PALETTES, QUIET, Theme, check_theme, escape_text
from conceptrules.draw.layout import Drawing, EdgeLine, Label, Mark, Wire
from conceptrules.io.whole_file import check_place, write_whole
from conceptrules.model.errors import InputError

FORMATS = (".svg", ".png", ".pdf")
_PAGE = '#set page(width: auto, height: auto, margin: 0pt)\n#image("picture.svg")\n'
_DENSE = 120  # lines; more of them are drawn thinner
FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, 'DejaVu Sans', sans-serif"


@dataclass(frozen=True, slots=True)
class Svg:
    """A picture as SVG text. A notebook shows it; `save` writes it.

    Attributes
    ----------
    text : str
        The SVG document, without anything that runs or loads.

    Examples
    --------
    >>> from conceptrules.draw.svg import Svg
    >>> str(Svg("<svg/>"))
    '<svg/>'
    """

    text: str

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.text

    def save(self, path: str | PathLike[str]) -> None:
        """Write the picture to a file, which appears whole or not at all.

        Parameters
        ----------
        path : str or os.PathLike
            The file; its name ends in .svg, .png or .pdf. PNG and PDF need the extra `plot`.

        Raises
        ------
        InputError
            If the name has another end, the folder does not exist, or the extra is not installed.
        """
        write_whole(check_picture(path)(self.text), path)


def network_svg(drawing: Drawing, theme: Theme = "auto", style: bool = True) -> Svg:
    """Write a drawing as SVG. The theme "auto" follows the reader's; without `style`, the page must have `stylesheet`.

    Each node is a group with `data-node` (p12 a predicate, 1.3 rule 3 of level 1, c1.2 a concept, class0),
    `data-depends` (what leads to it) and `data-feeds` (what it leads to); lines have `data-from` and `data-to`.
    """
    dense = "edges dense" if len(drawing.lines) > _DENSE else "edges"
    edges = [f'<g class="{dense}">', *map(_wire, drawing.wires), *map(_line, drawing.lines), "</g>"]
    body = [*edges, *map(label_svg, drawing.labels)]
    return frame_svg(
        "\n".join([*body, *map(_mark, drawing.marks)]), drawing.title, drawing.width, drawing.height, theme, style
    )


def frame_svg(body: str, title: str, width: float, height: float, theme: Theme, style: bool = True) -> Svg:
    """Return the body in an <svg> element with its title, style and background."""
    check_theme(theme)
    size = f'width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" class="concept-rules {theme}" {size} role="group"'
        f' aria-label="{escape_text(title)}" font-family="{FONT}">',
        f"<title>{escape_text(title)}</title>",
        *([f"<style>{stylesheet(theme)}</style>"] if style else []),
        '<rect class="paper" width="100%" height="100%"/>',
        body,
        "</svg>",
    ]
    return Svg("\n".join(lines))


def stylesheet(theme: Theme = "auto") -> str:
    """Return the CSS of a drawing: plain rules, since renderers outside of browsers know no variables."""
    where = f"svg.concept-rules.{theme}"
    shapes = "\n".join(f"{where} {rule.replace(', .', f', {where} .')}" for rule in _SHAPES)
    if theme != "auto":
        return f"\n{shapes}\n{_colours(where, theme)}\n"
    dark = _colours(where, "dark")
    return f"\n{shapes}\n{_colours(where, 'light')}\n@media screen and (prefers-color-scheme: dark) {{\n{dark}\n}}\n"


_SHAPES = (
    "text {font-size: 12px; unicode-bidi: isolate}",
    ".layer, .note {font-size: 11px}",
    ".column {font-weight: 600}",
    ".class text {font-size: 13px; font-weight: 600}",
    ".rule text, .concept text {font-size: 11px}",
    ".edge, .wire {fill: none; stroke-width: 1.3}",
    ".edge {stroke-opacity: 0.75}",
    ".dense .edge {stroke-width: 1.1; stroke-opacity: 0.6}",
    ".dense .edge.folded, .edge.folded {stroke-opacity: 0.14}",
    ".edge.negated {stroke-dasharray: 5 3}",
    ".empty rect, .not rect {stroke-dasharray: 3 3}",
    ".heading {font-size: 14px; font-weight: 600}",
    ".condition rect {fill-opacity: 0.13; stroke-opacity: 0.55}",
)


def _colours(where: str, theme: str) -> str:
    paper, ink, quiet = BACKGROUND[theme], INK[theme], QUIET[theme]
    rules = [
        f".paper {{fill: {paper}}}",
        f"text {{fill: {ink}}}",
        f".layer, {where} .note {{fill: {quiet}}}",
        f".edge, {where} .wire {{stroke: {quiet}}}",
        f".node rect {{fill: {paper}; stroke: {quiet}}}",
        f".class rect {{stroke: {ink}; stroke-width: 1.6}}",
        f".bar {{fill: {quiet}; fill-opacity: 0.45}}",
        f".bubble {{fill: {paper}; stroke: {quiet}}}",
    ]
    for key, colour in enumerate(PALETTES[theme]):
        rules.append(f".edge.k{key}, {where} .wire.k{key}, {where} .bubble.k{key} {{stroke: {colour}}}")
        rules.append(f".amount.k{key} {{fill: {colour}}}")
        rules.append(f".condition.k{key} rect {{fill: {colour}; stroke: {colour}}}")
    return "\n".join(f"{where} {rule}" for rule in rules)


def _key(colour: int | None) -> str:
    return "" if colour is None else f" k{colour}"


def _wire(wire: Wire) -> str:
    (x, y), *rest = wire.points
    path = f"M{x:.1f} {y:.1f}" + "".join(f"L{x:.1f} {y:.1f}" for x, y in rest)
    return f'<path class="wire{_key(wire.colour)}" data-from="{wire.node}" d="{path}"/>'


def _line(line: EdgeLine) -> str:
    (x, y), (to_x, to_y) = line.start, line.end
    bend = (y - to_y) * 0.45
    path = f"M{x:.1f} {y:.1f}C{x:.1f} {y - bend:.1f} {to_x:.1f} {to_y + bend:.1f} {to_x:.1f} {to_y:.1f}"
    kinds = " negated" * line.edge.negated + " folded" * ("fold" in line.edge.source + line.edge.target)
    count = f' data-count="{line.edge.count}"' if line.edge.count > 1 else ""
    ends = f'data-from="{line.edge.source}" data-to="{line.edge.target}"'
    drawn = f'<path class="edge{kinds}{_key(line.colour)}" {ends}{count} d="{path}"/>'
    if line.edge.negated:
        drawn += f'<circle class="bubble{_key(line.colour)}" cx="{to_x:.1f}" cy="{to_y + 3:.1f}" r="2.6"/>'
    return drawn


def label_svg(label: Label) -> str:
    """Return text with its tooltip as an SVG element."""
    tip = f"<title>{escape_text(label.tooltip)}</title>" if label.tooltip else ""
    return f'<text class="{label.kind}" x="{label.x:.1f}" y="{label.y:.1f}">{tip}{escape_text(label.text)}</text>'


def _mark(mark: Mark) -> str:
    node = mark.node
    condition = " condition" * (node.kind == "predicate")
    kinds = f"node {node.kind}{condition}" + " empty" * node.empty + " folded" * (node.members > 1) + _key(node.colour)
    links = f'data-depends="{" ".join(mark.depends)}" data-feeds="{" ".join(mark.feeds)}"'
    links += f' data-members="{" ".join(node.stands_for)}"' if node.stands_for else ""
    head = f'<g class="{kinds}" data-node="{node.id}" {links} role="img" aria-label="{escape_text(node.tooltip)}">'
    # Rules have corners, concepts and classes are round, predicates are rows of a card.
    corner = {"rule": 4.0, "predicate": 3.0}.get(node.kind, mark.height / 2)
    gap, x, anchor = 0.0, mark.x + mark.width / 2, "middle"
    if node.kind == "predicate":
        gap, x, anchor = 1.5, mark.x + 8, "start"
    size = f'width="{mark.width:.1f}" height="{mark.height - 2 * gap:.1f}" rx="{corner:.0f}"'
    box = f'<rect x="{mark.x:.1f}" y="{mark.y + gap:.1f}" {size}/>'
    y = mark.y + mark.height / 2 + 4
    text = f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape_text(mark.text)}</text>'
    return f"{head}<title>{escape_text(node.tooltip)}</title>{box}{text}</g>"


# Files


def check_picture(path: str | PathLike[str]) -> Callable[[str], bytes]:
    """Return the function that turns SVG text into a file of this name, or raise if there is none."""
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
    return partial(_render, suffix[1:])


def _render(kind: str, svg: str) -> bytes:
    """Render in a folder where the typesetter sees the drawing and nothing else: one page of the size of the drawing.

    A PNG has two pixels for each unit of the drawing; in a PDF, text stays text.
    """
    typst: Any = import_module("typst")
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "picture.svg").write_text(svg, encoding="utf-8")
        page = Path(folder, "page.typ")
        page.write_text(_PAGE, encoding="utf-8")
        for font in _list_fonts():
            shutil.copy(font, folder)
        # A unit of SVG is 1/96 inch. The time is left out, so that the same drawing gives the same file.
        picture = typst.compile(str(page), root=folder, format=kind, ppi=192.0, timestamp=0, font_paths=[folder])
        return bytes(picture)


def _list_fonts() -> list[Path]:
    """Return the fonts that come with matplotlib, so that words appear even where no font is installed."""
    spec = find_spec("matplotlib")
    folder = Path(spec.origin).parent / "mpl-data" / "fonts" / "ttf" if spec and spec.origin else Path()
    return [path for name in ("DejaVuSans.ttf", "DejaVuSans-Bold.ttf") if (path := folder / name).is_file()]
