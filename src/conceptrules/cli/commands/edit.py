"""`conceptrules edit`, `undo`, `redo`, `sign`, `replay`, `log`: changes of a model, and the trail that has them."""

from __future__ import annotations

import getpass
import json
import re
import tomllib
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from conceptrules.cli import columns
from conceptrules.cli.commands.prove import proof_fields
from conceptrules.cli.console import escape_lines, to_json
from conceptrules.cli.files import check_model_output, check_not_input, check_streams, read_model, write_model
from conceptrules.cli.options import TABLE, Json, Model, Target, TextOptions, WithoutOption, argument, option
from conceptrules.edit import AddRule, LockRule, Operation, SetDefault, SetPriority
from conceptrules.edit.editing import Edited
from conceptrules.edit.editing import edit as apply_edit
from conceptrules.edit.editing import redo as apply_redo
from conceptrules.edit.editing import undo as apply_undo
from conceptrules.edit.operations import KINDS
from conceptrules.edit.points import Amounts
from conceptrules.edit.rules import find_sole_owner
from conceptrules.edit.trail import edit_text, log_text
from conceptrules.edit.trail import replay as replay_trail
from conceptrules.logic.policies.clause_checks import check_signatures
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Signatures
from conceptrules.model.rule_reader import nearest_name
from conceptrules.model.trail import find_tampering
from conceptrules.model.values import label_text
from conceptrules.tables.files.formats import STREAM
from conceptrules.tables.files.table_reader import open_file

DONE, REFUSED = 0, 1  # 2 is an error
# What each action takes after its name.
FORMS = {
    "add": "RULE",
    "drop": "RULE",
    "ban": "RULE",
    "change": "RULE NEW_RULE",
    "add-literal": "RULE CONDITION",
    "drop-literal": "RULE CONDITION",
    "move-cut": "COLUMN OLD NEW",
    "points": "RULE POINTS",
    "cutoff": "SCORE",
    "scale": "PDO SCORE ODDS",
    "priority": "CLASS...",
    "default": "CLASS",
    "lock": "RULE",
    "unlock": "RULE",
    "rename": "RULE NAME",
    "reasons": "CODES.toml",
    "table": "FILE.xlsx",
}
ModelOut = Annotated[str, option("The model file to write; without it, nothing is.", "--output", "-o")]


@dataclass(frozen=True, slots=True, kw_only=True)
class EditOptions:
    """Who makes a change and why, the rows that show its effect, and where it is written."""

    output: ModelOut = ""
    who: Annotated[str, option("Who makes the change.", "--by", default="the user's name")] = ""
    why: Annotated[str, option("The reason; the trail keeps it.")] = ""
    data: Annotated[str, option("Rows to show the effect on. " + TABLE)] = ""
    target: Target = ""
    recalibrate: Annotated[
        bool, typer.Option("--recalibrate", help="Scorecards: fit the probabilities anew to the rows of --data.")
    ] = False
    force: Annotated[bool, typer.Option("--force", help="Write even if the change refutes the policy.")] = False
    text: Annotated[TextOptions, WithoutOption("dates")]
    as_json: Json = False


def edit(
    model: Model,
    action: Annotated[str, typer.Argument(help="; ".join(f"{name} {form}" for name, form in FORMS.items()))],
    arguments: Annotated[list[str], argument("What the action takes.")],
    *,
    label: Annotated[str, option("The class, or concept such as C1.2, of the rule.", "--class")] = "",
    points: Annotated[str, option("add: what the rule of a scorecard adds; for several classes 2,0,-1.")] = "",
    decides: Annotated[bool, typer.Option("--decides", help="lock: where the rule holds, answer its class.")] = False,
    nonnegative: Annotated[bool, typer.Option("--nonnegative", help="scale: no rule takes points away.")] = False,
    options: EditOptions,
) -> None:
    """Change a model, and show first what that does.

    A rule is named by its words, as `conceptrules rules` prints it; a line of a card begins with its column. `table`
    takes the changes made in a spreadsheet, which `conceptrules export model.json -o rules.xlsx` writes. The change is
    an entry of the trail in the model file. The exit code is 1, and nothing is written, if it refutes a clause of the
    model's policy; --force writes it.
    """
    unknown = [text for text in arguments if re.fullmatch("--?[a-zA-Z][a-zA-Z-]*(=.*)?", text, re.DOTALL)]
    if unknown:
        raise InputError(f"there is no option {unknown[0]!r}; conceptrules edit --help lists those that there are")
    network, effect_rows = _read(model, options)
    if action == "table":
        operation = _read_table(network, arguments, options)
    else:
        operation = _parse_operation(network, action, arguments, label, points, decides, nonnegative)
    changed = {"who": user_name(options.who), "why": options.why, "recalibrate": options.recalibrate, **effect_rows}
    _finish(apply_edit(network, operation, **changed), options)


