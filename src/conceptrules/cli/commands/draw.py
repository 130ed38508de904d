"""`conceptrules draw`: what is asked for, as a picture in a file."""

from __future__ import annotations

import sys

from conceptrules.cli.files import tables as files
from conceptrules.draw import picture_file as picture
from conceptrules.draw.svg import check_theme
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.values import label_text


def check(name: str, theme: str) -> None:
    """Complain before anything is read if such a picture could not be made or written."""
    check_theme(theme)
    if name != files.STREAM:
        picture.check(name)
        files.check_output(name)


def draw(network: RuleNetwork, output: str, rule_set: str, theme: str, fold: int) -> None:
    wanted = _wanted(network, rule_set) if rule_set else None
    drawn = network.draw(wanted, theme=check_theme(theme), fold=fold or None)
    if output == files.STREAM:
        sys.stdout.buffer.write(drawn.text.encode())
        sys.stdout.buffer.flush()
    else:
        with files.naming(output):
            drawn.save(output)


def _wanted(network: RuleNetwork, name: str) -> Value:
    """A class by what it is called in a table; else what was given, for a concept."""
    return next((label for label in network.classes if label_text(label) == name), name)
