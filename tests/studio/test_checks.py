"""What the given rows say of each rule, test cases from rows, and learning again."""

from dataclasses import replace

import numpy as np
import pytest

from conceptrules.edit import AddCase, BanRule, LockRule
from conceptrules.model import InputError
from conceptrules.model.policy import Policy
from conceptrules.model.text import rule_text
from conceptrules.studio.checks import answer_row, count_rule_uses, make_case, read_given_row
from conceptrules.studio.learning import learn_again, take_alternative
from conceptrules.studio.rule_views import list_rules
from conceptrules.studio.session import (
    apply_draft,
    apply_operation,
    audit_session,
    count_missing_signatures,
    draft_edit,
    prove_draft,
    sign_rules,
)
from tests.edit.test_editing import NETWORK
from tests.explain.test_reasons import CARD
from tests.logic.test_rule_conflicts import without_rule
from tests.studio.test_session import CARD_FRAME, FRAME, NUMBER, make_rows, open_model


def test_the_rows_that_only_one_rule_decides(tmp_path):
    for default in ("yes", "no"):
        network = replace(NETWORK, default=default)
        session = open_model(tmp_path, network)
        for use in count_rule_uses(session):
            other = without_rule(network, use.label, use.text)
            assert use.alone == int((other.predict(FRAME) != network.predict(FRAME)).sum())


@pytest.mark.parametrize("card", [CARD, NUMBER], ids=["classes", "number"])
def test_the_rows_that_a_line_of_a_card_decides(tmp_path, card):
    frame = CARD_FRAME
    session = open_model(tmp_path, card, rows=make_rows(frame, None))
    for use in count_rule_uses(session):
        rule = [rule_text(card, 0, rule) for rule in range(len(card.head.points))].index(use.text)
        points = tuple((0,) if number == rule else row for number, row in enumerate(card.head.points))
        other = replace(card, head=replace(card.head, points=points))
        assert use.alone == int((other.predict(frame) != card.predict(frame)).sum())


def test_a_given_row_becomes_a_test_case(tmp_path):
    session = open_model(tmp_path)
    cells = read_given_row(session, 3)
    row = FRAME.to_pylist()[2]
    assert cells == {"age": f"{row['age']:g}", "job": row["job"], "pay": f"{row['pay']:g}"}
    assert answer_row(NETWORK, cells) == NETWORK.predict([row])[0]
    case = make_case(NETWORK, {**cells, "pay": ""}, "yes", " note ")
    assert case == AddCase({"age": row["age"], "job": row["job"], "pay": None}, "yes", "note")
    with pytest.raises(InputError, match="there is no row 301; the given rows are 1 to 300"):
        read_given_row(session, 301)
    with pytest.raises(InputError, match="column 'age' holds numbers, not 'old'"):
        make_case(NETWORK, {"age": "old"}, "yes", "")
    with pytest.raises(InputError, match="the answer is 'much'; give a number"):
        make_case(NUMBER, {}, "much", "")


def test_learning_again_keeps_what_is_locked(tmp_path):
    session = open_model(tmp_path)
    session = apply_operation(session, LockRule("pay > 1000", "no"), "guideline")
    session = apply_operation(session, BanRule("age > 41 and job = nurse", "yes"), "unfair")
    told = []
    learned = learn_again(session, "fast", 12, 2, told.append)
    assert told == ["Learning, 1 of 2 ...", "Learning, 2 of 2 ..."]
    assert learned.score_name == "macro-F1"
    assert [each.edges for each in learned.found] == sorted(each.edges for each in learned.found)
    assert any(each.chosen for each in learned.found)
    assert any(each.close for each in learned.found)
    best = max(learned.found, key=lambda each: each.score)
    draft = draft_edit(session, take_alternative(session, best), learned=best.network)
    taken = apply_draft(session, prove_draft(draft), "newer rows")
    assert (taken.network.predict(FRAME) == best.network.predict(FRAME)).all()
    assert [clause.key for clause in taken.network.policy.clauses] == ["locked", "banned"]
    assert "pay > 1000" in [rule.text for rule in list_rules(taken, owner="no")]
    assert audit_session(taken).overlap.rows == 300  # it says that it was learned from these very rows


@pytest.mark.parametrize("card", [CARD, NUMBER], ids=["classes", "number"])
def test_cards_are_learned_again(tmp_path, card):
    frame = CARD_FRAME
    target = card.predict(frame)
    labels = (target + np.random.default_rng(0).normal(size=300)).tolist() if card is NUMBER else target.tolist()
    session = open_model(tmp_path, card, rows=make_rows(frame, labels))
    learned = learn_again(session, "fast", 8, 1, list[str]().append)
    best = max(learned.found, key=lambda each: each.score)
    draft = draft_edit(session, take_alternative(session, best), learned=best.network)
    assert (draft.after.predict(frame) == best.network.predict(frame)).all()


def test_what_cannot_be_learned_from_is_said(tmp_path):
    session = open_model(tmp_path, rows=make_rows(labels=None))
    with pytest.raises(InputError, match="the given rows do not say their classes"):
        learn_again(session, "fast", None, 1, list[str]().append)


def test_signatures_that_the_policy_asks_for(tmp_path):
    session = open_model(tmp_path, policy=Policy.of(signatures=2))
    assert count_missing_signatures(session.network) == 2
    session = sign_rules(session, "anna", "owner", "made the changes")
    session = sign_rules(session, "bea", "risk", "checked them")
    assert count_missing_signatures(session.network) == 0
    with pytest.raises(InputError, match="'bea' has signed this network already"):
        sign_rules(session, "bea", "risk", "again")
    changed = apply_operation(session, AddCase({"age": 50.0, "job": "nurse"}, "yes"), "agreed")
    assert count_missing_signatures(changed.network) == 2
