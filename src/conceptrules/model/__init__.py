"""The language: columns, predicates, rules, concepts, levels and the network they make."""

from conceptrules.model.errors import ColumnTypeError, ConceptRulesError, InputError
from conceptrules.model.heads import Points
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork, Statistics
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, Predicate

__all__ = [
    "Column",
    "ColumnTypeError",
    "Concept",
    "ConceptRulesError",
    "Equals",
    "InputError",
    "Interval",
    "Level",
    "Literal",
    "Missing",
    "OneOf",
    "Points",
    "Predicate",
    "Rule",
    "RuleNetwork",
    "Statistics",
]
