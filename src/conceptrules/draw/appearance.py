"""What all drawings and pages share: colours, themes, and the one way in which names enter them, as plain text."""

from __future__ import annotations

import html
import unicodedata
from typing import Literal as Choice
from typing import cast, get_args

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import printable

Theme = Choice["auto", "light", "dark"]
# Distinct with the common kinds of colour blindness, and at least 3:1 against their background; the tests check both.
LIGHT = ("#0a4a9e", "#e0691a", "#0a9e70", "#7f1450", "#5c430f", "#8740f0", "#e5214f", "#7f8da3")
DARK = ("#66a3ff", "#e58739", "#3df0a6", "#a65b9a", "#ffd83d", "#8f52ff", "#e0305f", "#d5e5f2")
BACKGROUND = {"light": "#ffffff", "dark": "#14181d"}
INK = {"light": "#1b2127", "dark": "#e8ecf0"}
QUIET = {"light": "#5c6670", "dark": "#9aa5b1"}
"""The colours of lines and notes."""
PALETTES = {"light": LIGHT, "dark": DARK}
# Shares of the font's size, a little more than common sans-serif fonts take: a box may be too wide, never too narrow.
_WIDTHS = (("iljtfrI.,:;'|!()[] ", 0.4), ("ABCDGHKNOQRUVXYZ&=<>≤+", 0.8), ("mwMW@%", 0.99))


def check_theme(theme: str) -> Theme:
    """Return the theme, or raise if there is no such theme."""
    if theme not in get_args(Theme):
        raise InputError(f"the theme is {theme!r}; it can be 'auto', 'light' or 'dark'")
    return cast(Theme, theme)


def assign_colours(network: RuleNetwork) -> dict[str, int]:
    """Return a number from the palette for each column that a rule asks about, in the order of the table."""
    return {name: number % len(LIGHT) for number, name in enumerate(network.used_columns)}


def escape_text(text: object) -> str:
    """Return text that is safe in an element or an attribute of HTML, XML or SVG.

    Control characters are written out, and with them all that XML forbids.

    >>> escape_text("<b>" + chr(7))
    '&lt;b&gt;\\\\x07'
    """
    return html.escape(printable(text))


def shorten(text: object, length: int) -> str:
    """Return at most `length` characters, with an ellipsis where something is left out and no control characters."""
    clean = printable(text)
    return clean if len(clean) <= length else clean[: length - 1] + "…"


def text_width(text: str, size: float) -> float:
    """Return about how wide the text is in a sans-serif font of this size."""
    return size * sum(map(_letter_width, text))


def _letter_width(letter: str) -> float:
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.2
    return next((width for letters, width in _WIDTHS if letter in letters), 0.61)
