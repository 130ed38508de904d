"""`conceptrules diff`: what differs between two models, as text or JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Annotated, Any

import typer

from conceptrules.cli import columns
from conceptrules.cli.files import check_streams, read_model
from conceptrules.cli.options import TABLE, Json, Model
from conceptrules.edit.trail import edit_text
from conceptrules.logic.difference import Difference, Logic, Rows, changed_rows
from conceptrules.logic.difference import diff as difference_of
from conceptrules.logic.rule_matching import Section
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import shown
from conceptrules.model.text import plural, word
from conceptrules.model.trail import Entry
from conceptrules.tables.files.table_reader import TableFile, open_file

SAME, DIFFERENT, UNDECIDED = 0, 1, 3  # 2 is an error


def diff(
    old: Model,
    new: Model,
    data: Annotated[str, typer.Argument(help="Rows to decide by both. " + TABLE, show_default=False)] = "",
    as_json: Json = False,
) -> None:
    """Show what differs between two models.

    The exit code is 0 if all rows get the same class from both models, 1 if not, and 3 if the models are too large to
    decide that.
    """
    check_streams(old, new, data)
    before, after = read_model(old), read_model(new)
    found = difference(before, after, open_file(data) if data else None)
    made = tuple(edit_text(entry, after.trail) for entry in edits_since(before, after))
    typer.echo(as_json_text(found, made) if as_json else as_text(found, made))
    raise typer.Exit(exit_code(found))


def difference(old: RuleNetwork, new: RuleNetwork, source: TableFile | None) -> Difference:
    """Compare two networks, on the rows of a table too; each network reads the table as it learned its columns."""
    if source is None:
        return difference_of(old, new)
    before, after = (network.predict(columns.read_rows(source, network)) for network in (old, new))
    return replace(difference_of(old, new), data=changed_rows(before, after))


def exit_code(found: Difference) -> int:
    """Return the exit code; rows of a table that get different classes are an answer too."""
    if found.same is None:
        return DIFFERENT if found.data and found.data.different else UNDECIDED
    return SAME if found.same else DIFFERENT


def edits_since(old: RuleNetwork, new: RuleNetwork) -> tuple[Entry, ...]:
    """Return the entries that the trail of the new model has after those of the old one; none if it does not go on."""
    start = len(old.trail)
    return new.trail[start:] if new.trail[:start] == old.trail else ()


def as_json_text(found: Difference, edits: Sequence[str] = ()) -> str:
    return json.dumps(plain_values({**asdict(found), "edits": edits}), indent=1, allow_nan=False)


def as_text(found: Difference, edits: Sequence[str] = ()) -> str:
    made = [f"{plural(len(edits), 'edit')} on the trail of the new model:"] if edits else []
    return "\n".join([*made, *(shown(f"  {text}") for text in edits), *_lines(found)])


def _lines(found: Difference) -> Iterator[str]:
    for section in found.sections:
        yield from _section(section)
    for what, old, new in found.settings:
        yield shown(f"{what}: {old} -> {new}")
    if not found.sections and not found.settings:
        yield "the rules are the same"
    for logic in found.logic:
        yield shown(_implications(logic))
    if found.data:
        yield from _rows(found.data)
    yield from _verdict(found)


def _section(section: Section) -> Iterator[str]:
    yield section.name
    yield from (f"  - {rule}" for rule in section.removed)
    yield from (f"  + {rule}" for rule in section.added)
    for old, new in section.changed:
        yield f"  ~ {old}"
        yield f"    {new}"


def _implications(logic: Logic) -> str:
    known = {
        (True, True): "fires on the same rows in both",
        (True, False): "fires on more rows in the new model, and wherever it fires in the old one",
        (False, True): "fires on fewer rows in the new model, and only where it fires in the old one",
        (False, False): "fires on some rows only in the old model, on others only in the new one",
    }
    found = logic.old_implies_new, logic.new_implies_old
    return f"{word(logic.name)} {known.get(found, 'is not decided: too large')}"  # type: ignore[arg-type]


def _rows(data: Rows) -> Iterator[str]:
    yield f"{data.different:,} of {data.rows:,} rows get another class"
    for row, old, new in data.first:
        yield f"  row {row + 1}: {word(old)} -> {word(new)}"  # as `conceptrules explain --row` counts
    if data.different > len(data.first):
        yield "  ..."


def _verdict(found: Difference) -> Iterator[str]:
    if found.same:
        yield "every row gets the same class from both"
    elif found.row is None or found.decisions is None:
        yield f"whether every row gets the same class from both is {_undecided(found.reason)}"
    else:
        old, new = found.decisions
        yield f"not every row gets the same class from both; this one is {word(old)} -> {word(new)}:"
        yield "  " + ", ".join(f"{word(name)} = {_cell(value)}" for name, value in found.row.items())


def _undecided(reason: str | None) -> str:
    return reason if reason and reason.startswith("not decided") else f"not decided: {reason}"


def plain_values(value: Any) -> Any:
    """Return the value with dates and infinities as text, since JSON has none."""
    if isinstance(value, dict):
        return {key: plain_values(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_values(item) for item in value]
    known = value is None or isinstance(value, str | int) or (isinstance(value, float) and math.isfinite(value))
    return value if known else str(value)


def _cell(value: Any) -> str:
    return "missing" if value is None else word(value)
