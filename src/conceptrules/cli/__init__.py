"""The command line; `conceptrules --help` lists the commands."""

from __future__ import annotations

import ast
import io
import os
import re
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from shlex import quote

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

    print(f"{kind}: {printable(say_options(str(message)))}", file=sys.stderr)


_KINDS = re.compile(r"kinds=\{('(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"): (?:'(\w+)'|\[.*?\])\}(?: \(--kind [^)]*\))?")
_OPTIONS = {
    "class_weight='balanced' for a rare class; clf.select(edges=...) switches to the networks with rules that "
    "frontier_ has": "--scoring balanced_accuracy for a rare class",
    "max_categories=": "--max-categories ",
    "raise max_categories": "raise --max-categories",
    "immutable names column": "--immutable names column",
    "with columns={...}": "with --column",
    "trust_types takes types for granted and gives no reasons; leave reasons and types out": "--trust-types takes "
    "types for granted and gives no reasons; leave --reasons and --type out",
}
"""What messages say to write in Python, and what helps on the command line."""


def say_options(message: str) -> str:
    """Return a message whose hints name options of the command line, where it names parameters of Python.

    >>> say_options("convert it, or train with kinds={'zip code': 'category'}")
    "convert it, or train with --kind 'zip code=category'"
    """

    def say_kind(match: re.Match[str]) -> str:
        kind = match[2] or "first<second<..."
        return f"--kind {quote(f'{ast.literal_eval(match[1])}={kind}')}"

    message = _KINDS.sub(say_kind, message)
    for parameter, option in _OPTIONS.items():
        message = message.replace(parameter, option)
    return message
