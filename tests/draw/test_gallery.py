"""The gallery has all its pictures and no others, and they stay small."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

DOCS = Path(__file__).parents[2] / "docs"
PICTURES = DOCS / "images" / "gallery"


def test_each_picture_is_there_and_made_by_a_line_of_the_page():
    page = (DOCS / "gallery.md").read_text(encoding="utf-8")
    shown = re.findall(r"\(images/gallery/([\w.-]+)\)", page)
    assert sorted(shown) == sorted(path.name for path in PICTURES.iterdir())
    code = "".join(re.findall(r"^```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL))
    assert not [name for name in shown if name not in code]


def test_the_pictures_are_small_and_the_drawings_are_whole():
    assert sum(path.stat().st_size for path in (DOCS / "images").rglob("*") if path.is_file()) < 1_500_000
    for path in PICTURES.glob("*.svg"):
        assert ElementTree.parse(path).getroot().tag == "{http://www.w3.org/2000/svg}svg"
