"""Edits as HTML, for notebooks: what was done by whom, and what it changes. Names come from data, so all is escaped."""

from __future__ import annotations

from conceptrules.draw.escape import escaped
from conceptrules.draw.proof_html import proof_html
from conceptrules.edit.editing import Edited
from conceptrules.edit.effects import ClassChange, Effect
from conceptrules.edit.trail import Replayed, edit_text
from conceptrules.model.text import plural, word

_CELL = 'style="text-align: left; padding: 0.1em 1em 0.1em 0"'


def edited_html(edited: Edited) -> str:
    """Return what was done and why, what that does to rows, and the policy proved again."""
    entry = edited.entry
    why = f": {escaped(entry.why)}" if entry.why else ""
    did = escaped(edit_text(entry, edited.network.trail))
    proof = "" if edited.proof is None else proof_html(edited.proof)
    return (
        f'<div class="conceptrules-edit"><p><strong>{did}</strong><br>by {escaped(entry.who)}, '
        f"{escaped(entry.when)} UTC{why}</p>{effect_html(edited.effect)}{proof}</div>"
    )


def effect_html(effect: Effect) -> str:
    """Return how many of the given rows get another class, and whether every possible row keeps its own."""
    moved = ""
    if effect.rows is not None:
        count = sum(change.rows for change in effect.changes)
        moved = f"<p>{count:,} of {plural(effect.rows, 'row')} get another class</p>{_changes(effect.changes)}"
    return f"{moved}<p>{_equivalence(effect)}</p>"


def replayed_html(replayed: Replayed) -> str:
    """Return a line for each edit, with what became of it."""
    lines = "".join(f"<li>{escaped(line)}</li>" for line in str(replayed).splitlines())
    return f'<div class="conceptrules-edit"><ul>{lines}</ul></div>'


def _changes(changes: tuple[ClassChange, ...]) -> str:
    if not changes:
        return ""
    labelled = changes[0].right_before is not None
    header = ["before", "after", "rows", *(["right before", "right after"] if labelled else [])]
    counts = [[one.rows, *([one.right_before, one.right_after] if labelled else [])] for one in changes]
    rows = [
        [word(one.before), word(one.after), *map("{:,}".format, some)]
        for one, some in zip(changes, counts, strict=True)
    ]
    lines = [_line("th", header), *(_line("td", row) for row in rows)]
    return f'<div style="overflow-x: auto"><table>{"".join(lines)}</table></div>'


def _line(tag: str, cells: list[str]) -> str:
    return "<tr>" + "".join(f"<{tag} {_CELL}>{escaped(cell)}</{tag}>" for cell in cells) + "</tr>"


def _equivalence(effect: Effect) -> str:
    first, *rest = effect.equivalence
    return escaped(first[0].upper() + first[1:]) + "".join(f" <code>{escaped(line.strip())}</code>" for line in rest)
