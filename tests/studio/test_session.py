"""What people do in the studio, as functions from session to session: nothing here opens a browser."""

from __future__ import annotations

from dataclasses import replace
from io import BytesIO
from zipfile import ZipFile

import numpy as np
import pyarrow as pa
import pyarrow.compute  # as pa.compute
import pytest

from conceptrules.edit import AddCase, AddRule, DropRule, LockRule, MoveCut, Rename, SetPoints
from conceptrules.io import load, loads, save
from conceptrules.logic.solver import Undecided
from conceptrules.model import InputError, Points
from conceptrules.model.policy import Policy
from conceptrules.model.trail import find_break
from conceptrules.studio.downloads import list_downloads, read_spreadsheet, write_download
from conceptrules.studio.model_file import ModelFile
from conceptrules.studio.rule_views import (
    count_rules_at_cut,
    list_owners,
    list_rules,
    make_histogram,
    move_cut_of_rule,
    view_table,
)
from conceptrules.studio.session import (
    SessionRows,
    apply_draft,
    apply_operation,
    compare_states,
    count_flips,
    draft_edit,
    find_row_outside,
    list_group_columns,
    open_session,
    prove_draft,
    redo_edit,
    sample_flips,
    shorten,
    undo_edit,
)
from conceptrules.studio.trail_page import trail_html
from conceptrules.tables.table import open_table
from tests.edit.test_editing import NETWORK
from tests.explain.test_reasons import CARD

RANDOM = np.random.default_rng(0)
FRAME = pa.table(
    {
        "age": RANDOM.integers(20, 70, 300).astype(float),
        "job": RANDOM.choice(["nurse", "cook"], 300),
        "pay": RANDOM.integers(0, 3000, 300).astype(float),
    }
)
AGES, DEBTS = RANDOM.integers(0, 90, 300).astype(float), RANDOM.integers(0, 3000, 300).astype(float)
CARD_FRAME = pa.table({"age": AGES, "debt": DEBTS, "job": RANDOM.choice(["nurse", "cook"], 300)})
LABELS = ["yes" if age > 45 else "no" for age in FRAME["age"].to_pylist()]
NUMBER = replace(CARD, classes=(), head=Points(CARD.head.points, [1], step=0.5), target="price")


def make_rows(frame=FRAME, labels=LABELS):
    return SessionRows("rows.csv", frame, open_table(frame).read_once(), labels)


def open_model(tmp_path, network=NETWORK, policy=None, rows=None):
    """A session whose lock is given back when the interpreter forgets it."""
    path = tmp_path / "model.json"
    save(network, path)
    file = ModelFile(path)
    return open_session(file, rows or make_rows(), "anna", file.read(), policy)


def test_an_edit_is_tried_proved_and_in_the_file_before_it_is_done(tmp_path):
    session = open_model(tmp_path)
    draft = draft_edit(session, MoveCut("age", "41", "45"))
    assert load(session.file.path) == NETWORK
    flipped = {
        row for row in range(300) if 41 < FRAME["age"][row].as_py() <= 45 and FRAME["job"][row].as_py() == "nurse"
    }
    flipped -= {row for row in flipped if FRAME["pay"][row].as_py() > 1000 and NETWORK.priority[0] == "no"}
    assert set(draft.flipped.tolist()) == flipped
    assert sum(change.rows for change in draft.effect.changes) == len(flipped)
    headings, lines = sample_flips(draft)
    assert headings[:3] == ["row", "before", "after"]
    assert len(lines) == min(8, len(flipped))
    groups = {each.group: each.flipped for each in count_flips(draft, "job")}
    assert groups == {"nurse": len(flipped), "cook": 0}
    proved = prove_draft(draft)
    assert proved.edited.effect.changes == draft.effect.changes
    made = apply_draft(session, proved, "older nurses only")
    kept = load(session.file.path)
    assert (kept, kept.trail[-1].who, kept.trail[-1].why) == (made.network, "anna", "older nurses only")
    assert find_break(kept.trail) is None
    with pytest.raises(InputError, match="the rules were changed since this edit was tried"):
        apply_draft(made, proved, "again")


def test_who_else_is_affected_is_proved(tmp_path):
    session = open_model(tmp_path)
    draft = draft_edit(session, AddRule("age > 60 and pay <= 7", "yes"))
    assert find_row_outside(draft, "age > 60") is None
    row = find_row_outside(draft, "age > 65")
    assert 60 < row["age"] <= 65
    card = open_model(tmp_path, CARD, rows=make_rows(CARD_FRAME, None))
    heavier = draft_edit(card, SetPoints("age > 41", 2))
    assert find_row_outside(heavier, "age > 41") is None
    assert find_row_outside(heavier, "age > 50")["age"] <= 50


