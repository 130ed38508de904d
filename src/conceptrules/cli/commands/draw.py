"""`conceptrules draw`: a network, or one of its rule sets, as a picture in a file."""

from __future__ import annotations

from typing import Annotated

import typer

from conceptrules.cli.files import check_not_input, check_output, name_errors_after, read_model, write_bytes
from conceptrules.cli.options import Model
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.values import label_text
from conceptrules.tables.files.formats import STREAM


def draw(
    model: Model,
    output: Annotated[
        str, typer.Option("--output", "-o", help="An .svg, .png or .pdf file; - for SVG on standard output.")
    ],
    rule_set: Annotated[
        str, typer.Option(help="Draw only this class, or concept (C1.2), as a stack of its rules.")
    ] = "",
    theme: Annotated[str, typer.Option(help="light or dark; auto follows the reader's setting (SVG only).")] = "auto",
    fold: Annotated[
        int, typer.Option(min=0, help="Fold what matters least in networks of more edges; 0 folds nothing.")
    ] = 240,
) -> None:
    """Draw a network, or one rule set of it."""
    from conceptrules.draw.picture_file import check_picture
    from conceptrules.draw.svg import check_theme

    known = check_theme(theme)
    if output != STREAM:
        check_picture(output)
        check_output(output)
    check_not_input(output, [model])
    network = read_model(model)
    picture = network.draw(_class_or_concept(network, rule_set), theme=known, fold=fold or None)
    if output == STREAM:
        write_bytes(picture.text.encode(), output)
        return
    with name_errors_after(output):
        picture.save(output)


def _class_or_concept(network: RuleNetwork, name: str) -> Value | None:
    """Return the class that is written like this, or the name as it is, for a concept; None without a name."""
    return next((label for label in network.classes if label_text(label) == name), name) if name else None
