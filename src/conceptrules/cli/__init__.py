"""The command line; `conceptrules --help` lists the commands."""

from __future__ import annotations

import io
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence

from conceptrules.model.errors import ColumnWarning
from conceptrules.model.predicate import printable


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. A mistake of the user is one line on standard error and exit code 2; a bug shows its traceback."""
    from conceptrules.cli.app import app
    from conceptrules.datasets import DatasetError
    from conceptrules.model.errors import ConceptRulesError

    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a name that the terminal cannot show is no reason to fail
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # what is half-written is removed
    with warnings.catch_warnings():
        warnings.showwarning = _make_warning_printer()
        try:
            app(arguments, prog_name="conceptrules")
        except (ConceptRulesError, DatasetError) as error:
            _print_message("error", error)
        except OSError as error:
            _print_message("error", f"{error.filename}: {error.strerror}" if error.filename else error)
    sys.exit(2)  # a command that ends well has left by now, with exit code 0


def _make_warning_printer() -> Callable[..., None]:
    """Return a function that prints a warning once: the folds of a cross-validation repeat each other's."""
    printed: set[str] = set()

    def print_warning(message: Warning | str, *_: object, **__: object) -> None:
        kind, text = "warning", str(message)
        if isinstance(message, ColumnWarning):  # of a column that is hardly a feature: name the option that helps
            kind, text = "note", f"{message.found}; {message.option()}"
        if text not in printed:
            printed.add(text)
            _print_message(kind, text)

    return print_warning


def _print_message(kind: str, message: object) -> None:
    print(f"{kind}: {printable(message)}", file=sys.stderr)
