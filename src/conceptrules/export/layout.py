"""What every export is laid out from: the columns and predicates in use, names for the nodes, texts for comments.

Nodes count from 1, as in the text of a network: the rule R1.3 is "1.3" among the fired rules of every export.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal as Choice

from conceptrules.model.content_hash import content_hash
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Column, Value, named, shown
from conceptrules.model.text import concept_name, literal_text, rule_text, word

_ENDS = re.compile(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=<)(?=[/!?A-Za-z])|(?<=\]\])(?=>)|(?<=\?)(?=\?)")

Family = Choice["ordered", "flag", "text", "figure", "whole"]
"""What a column holds, as code sees it: numbers to compare, true or false, text, and numbers that are categories.
"whole" ones are all whole numbers, some of them too large for float64 to tell from their neighbours."""
Stored = Choice["number", "boolean", "text", "date", "datetime", "duration"]


@dataclass(frozen=True, slots=True)
class Input:
    """A column in use, with the predicates in use on it."""

    column: Column
    family: Family
    predicates: tuple[int, ...]
    known: tuple[Value, ...] = ()
    """The categories of the column, and those that predicates name."""
    stored: Stored | None = None
    """What the column is in a table of a database; None: what its kind suggests."""


def inputs(network: RuleNetwork) -> tuple[Input, ...]:
    """The columns that rules use, in the order of the network."""
    found = []
    for column in network.columns:
        used = network.used_columns.get(column.name)
        if used:
            known = (*column.categories, *(value for index in used for value in named(network.predicates[index])))
            found.append(Input(column, _family(column, known), used, known))
    return tuple(found)


def rule_id(level: int, index: int) -> str:
    """Level and rule count from 0 here, and from 1 in the name."""
    return f"{level + 1}.{index + 1}"


def rule_ids(network: RuleNetwork) -> list[str]:
    """All rules, level by level."""
    return [rule_id(number, index) for number, level in enumerate(network.levels) for index in range(len(level.rules))]


def concept_ids(network: RuleNetwork) -> list[str]:
    """All concepts, level by level; those of the last are the classes."""
    return [rule_id(n, index) for n, level in enumerate(network.levels) for index in range(len(level.concepts))]


def header(network: RuleNetwork) -> list[str]:
    """The first lines of an export, to be put into comments."""
    from conceptrules import __version__

    return [
        f"Made by conceptrules {__version__} from the network {content_hash(network)}.",
        "Change the network and export again, rather than this text.",
        f"Classes, the first that fires wins: {', '.join(map(word, network.priority))}.",
        f"If none fires: {word(network.default)}.",
    ]


def rule_lines(network: RuleNetwork) -> Iterator[str]:
    """Every rule and every concept in words."""
    for number, level in enumerate(network.levels):
        for index in range(len(level.rules)):
            yield f"R{rule_id(number, index)}: {rule_text(network, number, index)}"
        for index, concept in enumerate(level.concepts):
            rules = " or ".join(f"R{rule_id(number, rule)}" for rule in concept.rules) or "never"
            yield f"{concept_title(network, number, index)}: {rules}"


def concept_title(network: RuleNetwork, level: int, index: int) -> str:
    """C1.2, or the class that the concept is."""
    if level < len(network.levels) - 1:
        return concept_name(level, index)
    return f"class {word(network.classes[index])}"


def predicate_words(network: RuleNetwork, index: int) -> str:
    return literal_text(network, 0, Literal(index))


def comment(text: str) -> str:
    """One line that is safe in the comments of any language, whatever the names in it.

    Nothing ends the line (`shown` escapes line ends and all control characters), a block comment, a script or a CDATA
    section, and nothing is a trigraph: a blank goes in between.

    >>> comment("a */ b ]]> c </script> d ??/")
    'a * / b ]] > c < /script> d ? ?/'
    """
    return _ENDS.sub(" ", shown(text))


def _family(column: Column, known: Sequence[Value]) -> Family:
    if column.ordered:
        return "ordered"
    if column.kind == "boolean":
        return "flag"
    # The first category says what the cells may be, as it does when a table is read.
    if not known or isinstance(known[0], str):
        return "text"
    whole = all(isinstance(value, int) and -(2**63) <= value < 2**63 for value in known)
    return "whole" if whole and any(abs(int(value)) >= 2**53 for value in known) else "figure"
