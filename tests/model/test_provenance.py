"""How a network came about, and what stays true of it when the rules change."""

from __future__ import annotations

from dataclasses import replace

from conceptrules.model.provenance import ProofRecord, Training, VerdictRecord, without_rule_figures

PLAIN = Training(version="0.1", seed=3, settings=(), rows=10, rate=None, epoch=None)


def test_what_was_not_told_is_empty() -> None:
    assert (PLAIN.validation, PLAIN.edge_penalty) == (None, None)
    assert (PLAIN.stability, PLAIN.fingerprint, PLAIN.categories_dropped) == ((), (), ())
    assert (PLAIN.distinct, PLAIN.augmented) == (0, False)


def test_other_rules_keep_all_but_the_figures_of_single_rules() -> None:
    full = replace(PLAIN, stability=((0.5,),), fingerprint=(7,), distinct=9, augmented=True)
    assert without_rule_figures(full) == replace(full, stability=())
    assert without_rule_figures(None) is None


def test_a_notebook_shows_the_verdicts() -> None:
    record = ProofRecord("0" * 64, (VerdictRecord("default", "no is answered", "proved", "read off the rules"),))
    assert "no is answered" in record._repr_html_()
