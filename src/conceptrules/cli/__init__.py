"""The command line; `conceptrules --help` lists the commands."""

from __future__ import annotations

import io
import os
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence

# Nothing of ours is imported up here: Ctrl-C has to end the command in the middle of an import, too.


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. A mistake of the user is one line on standard error and exit code 2; a bug shows its traceback.

    Ctrl-C ends it with 130, and a reader that goes away, such as `| head`, with 141, as the shell would say it.
    """
    try:
        _open_closed_streams()
        _run(arguments)
    except KeyboardInterrupt:
        sys.exit(128 + signal.SIGINT)
    except SystemExit:
        if _lost_reader():
            sys.exit(128 + 13)  # SIGPIPE, which Windows has not
        raise


def _open_closed_streams() -> None:
    """Open the standard streams that were closed (`<&-`), so that no file of ours gets their numbers."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        print("error: standard output is closed; write > /dev/null if it is not needed", file=sys.stderr)
        sys.exit(2)


def _lost_reader() -> bool:
    """Return whether nothing reads standard output any more."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # Python flushes once more at the end
        return True
    return type(sys.stdout).__name__ == "PacifyFlushWrapper"  # what typer puts there when a write fails


def _run(arguments: Sequence[str] | None) -> None:
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

    from conceptrules.model.errors import ColumnWarning

    def print_warning(message: Warning | str, *_: object, **__: object) -> None:
        kind, text = "warning", str(message)
        if isinstance(message, ColumnWarning):  # of a column that is hardly a feature: name the option that helps
            kind, text = "note", f"{message.found}; {message.option()}"
        if text not in printed:
            printed.add(text)
            _print_message(kind, text)

    return print_warning


def _print_message(kind: str, message: object) -> None:
    from conceptrules.model.predicate import printable

    print(f"{kind}: {printable(message)}", file=sys.stderr)
