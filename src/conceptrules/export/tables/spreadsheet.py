"""A network as an Excel workbook that a business person edits, and the edits that such a workbook makes."""

from __future__ import annotations

import json
import math
import re
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from io import BytesIO
from os import PathLike
from pathlib import Path
from typing import IO, Any

from conceptrules.edit.operations import Batch
from conceptrules.edit.points import read_points
from conceptrules.export.tables.rows import RuleTable, TableRow, compare_tables, make_table
from conceptrules.model.card import output_names
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError, shortened
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, Value, printable
from conceptrules.model.rule_reader import nearest_name, read_rule_number
from conceptrules.model.text import category_word, column_word, word
from conceptrules.model.values import NOUNS, label_text

RULES, GUIDE, COLUMNS = "Rules", "How to edit", "Columns"
NUMBER, CLASS, PRIORITY, POINTS, NAME, FIGURES = "rule", "class", "priority", "points", "name", "training rows"
OTHERWISE, BASE, CUTOFF = "otherwise", "base", "cut-off"
_LONGEST, _MOST_COLUMNS, _MOST_ROWS = 32_767, 16_384, 1_048_576  # what Excel can hold
_LARGEST = 200_000_000  # bytes of an unpacked workbook: far more than any table of rules
_ESCAPE = re.compile(r"_x([0-9a-fA-F]{4})_")  # Excel takes _x0041_ in a file for the letter A
_TEXT = "@"


def xlsx(network: RuleNetwork) -> bytes:
    """Return the network as an Excel workbook: a row for each rule, a column for each column that rules ask about.

    Rows of the class that wins first come first; the last row is for everything else. Of a scorecard, points stand
    where the class would, and the last rows have the base and the cut-off. Two more sheets say how to write cells, and
    what the columns hold.
    """
    from openpyxl import Workbook
    from openpyxl.styles import Font, PatternFill
    from openpyxl.worksheet.datavalidation import DataValidation

    book = Workbook()
    sheet = book.active
    sheet.title = RULES
    table, lines = make_table(network), list(_list_guide(network))
    for number, line in enumerate(_list_rows(network, table), start=1):
        _write_line(sheet, number, line)
    for cell in sheet[1]:
        cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor="DDE7F0")
        sheet.column_dimensions[cell.column_letter].width = max(12, min(40, 2 + len(str(cell.value))))
        sheet.column_dimensions[cell.column_letter].number_format = _TEXT
    sheet.freeze_panes = "B2"
    columns = [[column_word(each), NOUNS[each.kind], _list_known(each)] for each in network.own_columns]
    for title, content in ((GUIDE, lines), (COLUMNS, [["column", "it holds", "categories"], *columns])):
        other = book.create_sheet(title)
        for number, line in enumerate(content, start=1):
            _write_line(other, number, line)
        other.column_dimensions["A"].width, other.column_dimensions["B"].width = 28, 90
    if network.head is None:
        first = next(number for number, line in enumerate(lines, start=1) if line[0] == "classes") + 1
        listed = DataValidation("list", formula1=f"'{GUIDE}'!$A${first}:$A${first + len(network.classes) - 1}")
        header = next(cell for cell in sheet[1] if cell.value == CLASS)
        listed.add(f"{header.column_letter}2:{header.column_letter}{max(1000, 2 * len(table.rows))}")
        sheet.add_data_validation(listed)
    file = BytesIO()
    book.save(file)
    return file.getvalue()


def _list_rows(network: RuleNetwork, table: RuleTable) -> Iterator[list[Any]]:
    """Yield the lines of the sheet of rules, the header first."""
    asked = {name for row in table.rows for name, _ in row.cells}
    columns = [column for column in network.columns if column.name in asked]
    answers = [CLASS, PRIORITY] if network.head is None else _point_headers(network)
    yield [NUMBER, *map(_header, columns), *answers, NAME, FIGURES]
    texts, blank = _class_texts(network), [None] * len(columns)
    for row in table.rows:
        cells = dict(row.cells)
        given: list[Any] = list(row.amounts)
        if row.label is not None:
            given = [texts[row.label], 1 + network.priority.index(row.label)]
        yield [row.number, *(cells.get(column.name) for column in columns), *given, row.name, row.figures]
    if table.default is not None:
        yield [OTHERWISE, *blank, texts[table.default]]
    if table.base:
        yield [BASE, *blank, *table.base]
    if table.cutoff is not None:
        yield [CUTOFF, *blank, table.cutoff]


