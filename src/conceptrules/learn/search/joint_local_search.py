"""Networks that vote, improved as the one network that they are.

Each of them has learned to decide alone. Where the others say the same, much of that is not needed: rules get shorter
or go, and others change to what the vote still gets wrong. About half of the edges are left.
"""

from __future__ import annotations

from conceptrules.learn.search.local_search import improve_rules
from conceptrules.learn.search.mutable_network import MutableNetwork
from conceptrules.learn.search.objective import Terms, repeat


def improve_jointly(net: MutableNetwork, terms: Terms) -> None:
    """All rules, those that count the votes too, until a sweep adds next to nothing.

    None are added: on rows held out of adult and magic04, networks with new rules were no better.
    """

    def sweep() -> None:
        for depth in range(1, len(net.layers), 2):
            for concept in range(len(net.layers[depth])):
                improve_rules(net, depth, concept, terms)
        if terms.priority:
            net.improve_priority()

    repeat(net, terms, sweep)
