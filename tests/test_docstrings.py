"""Every public name has a docstring in numpydoc's form: what it takes, what it returns, and an example."""

from __future__ import annotations

import ast
import inspect
from collections import ChainMap
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from itertools import pairwise
from typing import Any

import pytest
from numpydoc.validate import validate

import conceptrules

CHECKS = {
    "GL08": "there is a docstring",
    "SS03": "its summary ends with a period",
    "SS05": "and begins with a verb, not with its third person",
    "SS06": "and is one line",
    "PR01": "every parameter is documented",
    "PR02": "and no other",
    "PR03": "in the order of the signature",
    "PR04": "with a type",
    "PR07": "and a description",
    "PR10": "and a space before the colon",
    "RT01": "what is returned is documented",
    "RT03": "with a description",
    "EX01": "there is an example",
}


def members(name: str, value: Any) -> Iterator[tuple[str, Any]]:
    """A public name with the names in it: of a module its own, of a class the methods and properties that we wrote."""
    if inspect.ismodule(value):
        for inner in value.__all__:
            yield from members(f"{name}.{inner}", getattr(value, inner))
        return
    yield name, value
    bases = inspect.getmro(value) if inspect.isclass(value) else ()
    ours = [vars(base) for base in bases if base.__module__.startswith("conceptrules.")]
    for inner, member in ChainMap(*ours).items():
        if not inner.startswith("_") and (inspect.isfunction(member) or isinstance(member, (property, classmethod))):
            yield f"{name}.{inner}", member


def is_member(name: str) -> bool:
    """Whether a name is that of a method or property: its class has the example."""
    return inspect.isclass(PUBLIC.get(name.rpartition(".")[0]))


PUBLIC = dict(
    found
    for name in conceptrules.__all__
    if name != "__version__"
    for found in members(name, getattr(conceptrules, name))
)


def checks_of(value: Any) -> set[str]:
    """What is asked of a docstring: an example of a function or a class that a user makes, not of each member."""
    if inspect.isclass(value) and issubclass(value, Exception):
        return set(CHECKS) - {"EX01"}
    if is_dataclass(value) and value is not conceptrules.RuleNetwork:  # a result: each field has a text of its own
        return set(CHECKS) - {"EX01", "PR01"}
    return set(CHECKS)


@pytest.mark.parametrize("name", PUBLIC)
def test_a_docstring_says_all_that_a_caller_needs(name: str) -> None:
    wanted = checks_of(PUBLIC[name]) - ({"EX01"} if is_member(name) else set())
    assert [(code, text) for code, text in validate(f"conceptrules.{name}")["errors"] if code in wanted] == []


@pytest.mark.parametrize(
    "name", [name for name, value in PUBLIC.items() if is_dataclass(value) and name != "RuleNetwork"]
)
def test_each_field_of_a_value_has_a_text(name: str) -> None:
    (body,) = ast.parse(inspect.getsource(PUBLIC[name])).body
    assert isinstance(body, ast.ClassDef)
    documented = {
        field.target.id
        for field, text in pairwise(body.body)
        if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name) and isinstance(text, ast.Expr)
    }
    assert {field.name for field in fields(PUBLIC[name])} <= documented
