"""The trail of a network: who changed it, when, why and how, in entries that each carry the hash of the one before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from conceptrules.model.content_hash import content_hash
from conceptrules.model.reason_codes import plain_reason_codes

if TYPE_CHECKING:
    from conceptrules.model.network import RuleNetwork

Plain = Mapping[str, Any]
SIGNATURE = "sign"
"""The kind of entries that are no edits: somebody signed the network."""
START = ""
"""What stands for the entry before the first one."""


@dataclass(frozen=True, slots=True)
class TrailEntry:
    """One edit of a network. Everything in it is plain values, as JSON has them."""

    who: str
    """Who made the edit."""
    when: str
    """The time, in UTC."""
    why: str
    """The reason."""
    edit: Plain
    """What was asked for: its `kind`, and its parts."""
    undo: Plain
    """What takes it back: rules to drop and to add, and what stood there before."""
    effect: Plain
    """What it did: on how many of which rows, and whether every row still gets the same class."""
    before: str
    """The state of the network before."""
    after: str
    """The state of the network after."""
    previous: str
    """The hash of the entry before."""
    hash: str = ""
    """The hash of all of the above."""


def seal(entry: TrailEntry) -> TrailEntry:
    """Return the entry with its hash."""
    fields = {**asdict(entry), "hash": ""}
    return TrailEntry(**{**fields, "hash": _hashed(fields)})


def state_of(network: RuleNetwork) -> str:
    """Return a hash of all that edits can change: what decides, the policy, and any names, cases and reason codes."""
    from conceptrules.model.policy.plain import to_plain

    policy = None if network.policy is None else to_plain(network.policy)
    said: dict[str, Any] = {"names": sorted(network.names)} if network.names else {}
    if network.cases:
        said["cases"] = [case.plain() for case in network.cases]
    if network.reason_codes:
        said["reason_codes"] = plain_reason_codes(network.reason_codes)
    return _hashed({"network": content_hash(network), "policy": policy, **said})


def head_of(network: RuleNetwork) -> str | None:
    """Return the hash of the last entry; None for a network that was never edited."""
    return network.trail[-1].hash if network.trail else None


def file_hash(network: RuleNetwork) -> str:
    """Return the hash of a model file: of what decides, and of the last entry of the trail if there is one.

    So a trail cannot be taken out, or lose its end, without a word.
    """
    own, head = content_hash(network), head_of(network)
    return own if head is None else _hashed({"network": own, "trail": head})


def list_signatures(network: RuleNetwork) -> list[TrailEntry]:
    """Return the signatures of a network as it is: those since its last edit."""
    state, signatures = state_of(network), list[TrailEntry]()
    for entry in reversed(network.trail):
        if entry.edit.get("kind") != SIGNATURE or entry.after != state:
            break
        signatures.insert(0, entry)
    return signatures


def signature_text(entry: TrailEntry) -> str:
    """Return who signed, and as what."""
    return f"{entry.who} ({entry.edit.get('role')})"


def find_break(trail: Sequence[TrailEntry]) -> str | None:
    """Return what is wrong with a trail: an entry whose hash does not fit it, or that does not follow the one before.

    None if every entry is as it was written.
    """
    previous, state = START, None
    for number, entry in enumerate(trail, start=1):
        if seal(entry).hash != entry.hash:
            return f"entry {number} was changed after it was written: it does not give its hash"
        if entry.previous != previous:
            return f"entry {number} does not follow the one before it: an entry was taken out, put in or moved"
        if state is not None and entry.before != state:
            return f"entry {number} begins with another network than entry {number - 1} ended with"
        previous, state = entry.hash, entry.after
    return None


def find_tampering(network: RuleNetwork) -> str | None:
    """Return what is not as it was written, of the trail or of the network since; None if everything is."""
    problem = find_break(network.trail)
    if problem is None and network.trail and network.trail[-1].after != state_of(network):
        problem = "the model is not the one that the last entry ended with: it was changed since"
    return problem


def _hashed(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode('ascii')).hexdigest()}"
