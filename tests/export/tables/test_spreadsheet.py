"""Spreadsheets: what is written reads back, what a person changes becomes edits, and what is wrong is named by cell."""

from __future__ import annotations

import io
import re
import zipfile
from dataclasses import replace

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

openpyxl = pytest.importorskip("openpyxl")

from conceptrules.edit import AddRule, ChangeRule, DropRule, Rename, SetCutoff, SetDefault, SetPoints, SetPriority
from conceptrules.edit.rules import normalise
from conceptrules.export import export
from conceptrules.export.tables import read_xlsx
from conceptrules.export.verify.comparison import compare
from conceptrules.model.errors import InputError
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf
from tests.edit.test_editing import NETWORK
from tests.explain.test_reasons import CARD
from tests.export.hostile import HOSTILE
from tests.strategies import BOOLEANS, networks, number_cards, scorecards


def opened(network):
    book = openpyxl.load_workbook(io.BytesIO(export(network, "xlsx")))
    return book, book["Rules"]


def read(network, book):
    file = io.BytesIO()
    book.save(file)
    file.seek(0)
    return read_xlsx(file, network)


def changed(network, **cells):
    """What the table says after some cells were written."""
    book, sheet = opened(network)
    for place, value in cells.items():
        sheet[place] = value
    return read(network, book)


