"""From JSON to what is known of a network besides its rules: how it was learned, its policy, proof, names and trail."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import fields as fields_of
from functools import partial
from typing import Any, TypeVar

from conceptrules.io.json_readers import (
    At,
    count,
    fields,
    flag,
    index,
    infinite,
    items,
    mapping,
    number,
    one_value,
    optional,
    share,
    text,
    values,
    wrong,
)
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Policy
from conceptrules.model.policy.plain import from_plain
from conceptrules.model.provenance import Case, ProofRecord, Setting, Training, Validation, VerdictRecord
from conceptrules.model.reason_codes import ReasonCode, read_reason_codes
from conceptrules.model.trail import TrailEntry

T = TypeVar("T")

_KEYS = (
    "version", "seed", "settings", "rows", "rate", "epoch", "validation", "stability", "fingerprint", "distinct",
    "categories_dropped",
)  # fmt: skip
_ENTRY, _VERDICT = ([field.name for field in fields_of(kind)] for kind in (TrailEntry, VerdictRecord))
_OUTCOMES = ("proved", "refuted", "undecided")
_HASHES = re.compile(r"(?:[0-9a-f]{16})*")


def read_training(value: object, at: At) -> Training:
    """Read how a network was learned."""
    known = value if isinstance(value, dict) else {}
    penalised, judged, mixed = (key in known for key in ("price", "errors", "augmented"))
    optional_keys = [key for key in ("price", "errors", "augmented") if key in known]
    version, seed, settings, rows, rate, epoch, validation, stability, fingerprint, distinct, dropped, *more = fields(
        value, at, (*_KEYS, *optional_keys)
    )
    return Training(
        version=text(version, (*at, "version")),
        seed=optional(index, seed, (*at, "seed")),
        settings=_pairs(_setting, settings, (*at, "settings")),
        rows=index(rows, (*at, "rows")),
        rate=optional(count, rate, (*at, "rate")),
        epoch=optional(index, epoch, (*at, "epoch")),
        validation=optional(_validation, validation, (*at, "validation")),
        stability=items(partial(items, share), stability, (*at, "stability")),
        fingerprint=_fingerprint(fingerprint, (*at, "fingerprint")),
        distinct=index(distinct, (*at, "distinct")),
        categories_dropped=_pairs(index, dropped, (*at, "categories_dropped")),
        edge_penalty=count(more[0], (*at, "price")) if penalised else None,
        errors=_errors(more[int(penalised)], (*at, "errors")) if judged else (),
        augmented=mixed and flag(more[-1], (*at, "augmented")),
    )


def _errors(value: object, at: At) -> tuple[tuple[float, ...], ...]:
    errors = items(partial(items, number), value, at)
    if not errors or not errors[0] or any(len(each) != len(errors[0]) or list(each) != sorted(each) for each in errors):
        wrong(value, at, "lists of as many numbers, ascending")
    return errors


def _validation(value: object, at: At) -> Validation:
    from_mllp = isinstance(value, dict) and "mllp_f1" in value
    keys = ("source", "rows", "macro_f1", "fires", "reliability", *(("mllp_f1", "disagreement") if from_mllp else ()))
    source, rows, macro_f1, fires, reliability, *mllp = fields(value, at, keys)
    return Validation(
        source=text(source, (*at, "source")),
        rows=count(rows, (*at, "rows")),
        macro_f1=share(macro_f1, (*at, "macro_f1")),
        mllp_f1=share(mllp[0], (*at, "mllp_f1")) if from_mllp else None,
        disagreement=share(mllp[1], (*at, "disagreement")) if from_mllp else None,
        fires=_read_three((share, share, share), fires, (*at, "fires")),
        reliability=items(partial(_read_three, (share, share, count)), reliability, (*at, "reliability")),
    )


def _read_three(readers: Sequence[Callable[[object, At], float]], value: object, at: At) -> tuple[float, float, float]:
    if not isinstance(value, list) or len(value) != 3:
        wrong(value, at, "a list of three numbers")
    first, second, third = (
        read(item, (*at, number)) for number, (read, item) in enumerate(zip(readers, value, strict=True))
    )
    return first, second, third


def _setting(value: object, at: At) -> Setting:
    if value is None:
        return None
    return values(value, at) if isinstance(value, list) else one_value(value, at)


def _pairs(read: Callable[[object, At], T], value: object, at: At) -> tuple[tuple[str, T], ...]:
    return tuple((key, read(item, (*at, key))) for key, item in mapping(value, at).items())


def _fingerprint(value: object, at: At) -> tuple[int, ...]:
    digits = text(value, at)
    if not _HASHES.fullmatch(digits):
        wrong(value, at, "hashes of 16 hexadecimal digits, one after the other")
    return tuple(int(digits[start : start + 16], 16) for start in range(0, len(digits), 16))


def read_policy(value: object, at: At) -> Policy:
    """Read a policy."""
    try:
        return from_plain(infinite(mapping(value, at)))
    except InputError as error:
        raise InputError(f"policy: {error}") from None


def read_names(value: object, at: At) -> tuple[tuple[str, str], ...]:
    """Read what people call rules and concepts."""
    return _pairs(text, value, at)


def read_codes(value: object, at: At) -> tuple[ReasonCode, ...]:
    """Read the codes and texts of columns where they are reasons."""
    try:
        return read_reason_codes(mapping(value, at))
    except InputError as error:
        raise InputError(f"reason_codes: {error}") from None


def read_cases(value: object, at: At) -> tuple[Case, ...]:
    """Read test cases."""
    return items(_case, value, at)


def _case(value: object, at: At) -> Case:
    row, answer, note = fields(value, at, ("row", "answer", "note"))
    cells = _pairs(partial(optional, one_value), row, (*at, "row"))
    return Case(cells, one_value(answer, (*at, "answer")), text(note, (*at, "note")))


def read_proof(value: object, at: At) -> ProofRecord:
    """Read the verdicts on a policy."""
    network, verdicts = fields(value, at, ("hash", "verdicts"))
    return ProofRecord(text(network, (*at, "hash")), items(_verdict, verdicts, (*at, "verdicts")))


def read_trail(value: object, at: At) -> tuple[TrailEntry, ...]:
    """Read the entries of a trail. Whether they fit together is another question: see `model.trail.broken`."""
    return items(_entry, value, at)


def _verdict(value: object, at: At) -> VerdictRecord:
    name, said, outcome, reason = (
        text(part, (*at, key)) for key, part in zip(_VERDICT, fields(value, at, _VERDICT), strict=True)
    )
    if outcome not in _OUTCOMES:
        wrong(outcome, (*at, "outcome"), " or ".join(_OUTCOMES))
    return VerdictRecord(name, said, outcome, reason)


def _entry(value: object, at: At) -> TrailEntry:
    parts = dict(zip(_ENTRY, fields(value, at, _ENTRY), strict=True))
    readers: dict[str, Callable[[object, At], Any]] = dict.fromkeys(("edit", "undo", "effect"), mapping)
    return TrailEntry(**{key: readers.get(key, text)(part, (*at, key)) for key, part in parts.items()})
