"""`conceptrules studio`: the rules in a browser, to be looked at, changed, checked and signed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.commands.edit import user_name
from conceptrules.cli.options import TABLE, By, Target, TextOptions, argument, option
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.policy.policy import check_policy
from conceptrules.tables.files.table_reader import TableFile, open_file
from conceptrules.tables.table import open_table

if TYPE_CHECKING:
    from conceptrules.studio.session import SessionRows


def studio(
    model: Annotated[str, argument("A model file that fit wrote. Every change is written to it.")],
    data: Annotated[str, argument("Rows that show what a change does. " + TABLE)] = "",
    *,
    policy: Annotated[str, option("A policy file (TOML) that changes have to satisfy, besides the model's own.")] = "",
    target: Target = "",
    by: By,
    who: Annotated[str, option("Who makes the changes.", "--who", default="the user's name")] = "",
    port: Annotated[int, option("The port to listen on.", default="any that is free")] = 0,
    host: Annotated[
        str, typer.Option(help="The address to listen on. With another one, others can open the studio too.")
    ] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="Open a browser.")] = True,
    text: TextOptions,
) -> None:
    """Open a model in the browser: see its rules, change them, see who is affected, prove, sign and export.

    Nothing leaves this machine. The page has a token in its address, which this command prints.
    """
    try:
        import nicegui  # noqa: F401
    except ImportError:
        raise InputError("the studio takes the package nicegui: pip install 'conceptrules[studio]'") from None
    from conceptrules.studio.model_file import ModelFile
    from conceptrules.studio.server import bind, serve
    from conceptrules.studio.session import open_session

    if not data:
        raise InputError("the studio shows what changes do to rows: conceptrules studio model.json data.csv")
    if not 0 <= port < 2**16:
        raise InputError(f"--port {port} is out of range: from 1 to {2**16 - 1}, or 0 for any that is free")
    rules = Policy.read(policy) if policy else None
    with ModelFile.open(model) as file:
        network = file.read()
        if rules is not None:
            check_policy(rules, network.columns, network.classes, network.head is not None)
        rows = read_given_rows(open_file(data, text.format), network, target, rules, by)
        session = open_session(file, rows, user_name(who), network, rules)
        listener = bind(host, port)
        serve(session, listener, host, typer.echo, browser)


def read_given_rows(
    source: TableFile, network: RuleNetwork, target: str, policy: Policy | None, by: list[str]
) -> SessionRows:
    """Return the rows of a file, with their classes if it has them."""
    from conceptrules.studio.session import SessionRows

    frame, labels = columns.read_rows(source, network), None
    if target or network.target in source.columns:
        frame, known = columns.read_labelled_rows(source, target, network)
        labels = known.tolist()
    if frame.num_rows == 0:
        raise InputError(f"{source.name} has column names but no rows")
    shown = frame
    for rules in (network.policy, policy):
        shown = columns.add_group_columns(shown, source, rules)
    shown = columns.add_columns(shown, source, columns.parse_names(by, source.columns, source.name))
    return SessionRows(source.name, frame, open_table(shown).read_once(), labels)
