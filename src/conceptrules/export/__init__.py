"""Exports: a network in other languages, where it decides the same.

`FORMATS` is the table of all formats. To add one:

1. Write a function that takes a network, and options by keyword, and returns text or bytes. Its home is a module in
   `code/`, `documents/` or `sql/`, or in a new folder beside `onnx/` and `pmml/`. `inputs` has the columns that rules
   use, `node_names` the names of rules and concepts, `comments` the header.
2. If something can run the format, write an engine for it in `verify/engines/`: see `verify.comparison.Engine`.
3. Add a line to `FORMATS`. `network.export`, the command line and the tests of all formats then know it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork


@dataclass(frozen=True, slots=True)
class Format:
    """Where a format is written and where it is run; modules are loaded when asked for."""

    exporter: str
    """The function that takes a network and options and returns text or bytes, as module:function."""
    engine: str | None = None
    """The module that runs it, a `verify.comparison.Engine`; None if nothing runs this format."""
    suffix: str = ".txt"


_HERE = "conceptrules.export"
FORMATS: dict[str, Format] = {
    "c": Format(f"{_HERE}.code.c:c", f"{_HERE}.verify.engines.compiler", ".c"),
    "dbt": Format(f"{_HERE}.sql.trusting:dbt", suffix=".sql"),
    "javascript": Format(f"{_HERE}.code.javascript:javascript", f"{_HERE}.verify.engines.node", ".js"),
    "latex": Format(f"{_HERE}.documents.latex:latex", suffix=".tex"),
    "markdown": Format(f"{_HERE}.documents.markdown:markdown", suffix=".md"),
    "onnx": Format(f"{_HERE}.onnx.model:onnx_model", f"{_HERE}.verify.engines.onnxruntime", ".onnx"),
    "pmml": Format(f"{_HERE}.pmml.model:pmml", f"{_HERE}.verify.engines.jpmml", ".pmml"),
    "python": Format(f"{_HERE}.code.python:python", f"{_HERE}.verify.engines.interpreter", ".py"),
    "sql": Format(f"{_HERE}.sql.query:sql", f"{_HERE}.verify.engines.database", ".sql"),
}


def export(network: RuleNetwork, to: str, **options: Any) -> Any:
    """Return a network in another language.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    to : str
        The format, one of `FORMATS`: c, dbt, javascript, latex, markdown, onnx, pmml, python or sql.
    **options
        The options of the format: those of the function that writes it.

    Returns
    -------
    str or bytes
        The export; bytes for ONNX, text for all other formats.

    Raises
    ------
    InputError
        If there is no such format or option, or the format cannot hold a name or value of the network.
    """
    exporter = loaded(format_of(to).exporter)
    known = [name for name in signature(exporter).parameters if name != "network"]
    for name in options:
        if name not in known:
            raise InputError(f"the export to {to} has no option {name!r}; it has {', '.join(known) or 'none'}")
    return exporter(network, **options)


def exported(network: RuleNetwork, to: str, *, verify: bool, data: Any, **options: Any) -> Any:
    """Return an export that was verified if `verify` says so.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    to : str
        The format, one of `FORMATS`.
    verify : bool
        Whether to run the export here, and raise unless it decides as the network does.
    data : table or None
        Further rows to verify on.
    **options
        The options of the format.

    Returns
    -------
    str or bytes
        The export.

    Raises
    ------
    InputError
        If the export cannot be made or cannot be run here.
    MismatchError
        If it decides otherwise than the network.
    """
    from conceptrules.export.verify.comparison import verify as verified

    if data is not None and not verify:
        raise InputError("data is what an export is verified on; say verify=True as well, or leave it out")
    result = export(network, to, **options)
    outcome = verified(network, to, result, data=data, **options) if verify else None
    if outcome is not None and outcome.skipped is not None:
        raise InputError(f"the export to {to} cannot be verified: {outcome.skipped}")
    return result


def format_of(to: str) -> Format:
    """Return the format of this name, or raise if there is none."""
    if to not in FORMATS:
        raise InputError(f"there is no export to {to!r}; there are {', '.join(sorted(FORMATS))}")
    return FORMATS[to]


def loaded(place: str) -> Callable[..., Any]:
    """Return the function that `module:function` names."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
