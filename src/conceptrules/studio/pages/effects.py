"""What a change would do, before it is made: who flips, scores, proofs, test cases; then the reason, and the change."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nicegui import ui

from conceptrules.draw.appearance import escape_text
from conceptrules.draw.views import proof_html
from conceptrules.edit.cases import case_text
from conceptrules.edit.effects import Effect
from conceptrules.edit.operations import Operation
from conceptrules.logic.equivalence import Row
from conceptrules.model.errors import ConceptRulesError
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.text import literals_text, percent, plural, word
from conceptrules.studio.pages.frame import Page, heading, run_aside, say, show_table
from conceptrules.studio.session import (
    Draft,
    ProvedDraft,
    apply_draft,
    cell_text,
    count_flips,
    draft_edit,
    find_row_outside,
    list_group_columns,
    prove_draft,
    sample_flips,
)

_CHANCES = {
    "as they are": "stay as they are; beyond them, those of the nearest score",
    "anew": "are fitted anew to the given rows",
}


class EditTrial:
    """The part of a page where a change is tried and made."""

    def __init__(self, page: Page, done: Callable[[], Any], learned: RuleNetwork | None = None) -> None:
        self.page, self.done, self.learned = page, done, learned
        self.draft: Draft | None = None
        self.proved: ProvedDraft | None = None
        head = page.session.network.head
        with ui.element("section").classes("effect").props('aria-label="What this would do"') as self.section:
            self.chances = ui.select(_CHANCES, value="as they are", label="The chances of scores")
            self.chances.props("outlined dense").set_visibility(head is not None and bool(head.probabilities))
            self.area = ui.element("div").props("aria-live=polite")
        with self.area:
            say("Choose a change: what it would do is shown here, before anything is made.").classes("quiet")

    async def run(self, operation: Operation) -> None:
        """Try a change: show at once what it does to the given rows, and then what can be proved of it."""
        self.draft = self.proved = None
        chances = str(self.chances.value)
        try:
            draft = await run_aside(draft_edit, self.page.session, operation, chances, self.learned)
        except ConceptRulesError as error:
            self.refuse(str(error))
            return
        self.draft = draft
        if self.area.is_deleted:
            return
        self._show_draft(draft)
        self.section.run_method("scrollIntoView", {"block": "nearest"})
        try:
            proved = await run_aside(prove_draft, draft)
        except ConceptRulesError as error:
            self.refuse(str(error))
            return
        if self.draft is draft and not self.area.is_deleted:  # nothing else was tried, and the panel is open
            self.proved = proved
            self._show_proof(proved)

    def refuse(self, problem: str) -> None:
        """Show why a change cannot be tried."""
        if self.area.is_deleted:
            return
        self.area.clear()
        with self.area, ui.element("div").classes("notice bad").props("role=alert"):
            say(problem[:1].upper() + problem[1:])

    def _show_draft(self, draft: Draft) -> None:
        self.area.clear()
        with self.area:
            heading(2, "What this would do")
            say(draft.operation.text).classes("quiet")
            say(draft.effect.summary).classes("lead").props("data-test=flips")
            show_changes(draft.effect)
            if len(draft.flipped):
                self._show_who(draft)
            show_figures(draft.effect)
            self.proofs = ui.element("div")
            with self.proofs:
                say("Proving what holds on all rows that there can be ...").classes("quiet")

    def _show_who(self, draft: Draft) -> None:
        with ui.expansion("Which rows, and of which groups").classes("who").props("dense"):
            headings, lines = sample_flips(draft)
            show_table(headings, lines, f"the first of {plural(len(draft.flipped), 'row')}")
            columns = list_group_columns(draft.session)
            if columns:
                groups = ui.element("div")

                def show_groups(column: str) -> None:
                    groups.clear()
                    with groups:
                        lines = [
                            [
                                "missing" if each.group is None else each.group,
                                f"{each.rows:,}",
                                f"{each.flipped:,}",
                                percent(each.flipped / each.rows),
                            ]
                            for each in count_flips(draft, column)
                        ]
                        show_table([column, "rows", "another answer", "share"], lines)

                chosen = self.page.state.get("group")
                chosen = chosen if chosen in columns else columns[0]
                ui.select(
                    columns, value=chosen, label="By the groups of", on_change=lambda event: show_groups(event.value)
                ).props("dense outlined").move(target_index=1)
                show_groups(chosen)

    def _show_proof(self, proved: ProvedDraft) -> None:
        self.proofs.clear()
        with self.proofs:
            heading(3, "On all rows that there can be")
            _show_equivalence(proved.edited.effect)
            if proved.edited.effect.equivalent is not True:
                self._ask_region(proved.draft)
            if proved.edited.proof is not None:
                heading(3, "The policy")
                ui.html(proof_html(proved.edited.proof), sanitize=False).props("data-test=policy")
            show_cases(proved)
            if proved.shorter is not None:
                say(
                    f"The rules would have {plural(proved.edited.network.edges, 'edge')}; a shorter form with "
                    f"{proved.shorter} gives the same answers. Check has it, once this is made."
                )
            if proved.refusal:
                with ui.element("div").classes("notice bad").props("role=alert data-test=refused"):
                    say(f"Not possible: {proved.refusal}. See the counterexample above.")
                return
            self._ask_reason()

    def _ask_region(self, draft: Draft) -> None:
        """Offer a proof that nobody outside of a region is affected."""
        with ui.element("div").classes("bar"):
            example = next(iter(literals_text(draft.after, 0, [Literal(0)])), "") if draft.after.predicates else ""
            region = ui.input(f"Only these rows may change, such as {example}").props("dense outlined")
            button = ui.button("Prove that no others do").props("no-caps outline")
        answer = say("").props("aria-live=polite data-test=outside")

        async def prove() -> None:
            words = (region.value or "").strip()
            if not words:
                answer.set_content("Write down who may be affected, as a rule in words.")
                return
            answer.set_content("Proving ...")
            try:
                row = await run_aside(find_row_outside, draft, words)
            except ConceptRulesError as error:
                text, kind = str(error), "removed"
            else:
                text, kind = f"✓ Proved: nobody is affected except where {words}.", "added"
                if row is not None:
                    text, kind = f"✗ Others are affected too, for example {row_text(row)}.", "removed"
            if answer.is_deleted:  # the panel was closed meanwhile
                return
            answer.set_content(escape_text(text[:1].upper() + text[1:]))
            answer.classes(kind, remove="added removed")

        region.on("keydown.enter", prove).classes("wide")
        button.on_click(prove)

    def _ask_reason(self) -> None:
        heading(3, "Why?")
        why = ui.input("The reason; the trail keeps it").props("dense outlined").classes("why")
        problem = say("").classes("removed").props("role=alert")

        async def apply() -> None:
            if not (why.value or "").strip():
                problem.set_content("Say why, in a few words: whoever signs will read it.")
                why.run_method("focus")
                return
            assert self.proved is not None
            failure = await self.page.studio.change(apply_draft, self.proved, why.value)
            if self.page.complain(failure):
                ui.notify("Made, and written to the file", type="positive")
                self.done()
                self.page.body.run_method("focus")  # what had the focus was built anew

        why.on("keydown.enter", apply)
        ui.button("Make this change", on_click=apply).props("no-caps")


def _show_equivalence(effect: Effect) -> None:
    """Show whether every possible row gets the same answer as before, with one that does not."""
    if effect.witness is None or effect.decisions is None:
        for line in effect.equivalence:
            say(f"{'✓ Proved: ' if effect.equivalent else ''}{line}.").classes("added" if effect.equivalent else "")
        return
    before, after = map(cell_text, effect.decisions)
    say(f"Some rows get another {effect.noun}. For example, this one goes from {before} to {after}:")
    say(row_text(effect.witness)).classes("quiet")


def show_changes(effect: Effect) -> None:
    """Show which rows go from one class to another."""
    if not effect.changes:
        return
    known = effect.changes[0].right_before is not None
    lines = [
        [
            word(change.before),
            word(change.after),
            f"{change.rows:,}",
            *([f"{change.right_before:,}", f"{change.right_after:,}"] if known else []),
        ]
        for change in effect.changes
    ]
    show_table(["before", "after", "rows", *(["right before", "right after"] if known else [])], lines)


def show_figures(effect: Effect) -> None:
    """Show the scores before and after, with the interval of their difference."""
    if effect.figures and any(figure.before != figure.after for figure in effect.figures):
        lines = [
            [
                figure.name,
                f"{figure.before:.4g}",
                f"{figure.after:.4g}",
                f"{figure.after - figure.before:+.2g}",
                f"{figure.low:+.2g} to {figure.high:+.2g}",
            ]
            for figure in effect.figures
        ]
        show_table(["on the given rows", "before", "after", "change", "95 % interval"], lines)


def show_cases(proved: ProvedDraft) -> None:
    """Show what becomes of the test cases."""
    if not proved.cases:
        return
    heading(3, "Test cases")
    failed = proved.failed_cases
    if not failed:
        say(f"✓ All {len(proved.cases)} pass." if len(proved.cases) > 1 else "✓ It passes.").classes("added")
        return
    say(f"✗ {len(failed)} of {plural(len(proved.cases), 'case')} would fail:").classes("removed").props("role=alert")
    network = proved.edited.network
    show_table(
        ["case", "expected", "would be"],
        [
            [result.case.note or case_text(network, result.case), word(result.case.answer), word(result.answer)]
            for result in failed
        ],
    )


def row_text(row: Row) -> str:
    """Return a made-up row in words."""
    cells = [f"{word(name)} = {cell_text(value)}" for name, value in row.items() if value is not None]
    return ", ".join(cells) or "a row with every value missing"


def as_number(value: Any) -> int | float | None:
    """Return the number of a field, whole where it is; None if it is empty."""
    if value is None or value == "":
        return None
    number = float(value)
    return int(number) if number.is_integer() else number
