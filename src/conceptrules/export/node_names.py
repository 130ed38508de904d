"""The names of rules, concepts and predicates in every export.

Nodes count from 1, as in the text of a network: the rule R1.3 is "1.3" among the fired rules of every export.
"""

from __future__ import annotations

from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.text import concept_name, literal_text, word


def rule_id(level: int, index: int) -> str:
    """Return the name of a rule or concept; arguments count from 0, and the name counts from 1."""
    return f"{level + 1}.{index + 1}"


def rule_ids(network: RuleNetwork) -> list[str]:
    """Return the names of all rules, level by level."""
    return [rule_id(number, index) for number, level in enumerate(network.levels) for index in range(len(level.rules))]


def concept_ids(network: RuleNetwork) -> list[str]:
    """Return the names of all concepts, level by level; those of the last level are the classes."""
    return [rule_id(n, index) for n, level in enumerate(network.levels) for index in range(len(level.concepts))]


def concept_title(network: RuleNetwork, level: int, index: int) -> str:
    """Return C1.2, or the class that the concept is."""
    if level < len(network.levels) - 1:
        return concept_name(level, index)
    return f"class {word(network.classes[index])}"


def predicate_words(network: RuleNetwork, index: int) -> str:
    return literal_text(network, 0, Literal(index))
