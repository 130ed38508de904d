"""The one door by which names enter a drawing or a page: as text, whatever they say."""

from __future__ import annotations

import html
import unicodedata

from conceptrules.model.predicate import shown

# Shares of the font's size, a little more than common sans-serif fonts take: a box may be too wide, never too narrow.
_SHARES = (("iljtfrI.,:;'|!()[] ", 0.4), ("ABCDGHKNOQRUVXYZ&=<>≤+", 0.8), ("mwMW@%", 0.99))


def escaped(text: object) -> str:
    """Return text that is safe in an element or an attribute of HTML, XML or SVG.

    Control characters are written out, and with them all that XML forbids.

    >>> escaped("<b>" + chr(7))
    '&lt;b&gt;\\\\x07'
    """
    return html.escape(shown(text))


def shortened(text: object, length: int) -> str:
    """Return at most `length` characters, with an ellipsis where something is left out and no control characters."""
    clean = shown(text)
    return clean if len(clean) <= length else clean[: length - 1] + "…"


def width(text: str, size: float) -> float:
    """Return about how wide the text is in a sans-serif font of this size."""
    return size * sum(map(_share, text))


def _share(character: str) -> float:
    if unicodedata.east_asian_width(character) in "WF":
        return 1.2
    for letters, share in _SHARES:
        if character in letters:
            return share
    return 0.61
