"""What people see of a network, an explanation, a proof and an edit: a picture, and the HTML of notebooks.

Names come from data, so everything is escaped. The HTML has the notebook's own fonts and colours.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import singledispatch
from itertools import chain, groupby

from conceptrules.draw.appearance import Theme, check_theme, escape_text
from conceptrules.draw.card import card_html, score_html
from conceptrules.draw.card_picture import card_svg
from conceptrules.draw.layout import FOLD, lay_out
from conceptrules.draw.rule_set import collect_rule_set, rule_set_svg
from conceptrules.draw.svg import Svg, network_svg
from conceptrules.edit.editing import Edited
from conceptrules.edit.effects import Effect
from conceptrules.edit.trail import Replayed, edit_text
from conceptrules.explain.auditing import Audit
from conceptrules.explain.explanation import Explanation
from conceptrules.explain.importance_scores import Importance
from conceptrules.explain.score_explanation import ScoreExplanation
from conceptrules.explain.scores import Evaluation
from conceptrules.logic.policies.proof import Proof, Verdict
from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value
from conceptrules.model.provenance import ProofRecord, VerdictRecord
from conceptrules.model.text import plural, word

# A mark and a word distinguish the outcomes without colours; these have 3:1 against light and dark pages.
_MARKS = {"proved": ("✓", "#0a9e70"), "refuted": ("✗", "#e5214f"), "undecided": ("?", "#c07000")}
_CELL = 'style="text-align: left; padding: 0.1em 1em 0.1em 0"'


def draw(network: RuleNetwork, rule_set: Value | None = None, *, theme: Theme = "auto", fold: int | None = FOLD) -> Svg:
    """Draw a network, or the rules of one class or concept: the function behind `RuleNetwork.draw`."""
    check_theme(theme)
    if fold is not None and (not isinstance(fold, int) or fold < 1):
        raise InputError(f"fold is {fold!r}; give the number of edges that may be drawn one by one, or None for all")
    if network.head is not None and (rule_set is None or rule_set in network.classes):
        output = None if rule_set is None or network.head.outputs == 1 else network.classes.index(rule_set)
        return card_svg(network, output, fold, theme)
    if rule_set is None:
        return network_svg(lay_out(network, fold), theme)
    return rule_set_svg(collect_rule_set(network, rule_set, fold), theme)


@singledispatch
def show_html(value: object) -> str:
    """Return what a notebook shows of a value, by its type."""
    raise TypeError(f"{type(value).__name__} has no HTML of its own")


@show_html.register
def network_html(network: RuleNetwork) -> str:
    """Return the drawing or the card as HTML, and below it the words, folded away; it scrolls on a narrow page."""
    if network.head is not None:
        return card_html(network)
    drawing = draw(network).text
    return (
        f'<div class="concept-rules"><div style="overflow-x: auto">{drawing}</div>'
        f"<details><summary>In words</summary>{_fixed_html(str(network))}</details></div>"
    )


@show_html.register
def explanation_html(explanation: Explanation) -> str:
    """Return the text of an explanation, with its indented lines as lists."""
    first, *rest = _lines_html(str(explanation).split("\n"))
    strong = first.replace("<p>", "<p><strong>").replace("</p>", "</strong></p>")
    return f'<div class="conceptrules-explanation">{strong}{"".join(rest)}</div>'


def _lines_html(lines: Iterable[str]) -> Iterator[str]:
    """Yield lines as paragraphs, indented ones as lists."""
    for indented, group in groupby(filter(None, lines), key=lambda line: line.startswith("  ")):
        if indented:
            yield _list_html(_code(line.strip()) for line in group)
        else:
            yield from (f"<p>{escape_text(line)}</p>" for line in group)


@show_html.register
def score_explanation_html(explanation: ScoreExplanation) -> str:
    """Return the points that add up as a table, and below it the counterfactual."""
    return score_html(explanation, "".join(_lines_html(chain.from_iterable(explanation.further))))


@show_html.register
def proof_html(proof: Proof | ProofRecord) -> str:
    """Return a heading that counts the verdicts, and a line for each."""
    outcomes = [verdict.outcome for verdict in proof.verdicts]
    counts = ", ".join(f"{outcomes.count(outcome)} {outcome}" for outcome in _MARKS if outcome in outcomes)
    heading = f"{plural(len(outcomes), 'clause')}: {counts}" if outcomes else "The policy asks for nothing."
    lines = "".join(map(_verdict_html, proof.verdicts))
    return f'<div class="conceptrules-proof"><p><strong>{heading}</strong></p>{lines}</div>'


def _verdict_html(verdict: Verdict | VerdictRecord) -> str:
    mark, colour = _MARKS.get(verdict.outcome, _MARKS["undecided"])
    counterexample, rows = verdict.counterexample if isinstance(verdict, Verdict) else None, ""
    if counterexample is not None:
        for decision in counterexample.decisions:
            rules = " and because ".join(map(_code, decision.because))
            why = f"because {rules}" if rules else "no rule holds"
            why = escape_text(decision.why) if decision.score else why
            row = _code(decision.text) if decision.text else "any row"
            rows += f"<li>{row} is <strong>{escape_text(word(decision.label))}</strong>: {why}</li>"
        rows = f"<p>{escape_text(counterexample.source)}</p><ul>{rows}</ul>"
    return (
        f'<div style="border-left: 4px solid {colour}; padding-left: 0.7em; margin: 0.5em 0">'
        f"{mark} <strong>{escape_text(verdict.outcome)}</strong>: {escape_text(verdict.text)} "
        f"<em>({escape_text(verdict.reason)})</em>{rows}</div>"
    )


@show_html.register
def edited_html(edited: Edited) -> str:
    """Return what was done by whom and why, what that does to rows, and the policy proved again."""
    entry = edited.entry
    why = f": {escape_text(entry.why)}" if entry.why else ""
    edit = escape_text(edit_text(entry, edited.network.trail))
    proof = "" if edited.proof is None else proof_html(edited.proof)
    return (
        f'<div class="conceptrules-edit"><p><strong>{edit}</strong><br>by {escape_text(entry.who)}, '
        f"{escape_text(entry.when)} UTC{why}</p>{_effect_html(edited.effect)}{proof}</div>"
    )


@show_html.register
def replayed_html(replayed: Replayed) -> str:
    """Return a line for each edit, with what became of it."""
    lines = _list_html(map(escape_text, str(replayed).splitlines()))
    return f'<div class="conceptrules-edit">{lines}</div>'


@show_html.register
def text_html(value: Evaluation | Importance | Audit) -> str:
    """Return the text in a fixed-width font, in which its columns line up."""
    return _fixed_html(str(value))


def _fixed_html(text: str) -> str:
    lines = "\n".join(map(escape_text, text.split("\n")))
    # Said here, since the styles of some notebooks give every element the font of their text.
    return f'<pre style="font-family: ui-monospace, monospace">{lines}</pre>'


def _effect_html(effect: Effect) -> str:
    """Return how many of the given rows get another class, and whether every possible row keeps its own."""
    moved = ""
    if effect.rows is not None:
        figures = _list_html(escape_text(str(figure)) for figure in effect.figures) if effect.figures else ""
        moved = f"<p>{effect.summary}</p>{_changes_html(effect)}{figures}"
    first, *rest = effect.equivalence
    equivalence = escape_text(first[0].upper() + first[1:]) + "".join(f" {_code(line.strip())}" for line in rest)
    return f"{moved}<p>{equivalence}</p>"


def _changes_html(effect: Effect) -> str:
    if not effect.changes:
        return ""
    lines = [["before", "after", "rows", "right before", "right after"]]
    for change in effect.changes:
        counts = (change.rows, change.right_before, change.right_after)
        lines.append([word(change.before), word(change.after), *(f"{n:,}" for n in counts if n is not None)])
    columns = len(lines[1])  # without labels, nobody knows what is right
    rows = ""
    for tag, cells in zip(["th", *["td"] * len(effect.changes)], lines, strict=True):
        rows += "<tr>" + "".join(f"<{tag} {_CELL}>{escape_text(cell)}</{tag}>" for cell in cells[:columns]) + "</tr>"
    return f'<div style="overflow-x: auto"><table>{rows}</table></div>'


def _code(text: str) -> str:
    return f"<code>{escape_text(text)}</code>"


def _list_html(items: Iterable[str]) -> str:
    lines = "".join(f"<li>{item}</li>" for item in items)
    return f"<ul>{lines}</ul>" if lines else ""
