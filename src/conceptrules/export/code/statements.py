"""What the programming languages share: a variable for each node, from the predicates up to the classes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from conceptrules.export.node_names import concept_title
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Rule, RuleNetwork


@dataclass(frozen=True, slots=True)
class Syntax:
    """How a language writes and, or, not, true and false."""

    all_of: str
    any_of: str
    negation: str
    true: str
    false: str


@dataclass(frozen=True, slots=True)
class Line:
    """A variable and what it is; without a name it is a heading."""

    name: str
    code: str
    title: str = ""


def function_name(name: str, language: str, reserved: str) -> str:
    """Return the name if a function can have it, or raise."""
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", name) or name in reserved.split():
        raise InputError(f"{name!r} cannot be the name of a function in {language}; try 'decide'")
    return name


def node_lines(network: RuleNetwork, syntax: Syntax) -> Iterator[Line]:
    """Yield the rules and concepts of each level: r1_3 is R1.3, c1_2 is C1.2, and p4 the fourth predicate."""
    for number, level in enumerate(network.levels):
        yield Line("", "", f"Level {number + 1}")
        for index, rule in enumerate(level.rules):
            yield Line(f"r{_id(number, index)}", _rule(rule, number, syntax))
        for index, concept in enumerate(level.concepts):
            yield Line(
                f"c{_id(number, index)}", _concept(concept, number, syntax), concept_title(network, number, index)
            )


def class_names(network: RuleNetwork) -> list[str]:
    """Return the variables of the classes."""
    return [f"c{_id(len(network.levels) - 1, index)}" for index in range(len(network.classes))]


def _id(level: int, index: int) -> str:
    return f"{level + 1}_{index + 1}"


def _rule(rule: Rule, level: int, syntax: Syntax) -> str:
    terms = [
        syntax.negation * literal.negated
        + (f"p{literal.index + 1}" if level == 0 else f"c{_id(level - 1, literal.index)}")
        for literal in rule.literals
    ]
    return syntax.all_of.join(terms) or syntax.true


def _concept(concept: Concept, level: int, syntax: Syntax) -> str:
    return syntax.any_of.join(f"r{_id(level, rule)}" for rule in concept.rules) or syntax.false
