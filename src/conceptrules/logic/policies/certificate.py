"""The certificate of a proof: the cells of the columns, and the trees of splits that settle every claim.

`conceptrules.check` reads it, and shares no code with what wrote it.
"""

from __future__ import annotations

import hashlib
import json
import math
from collections.abc import Mapping
from typing import Any

from conceptrules.io.encode import dumps
from conceptrules.logic.policies.possible_rows import Cells, network_space
from conceptrules.logic.policies.proof import Proof
from conceptrules.logic.policies.splitting import Tree
from conceptrules.model.network import RuleNetwork
from conceptrules.model.policy import Policy
from conceptrules.model.predicate import Value

FORMAT = "conceptrules certificate"
DECIDING = ("classes", "priority", "default", "columns", "predicates", "levels")


def certificate(network: RuleNetwork, policy: Policy, proof: Proof, source: Mapping[str, Any]) -> str:
    """Return the certificate of a proof as JSON; `source` is the policy as its TOML file says it.

    It names the model by a hash of what decides, and the policy by one of all its keys.
    """
    model = json.loads(dumps(network))
    space = network_space(network, policy)
    content = {
        "format": FORMAT,
        "version": 1,
        "model": hashed({key: model[key] for key in DECIDING}),
        "policy": hashed(source),
        "cells": {name: _cells(cells) for name, cells in space.items()},
        "clauses": {name: [_tree(tree) for tree in trees] for name, trees in proof.trees},
    }
    return json.dumps(content, ensure_ascii=True) + "\n"


def hashed(content: object) -> str:
    """Return the SHA-256 of plain values, whatever the order of their keys."""
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=str)
    return hashlib.sha256(text.encode("ascii")).hexdigest()


def _cells(cells: Cells) -> dict[str, list[Any]]:
    return {"cuts": list(cells.cuts)} if cells.column.ordered else {"values": [_value(one) for one in cells.listed]}


def _value(value: Value) -> Any:
    return {"infinity": value > 0} if isinstance(value, float) and math.isinf(value) else value


def _tree(tree: Tree) -> list[Any] | None:
    if tree is None:
        return None
    name, cells, inside, outside = tree
    members = [cell for cell in range(cells.bit_length()) if cells >> cell & 1]
    return [name, members, _tree(inside), _tree(outside)]
