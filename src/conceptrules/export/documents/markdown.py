"""The rules as Markdown tables (those of GitHub)."""

from __future__ import annotations

import re
from collections.abc import Sequence

from conceptrules.export.documents.rule_tables import Section, document
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import shown

# Markdown lets any of these be escaped by a backslash, and then they mean nothing but themselves.
_SPECIAL = re.compile(r"[\\`*_\[\]{}<>|#~$&^@]|:(?=/)")


def markdown(network: RuleNetwork) -> str:
    """Return the rules as Markdown tables, class by class.

    Parameters
    ----------
    network : RuleNetwork
        The network.

    Returns
    -------
    str
        The content of a .md file.
    """
    whole = document(network)
    blocks = [" ".join(map(escaped, whole.introduction))]
    blocks += [_section(section, whole.measured) for section in whole.sections]
    blocks.append(f"Network `{whole.hash}`.")
    return "\n\n".join(blocks) + "\n"


def escaped(text: str) -> str:
    """Return text that Markdown shows as it is, whatever is in it.

    >>> print(escaped("a|b <script>"))
    a\\|b \\<script\\>
    """
    return _SPECIAL.sub(r"\\\g<0>", shown(text))


def _section(section: Section, measured: bool) -> str:
    title = f"**{escaped(section.title)}**"
    if not section.rules:
        return title
    rows = [[rule.name, rule.text, *([rule.rows, rule.right] if measured else [])] for rule in section.rules]
    head = ["rule", "literals", *(["rows", "right"] if measured else [])]
    ruler = ["---", "---", *(["---:", "---:"] if measured else [])]
    lines = [_line(head), "|" + "|".join(ruler) + "|", *(_line([escaped(cell) for cell in row]) for row in rows)]
    return title + "\n\n" + "\n".join(lines)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"