def _header(column: Column) -> str:
    text = column_word(column)
    own = text in (NUMBER, CLASS, PRIORITY, POINTS, NAME, FIGURES) or text.startswith(f"{POINTS} for ")
    return json.dumps(text) if own else text


def _point_headers(network: RuleNetwork) -> list[str]:
    names = output_names(network)
    return [POINTS] if len(names) == 1 else [f"{POINTS} for {name}" for name in names]


def _class_texts(network: RuleNetwork) -> dict[Value, str]:
    """Return what a cell says for each class."""
    texts = {}
    for name in network.classes:
        text = label_text(name)
        texts[name] = text if text.isprintable() and text.strip() == text and text[:1] not in ("", '"') else word(text)
    if len(set(texts.values())) < len(texts):
        repeated = next(text for text in texts.values() if list(texts.values()).count(text) > 1)
        raise InputError(f"two classes would both read {repeated} in a spreadsheet; train with the classes as text")
    return texts


def _list_known(column: Column) -> str:
    return ", ".join(category_word(column, value) for value in column.categories)


def _list_guide(network: RuleNetwork) -> Iterator[list[str]]:
    """Yield how to write cells, and which network this is."""
    yield ["network", content_hash(network)]
    yield ["what to do", f"Change the sheet {RULES}, save the file, and let conceptrules show what that changes:"]
    yield ["", "conceptrules edit model.json table rules.xlsx --data rows.csv (nothing is written without -o new.json)"]
    yield ["a row", "is a rule: it holds where all its cells hold. An empty cell asks nothing."]
    yield ["a new rule", f"is a new row with the cell {NUMBER!r} empty. To drop a rule, delete its row."]
    yield ["a new column", f"is the name of a column from the sheet {COLUMNS} in row 1."]
    yield ["numbers and dates", "> 27      <= 41      > 27 and <= 41      not (> 27)      > 2021-03-05"]
    yield ["categories", "nurse      nurse, cook      not nurse      not nurse, cook"]
    yield ["", 'Quotes go around a category with a comma, or like a word of ours: "a, b"      "missing"']
    yield ["missing values", "missing      not missing. A cell with not also holds where the value is missing."]
    if network.head is None:
        yield [PRIORITY, "Where rules of several classes hold, the class with the smallest number is the answer."]
        yield [OTHERWISE, "The class of this row is the answer where no rule holds."]
    else:
        yield [POINTS, f"The points of all rules that hold are added to those of the row {BASE}."]
    if network.head is not None and network.head.probabilities:
        names = output_names(network)[0]
        yield [CUTOFF, f"The answer is {names} from this score on."]
    yield ["formulas", "are not read, nor are merged cells."]
    yield [FIGURES, "What a rule covers and how often it is right; this column is not read."]
    if network.classes:
        yield ["classes"]
        yield from ([text] for text in _class_texts(network).values())


def _write_line(sheet: Any, number: int, line: Sequence[Any]) -> None:
    if number > _MOST_ROWS or len(line) > _MOST_COLUMNS:
        raise InputError(f"an Excel sheet holds {_MOST_ROWS:,} rows and {_MOST_COLUMNS:,} columns, and this needs more")
    for place, value in enumerate(line, start=1):
        if value in (None, ""):
            continue
        cell = sheet.cell(number, place)
        if not isinstance(value, str):
            cell.value = value
            continue
        text = _ESCAPE.sub(lambda match: f"_x005F{match[0]}", printable(value))
        if len(text) > _LONGEST:
            raise InputError(
                f"cell {cell.coordinate} of the sheet {sheet.title} needs {len(text):,} characters, and an Excel cell "
                f"holds {_LONGEST:,}; it begins with {shortened(text, 60)}"
            )
        cell.value = text
        cell.data_type, cell.number_format, cell.quotePrefix = "s", _TEXT, True  # =cmd is text, and so is 007


# From a workbook to edits