def test_a_policy_refuses_with_a_counterexample(tmp_path):
    policy = Policy.of(monotone={"age": "up"}, better="yes")
    session = open_model(tmp_path, policy=policy)
    assert session.network.policy == policy
    assert load(session.file.path).policy is None  # looking at a model writes nothing
    proved = prove_draft(draft_edit(session, AddRule("age > 60", "no")))
    assert "monotone.age" in proved.refusal or session.network.priority[0] == "yes"
    refused = prove_draft(draft_edit(session, DropRule("age > 41 and job = nurse", "yes")))
    bad = prove_draft(draft_edit(session, AddRule("age <= 30", "yes")))
    assert bad.refusal == "the change breaks what the policy asks for: monotone.age"
    (verdict,) = [each for each in bad.edited.proof.verdicts if each.name == "monotone.age"]
    assert verdict.counterexample is not None
    with pytest.raises(InputError, match=r"monotone\.age"):
        apply_draft(session, bad, "no")
    kept = apply_draft(session, refused, "none left")
    assert [entry.edit["kind"] for entry in load(session.file.path).trail] == ["policy", "drop"]
    assert kept.network.policy == policy


def test_a_policy_keeps_what_the_model_has_locked(tmp_path):
    session = open_model(tmp_path)
    locked = apply_operation(session, LockRule("pay > 1000", "no"), "guideline")
    again = open_session(locked.file, make_rows(), "bea", locked.network, Policy.of(max_edges=9))
    assert [clause.name for clause in again.network.policy.clauses] == ["locked.pay > 1000", "max_edges"]
    assert not any(rule.locked for rule in list_rules(session))
    assert [rule.text for rule in list_rules(again) if rule.locked] == ["pay > 1000"]


def test_undo_redo_and_two_states(tmp_path):
    session = apply_operation(open_model(tmp_path), MoveCut("age", "41", "45"), "older")
    session = undo_edit(apply_operation(session, Rename("pay > 1000", "rich"), "clear"), "not needed")
    assert dict(session.network.names) == {}
    session = redo_edit(session, "needed after all")
    assert dict(session.network.names) == {"pay > 1000": "rich"}
    difference = compare_states(session, 0, 4)
    assert [section.changed for section in difference.sections] == [
        (("age > 41 and job = nurse", "age > 45 and job = nurse"),)
    ]
    assert difference.data.rows == 300
    assert load(session.file.path).trail == session.network.trail
    page = trail_html(session)
    assert page.count("<li>") == 4
    assert "Every entry is as it was written." in page


def test_test_cases_run_with_each_change(tmp_path):
    case = AddCase({"age": 43.0, "job": "nurse", "pay": 0.0}, "yes", "a nurse")
    session = apply_operation(open_model(tmp_path), case, "agreed with the board")
    proved = prove_draft(draft_edit(session, MoveCut("age", "41", "45")))
    assert [result.answer for result in proved.failed_cases] == ["no"]
    assert proved.refusal == ""
    assert load(session.file.path).cases == session.network.cases


def test_a_shorter_form_is_offered(tmp_path):
    session = apply_operation(open_model(tmp_path), AddRule("age > 41 and job = nurse and pay <= 7", "yes"), "more")
    proved = prove_draft(draft_edit(session, AddRule("age > 41 and job = nurse and pay <= 9", "yes")))
    assert proved.shorter < NETWORK.edges
    short = apply_operation(session, shorten(session), "easier to read")
    assert short.network.edges <= NETWORK.edges
    assert (short.network.predict(FRAME) == session.network.predict(FRAME)).all()


def test_rules_and_columns_as_they_are_shown(tmp_path):
    session = open_model(tmp_path)
    shown = list_rules(session)
    assert sorted(rule.text for rule in shown) == ["age > 41 and job = nurse", "pay > 1000"]
    assert [rule.text for rule in list_rules(session, column="pay")] == ["pay > 1000"]
    assert [rule.text for rule in list_rules(session, owner="yes")] == ["age > 41 and job = nurse"]
    assert [rule.text for rule in list_rules(session, words="NURSE")] == ["age > 41 and job = nurse"]
    nurse = next(rule for rule in shown if "nurse" in rule.text)
    assert [(each.column, each.short, each.cuts) for each in nurse.conditions] == [
        ("age", "> 41", ("41",)),
        ("job", "nurse", ()),
    ]
    covered = sum(a > 41 and j == "nurse" for a, j in zip(*(FRAME[n].to_pylist() for n in ("age", "job")), strict=True))
    assert nurse.figures[0].startswith(f"{covered} rows")
    table = view_table(shown)
    assert set(table.headings) == {"age", "job", "pay"}
    assert {owner for owner, _ in list_owners(NETWORK)} == {"yes", "no"}
    assert count_rules_at_cut(NETWORK, "age", "41") == 1
    assert move_cut_of_rule(NETWORK, nurse.text, "age", "41", "50.5") == "age > 50.5 and job = nurse"
    histogram = make_histogram(session.network, session.rows, "age", "41")
    assert sum(height for _, _, height in histogram.chart.series[0].points) >= 290
    assert (histogram.step, histogram.missing) == (1.0, 0)
    assert list_group_columns(session) == ["job"]


