"""Names, policy, proofs and trail of a network in the model file, where there are any."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from conceptrules.io.json_readers import At, fields, items, text, wrong
from conceptrules.model.errors import InputError
from conceptrules.model.policy import Policy
from conceptrules.model.policy.plain import from_plain, to_plain
from conceptrules.model.provenance import ProofRecord, VerdictRecord
from conceptrules.model.trail import Entry

ENTRY = ("who", "when", "why", "edit", "undo", "effect", "before", "after", "previous", "hash")
VERDICT = ("name", "text", "outcome", "reason")
OUTCOMES = ("proved", "refuted", "undecided")


def policy_fields(policy: Policy) -> dict[str, Any]:
    """Return a policy as values of JSON."""
    found: dict[str, Any] = finite(to_plain(policy))
    return found


def read_policy(value: object, at: At) -> Policy:
    """Read a policy."""
    if not isinstance(value, dict):
        wrong(value, at, "an object")
    try:
        return from_plain(infinite(value))
    except InputError as error:
        raise InputError(f"policy: {error}") from None


def read_names(value: object, at: At) -> tuple[tuple[str, str], ...]:
    """Read what people call rules and concepts."""
    return tuple((node, text(name, (*at, node))) for node, name in _object(value, at).items())


def read_proof(value: object, at: At) -> ProofRecord:
    """Read the verdicts on a policy."""
    found, verdicts = fields(value, at, ("hash", "verdicts"))
    return ProofRecord(text(found, (*at, "hash")), items(_verdict, verdicts, (*at, "verdicts")))


def read_trail(value: object, at: At) -> tuple[Entry, ...]:
    """Read the entries of a trail. Whether they fit together is another question: see `model.trail.broken`."""
    return items(_entry, value, at)


def _verdict(value: object, at: At) -> VerdictRecord:
    found = [text(one, (*at, key)) for key, one in zip(VERDICT, fields(value, at, VERDICT), strict=True)]
    if found[2] not in OUTCOMES:
        wrong(found[2], (*at, "outcome"), " or ".join(OUTCOMES))
    return VerdictRecord(*found)


def _entry(value: object, at: At) -> Entry:
    found = dict(zip(ENTRY, fields(value, at, ENTRY), strict=True))
    readers: dict[str, Callable[[object, At], Any]] = dict.fromkeys(("edit", "undo", "effect"), _object)
    return Entry(**{key: readers.get(key, text)(one, (*at, key)) for key, one in found.items()})


def _object(value: object, at: At) -> dict[str, Any]:
    return value if isinstance(value, dict) else wrong(value, at, "an object")


def finite(value: Any) -> Any:
    """Return plain values with infinities as objects, since JSON has none."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return {"infinity": value > 0} if isinstance(value, float) and math.isinf(value) else value


def infinite(value: Any) -> Any:
    """Return plain values with the objects that stand for infinities as numbers again."""
    if isinstance(value, dict):
        if set(value) == {"infinity"} and isinstance(value["infinity"], bool):
            return math.inf if value["infinity"] else -math.inf
        return {key: infinite(item) for key, item in value.items()}
    return [infinite(item) for item in value] if isinstance(value, list) else value
