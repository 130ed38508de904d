"""`conceptrules diff`: what differs between two models, as text or JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from typing import Annotated

import typer

from conceptrules.cli import columns
from conceptrules.cli.console import to_json
from conceptrules.cli.files import check_streams, read_model
from conceptrules.cli.options import TABLE, Json, Model, argument
from conceptrules.edit.trail import edit_text
from conceptrules.logic.difference import ClassImplications, Difference, RowChanges, RuleChanges, compare_tables
from conceptrules.logic.difference import diff as compare_networks
from conceptrules.model.predicate import printable
from conceptrules.model.text import plural, word
from conceptrules.tables.files.table_reader import open_file

SAME, DIFFERENT, UNDECIDED = 0, 1, 3  # 2 is an error


def diff(
    old: Model,
    new: Model,
    data: Annotated[str, argument("Rows to decide by both. " + TABLE)] = "",
    as_json: Json = False,
) -> None:
    """Show what differs between two models.

    The exit code is 0 if all rows get the same class, or the same scores of scorecards, from both models, 1 if not, and
    3 if that is not decided.
    """
    check_streams(old, new, data)
    before, after = read_model(old), read_model(new)
    difference = compare_networks(before, after)
    if data:  # each network reads the table as it learned its columns
        source = open_file(data)
        answers, scores = compare_tables(before, after, *(columns.read_rows(source, net) for net in (before, after)))
        difference = replace(difference, data=answers, score_data=scores)
    # The entries that the trail of the new model has after those of the old one; none if it does not go on.
    continues = after.trail[: len(before.trail)] == before.trail
    edits = [edit_text(entry, after.trail) for entry in after.trail[len(before.trail) :]] if continues else []
    typer.echo(to_json({**asdict(difference), "edits": edits}) if as_json else as_text(difference, edits))
    raise typer.Exit(exit_code(difference))


def exit_code(difference: Difference) -> int:
    """Return the exit code; rows of a table that get different classes are an answer too."""
    if difference.same is None:
        return DIFFERENT if difference.data and difference.data.different else UNDECIDED
    return SAME if difference.same else DIFFERENT


def as_text(difference: Difference, edits: Sequence[str] = ()) -> str:
    """Return the edits that led to the new model, and what they changed."""
    heading = [f"{plural(len(edits), 'edit')} on the trail of the new model:"] if edits else []
    return "\n".join([*heading, *(printable(f"  {text}") for text in edits), *_lines(difference)])


def _lines(difference: Difference) -> Iterator[str]:
    for section in difference.sections:
        yield from _section(section)
    for setting, old, new in difference.settings:
        yield printable(f"{setting}: {old} -> {new}")
    if not difference.sections and not difference.settings:
        yield "the rules are the same"
    for logic in difference.logic:
        yield printable(_implications(logic))
    if difference.data:
        if difference.score_data is not None:
            yield from _rows(difference.score_data, "score")
        yield from _rows(difference.data, "number" if difference.compared == "number" else "class")
    yield from _verdict(difference)


def _section(section: RuleChanges) -> Iterator[str]:
    yield section.name
    yield from (f"  - {rule}" for rule in section.removed)
    yield from (f"  + {rule}" for rule in section.added)
    for old, new in section.changed:
        yield f"  ~ {old}"
        yield f"    {new}"


def _implications(logic: ClassImplications) -> str:
    meanings = {
        (True, True): "fires on the same rows in both",
        (True, False): "fires on more rows in the new model, and wherever it fires in the old one",
        (False, True): "fires on fewer rows in the new model, and only where it fires in the old one",
        (False, False): "fires on some rows only in the old model, on others only in the new one",
    }
    implied = logic.old_implies_new, logic.new_implies_old
    return f"{word(logic.name)} {meanings.get(implied, 'is not decided: too large')}"  # type: ignore[arg-type]


def _rows(data: RowChanges, noun: str) -> Iterator[str]:
    yield f"{data.different:,} of {data.rows:,} rows get another {noun}"
    for row, old, new in data.first:
        yield f"  row {row + 1}: {word(old)} -> {word(new)}"  # as `conceptrules explain --row` counts
    if data.different > len(data.first):
        yield "  ..."


def _verdict(difference: Difference) -> Iterator[str]:
    subject = f"the same {difference.compared}"
    if difference.same:
        yield f"every row gets {subject} from both"
    elif difference.row is None or difference.decisions is None:
        reason = str(difference.reason)
        undecided = reason if reason.startswith("not decided") else f"not decided: {reason}"
        yield f"whether every row gets {subject} from both is {undecided}"
    else:
        old, new = map(word, difference.decisions)
        if difference.scores is not None and difference.compared == "scores":
            first, second = (" and ".join(f"{score:,}" for score in scores) for scores in difference.scores)
            old, new = f"{first} ({old})", f"{second} ({new})"
        cells = {name: "missing" if value is None else word(value) for name, value in difference.row.items()}
        yield f"not every row gets {subject} from both; this one is {old} -> {new}:"
        yield "  " + ", ".join(f"{word(name)} = {cell}" for name, cell in cells.items())
