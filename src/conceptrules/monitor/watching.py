"""`RuleNetwork.monitor`: tables, batches and dask DataFrames, with groups and periods, to the value."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from operator import add
from typing import Any, get_args
from typing import Literal as Choice

import numpy as np
from narwhals.dependencies import is_dask_dataframe
from numpy.typing import NDArray

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.predicate import printable
from conceptrules.model.values import is_missing, label_text
from conceptrules.monitor.comparison import compare_counts
from conceptrules.monitor.monitoring import Monitoring
from conceptrules.monitor.tally import Counts, Tally, check_parts, count_parts, index_targets
from conceptrules.tables.table import open_table, take_named_columns

Every = Choice["day", "week", "month", "year"]
"""How long the periods of dates are."""
_UNITS = {"day": "D", "week": "W", "month": "M", "year": "Y"}


def monitor(
    network: RuleNetwork,
    table: Any,
    labels: Any = None,
    *,
    reference: Any = None,
    groups: Any = None,
    time: Any = None,
    every: Every = "month",
    policy: Policy | None = None,
) -> Monitoring:
    """Return what became of a network on new rows: the function behind `RuleNetwork.monitor`, which explains it."""
    rules = network.policy if policy is None else policy
    counts = count_table(network, table, labels, groups, time, every)
    tally = None if reference is None else _tally_reference(network, reference)
    return compare_counts(network, tally, counts, rules.triggers if rules else ())


def count_table(
    network: RuleNetwork, table: Any, labels: Any = None, groups: Any = None, time: Any = None, every: Every = "month"
) -> Counts:
    """Return the counts of a table; a dask DataFrame is counted a partition at a time."""
    if every not in get_args(Every):
        raise InputError(f"every is {every!r}; it can be {', '.join(get_args(Every))}")
    if is_dask_dataframe(table):
        series = [each for each in (labels, groups, time) if each is not None and not isinstance(each, str)]
        if series:
            raise InputError("labels, groups and time of a dask DataFrame are the names of its columns; give a name")
        parts = (part.compute() for part in table.partitions)
        counts = [count_batch(network, part, labels, groups, time, every) for part in parts if len(part)]
    else:
        counts = [count_batch(network, table, labels, groups, time, every)]
    return check_counts(reduce(add, counts, Counts()))


def count_batch(network: RuleNetwork, table: Any, labels: Any, groups: Any, time: Any, every: Every) -> Counts:
    """Return the counts of some rows; labels, groups and time are values, or the names of columns."""
    rest, y, members, moments = take_named_columns(table, labels, groups, time)
    known = {column.name for column in network.own_columns}
    shared = any(isinstance(name, str) and name in known for name in (groups, time))  # a column of the network, too
    opened = open_table(table if shared else rest)
    targets = None if y is None else index_targets(network, y, opened.rows)
    names = None if members is None else name_groups(members, opened.rows)
    periods = None if moments is None else name_periods(moments, every, opened.rows)
    return count_parts(network, opened, targets, names, periods)


def check_counts(counts: Counts) -> Counts:
    """Return the counts; raise where there are no rows, or too many groups or periods to look at."""
    if not counts.total.rows:
        raise InputError("the table has no rows, so there is nothing to monitor; check where the new rows come from")
    check_parts("groups", counts.groups)
    check_parts("periods", counts.periods)
    return counts


def _tally_reference(network: RuleNetwork, reference: Any) -> Tally:
    """Return the tally of a table, or of a table and its labels."""
    table, labels = reference if isinstance(reference, tuple) and len(reference) == 2 else (reference, None)
    return count_table(network, table, labels).total


def _list_values(values: Any, rows: int, what: str) -> list[Any]:
    unpack = next((getattr(values, name) for name in ("to_pylist", "to_list", "tolist") if hasattr(values, name)), None)
    listed = list(values) if unpack is None else unpack()
    if len(listed) != rows:
        raise InputError(f"the table has {rows} rows, but there are {len(listed)} values of {what}; give one for each")
    return listed


def name_groups(values: Iterable[Any], rows: int) -> Sequence[str]:
    """Return the name of the group of each row."""
    listed = _list_values(values, rows, "groups")
    return ["(missing)" if is_missing(value) else printable(label_text(value)) for value in listed]


def name_periods(values: Any, every: Every, rows: int) -> Sequence[str]:
    """Return the period of each row: of dates, the month and so on; of numbers and text, the value itself."""
    listed = _list_values(values, rows, "time")
    gaps = [row for row, value in enumerate(listed) if is_missing(value)]
    if gaps:
        raise InputError(f"{len(gaps):,} rows have no time, the first is row {gaps[0]}; fill it in or leave them out")
    if listed and isinstance(listed[0], str):
        try:
            moments: NDArray[Any] = np.array(listed, "M8[us]")
        except ValueError:
            return [printable(value) for value in map(str, listed)]
    else:
        array = values.to_numpy() if hasattr(values, "to_numpy") else np.array(listed)
        dated = array.dtype.kind == "M" or (listed and hasattr(listed[0], "year"))
        if not dated:
            return [label_text(value) for value in listed]
        moments = array if array.dtype.kind == "M" else np.array(listed, "M8[us]")
    return [str(period) for period in moments.astype(f"M8[{_UNITS[every]}]")]
