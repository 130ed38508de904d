"""What a network keeps of a proof."""

from __future__ import annotations

from conceptrules.model.policy.record import ProofRecord, VerdictRecord


def test_a_notebook_shows_the_verdicts() -> None:
    record = ProofRecord("0" * 64, (VerdictRecord("default", "no is answered", "proved", "read off the rules"),))
    assert "no is answered" in record._repr_html_()
