"""From JSON to how a network was learned."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TypeVar

from conceptrules.io.json_readers import At, count, counts, fields, flag, index, items, one_value, text, values, wrong
from conceptrules.model.provenance import Setting, Training, Validation

T = TypeVar("T")

_KEYS = (
    "version", "seed", "settings", "rows", "rate", "epoch", "validation", "stability", "fingerprint", "distinct",
    "categories_dropped",
)  # fmt: skip
_HASHES = re.compile(r"(?:[0-9a-f]{16})*")


def training(value: object, at: At) -> Training:
    """Read how a network was learned."""
    known = value if isinstance(value, dict) else {}
    penalised, mixed = "price" in known, "augmented" in known
    version, seed, settings, rows, rate, epoch, validation, stability, fingerprint, distinct, dropped, *more = fields(
        value, at, (*_KEYS, *(("price",) if penalised else ()), *(("augmented",) if mixed else ()))
    )
    return Training(
        version=text(version, (*at, "version")),
        seed=None if seed is None else index(seed, (*at, "seed")),
        settings=_pairs(_setting, settings, (*at, "settings")),
        rows=index(rows, (*at, "rows")),
        rate=None if rate is None else count(rate, (*at, "rate")),
        epoch=None if epoch is None else index(epoch, (*at, "epoch")),
        validation=None if validation is None else _validation(validation, (*at, "validation")),
        stability=items(counts, stability, (*at, "stability")),
        fingerprint=_fingerprint(fingerprint, (*at, "fingerprint")),
        distinct=index(distinct, (*at, "distinct")),
        categories_dropped=_pairs(index, dropped, (*at, "categories_dropped")),
        edge_penalty=count(more[0], (*at, "price")) if penalised else None,
        augmented=mixed and flag(more[-1], (*at, "augmented")),
    )


def _validation(value: object, at: At) -> Validation:
    from_mllp = isinstance(value, dict) and "mllp_f1" in value
    keys = ("source", "rows", "macro_f1", "fires", "reliability", *(("mllp_f1", "disagreement") if from_mllp else ()))
    source, rows, macro_f1, fires, reliability, *mllp = fields(value, at, keys)
    return Validation(
        source=text(source, (*at, "source")),
        rows=count(rows, (*at, "rows")),
        macro_f1=count(macro_f1, (*at, "macro_f1")),
        mllp_f1=count(mllp[0], (*at, "mllp_f1")) if from_mllp else None,
        disagreement=count(mllp[1], (*at, "disagreement")) if from_mllp else None,
        fires=_three(fires, (*at, "fires")),
        reliability=items(_three, reliability, (*at, "reliability")),
    )


def _three(value: object, at: At) -> tuple[float, float, float]:
    found = counts(value, at)
    if len(found) != 3:
        wrong(value, at, "a list of three numbers")
    return found[0], found[1], found[2]


def _setting(value: object, at: At) -> Setting:
    if value is None:
        return None
    return values(value, at) if isinstance(value, list) else one_value(value, at)


def _pairs(read: Callable[[object, At], T], value: object, at: At) -> tuple[tuple[str, T], ...]:
    """Read an object whose keys are free."""
    if not isinstance(value, dict):
        wrong(value, at, "an object")
    return tuple((key, read(item, (*at, key))) for key, item in value.items())


def _fingerprint(value: object, at: At) -> tuple[int, ...]:
    digits = text(value, at)
    if not _HASHES.fullmatch(digits):
        wrong(value, at, "hashes of 16 hexadecimal digits, one after the other")
    return tuple(int(digits[start : start + 16], 16) for start in range(0, len(digits), 16))