@settings(max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_what_is_written_reads_back_as_the_same(data):
    make = data.draw(st.sampled_from([networks, scorecards, number_cards]))
    network = data.draw(make(odd=data.draw(BOOLEANS), flat=True))
    try:
        written = export(network, "xlsx")
    except InputError as error:
        assume("would both read" not in str(error))
        raise
    assert read_xlsx(io.BytesIO(written), network).operations == ()
    outcome = compare(network, "xlsx", written, limit=60)
    assert not outcome.mismatches, str(outcome.mismatches[0])


def test_hostile_names_are_text_that_reads_back():
    odd = (
        "=cmd|' /C calc'!A1",
        "+1",
        "-1",
        "@sum",
        "007",
        "1e5",
        "2021-03-05",
        "NaN",
        "TRUE",
        "_x0041_",
        "> 5",
        "a, b",
    )
    ours = ("missing", "Missing", "present", "not missing", "rule", "class", "points for a", "otherwise", "")
    names = (*HOSTILE, *odd, *ours)
    columns = [Column(name, "category", names, True) for name in names]
    tests = [Equals(name, names[place - 1]) for place, name in enumerate(names)]
    tests += [OneOf(name, names[:3]) for name in names]
    rules = [Rule([Literal(place), Literal(len(names) + place - 2, True)]) for place in range(len(names))]
    network = RuleNetwork(columns, tests, [Level(rules, [Concept([place]) for place in range(len(rules))])], names)
    book, sheet = opened(network)
    assert all(cell.data_type in ("s", "n") for line in sheet.iter_rows() for cell in line)
    assert read(network, book).operations == ()
    assert compare(network, "xlsx", export(network, "xlsx"), limit=300).mismatches == ()


def test_changes_become_edits():
    batch = changed(
        NETWORK, B2="> 45", C2="nurse, cook", A4=None, E4="yes", F4=None, D4="<= 10", A5="otherwise", E5="yes"
    )
    assert batch.operations == (
        ChangeRule("age > 41 and job = nurse", "age > 45 and job in {nurse, cook}", "yes"),
        AddRule("pay <= 10", "yes"),
        SetDefault("yes"),
    )
    edited = NETWORK.edit(batch, who="anna", why="new law")
    assert edited.network.default == "yes"
    assert len(edited.network.trail) == 1
    assert "change for yes: age > 41 and job = nurse -> age > 45 and job in {nurse, cook}" in batch.text


def test_one_undo_takes_the_whole_table_back_and_a_replay_makes_it_again():
    from conceptrules.edit import replay, undo

    edited = NETWORK.edit(changed(NETWORK, B2="> 45", E4="yes"), who="anna", why="new law").network
    assert undo(edited, who="anna", why="back").network == normalise(NETWORK)
    replayed = replay(edited.trail, NETWORK)
    assert replayed.network == edited
    assert not replayed.conflicts


def test_priority_is_a_number_and_rows_may_stand_anywhere():
    assert changed(NETWORK, F2=2, F3=1).operations == (SetPriority(("no", "yes")),)
    book, sheet = opened(NETWORK)
    sheet.move_range("A2:H2", rows=5)
    assert read(NETWORK, book).operations == ()


def test_a_row_that_goes_is_a_rule_that_goes_and_a_class_that_changes_moves_the_rule():
    book, sheet = opened(NETWORK)
    sheet.delete_rows(2)
    assert read(NETWORK, book).operations == (DropRule("age > 41 and job = nurse", "yes"),)
    assert changed(NETWORK, E3="yes", F3=None).operations == (
        DropRule("pay > 1000", "no"),
        AddRule("pay > 1000", "yes"),
    )


def test_names_and_new_columns():
    book, sheet = opened(NETWORK)
    sheet["G2"] = "older nurses"
    (operation,) = read(NETWORK, book).operations
    assert operation == Rename("age > 41 and job = nurse", "older nurses")
    network = NETWORK.edit(operation, who="anna", why="").network
    assert read(network, opened(network)[0]).operations == ()
    bare = replace(
        NETWORK, predicates=NETWORK.predicates[:1], levels=(Level([Rule([Literal(0)])], [Concept([0]), Concept()]),)
    )
    book, sheet = opened(bare)
    sheet["G1"], sheet["G2"] = "job", "not cook"
    assert read(bare, book).operations == (ChangeRule("age > 41", "age > 41 and job != cook", "yes"),)


def test_points_base_and_cutoff():
    batch = changed(CARD, E2=5, E6=0, E7="4", A3="R1.2", C3="> 2000")
    assert batch.operations == (
        SetPoints("age > 41", 5),
        ChangeRule("debt > 1000", "debt > 2000", None),
        SetPoints("base", 0),
        SetCutoff(4),
    )
    assert changed(CARD, A8=None, D8="cook", E8=2).operations == (AddRule("job = cook", None, 2),)


@pytest.mark.parametrize("kind", [networks, scorecards, number_cards])
@settings(max_examples=20, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much])
@given(data=st.data())
def test_the_edits_of_a_changed_table_lead_to_what_it_says(kind, data):
    """Two networks of the same columns: the table of the second is taken by the first."""
    from conceptrules.export.tables.rows import compare_tables, make_table

    first = data.draw(kind(odd=data.draw(BOOLEANS), flat=True))
    assume(all(column.kind == "number" or not column.ordered for column in first.columns))  # moments may print alike
    order = data.draw(st.permutations(range(len(first.levels[0].rules))))
    rules = [Rule(tuple(Literal(each.index, not each.negated) for each in rule.literals)) if index % 2 else rule
             for index, rule in zip(order, first.levels[0].rules, strict=True)]  # fmt: skip
    second = replace(first, levels=(Level(rules, first.levels[0].concepts),))
    made = make_table(second)
    table = replace(made, rows=tuple(replace(row, places=("A1",) * len(row.cells)) for row in made.rows))
    try:
        batch = compare_tables(first, table)
        after = normalise(batch.apply(normalise(first)))
        outcome = compare(second, "xlsx", export(after, "xlsx"), limit=40)
    except InputError as error:  # odd networks ask for categories that their columns do not list
        assume(not re.search("has no category|is above", str(error)))
        raise
    assert make_table(after).base == table.base
    assert not outcome.mismatches, str(outcome.mismatches[0])


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"E2": "yess"}, "E2: 'yess' is no class; did you mean yes?"),
        ({"E2": None}, "E2: there is no class; there are yes, no"),
        ({"C2": "nurze"}, "C2: column 'job' has no category 'nurze'; did you mean nurse?"),
        ({"B2": "=1+1"}, "B2: this is a formula, which is not read; write its value"),
        ({"B2": "41"}, "B2: column 'age': '41' is no test of a number; write for example > 27"),
        ({"B2": "> old"}, "B2: column 'age': expected a number, found 'old'"),
        ({"B2": "> 5 and"}, "B2: column 'age': "),
        ({"B2": "> 50 and <= 40"}, "age"),
        ({"A2": "first"}, "A2: 'first' is no number of a rule; leave it empty for a new rule"),
        ({"A2": "R1.9"}, "the network has no rule R1.9"),
        ({"B1": "agee"}, "B1: 'agee' is no column of the model; did you mean age?"),
        ({"C1": "age"}, "C1: there are two columns 'age'"),
        ({"E1": None}, "row 1 of the sheet Rules has no cell 'class' any more; put it back"),
        ({"K9": "note"}, "K9: 'note' has no header in row 1"),
        ({"B4": "> 3"}, "B4: the row 'otherwise' asks nothing; empty this cell"),
        ({"A4": "R1.1"}, "no row 'otherwise' any more"),
        ({"A5": "otherwise", "E5": "no"}, "A5: there are two rows 'otherwise'"),
        ({"F2": "first"}, "F2: 'first' is no number"),
        ({"F3": 1}, "the classes yes and no both have the priority 1"),
        ({"A5": None, "B5": "> 41", "C5": "nurse", "E5": "yes", "F5": 3}, "F5: yes has the priority 1 above"),
        ({"A5": None, "B5": "> 41", "C5": "nurse", "E5": "yes"}, "row 5 says the same as row 2; leave one of them out"),
    ],
)  # fmt: skip
def test_a_wrong_cell_is_named(cells, message):
    with pytest.raises(InputError) as error:
        changed(NETWORK, **cells)
    assert message in str(error.value)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        ({"E2": None}, "E2: there are no points; write a number"),
        ({"E2": 2.5}, "E2: points are whole numbers, and 2.5 is not one; take 2 or 3"),
        ({"E2": "many"}, "E2: 'many' is no number"),
        ({"E7": 1.5}, "E7: the cut-off is a whole number, not 1.5"),
        ({"A6": None}, "no row 'base' any more"),
    ],
)
def test_wrong_points_are_named(cells, message):
    with pytest.raises(InputError) as error:
        changed(CARD, **cells)
    assert message in str(error.value)