def test_cards_and_numbers_are_edited_too(tmp_path):
    frame = CARD_FRAME
    session = open_model(tmp_path, CARD, rows=make_rows(frame, CARD.predict(frame).tolist()))
    (first, *_) = list_rules(session)
    assert first.points
    assert first.label is None
    draft = draft_edit(session, SetPoints("age > 41", 4), "anew")
    assert {figure.name for figure in draft.effect.figures} == {"accuracy", "log loss", "AUC"}
    labels = (NUMBER.predict(frame) + RANDOM.normal(size=300)).tolist()
    number = open_model(tmp_path, NUMBER, rows=make_rows(frame, labels))
    draft = draft_edit(number, SetPoints("age > 41", 4))
    assert draft.effect.moved == len(draft.flipped) > 0
    assert {figure.name for figure in draft.effect.figures} == {"mean absolute error", "R2"}
    apply_draft(number, prove_draft(draft), "dearer")
    assert load(number.file.path).trail[-1].why == "dearer"


def test_the_chances_of_a_card_stay_where_nothing_changes(tmp_path):
    frame = CARD_FRAME
    session = open_model(tmp_path, CARD, rows=make_rows(frame, CARD.predict(frame).tolist()))
    heavier = draft_edit(session, SetPoints("age > 41", 40))  # beyond all scores that the card has chances for
    young = frame.filter(pa.compute.less_equal(frame["age"], 41))
    assert (heavier.after.predict_proba(young) == CARD.predict_proba(young)).all()
    assert find_row_outside(heavier, "age > 41") is None
    anew = draft_edit(session, SetPoints("age > 41", 40), "anew")
    with pytest.raises(Undecided, match="what scores mean differs"):
        find_row_outside(anew, "age > 41")
    made = apply_draft(session, prove_draft(heavier), "older people")
    assert made.network.head.probabilities[:2] == CARD.head.probabilities[:2]


def test_everything_is_taken_away_from_one_place(tmp_path):
    session = apply_operation(open_model(tmp_path), MoveCut("age", "41", "45"), "older")
    names = [name for name, _ in list_downloads(session)]
    assert {"all", "model", "report", "card", "trail", "sql", "python"} <= set(names)
    files = {name: write_download(session, name) for name in ("sql", "python", "all")}
    assert files["sql"].name == "model.sql"
    with ZipFile(BytesIO(files["all"].content)) as archive:
        inside = archive.namelist()
        assert {"model.json", "model.html", "model-card.md", "model-trail.html", "sql/model.sql"} <= set(inside)
        assert len(inside) == len(names) - 1
        assert loads(archive.read("model.json").decode()).trail == session.network.trail
    space: dict[str, object] = {}
    exec(files["python"].content.decode(), space)
    with pytest.raises(InputError, match="there is no export to 'cobol'"):
        write_download(session, "cobol")


def test_an_edited_spreadsheet_comes_back_as_one_edit(tmp_path):
    openpyxl = pytest.importorskip("openpyxl")
    session = open_model(tmp_path)
    content = write_download(session, "xlsx").content
    with pytest.raises(InputError, match="nothing was changed in it"):
        read_spreadsheet(session, content)
    book = openpyxl.load_workbook(BytesIO(content))
    (cell,) = [cell for line in book.worksheets[0].iter_rows() for cell in line if cell.value == "> 41"]
    cell.value = "> 45"
    edited = BytesIO()
    book.save(edited)
    batch = read_spreadsheet(session, edited.getvalue())
    taken = apply_operation(session, batch, "from the board")
    assert "age > 45 and job = nurse" in [rule.text for rule in list_rules(taken)]
    assert [entry.edit["kind"] for entry in load(session.file.path).trail] == ["batch"]


def test_rows_without_classes_show_who_flips(tmp_path):
    session = open_model(tmp_path, rows=make_rows(labels=None))
    draft = draft_edit(session, MoveCut("age", "41", "45"))
    assert draft.effect.figures == ()
    assert len(draft.flipped)
    assert list_rules(session)[0].figures == ()
    assert write_download(session, "report").content
