"""A network as SQL: a SELECT that adds the class to the columns of a table, a view of it, or a model of dbt.

sqlglot writes it, from one of two trees: `GuardedQuery` reads each column as Python does, whatever its type, and takes
many lines for that; `TrustingQuery` is for readers, and takes the types of the table for granted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from sqlglot import exp

from conceptrules.export.inputs import inputs
from conceptrules.export.sql.columns import derived_columns, table_columns, typed_inputs
from conceptrules.export.sql.guarded import GuardedQuery
from conceptrules.export.sql.literals import (
    check_labels,
)
from conceptrules.export.sql.names import (
    answer_columns,
    check_added,
    check_written,
    column_names,
    make_query_names,
    split_name,
    table_expression,
)
from conceptrules.export.sql.readings import ASKED, DIALECTS
from conceptrules.export.sql.reasons import COLUMNS, DECIDING, make_decision_reasons, make_reason_columns
from conceptrules.export.sql.trusting import TRUSTING_DIALECTS, TrustingQuery
from conceptrules.export.wording import comment, header, rule_lines
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import refuse_texts
from conceptrules.model.errors import InputError
from conceptrules.model.heads import require_classes
from conceptrules.model.network import RuleNetwork
from conceptrules.model.text import word
from conceptrules.tables.prediction import probability_names, score_names
from conceptrules.tables.table import nearest


def sql(
    network: RuleNetwork,
    *,
    dialect: str = "duckdb",
    table: str | Sequence[str] = "data",
    view: str | Sequence[str] | None = None,
    reasons: bool = False,
    probabilities: bool = False,
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    prefix: str = "",
    types: Mapping[str, str] | None = None,
    trust_types: bool = False,
) -> str:
    """Return a SELECT of the columns of the network and of its answer, `prediction`; of a scorecard, also its `score`.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    dialect : str, default="duckdb"
        The database: duckdb, sqlite, postgres, mysql, bigquery, snowflake, spark or tsql.
    table : str or sequence of str, default="data"
        The table to ask. Names with dots (`schema.table`) have parts; a sequence gives the parts themselves.
    view : str or sequence of str, optional
        With a name, the query is a CREATE VIEW of that name.
    reasons : bool, default=False
        Whether to add the fired rules: "1.2 1.5 2.1" in the column `rules`. Of a network of one level, also the rule
        that decided, `decided_by`, and the `nearest` that would have decided otherwise; of a scorecard with one score,
        the codes of the columns that cost the row most points against its answer, from `reason_1` to `reason_4`.
    probabilities : bool, default=False
        Whether to add a column for each class: `probability_bad`, and so on. Where databases could not tell the names
        apart, or could not have them, the classes have numbers instead: `probability_1`.
    columns : mapping from str to str, optional
        What the table calls a column, where that is not what the network calls it.
    keep : sequence of str, default=()
        Further columns of the table to give back.
    prefix : str, default=""
        What goes before the names of the added columns.
    types : mapping from str to str, optional
        What the table holds in a column where its kind does not say it: {"smoker": "boolean"} where the network has
        the numbers 1 and 0. Only BigQuery and Snowflake need it.
    trust_types : bool, default=False
        Whether to take the types of the columns for granted: one short CASE with the rules, over the columns in use,
        without the guards that read each type as Python does. It also knows clickhouse and oracle.

    Returns
    -------
    str
        One SQL statement.

    Raises
    ------
    InputError
        If the extra `sql` is not installed, there is no such dialect, or a name or label cannot be written in it.
    """
    if probabilities:
        require_classes(network, "the option probabilities")
    shares = answer_columns(probability_names(network), prefix, dialect) if probabilities else []
    scores = answer_columns(score_names(network), prefix, dialect) if network.head else []
    if trust_types:
        if reasons or types:
            raise InputError("trust_types takes types for granted and gives no reasons; leave reasons and types out")
        if dialect not in TRUSTING_DIALECTS:
            raise InputError(f"there is no dialect {dialect!r}; {nearest(dialect, TRUSTING_DIALECTS)}")
        table_names = column_names(network, columns or {})
        shown = dict.fromkeys([*(table_names[used.column.name] for used in inputs(network)), *keep])
        check_added(["prediction", *scores, *shares], prefix, shown, dialect)
        kept = [exp.column(name, quoted=True) for name in shown]
        asked = network.asked_derived
        refuse_texts(asked if dialect not in ("duckdb", "postgres") else (), f"the short form of the SQL of {dialect}")
        tree: exp.Expr = TrustingQuery(network, table_names, dialect).select(
            kept, split_name(table), prefix, scores, shares
        )
        notes = [f"SQL of {dialect}. It trusts the types of the columns, and that missing values are NULL."]
        notes += _explain_columns(network, scores, shares)
    else:
        if dialect not in DIALECTS:
            raise InputError(f"there is no dialect {dialect!r}; there are {', '.join(DIALECTS)}")
        own_reasons = COLUMNS if reasons and make_reason_columns(network, str, "") else ()
        deciding = DECIDING if reasons and make_decision_reasons(network, str, dialect) else ()
        added = ["prediction", *(["rules", *deciding] if reasons else []), *scores, *own_reasons, *shares]
        names = make_query_names(network, dialect, table, columns or {}, keep, prefix, added)
        read_columns = table_columns(typed_inputs(network, types), names, dialect)
        check_labels(network, dialect)
        derived = derived_columns(network, names)
        if dialect not in ASKED:
            refuse_texts([each.input.column for each in derived], f"the SQL of {dialect}")
        tree = GuardedQuery(network, read_columns, derived, names, dialect).select(reasons, probabilities)
        notes = [f"SQL of {dialect}. Nothing but the value of the column counts: NULL and NaN are missing."]
        if reasons and network.head is None and not deciding:
            notes += ["Which rule decided is written for networks of one level; of several, ask network.reasons."]
        notes += [*_explain_columns(network, scores, shares), *rule_lines(network)]
    if view is not None:
        tree = exp.Create(this=table_expression(split_name(view)), kind="VIEW", expression=tree)
    text = tree.sql(dialect=dialect, pretty=True)
    check_written(tree, text, dialect)
    return "".join(f"-- {comment(line)}\n" for line in [*header(network), *notes]) + text + ";\n"


def _explain_columns(network: RuleNetwork, scores: Sequence[str], shares: Sequence[str]) -> Iterator[str]:
    """Yield which class each column of scores or probabilities is of."""
    for names in (scores if len(scores) > 1 else (), shares):
        meanings = (f"{name} is of {word(label)}" for name, label in zip(names, network.classes, strict=False))
        if names:
            yield f"{', '.join(meanings)}."


def dbt(
    network: RuleNetwork,
    *,
    dialect: str = "duckdb",
    table: str = "data",
    columns: Mapping[str, str] | None = None,
    keep: Sequence[str] = (),
    prefix: str = "",
    probabilities: bool = False,
) -> str:
    """Return a model file of dbt: the trusting query over `ref(table)`.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    dialect : str, default="duckdb"
        The database that dbt runs on.
    table : str, default="data"
        The model that dbt is to take the rows from.
    columns : mapping from str to str, optional
        What that model calls a column, where that is not what the network calls it.
    keep : sequence of str, default=()
        Further columns to give back.
    prefix : str, default=""
        What goes before the names of the added columns.
    probabilities : bool, default=False
        Whether to add a column for each class: `probability_bad`, and so on.

    Returns
    -------
    str
        The content of a .sql file in the folder `models`.
    """
    if not table.isidentifier():
        raise InputError(f"{table!r} cannot be the name of a model of dbt; use letters, digits and _")
    rows = f"rows_of_{content_hash(network)[-16:]}"  # a name that nothing in the network has
    text = sql(
        network,
        dialect=dialect,
        table=rows,
        probabilities=probabilities,
        columns=columns,
        keep=keep,
        prefix=prefix,
        trust_types=True,
    )
    body = text.replace("{{", "{{ '{{' }}").replace("{%", "{{ '{%' }}").replace("{#", "{{ '{#' }}")
    body = body.replace("\r", "{{ '\\r' }}")  # Jinja, and whoever reads a file of text, turns it into \n
    quoted = table_expression([rows]).sql(dialect)
    model = body.removesuffix(";\n").replace(quoted, f"{{{{ ref('{table}') }}}}")
    return f"{{{{ config(materialized='view') }}}}\n\n{model}\n"
