"""The pages lead to each other, the site has all of them, and its reference has every public name.

`make docs` builds the site and checks what comes out; this needs no Sphinx.
"""

from __future__ import annotations

import re
from functools import cache
from importlib import import_module
from itertools import pairwise
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from PIL import Image

import conceptrules

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md")), *sorted((ROOT / "benchmarks").glob("*/*.md"))]
BUILT = {"auto_examples/index", "generated/commands"}  # pages that `make docs` writes
ROOMS = [
    "datasets",
    "edit",
    "explain",
    "export.tables",
    "io",
    "logic",
    "model",
    "model.policy",
    "monitor",
    "plots",
    "tables",
]
RAW = "https://raw.githubusercontent.com/conceptrules/conceptrules/main/"
FILES = "https://github.com/conceptrules/conceptrules/blob/main/"
MODULES = {"datasets", "explain", "plots"}  # public names that are rooms themselves


def public_names() -> set[str]:
    """Each public name as a user writes it behind `conceptrules.`; what is there at the top is not named again."""
    found = {
        name: getattr(conceptrules, name) for name in conceptrules.__all__ if name not in {"__version__", *MODULES}
    }
    top = list(found.values())
    for room in ROOMS:
        module = getattr(conceptrules, room) if room in MODULES else import_module(f"conceptrules.{room}")
        inner = {f"{room}.{name}": getattr(module, name) for name in module.__all__}
        found |= {name: value for name, value in inner.items() if not any(value is one for one in top)}
    return set(found)


def parts_of(page: Path) -> list[Token]:
    tokens = MarkdownIt("commonmark").enable("table").parse(page.read_text(encoding="utf-8"))
    return [part for token in tokens for part in (token, *(token.children or ()))]


@cache
def anchors_of(page: Path) -> set[str]:
    """The anchors that GitHub, and so the site, gives to the headings of a page."""
    found: dict[str, int] = {}
    parts = parts_of(page)
    for opening, inner in pairwise(parts):
        if opening.type == "heading_open":
            text = "".join(child.content for child in inner.children or ())
            slug = re.sub(r"[^\w\- ]", "", text.strip().lower()).replace(" ", "-")
            found[slug] = found.get(slug, 0) + 1
    return {slug if not count else f"{slug}-{count}" for slug, times in found.items() for count in range(times)}


def links_of(page: Path) -> list[str]:
    return [str(part.attrs[name]) for part in parts_of(page) for name in ("href", "src") if name in part.attrs]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_links_of_a_page_lead_somewhere(page):
    lost = []
    for link in links_of(page):
        whole = link.startswith(FILES)
        place = urlsplit(link.removeprefix(FILES))
        if place.scheme:
            continue
        target = ((ROOT if whole else page.parent) / unquote(place.path)).resolve() if place.path else page
        known = target.exists() and (
            not place.fragment or target.suffix != ".md" or place.fragment in anchors_of(target)
        )
        lost += [] if known else [link]
    assert lost == []


def test_the_links_of_the_readme_lead_somewhere_from_pypi_too():
    """There, a link to a file beside the README leads nowhere."""
    links = links_of(ROOT / "README.md")
    assert len(links) > 10
    assert [link for link in links if not link.startswith("https://")] == []


def test_the_pictures_of_the_readme_are_small_and_show_the_rules_that_it_prints():
    """PyPI shows the README too, so they have whole addresses. `make pictures` draws them anew."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    pictures = re.findall(r'(?:src|srcset)="([^"]*)"', text)
    assert len(pictures) == 2
    for address in pictures:
        assert address.startswith(RAW)
        path = ROOT / address.removeprefix(RAW)
        assert path.stat().st_size < 150_000
        with Image.open(path) as picture:
            assert f"```text\n{picture.info['Description']}\n```" in text


def test_every_page_is_in_the_site():
    listed = {
        name
        for page in DOCS.glob("*.md")
        for block in re.findall(
            r"^```\{toctree\}\n(.*?)^```", page.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL
        )
        for name in re.findall(r"^(?:.*<)?([\w/-]+)>?$", block, re.MULTILINE)
    }
    pages = {path.stem for path in (*DOCS.glob("*.md"), *DOCS.glob("*.rst"))}
    assert listed - BUILT == pages - {"index"}


def test_every_public_name_is_in_the_reference():
    listed = re.findall(r"^   ([\w.]+)$", (DOCS / "reference.rst").read_text(encoding="utf-8"), re.MULTILINE)
    assert len(listed) == len(set(listed))
    assert set(listed) == public_names()