def read_xlsx(file: str | PathLike[str] | IO[bytes], network: RuleNetwork) -> Batch:
    """Return the edits that a workbook makes of the network that it was written from.

    Parameters
    ----------
    file : path or binary file
        The workbook, as `network.export("xlsx")` wrote it and a person changed it.
    network : RuleNetwork
        The network that it was written from.

    Returns
    -------
    Batch
        The edits as one, for `network.edit`; without any where nothing was changed. `print(batch.text)` shows them.

    Raises
    ------
    InputError
        If the file is no such workbook, or was written from another network, or a cell cannot be read: the message
        begins with the cell.
    """
    book = _open_workbook(file)
    if RULES not in book.sheetnames:
        raise InputError(f"the workbook has no sheet {RULES!r}, it has {', '.join(map(repr, book.sheetnames))}")
    guide = book[GUIDE].iter_rows(max_row=1, max_col=2, values_only=True) if GUIDE in book.sheetnames else ()
    for label, written in guide:
        if label == "network" and written != content_hash(network):
            raise InputError(
                f"the workbook was written from another network ({shortened(str(written), 20)}) than this one "
                f"({content_hash(network)[:20]}); export this one, and make the changes there"
            )
    return compare_tables(network, read_table(book[RULES], network))


def _open_workbook(file: str | PathLike[str] | IO[bytes]) -> Any:
    try:
        from openpyxl import load_workbook
    except ImportError:
        raise InputError("to read xlsx takes the package openpyxl: pip install 'conceptrules[excel]'") from None
    name = str(file) if isinstance(file, str | PathLike) else "the file"
    try:
        content = Path(file).read_bytes() if isinstance(file, str | PathLike) else file.read()
        with zipfile.ZipFile(BytesIO(content)) as archive:
            size = sum(part.file_size for part in archive.infolist())
        if size > _LARGEST:
            raise InputError(f"{name} has {size:,} bytes when unpacked; a table of rules has at most {_LARGEST:,}")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # openpyxl warns of what it leaves out, such as pictures
            return load_workbook(BytesIO(content))
    except (InputError, OSError):
        raise
    except Exception as error:  # openpyxl raises whatever the broken part leads to
        reason = shortened(f"{type(error).__name__}: {printable(error)}", 100)
        raise InputError(f"{name} is not an Excel workbook that can be read ({reason}); save it as .xlsx") from None


def read_table(sheet: Any, network: RuleNetwork) -> RuleTable:
    """Return the decision table of a sheet; the first cell that cannot be read is an error."""
    merged = sorted(map(str, sheet.merged_cells.ranges))
    if merged:
        raise InputError(f"{merged[0].partition(':')[0]}: the cells {merged[0]} are merged; split them")
    grid = [[(cell.coordinate, _cell_text(cell)) for cell in line] for line in sheet.iter_rows()]
    columns, own = _read_headers(grid[0] if grid else [], network)
    rules: list[TableRow] = []
    ranks: dict[Value, int] = {}
    single: dict[str, Any] = {}
    for number, line in enumerate(grid[1:], start=2):
        for place, (coordinate, text) in enumerate(line):
            if text and place not in (*columns.values(), *own.values()):
                raise InputError(
                    f"{coordinate}: {shortened(text, 60)!r} has no header in row 1; write one, or empty it"
                )
        cells = {header: line[place] for header, place in own.items()}
        asked = [(name, *line[place]) for name, place in columns.items() if line[place][1]]
        if not asked and not any(text for header, (_, text) in cells.items() if header != FIGURES):
            continue
        coordinate, kind = cells[NUMBER]
        if kind.lower() in (OTHERWISE, BASE, CUTOFF):
            if asked:
                raise InputError(f"{asked[0][1]}: the row {kind!r} asks nothing; empty this cell")
            if kind.lower() in single:
                raise InputError(f"{coordinate}: there are two rows {kind!r}; leave one of them out")
            single[kind.lower()] = _read_answer(network, cells, kind.lower())
            continue
        if kind and read_rule_number(kind, network) is None:
            raise InputError(f"{coordinate}: {kind!r} is no number of a rule; leave it empty for a new rule")
        answer, (_, called) = _read_answer(network, cells, kind), cells.get(NAME, ("", ""))
        label, amounts = (answer, ()) if network.head is None else (None, answer)
        if label is not None:
            _read_rank(ranks, label, *cells[PRIORITY])
        texts, places = tuple((name, text) for name, _, text in asked), tuple(place for _, place, _ in asked)
        rules.append(TableRow(kind, texts, label, amounts, called, place=number, places=places))
    return _collect_table(network, rules, ranks, single)


