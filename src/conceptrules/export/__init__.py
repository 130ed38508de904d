"""Exports: a network in other languages, where it decides the same.

`FORMATS` is the table of all formats. To add one:

1. Write a function that takes a network, and options by keyword, and returns text or bytes. `inputs` has the columns
   that rules use, `wording` the names of rules and concepts, the header, and comments.
2. If something can run the format, write an engine for it in `verify/`: see `verify.engine.ExportEngine`.
3. Add a line to `FORMATS`. `network.export`, the command line and the tests of all formats then know it.
"""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from inspect import signature
from typing import Any

from conceptrules.model.derived import refuse_texts
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork


@dataclass(frozen=True, slots=True)
class Format:
    """Where a format is written and where it is run, as module:name; modules are loaded when needed."""

    exporter: str
    """The function that takes a network and options and returns text or bytes."""
    engine: str | None = None
    """The `verify.engine.ExportEngine` that runs it; None if nothing runs this format."""
    suffix: str = ".txt"
    package: str | None = None
    """What writes it and is not always installed."""
    extra: str = ""
    """The extra of conceptrules that brings the package."""
    reads_texts: bool = True
    """Whether it can work out what a text says."""


FORMATS: dict[str, Format] = {
    "c": Format("code.languages:c", "verify.programs:CEngine", ".c"),
    "dbt": Format("sql.query:dbt", None, ".sql", "sqlglot", "sql"),
    "dmn": Format("tables.dmn:dmn", "verify.tables:DmnEngine", ".dmn"),
    "javascript": Format("code.languages:javascript", "verify.programs:JavaScriptEngine", ".js"),
    "jdm": Format("tables.jdm:jdm", "verify.tables:JdmEngine", ".jdm.json"),
    "latex": Format("documents:latex", suffix=".tex"),
    "markdown": Format("documents:markdown", suffix=".md"),
    "onnx": Format("onnx.model:onnx_model", "verify.onnxruntime:OnnxEngine", ".onnx", "onnx", "onnx", False),
    "pmml": Format("pmml.model:pmml", "verify.jpmml:PmmlEngine", ".pmml", reads_texts=False),
    "python": Format("code.languages:python", "verify.programs:PythonEngine", ".py"),
    "sql": Format("sql.query:sql", "verify.sql_engine:SqlEngine", ".sql", "sqlglot", "sql"),
    "xlsx": Format("tables.spreadsheet:xlsx", "verify.tables:SpreadsheetEngine", ".xlsx", "openpyxl", "excel"),
}


def export(network: RuleNetwork, to: str, *, verify: bool = False, data: Any = None, **options: Any) -> Any:
    """Return a network in another language.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    to : str
        The format, one of `FORMATS`: c, dbt, dmn, javascript, jdm, latex, markdown, onnx, pmml, python, sql or xlsx.
    verify : bool, default=False
        Whether to run the export here, and raise unless it decides as the network does.
    data : table, optional
        Further rows to verify on.
    **options
        The options of the format: those of the function that writes it.

    Returns
    -------
    str or bytes
        The export; bytes for ONNX and xlsx, text for all other formats.

    Raises
    ------
    InputError
        If there is no such format or option, the format cannot hold a name or value of the network, or the export
        cannot be run here.
    MismatchError
        If the export decides otherwise than the network.
    """
    if data is not None and not verify:
        raise InputError("data is what an export is verified on; say verify=True as well, or leave it out")
    if not format_of(to).reads_texts:
        refuse_texts(network.asked_derived, f"the export to {to}")
    exporter = load(to, format_of(to).exporter)
    accepted = [name for name in signature(exporter).parameters if name != "network"]
    for name in options:
        if name not in accepted:
            raise InputError(f"the export to {to} has no option {name!r}; it has {', '.join(accepted) or 'none'}")
    result = exporter(network, **options)
    if verify:
        from conceptrules.export.verify import comparison

        outcome = comparison.verify(network, to, result, data=data, **options)
        if outcome.skipped is not None:
            raise InputError(f"the export to {to} cannot be verified: {outcome.skipped}")
    return result


def format_of(to: str) -> Format:
    """Return the format of this name, or raise if there is none."""
    if to not in FORMATS:
        raise InputError(f"there is no export to {to!r}; there are {', '.join(sorted(FORMATS))}")
    return FORMATS[to]


def load(to: str, path: str) -> Any:
    """Return what `module:name` is in this package, or raise if the package that the format needs is not installed."""
    package, extra = format_of(to).package, format_of(to).extra
    try:
        import_module(package or __name__)
    except ImportError:
        raise InputError(f"to write {to} takes the package {package}: pip install 'conceptrules[{extra}]'") from None
    module, _, name = path.partition(":")
    return getattr(import_module(f"{__name__}.{module}"), name)