def test_dates_that_excel_made_merged_cells_and_other_sheets():
    import datetime as dt

    with pytest.raises(
        InputError, match="B2: Excel made the datetime 2021-03-05 00:00:00 of this cell; format it as Text"
    ):
        changed(NETWORK, B2=dt.datetime(2021, 3, 5))
    book, sheet = opened(NETWORK)
    sheet.merge_cells("B2:B3")
    with pytest.raises(InputError, match="B2: the cells B2:B3 are merged; split them"):
        read(NETWORK, book)
    book, sheet = opened(NETWORK)
    sheet.title = "Sheet1"
    with pytest.raises(
        InputError, match="the workbook has no sheet 'Rules', it has 'Sheet1', 'How to edit', 'Columns'"
    ):
        read(NETWORK, book)


def test_the_file_of_another_model_and_broken_files(tmp_path):
    book, _ = opened(NETWORK)
    with pytest.raises(InputError, match="the workbook was written from another network"):
        read(replace(NETWORK, default="yes"), book)
    whole, broken = export(NETWORK, "xlsx"), tmp_path / "rules.xlsx"
    for content in (b"", b"name,age\n", whole[:-100], whole[: len(whole) // 2], b"PK\3\4" + bytes(100)):
        broken.write_bytes(content)
        with pytest.raises(
            InputError, match=r"rules.xlsx is not an Excel workbook that can be read .*; save it as .xlsx"
        ):
            read_xlsx(broken, NETWORK)
    with zipfile.ZipFile(broken, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", bytes(200_000_001))
    with pytest.raises(InputError, match="has 200,000,001 bytes when unpacked"):
        read_xlsx(broken, NETWORK)
    with pytest.raises(FileNotFoundError):
        read_xlsx(tmp_path / "none.xlsx", NETWORK)


def test_networks_that_a_table_cannot_say():
    level = Level([Rule([Literal(0)])], [Concept([0])])
    with pytest.raises(
        InputError, match=r"a decision table has rules of one level, and this network has 2, with .* C1.1"
    ):
        export(replace(NETWORK, levels=(level, level), classes=("yes",), priority=(), default="yes"), "xlsx")
    with pytest.raises(InputError, match="two classes would both read 1 in a spreadsheet"):
        export(replace(NETWORK, classes=(1, "1"), priority=(), default=1), "xlsx")
    long = RuleNetwork([Column("c", "category", ("x" * 33_000,))], [Equals("c", "x" * 33_000)],
                       [Level([Rule([Literal(0)])], [Concept([0])])], ["a"])  # fmt: skip
    with pytest.raises(
        InputError, match="cell B2 of the sheet Rules needs 33,000 characters, and an Excel cell holds 32,767"
    ):
        export(long, "xlsx")


def test_a_business_person_may_write_more_freely():
    date = Column("start", "date")
    level = Level([Rule([Literal(0), Literal(1)])], [Concept([0]), Concept()])
    network = RuleNetwork(
        [Column("age"), date, Column("ok", "boolean")], [Interval("age", 1), Missing("start")], [level], ["a", "b"]
    )
    book, sheet = opened(network)
    sheet["B2"], sheet["C2"] = ">=18  and  <65", "> 2021-03-05 and NOT Missing"
    sheet["H1"], sheet["H2"] = "ok", True
    (operation,) = read(network, book).operations
    words = "17.999999999999996 < age <= 64.99999999999999 and start > 2021-03-05 and not (start is missing)"
    assert operation.to == f"{words} and ok = True"
