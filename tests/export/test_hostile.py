"""Names stay data in every export. Shown by running them."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest
from markdown_it import MarkdownIt

from conceptrules.export import export
from conceptrules.export.sql.readings import DIALECTS
from conceptrules.export.verify.comparison import compare
from conceptrules.export.wording import comment
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError
from conceptrules.model.text import word
from tests.export.hostile import HOSTILE, hostile_network
from tests.export.test_laws import ENGINES, need

# A name that no database can have gets another one; text with NUL is no label in PostgreSQL.
RENAMED = {"nul\0nul": "without nul"}


def sql_case(dialect):
    """A network and options for SQL: as hostile as the dialect can take."""
    names = tuple(name for name in HOSTILE if dialect != "postgres" or "\0" not in name)
    if dialect not in ("postgres", "snowflake"):
        names = tuple(name for name in names if name != "É")  # is é there
    renamed = {name: other for name, other in RENAMED.items() if name in names}
    if dialect == "spark":
        renamed |= {name: f"plain {place}" for place, name in enumerate(names) if "${" in name}
    if dialect == "bigquery":  # a dot makes two names there
        renamed |= {name: f"plain {place}" for place, name in enumerate(names) if "." in name}
    return hostile_network(names), {"dialect": dialect, "columns": renamed, "table": ('t"; DROP TABLE t; --`]',)}


@pytest.mark.parametrize("engine", ENGINES)
def test_hostile_names_decide_as_in_the_network(engine):
    to, options = ENGINES[engine]
    need(to, **options)
    network, options = sql_case(options["dialect"]) if to == "sql" else (hostile_network(), options)
    outcome = compare(network, to, export(network, to, **options), limit=1_000, **options)
    assert outcome.mismatches == ()
    assert outcome.rows > 400


@pytest.mark.parametrize("dialect", DIALECTS)
def test_hostile_names_are_one_statement_in_every_dialect(dialect):
    import sqlglot
    from sqlglot import exp

    network, options = sql_case(dialect)
    text = export(network, "sql", reasons=True, view="v`]\"'", **options)
    (statement,) = sqlglot.parse(text, dialect=dialect)
    assert isinstance(statement, exp.Create)
    assert not list(statement.find_all(exp.Drop))
    named = {node.name for node in statement.find_all(exp.Identifier)}
    assert {options["columns"].get(column.name, column.name) for column in network.columns} <= named


def test_a_script_of_sql_leaves_other_tables_alone():
    network, options = sql_case("sqlite")
    names = [options["columns"].get(column.name, column.name) for column in network.columns]
    quoted = ", ".join('"' + name.replace('"', '""') + '"' for name in names)
    with closing(sqlite3.connect(":memory:")) as connection:
        connection.execute("CREATE TABLE t (x)")
        connection.execute(f'CREATE TABLE "t""; DROP TABLE t; --`]" ({quoted})')
        connection.executescript(export(network, "sql", view="v", **options))
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master")}
    assert tables == {"t", 't"; DROP TABLE t; --`]', "v"}


@pytest.mark.parametrize("to", ["javascript", "python", "c"])
def test_code_is_ascii_outside_of_comments_and_ends_no_page(to):
    text = export(hostile_network(), to)
    mark = {"javascript": "//", "python": "#", "c": "/*"}[to]
    assert all(line.partition(mark)[0].isascii() for line in text.splitlines())
    if to == "javascript":
        assert not any(end in text.lower() for end in ("</script", "]]>", "<!--"))
    assert not set(text) & {"\0", "\r", "\x1b", "\u2028", "\u202e", "\x85"}


@pytest.mark.parametrize("to", ["javascript", "python", "c", "markdown", "latex", "sql"])
def test_every_export_carries_the_hash(to):
    network, options = sql_case("duckdb")
    options = options if to == "sql" else {}
    assert content_hash(network) in export(network, to, **options)


def test_comments_hold_nothing_that_ends_them():
    for name in HOSTILE:
        line = comment(f"{name}*/{name}")
        assert not any(end in line for end in ("*/", "/*", "\n", "??", "]]>", "</"))


def test_markdown_shows_names_as_they_are():
    page = MarkdownIt("commonmark").enable("table")
    tokens = [token for token in page.parse(export(hostile_network(), "markdown")) if token.type == "inline"]
    kinds = {child.type for token in tokens for child in token.children}
    assert kinds <= {"text", "text_special", "strong_open", "strong_close", "code_inline"}
    texts = ["".join(child.content for child in token.children) for token in tokens]
    for name in HOSTILE:
        assert any(" ".join(word(name).split()) in " ".join(text.split()) for text in texts), name


@pytest.mark.parametrize("name", ["nul\0nul", "", "half \udc80"])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_a_name_that_sql_cannot_have_is_refused_with_the_fix(name, dialect):
    network = hostile_network((name, "other"))
    with pytest.raises(InputError, match=r"cannot be a name in the SQL of .*columns="):
        export(network, "sql", dialect=dialect)


def test_a_label_that_postgres_cannot_hold_is_refused():
    network = hostile_network(("a", "nul\0nul"))
    with pytest.raises(InputError, match=r"class 'nul\\x00nul' holds a character that text in postgres cannot"):
        export(network, "sql", dialect="postgres", columns=RENAMED)


def test_names_that_a_database_takes_for_one_are_refused():
    network = hostile_network(("age", "Age"))
    with pytest.raises(InputError, match="'age' and 'Age' are one name in duckdb"):
        export(network, "sql")
    assert "Age" in export(network, "sql", dialect="postgres")
    network = hostile_network(("x" * 70, "x" * 71))
    with pytest.raises(InputError, match="are one name in postgres"):
        export(network, "sql", dialect="postgres")
