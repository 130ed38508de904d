"""Dataclasses of options: typer sees a parameter for each field, the command gets the dataclass."""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Annotated

import typer

from conceptrules.cli.options import WithoutOption, expand_options


@dataclass(frozen=True, kw_only=True)
class Inner:
    words: Annotated[list[str], typer.Option()] = field(default_factory=list)
    size: int = 3


@dataclass(frozen=True, kw_only=True)
class Outer:
    inner: Inner
    name: str
    shape: str = "round"


def test_fields_become_parameters_and_come_back_as_the_dataclass():
    calls = []

    def command(file: str, *, options: Annotated[Outer, WithoutOption("shape")], last: bool = False) -> None:
        """Do it."""
        calls.append((file, options, last))

    expanded = expand_options(command)
    parameters = inspect.signature(expanded).parameters
    assert list(parameters) == ["file", "words", "size", "name", "last"]
    assert (expanded.__name__, expanded.__doc__) == ("command", "Do it.")
    assert parameters["words"].default == []
    assert parameters["name"].default is inspect.Parameter.empty
    expanded(file="a", words=["b"], size=4, name="c", last=True)
    assert calls == [("a", Outer(inner=Inner(words=["b"], size=4), name="c"), True)]
