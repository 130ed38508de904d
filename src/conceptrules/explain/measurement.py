"""A network with the figures of rows whose classes are known: what its rules cover and decide there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.statistics import with_statistics
from conceptrules.model.values import label_text
from conceptrules.tables.table import open_table, read_packed_bits


def measure(network: RuleNetwork, table: Any, labels: Iterable[object]) -> RuleNetwork:
    """Return the network with statistics of these rows, instead of those that it has.

    Parameters
    ----------
    network : RuleNetwork
        The network, perhaps edited by hand.
    table : table
        The rows: a pandas, polars or pyarrow table, a 2-D array, or rows as lists or dictionaries.
    labels : iterable of class labels
        The class of each row. They are compared as they are written: 1.0 is 1. Rows of classes that the network does
        not know are left out.

    Returns
    -------
    RuleNetwork
        The same rules, with what they cover and decide on these rows.

    Raises
    ------
    InputError
        If there is not one label for each row, or no row is of a class of the network.

    Examples
    --------
    >>> from conceptrules.model import Column, Concept, Interval, Level, Literal, Rule
    >>> level = Level([Rule([Literal(0)])], [Concept([0]), Concept()])
    >>> network = RuleNetwork([Column("age")], [Interval("age", 41)], [level], ["old", "young"], default="young")
    >>> measure(network, [{"age": 50}, {"age": 45}, {"age": 20}], ["old", "young", "young"]).statistics.covered
    (((1.0, 1.0),),)
    """
    opened = open_table(table)
    texts = [label_text(label) for label in (labels.tolist() if hasattr(labels, "tolist") else labels)]
    if len(texts) != opened.rows:
        raise InputError(f"the table has {opened.rows} rows, but there are {len(texts)} labels; give one for each row")
    index = {label_text(name): number for number, name in enumerate(network.classes)}
    known = np.array([place for place, text in enumerate(texts) if text in index], dtype=np.intp)
    if not len(known):
        raise InputError("no row is of a class of the network, so there is nothing to count; check the labels")
    words = read_packed_bits(network.columns, network.predicates, opened.take(known), network.used_predicates)
    return with_statistics(network, words, np.array([index[texts[place]] for place in known], dtype=np.intp))
