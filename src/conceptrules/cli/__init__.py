"""The command line; `conceptrules --help` lists the commands."""

from __future__ import annotations

import io
import sys
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
    with warnings.catch_warnings():
        warnings.showwarning = _each_once()
        try:
            app(arguments, prog_name="conceptrules")
        except (ConceptRulesError, DatasetError) as error:
            _say("error", error)
        except OSError as error:
            _say("error", f"{error.filename}: {error.strerror}" if error.filename else error)
    sys.exit(2)  # a command that ends well has left by now, with exit code 0


def _each_once() -> Callable[..., None]:
    """Return a function that shows a warning once: the folds of a cross-validation repeat each other's."""
    seen: set[str] = set()

    def show(message: Warning | str, *_: object, **__: object) -> None:
        kind, text = _told(message)
        if text not in seen:
            seen.add(text)
            _say(kind, text)

    return show


def _told(message: Warning | str) -> tuple[str, str]:
    """Return what a message is and says; of a column that is hardly a feature, the option that helps."""
    if isinstance(message, ColumnWarning):
        return "note", f"{message.found}; {message.option()}"
    return "warning", str(message)


def _say(kind: str, message: object) -> None:
    print(f"{kind}: {printable(message)}", file=sys.stderr)
