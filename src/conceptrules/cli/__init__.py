"""The command line: `conceptrules fit | predict | evaluate | rules | demo | datasets`."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Sequence

from conceptrules.rules.predicate import shown


def main(arguments: Sequence[str] | None = None) -> None:
    """Run a command. What a user can mend is one line on standard error and exit code 2; a bug shows its traceback."""
    from conceptrules.cli.app import app
    from conceptrules.datasets import DatasetError
    from conceptrules.rules.errors import ConceptRulesError

    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            app(arguments, prog_name="conceptrules")
        except (ConceptRulesError, DatasetError) as error:
            _say("error", error)
        except OSError as error:
            _say("error", f"{error.filename}: {error.strerror}" if error.filename else error)
    sys.exit(2)  # a command that ends well has left by now, with exit code 0


def _show_warning(message: Warning | str, *_: object, **__: object) -> None:
    _say("warning", message)


def _say(kind: str, message: object) -> None:
    print(f"{kind}: {shown(message)}", file=sys.stderr)
