"""What a network is to satisfy, as a value: clauses, and the domain of the rows that are possible."""

from conceptrules.model.policy.clauses import (
    Apart,
    Banned,
    Bounds,
    Clause,
    Cost,
    Default,
    Fair,
    Forbidden,
    Implies,
    Independent,
    LeastPrecision,
    LeastRows,
    Limit,
    Locked,
    Monotone,
    OnlyFor,
    Priority,
    Signatures,
)
from conceptrules.model.policy.policy import Domain, Policy
from conceptrules.model.policy.triggers import Trigger

__all__ = [
    "Apart",
    "Banned",
    "Bounds",
    "Clause",
    "Cost",
    "Default",
    "Domain",
    "Fair",
    "Forbidden",
    "Implies",
    "Independent",
    "LeastPrecision",
    "LeastRows",
    "Limit",
    "Locked",
    "Monotone",
    "OnlyFor",
    "Policy",
    "Priority",
    "Signatures",
    "Trigger",
]
