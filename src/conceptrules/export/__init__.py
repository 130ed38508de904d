"""NETWORK -> CODE AND TABLES that decide the same elsewhere."""

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
    """Where a format is written and where it is run: modules are loaded when asked for."""

    exporter: str
    """module:function, which takes a network and options and gives text or bytes."""
    engine: str | None = None
    """The module that runs it, an `Engine` of `verify`; None: nothing runs this format."""
    suffix: str = ".txt"


_HERE = "conceptrules.export"
FORMATS: dict[str, Format] = {
    "c": Format(f"{_HERE}.code.c:c", f"{_HERE}.verify.engines.compiler", ".c"),
    "javascript": Format(f"{_HERE}.code.javascript:javascript", f"{_HERE}.verify.engines.node", ".js"),
    "latex": Format(f"{_HERE}.documents.latex:latex", suffix=".tex"),
    "markdown": Format(f"{_HERE}.documents.markdown:markdown", suffix=".md"),
    "onnx": Format(f"{_HERE}.onnx.model:onnx_model", f"{_HERE}.verify.engines.onnxruntime", ".onnx"),
    "pmml": Format(f"{_HERE}.pmml.model:pmml", f"{_HERE}.verify.engines.jpmml", ".pmml"),
    "python": Format(f"{_HERE}.code.python:python", f"{_HERE}.verify.engines.interpreter", ".py"),
    "sql": Format(f"{_HERE}.sql.query:sql", f"{_HERE}.verify.engines.database", ".sql"),
}


def export(network: RuleNetwork, to: str, **options: Any) -> Any:
    """The network in another language, as text (ONNX: as bytes). The options depend on the format."""
    exporter = loaded(format_of(to).exporter)
    known = [name for name in signature(exporter).parameters if name != "network"]
    for name in options:
        if name not in known:
            raise InputError(f"the export to {to} has no option {name!r}; it has {', '.join(known) or 'none'}")
    return exporter(network, **options)


def exported(network: RuleNetwork, to: str, verify: bool, data: Any, **options: Any) -> Any:
    """`export`, and with `verify` an error unless it was run here and decides as the network does."""
    from conceptrules.export.verify.comparison import verify as verified

    if data is not None and not verify:
        raise InputError("data is what an export is verified on; say verify=True as well, or leave it out")
    result = export(network, to, **options)
    outcome = verified(network, to, result, data, **options) if verify else None
    if outcome is not None and outcome.skipped is not None:
        raise InputError(f"the export to {to} cannot be verified: {outcome.skipped}")
    return result


def format_of(to: str) -> Format:
    if to not in FORMATS:
        raise InputError(f"there is no export to {to!r}; there are {', '.join(sorted(FORMATS))}")
    return FORMATS[to]


def loaded(place: str) -> Callable[..., Any]:
    """The function that `module:function` names."""
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(import_module(module), name)
    return found
