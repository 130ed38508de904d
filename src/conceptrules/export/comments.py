"""The comments of every export: its header, its rules in words, and text that is safe in a comment."""

from __future__ import annotations

import re
from collections.abc import Iterator

from conceptrules.export.node_names import concept_title, rule_id
from conceptrules.model.content_hash import content_hash
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import shown
from conceptrules.model.text import given_name, rule_text, word
from conceptrules.model.trail import head_of

_ENDS = re.compile(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=<)(?=[/!?A-Za-z])|(?<=\]\])(?=>)|(?<=\?)(?=\?)")


def header(network: RuleNetwork) -> list[str]:
    """Return the first lines of an export, to be put into comments."""
    from conceptrules import __version__

    return [
        f"Made by conceptrules {__version__} from the network {content_hash(network)}.",
        *([f"It was edited; the last entry of its trail is {head_of(network)}."] if network.trail else []),
        "Change the network and export again, rather than this text.",
        f"Classes, the first that fires wins: {', '.join(map(word, network.priority))}.",
        f"If none fires: {word(network.default)}.",
    ]


def rule_lines(network: RuleNetwork) -> Iterator[str]:
    """Yield every rule and every concept in words."""
    for number, level in enumerate(network.levels):
        for index in range(len(level.rules)):
            words = rule_text(network, number, index)
            called = given_name(network, words)
            yield f"R{rule_id(number, index)}{f' ({called})' if called else ''}: {words}"
        for index, concept in enumerate(level.concepts):
            rules = " or ".join(f"R{rule_id(number, rule)}" for rule in concept.rules) or "never"
            yield f"{concept_title(network, number, index)}: {rules}"


def comment(text: str) -> str:
    """Return one line that is safe in the comments of any language, whatever the names in it.

    Nothing ends the line (`shown` escapes line ends and all control characters), a block comment, a script or a CDATA
    section, and nothing is a trigraph: a blank goes in between.

    >>> comment("a */ b ]]> c </script> d ??/")
    'a * / b ]] > c < /script> d ? ?/'
    """
    return _ENDS.sub(" ", shown(text))
