"""The proof of a policy as HTML, for notebooks. Names come from data, so everything is escaped."""

from __future__ import annotations

from conceptrules.draw.escape import escaped
from conceptrules.logic.policies.counterexamples import Counterexample, Decision
from conceptrules.logic.policies.proof import Proof, Verdict
from conceptrules.model.provenance import ProofRecord, VerdictRecord
from conceptrules.model.text import plural, word

# A mark and a word tell the outcomes apart without colours; these have 3:1 against light and dark pages.
_MARKS = {"proved": ("✓", "#0a9e70"), "refuted": ("✗", "#e5214f"), "undecided": ("?", "#c07000")}


def proof_html(proof: Proof | ProofRecord) -> str:
    """Return a heading that counts the verdicts, and a line for each, in the notebook's own fonts and colours."""
    lines = "".join(map(_verdict, proof.verdicts))
    return f'<div class="conceptrules-proof"><p><strong>{_counts(proof)}</strong></p>{lines}</div>'


def _counts(proof: Proof | ProofRecord) -> str:
    found = [verdict.outcome for verdict in proof.verdicts]
    told = [f"{found.count(outcome)} {outcome}" for outcome in _MARKS if outcome in found]
    return f"{plural(len(found), 'clause')}: {', '.join(told)}" if found else "The policy asks for nothing."


def _verdict(verdict: Verdict | VerdictRecord) -> str:
    mark, colour = _MARKS.get(verdict.outcome, _MARKS["undecided"])
    shown = verdict.counterexample if isinstance(verdict, Verdict) else None
    return (
        f'<div style="border-left: 4px solid {colour}; padding-left: 0.7em; margin: 0.5em 0">'
        f"{mark} <strong>{escaped(verdict.outcome)}</strong>: {escaped(verdict.text)} "
        f"<em>({escaped(verdict.reason)})</em>{_counterexample(shown)}</div>"
    )


def _counterexample(found: Counterexample | None) -> str:
    return "" if found is None else f"<p>{escaped(found.source)}</p><ul>{''.join(map(_row, found.decisions))}</ul>"


def _row(decision: Decision) -> str:
    rules = " and because ".join(f"<code>{escaped(text)}</code>" for text in decision.because)
    why = f"because {rules}" if rules else "no rule holds"
    row = f"<code>{escaped(decision.text)}</code>" if decision.text else "any row"
    return f"<li>{row} is <strong>{escaped(word(decision.label))}</strong>: {why}</li>"
