"""The colours of columns, the same in every view of a network."""

from __future__ import annotations

from conceptrules.model.network import RuleNetwork

# Told apart with the common kinds of colour blindness, and at least 3:1 against their background; the tests check both.
LIGHT = ("#0a4a9e", "#e0691a", "#0a9e70", "#7f1450", "#5c430f", "#8740f0", "#e5214f", "#7f8da3")
DARK = ("#66a3ff", "#e58739", "#3df0a6", "#a65b9a", "#ffd83d", "#8f52ff", "#e0305f", "#d5e5f2")
BACKGROUND = {"light": "#ffffff", "dark": "#14181d"}
INK = {"light": "#1b2127", "dark": "#e8ecf0"}
QUIET = {"light": "#5c6670", "dark": "#9aa5b1"}
"""The colours of lines and notes."""
PALETTES = {"light": LIGHT, "dark": DARK}


def column_colours(network: RuleNetwork) -> dict[str, int]:
    """Return a number from the palette for each column that a rule asks about, in the order of the table."""
    asked = {network.predicates[lit.index].column for rule in network.levels[0].rules for lit in rule.literals}
    used = [column.name for column in network.columns if column.name in asked]
    return {name: number % len(LIGHT) for number, name in enumerate(used)}