def _collect_table(
    network: RuleNetwork, rules: Sequence[TableRow], ranks: dict[Value, int], single: dict[str, Any]
) -> RuleTable:
    """Return a table from what was read; `single` has the rows that are there once."""
    needed = [OTHERWISE] if network.head is None else [BASE, CUTOFF] if network.head.probabilities else [BASE]
    for kind in needed:
        if kind not in single:
            raise InputError(f"the sheet {RULES} has no row {kind!r} any more; put it back below the rules")
    if network.head is not None:
        return RuleTable(tuple(rules), base=single[BASE], cutoff=single.get(CUTOFF))
    places = {name: ranks.get(name, place) for place, name in enumerate(network.priority, start=1)}
    present = [name for name in network.priority if name in {row.label for row in rules}]
    for name in present:
        same = [other for other in present if places[other] == places[name]]
        if len(same) > 1:
            raise InputError(f"the classes {word(same[0])} and {word(same[1])} both have the priority {places[name]}")
    return RuleTable(tuple(rules), tuple(sorted(present, key=places.__getitem__)), single[OTHERWISE])


def _cell_text(cell: Any) -> str:
    """Return what a cell says as text; formulas, errors and what Excel made a date of are refused."""
    value = cell.value
    if value is None:
        return ""
    if cell.data_type == "f":
        raise InputError(f"{cell.coordinate}: this is a formula, which is not read; write its value")
    if cell.data_type == "e":
        raise InputError(f"{cell.coordinate}: this is the error {value}; write a value")
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    if not isinstance(value, str | int | float):
        raise InputError(
            f"{cell.coordinate}: Excel made the {type(value).__name__} {value} of this cell; format it as Text, and "
            "write for example > 2021-03-05"
        )
    return _ESCAPE.sub(lambda match: chr(int(match[1], 16)), str(value)).strip()


def _read_headers(line: Sequence[tuple[str, str]], network: RuleNetwork) -> tuple[dict[str, int], dict[str, int]]:
    """Return where the columns of the network stand, in its order, and where our own columns do."""
    answers = [CLASS, PRIORITY] if network.head is None else _point_headers(network)
    known = {_header(column): column.name for column in network.columns if column.kind != "text"}
    places: dict[str, int] = {}
    for place, (coordinate, text) in enumerate(line):
        if text in places:
            raise InputError(f"{coordinate}: there are two columns {text!r}; leave one of them out")
        if text and text not in (NUMBER, *answers, NAME, FIGURES, *known):
            raise InputError(f"{coordinate}: {text!r} is no column of the model; {nearest_name(text, list(known))}")
        if text:
            places[text] = place
    for text in (NUMBER, *answers):
        if text not in places:
            raise InputError(f"row 1 of the sheet {RULES} has no cell {text!r} any more; put it back")
    columns = {name: places[text] for text, name in known.items() if text in places}
    return columns, {text: place for text, place in places.items() if text not in known}


def _read_answer(network: RuleNetwork, cells: dict[str, tuple[str, str]], kind: str) -> Any:
    """Return what stands at the right of a row: a class, a cut-off, or points."""
    if network.head is None:
        coordinate, text = cells[CLASS]
        known = {text: name for name, text in _class_texts(network).items()}
        if text not in known:
            listed = nearest_name(text, list(known))
            raise InputError(f"{coordinate}: {f'{text!r} is no class' if text else 'there is no class'}; {listed}")
        return known[text]
    points = [cells[header] for header in _point_headers(network)]
    if not any(text for _, text in points):
        raise InputError(f"{points[0][0]}: there are no points; write a number")
    amounts = tuple(_read_number(*each) for each in points)
    if kind == CUTOFF:
        if not isinstance(amounts[0], int):
            raise InputError(f"{points[0][0]}: the cut-off is a whole number, not {amounts[0]}")
        return amounts[0]
    try:
        read_points(network, amounts)
    except InputError as error:
        raise InputError(f"{points[0][0]}: {error}") from None
    return amounts


def _read_number(coordinate: str, text: str) -> float:
    try:
        number = float(text.replace("\N{MINUS SIGN}", "-") or 0)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise InputError(f"{coordinate}: {text!r} is no number")
    return int(number) if number.is_integer() else number


def _read_rank(ranks: dict[Value, int], name: Value, coordinate: str, text: str) -> None:
    if not text:
        return
    rank = _read_number(coordinate, text)
    if not isinstance(rank, int):
        raise InputError(f"{coordinate}: a priority is a whole number, not {text}")
    if ranks.setdefault(name, rank) != rank:
        raise InputError(f"{coordinate}: {word(name)} has the priority {ranks[name]} above; a class has one priority")
