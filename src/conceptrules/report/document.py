"""Documents made of headings, paragraphs and tables: the same content as Markdown and as HTML."""

from __future__ import annotations

import os
from dataclasses import dataclass
from html import escape

from conceptrules.export.documents import escape_markdown
from conceptrules.io.whole_file import check_place, write_whole
from conceptrules.model.errors import InputError
from conceptrules.model.predicate import printable

_STYLE = (
    "<style>:root{color-scheme:light dark}body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;"
    "padding:0 1rem;overflow-wrap:break-word}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:.8em}"
    "table{border-collapse:collapse}.scroll{overflow-x:auto}.scroll+.scroll{margin-top:1.5rem}"
    "td,th{text-align:left;padding:.2rem 1rem .2rem 0;border-bottom:1px solid #8885;"
    "vertical-align:top}.pairs td{overflow-wrap:anywhere}thead th{border-bottom:2px solid #888}"
    "tbody th{min-width:min(13rem,34vw)}td{min-width:min(6rem,18vw)}"
    "@media print{body{font-size:10pt;margin:0;max-width:none}"
    "pre{font-size:7.5pt}h2{break-after:avoid}tr{break-inside:avoid}thead{display:table-header-group}}</style>"
)

_PAGE = """<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>{title}</title>{style}</head>
<body>
{body}
</body>
</html>
"""


@dataclass(frozen=True, slots=True)
class Grid:
    """A table: what, and its values."""

    rows: tuple[tuple[str, ...], ...]
    head: tuple[str, ...] = ()
    """What stands above the columns; nothing by default."""


@dataclass(frozen=True, slots=True)
class Listing:
    """Text whose lines stay as they are."""

    text: str


Block = str | Grid | Listing


@dataclass(frozen=True, slots=True)
class Section:
    """A heading and what stands below it."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True)
class Document:
    """A document. It prints as Markdown, a notebook shows it, and `save` writes it as Markdown or HTML."""

    title: str
    """The heading."""
    sections: tuple[Section, ...]
    """What it says, in its order."""

    def __str__(self) -> str:
        return self.markdown()

    def _repr_html_(self) -> str:
        return "\n".join([f"<h1>{_html(self.title)}</h1>", *map(_section_html, self.sections)])

    def markdown(self) -> str:
        """Return the document as Markdown.

        Returns
        -------
        str
            The content of a .md file.
        """
        return "\n\n".join([f"# {escape_markdown(self.title)}", *map(_section_markdown, self.sections)]) + "\n"

    def html(self) -> str:
        """Return the document as HTML.

        Returns
        -------
        str
            A document that loads nothing and runs nothing.
        """
        return _PAGE.format(title=_html(self.title), style=_STYLE, body=self._repr_html_())

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the document to a file, which appears whole or not at all.

        Parameters
        ----------
        path : str or os.PathLike
            The file; its name ends in .md or .html.

        Raises
        ------
        InputError
            If the name has another end, or the folder does not exist.
        """
        end = check_place(path).suffix.lower()
        if end not in (".md", ".html"):
            raise InputError(f"this is written to a file that ends in .md or .html, not {os.fspath(path)!r}")
        write_whole((self.html() if end == ".html" else self.markdown()).encode("utf-8"), path)


def _section_markdown(section: Section) -> str:
    return "\n\n".join([f"## {section.title}", *map(_block_markdown, section.blocks)])


def _block_markdown(block: Block) -> str:
    if isinstance(block, Grid):
        width = len(block.head or block.rows[0]) if block.head or block.rows else 2
        head = block.head or ("",) * width
        lines = [f"| {' | '.join(map(escape_markdown, row))} |" for row in (head, *block.rows)]
        return "\n".join([lines[0], "|---" * width + "|", *lines[1:]])
    if isinstance(block, Listing):
        return "\n".join(f"    {line}".rstrip() for line in block.text.splitlines())  # no text can end such a block
    return escape_markdown(block)


def _section_html(section: Section) -> str:
    return "\n".join([f"<h2>{_html(section.title)}</h2>", *map(_block_html, section.blocks)])


def _block_html(block: Block) -> str:
    if isinstance(block, Grid):
        head = "".join(f"<th>{_html(name)}</th>" for name in block.head)
        rows = "".join(
            f"<tr><th>{_html(name)}</th>{''.join(f'<td>{_html(value)}</td>' for value in values)}</tr>"
            for name, *values in block.rows
        )
        head = f"<table><thead><tr>{head}</tr></thead>" if head else '<table class="pairs">'
        return f'<div class="scroll">{head}<tbody>{rows}</tbody></table></div>'
    if isinstance(block, Listing):
        return f'<pre style="font-family: ui-monospace, monospace">{escape(block.text)}</pre>'
    return f"<p>{_html(block)}</p>"


def _html(text: str) -> str:
    return escape(printable(text))