def undo(
    model: Model,
    *,
    options: Annotated[EditOptions, WithoutOption("recalibrate")],
) -> None:
    """Take back the last change of a model that was not taken back yet; this too is an entry of the trail."""
    _step(apply_undo, model, options)


def sign(
    model: Model,
    *,
    name: Annotated[str, option("Who signs.")],
    role: Annotated[str, option("As what, such as validator.")],
    motive: Annotated[str, option("Why; the trail keeps it.")],
    output: Annotated[str, option("Another model file to write.", "--output", "-o", default="the model itself")] = "",
) -> None:
    """Sign a model as it is: an entry of its trail. A later change makes the signature void.

    The exit code is 1 while the policy of the model asks for more signatures.
    """
    check_model_output(output or model)
    signed = read_model(model).sign(name=name, role=role, motive=motive)
    write_model(signed, output or model)
    typer.echo(escape_lines(f"{edit_text(signed.trail[-1])}: {signed.trail[-1].hash}"), err=STREAM in (model, output))
    clauses = signed.policy.of_kind(Signatures) if signed.policy else ()
    missing = [reason for clause in clauses for enough, reason in [check_signatures(clause, signed)] if not enough]
    if missing:
        typer.echo(escape_lines(missing[0]), err=True)
    raise typer.Exit(REFUSED if missing else DONE)


def redo(
    model: Model,
    *,
    options: Annotated[EditOptions, WithoutOption("recalibrate")],
) -> None:
    """Make the change of a model again that was taken back last; this too is an entry of the trail."""
    _step(apply_redo, model, options)


def replay(
    edited: Annotated[str, argument("The model whose changes are made again.")],
    model: Annotated[str, argument("The model to make them on.")],
    *,
    output: ModelOut = "",
    as_json: Json = False,
) -> None:
    """Make the changes of one model on another, such as one that was learned again.

    Changes that the other model does not take are shown and left out; the exit code is 1 then.
    """
    check_streams(edited, model)
    if output:
        check_model_output(output)
        check_not_input(output, [edited])
    trail = read_model(edited).trail
    replayed = replay_trail(trail, read_model(model))
    steps = [{"edit": step.text, "outcome": step.outcome, "reason": step.reason} for step in replayed.steps]
    typer.echo(to_json({"steps": steps}) if as_json else escape_lines(str(replayed)))
    if output:
        write_model(replayed.network, output)
    raise typer.Exit(REFUSED if replayed.conflicts else DONE)


def log(
    model: Model,
    *,
    verify: Annotated[bool, typer.Option("--verify", help="Check the hashes; exit with 1 if one fails.")] = False,
    as_json: Json = False,
) -> None:
    """Show the changes of a model: who, when, why, what, and what it did."""
    network = read_model(model)
    problem = find_tampering(network) if verify else None
    if as_json:
        entries = [asdict(entry) for entry in network.trail]
        verified = problem is None if verify and entries else None
        typer.echo(to_json({"entries": entries, "verified": verified, "wrong": problem}))
    else:
        typer.echo(escape_lines(log_text(network.trail)))
        if verify and network.trail:
            typer.echo(f"not as it was written: {problem}" if problem else "verified: every entry is as it was written")
    raise typer.Exit(REFUSED if problem else DONE)


def _read(model: str, options: EditOptions) -> tuple[RuleNetwork, dict[str, Any]]:
    """Return the network and, where there is a table, its rows and their classes if it has them."""
    check_streams(model, options.data)
    if options.output:
        check_model_output(options.output)
        check_not_input(options.output, [options.data])
    network = read_model(model)
    if not options.data:
        return network, {}
    source = open_file(options.data, options.text.format)
    table, labels = columns.read_rows(source, network), None
    if options.target or network.target in source.columns:
        table, labels = columns.read_labelled_rows(source, options.target, network)
    return network, {"data": columns.add_group_columns(table, source, network.policy), "labels": labels}


def _step(step: Callable[..., Edited], model: str, options: EditOptions) -> None:
    """Take back a change, or make it again."""
    network, effect_rows = _read(model, options)
    edited = step(network, who=user_name(options.who), why=options.why, **effect_rows)
    if not options.as_json:
        typer.echo(escape_lines(edit_text(edited.entry, edited.network.trail)))
    _finish(edited, options)


