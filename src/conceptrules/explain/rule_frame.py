"""The rules of a network as records, and as a table of pandas, polars or pyarrow."""

from __future__ import annotations

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any, cast

import narwhals as nw

from conceptrules.model.errors import InputError
from conceptrules.model.network import RuleNetwork
from conceptrules.model.precision import wilson_interval
from conceptrules.model.predicate import Value
from conceptrules.model.statistics import rule_size
from conceptrules.model.text import concept_name, decided_rows, rule_text

Record = dict[str, Value | None]
BACKENDS = ("pandas", "polars", "pyarrow")


def rule_records(network: RuleNetwork) -> list[Record]:
    """Return a record for each rule of each class, by priority, and of each concept below.

    The keys are `for` (the class or concept), `rule` (its name), `text`, `level`, `size` (its edges), `covers`,
    `precision` with the ends `precision_low` and `precision_high` of its 95 % Wilson interval, the same of
    `decided_precision` after `decides`, and `stability`. Figures are of training rows; what was not counted is None.
    """
    return [_record(network, *place) for place in _places(network)]


def rule_frame(network: RuleNetwork, backend: str | None = None) -> Any:
    """Return the `rule_records` as a table; by default of the first of pandas, polars and pyarrow that is installed."""
    if backend is None:
        backend = next(name for name in BACKENDS if find_spec(name))
    if backend not in BACKENDS:
        raise InputError(f"backend is {backend!r}; it can be {', '.join(BACKENDS)}")
    if find_spec(backend) is None:
        raise InputError(f"{backend} is not installed; run: pip install {backend}")
    records = rule_records(network)
    types = {key: _TYPES.get(key, nw.String()) for key in _KEYS}
    values = {key: [_cell(key, record[key]) for record in records] for key in _KEYS}
    return nw.from_dict(values, types, backend=cast(Any, backend)).to_native()


_SHARES = ("precision", "precision_low", "precision_high")
_FIGURES = ("covers", *_SHARES, "decides", *(f"decided_{name}" for name in _SHARES), "stability")
_KEYS = ("for", "rule", "text", "level", "size", *_FIGURES)
_TYPES: dict[str, nw.dtypes.DType] = {
    "level": nw.Int64(),
    "size": nw.Int64(),
    **{key: nw.Float64() for key in _FIGURES},
}


def _cell(key: str, value: Value | None) -> Value | None:
    """Return a value of the type of its column: classes are text, since they may be of several types."""
    return str(value) if key == "for" else value


def _places(network: RuleNetwork) -> Iterator[tuple[int, int, int, Value]]:
    """Yield the level, the number of the concept, the rule, and the name of the concept."""
    last = len(network.levels) - 1
    for kind in network.priority_indices:
        yield from ((last, kind, rule, network.classes[kind]) for rule in network.levels[last].concepts[kind].rules)
    for level in reversed(range(last)):
        for index, concept in enumerate(network.levels[level].concepts):
            yield from ((level, index, rule, concept_name(level, index)) for rule in concept.rules)


def _record(network: RuleNetwork, level: int, concept: int, rule: int, name: Value) -> Record:
    covered = network.statistics.covered[level][rule] if network.statistics else None
    top = level == len(network.levels) - 1
    decided = decided_rows(network, concept, rule) if top else None
    stability = network.training.stability if network.training else ()
    return {
        "for": name,
        "rule": f"R{level + 1}.{rule + 1}",
        "text": rule_text(network, level, rule),
        "level": level + 1,
        "size": rule_size(network, level, rule),
        "covers": None if covered is None else float(sum(covered)),
        **dict(zip(_SHARES, _shares(covered if top else None, concept), strict=True)),
        "decides": None if decided is None else float(sum(decided)),
        **{f"decided_{name}": share for name, share in zip(_SHARES, _shares(decided, concept), strict=True)},
        "stability": stability[level][rule] if stability else None,
    }


def _shares(rows: tuple[float, ...] | None, kind: int) -> tuple[float | None, ...]:
    """Return the share of a class and the ends of its interval."""
    ends = wilson_interval(rows[kind], sum(rows)) if rows else None
    return (rows[kind] / sum(rows), *ends) if rows and ends else (None, None, None)
