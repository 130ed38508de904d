"""The trail of a network: who changed it, when, why and how, in entries that each carry the hash of the one before."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from conceptrules.model.content_hash import content_hash

if TYPE_CHECKING:
    from conceptrules.model.network import RuleNetwork

Plain = Mapping[str, Any]
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
    """Return a hash of all that edits can change: what decides, the policy, and names where there are some."""
    from conceptrules.model.policy.plain import to_plain

    policy = None if network.policy is None else to_plain(network.policy)
    names = {"names": sorted(network.names)} if network.names else {}
    return _hashed({"network": content_hash(network), "policy": policy, **names})


def head_of(network: RuleNetwork) -> str | None:
    """Return the hash of the last entry; None for a network that was never edited."""
    return network.trail[-1].hash if network.trail else None


def file_hash(network: RuleNetwork) -> str:
    """Return the hash of a model file: of what decides, and of the last entry of the trail if there is one.

    So a trail cannot be taken out, or lose its end, without a word.
    """
    own, head = content_hash(network), head_of(network)
    return own if head is None else _hashed({"network": own, "trail": head})


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


def _hashed(content: object) -> str:
    text = json.dumps(content, sort_keys=True, separators=(",", ":"))
    return f"sha256:{hashlib.sha256(text.encode('ascii')).hexdigest()}"