def _finish(edited: Edited, options: EditOptions) -> None:
    refuted = ", ".join(edited.newly_refuted)
    written = bool(options.output) and (options.force or not refuted)
    if options.as_json:
        proof = None if edited.proof is None else proof_fields(edited.proof)
        typer.echo(to_json({"entry": asdict(edited.entry), "proof": proof, "written": written}))
    else:
        typer.echo(escape_lines(str(edited)))
    if written:
        write_model(edited.network, options.output)
    elif options.output:
        message = f"nothing is written, since the change refutes a clause of the policy: {refuted}; --force writes it"
        typer.echo(escape_lines(message), err=True)
    raise typer.Exit(REFUSED if refuted and not options.force else DONE)


def _read_table(network: RuleNetwork, arguments: Sequence[str], options: EditOptions) -> Operation:
    """Return the changes that a spreadsheet makes, and show them."""
    if len(arguments) != 1:
        raise InputError(f"table takes {FORMS['table']}, found {len(arguments)} arguments")
    from conceptrules.export.tables import read_xlsx

    check_not_input(options.output, arguments)
    batch = read_xlsx(arguments[0], network)
    if not options.as_json or not batch.operations:
        lines = [each.text for each in batch.operations]
        typer.echo(escape_lines("\n".join(lines) or "the table says what the model says: nothing to change"))
    if not batch.operations:
        raise typer.Exit(DONE)
    return batch


def _parse_operation(
    network: RuleNetwork,
    action: str,
    arguments: Sequence[str],
    label: str,
    points: str,
    decides: bool,
    nonnegative: bool,
) -> Operation:
    if action not in FORMS:
        raise InputError(f"there is no action {action!r}; {nearest_name(action, list(FORMS))}")
    classes = {label_text(name): name for name in network.classes}
    if action != "priority" and len(arguments) != len(FORMS[action].split()):
        raise InputError(f"{action} takes {FORMS[action]}, found {len(arguments)} arguments; put quotes around a rule")
    if action in ("priority", "default"):
        for text in arguments:
            if text not in classes and network.head is None:
                raise InputError(f"the model has no class {text!r}; {nearest_name(text, list(classes))}")
        labels = tuple(classes.get(text, text) for text in arguments)
        return SetPriority(labels) if action == "priority" else SetDefault(labels[0])
    make: Any = KINDS[action]
    if action in ("move-cut", "unlock", "rename", "points", "cutoff", "reasons"):
        readers: dict[str, Any] = {"points": _parse_points, "cutoff": _parse_whole, "reasons": _read_codes}
        read = readers.get(action, str)
        return make(*arguments[:-1], read(arguments[-1]))
    if action == "scale":
        (pdo, odds), score = map(_parse_points, (arguments[0], arguments[2])), _parse_whole(arguments[1])
        return make(pdo, score, odds, classes.get(label, label) or None, nonnegative)
    if action == "add":
        if not label and network.head is None:
            raise InputError("which class gets the rule? Say it with --class")
        return AddRule(arguments[0], classes.get(label, label) or None, _parse_points(points) if points else None)
    owner = classes.get(label, label) if label else find_sole_owner(network, arguments[0])
    if action == "lock":
        return LockRule(arguments[0], owner, "decides" if decides else "keep")
    return make(*arguments, owner)


def _read_codes(path: str) -> dict[str, Any]:
    """Return the table of reason codes of a TOML file, or of a JSON file."""
    try:
        text = Path(path).read_text(encoding="utf-8-sig")
        codes: Any = json.loads(text) if path.endswith(".json") else tomllib.loads(text)
    except (OSError, ValueError) as error:
        raise InputError(f"the reason codes {path} cannot be read: {error}") from None
    if not isinstance(codes, dict):
        raise InputError(f"the reason codes {path} are not a table of columns")
    return codes


def _parse_points(text: str) -> Amounts:
    """Return the points of each score; of one score, just these."""
    try:
        amounts = [float(part) for part in text.split(",")]
    except ValueError:
        raise InputError(f"points are {text!r}; give a number, or one for each class, separated by commas") from None
    whole = [int(amount) if amount.is_integer() else amount for amount in amounts]
    return whole[0] if len(whole) == 1 else tuple(whole)


def _parse_whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise InputError(f"cutoff is {text!r}; give a whole number, the score from which on it is answered") from None


def user_name(who: str) -> str:
    """Return who makes a change; by default the name of the user, or unknown where the system has none."""
    try:
        return who or getpass.getuser()
    except (OSError, KeyError):
        return "unknown"
