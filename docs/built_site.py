"""Checks the built site: its links lead somewhere, no page asks another host for anything, and it is small."""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parent.resolve() / "_build" / "html"
MEGABYTES = 25
LOADING = {"script": "src", "img": "src", "source": "srcset", "iframe": "src", "link": "href"}


class Page(HTMLParser):
    """What a page has names for, links to and loads."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: set[str] = set()
        self.loads: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        self.anchors |= {values[name] for name in ("id", "name") if name in values}
        if tag == "a" and "href" in values:
            self.links.add(values["href"])
        if tag in LOADING and LOADING[tag] in values:
            self.loads.add(values[LOADING[tag]])


def problems() -> list[str]:
    """Return a line for each thing that is wrong."""
    pages = {path: Page(path) for path in SITE.rglob("*.html") if "_static" not in path.parts}
    found = []
    for path, page in pages.items():
        name = path.relative_to(SITE)
        found += [f"{name} loads {one}" for one in page.loads if one.startswith(("http:", "https:", "//"))]
        for link in page.links | {one for one in page.loads if not one.startswith("data:")}:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
            anchor = unquote(parts.fragment)
            if not target.exists():
                found.append(f"{name} links to {link}, which is not there")
            elif anchor and target in pages and anchor not in pages[target].anchors:
                found.append(f"{name} links to {link}, which has no such place")
    for path in SITE.rglob("*.css"):
        if "url(http" in path.read_text(encoding="utf-8"):
            found.append(f"{path.relative_to(SITE)} loads from another host")
    size = sum(path.stat().st_size for path in SITE.rglob("*") if path.is_file()) / 1e6
    print(f"{len(pages)} pages, {size:.1f} MB: {SITE / 'index.html'}")
    return found + [f"the site has more than {MEGABYTES} MB"] * (size > MEGABYTES)


if __name__ == "__main__":
    sys.exit("\n".join(problems()) or None)
