"""The words of every export: the names of rules and concepts, the header, and text that is safe in a comment.

Nodes count from 1, as in the text of a network: the rule R1.3 is "1.3" among the fired rules of every export.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from conceptrules.model.card import card_sentences, list_points
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import Relation
from conceptrules.model.network import Literal, RuleNetwork
from conceptrules.model.predicate import Kind, printable
from conceptrules.model.text import concept_name, given_name, literal_text, rule_text, word
from conceptrules.model.trail import head_of
from conceptrules.model.values import NOUNS

_ENDS = re.compile(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=<)(?=[/!?A-Za-z])|(?<=\]\])(?=>)|(?<=\?)(?=\?)")


def rule_id(level: int, index: int) -> str:
    """Return the name of a rule or concept; arguments count from 0, and the name counts from 1."""
    return f"{level + 1}.{index + 1}"


def rule_ids(network: RuleNetwork) -> list[str]:
    """Return the names of all rules, level by level."""
    return [rule_id(number, index) for number, level in enumerate(network.levels) for index in range(len(level.rules))]


def concept_ids(network: RuleNetwork) -> list[str]:
    """Return the names of all concepts, level by level; those of the last level are the classes."""
    return [rule_id(n, index) for n, level in enumerate(network.levels) for index in range(len(level.concepts))]


def concept_title(network: RuleNetwork, level: int, index: int) -> str:
    """Return C1.2, or the class that the concept is."""
    if level < len(network.levels) - 1:
        return concept_name(level, index)
    return f"class {word(network.classes[index])}"


def predicate_words(network: RuleNetwork, index: int) -> str:
    """Return a predicate in words."""
    return literal_text(network, 0, Literal(index))


def header(network: RuleNetwork) -> list[str]:
    """Return the first lines of an export, to be put into comments."""
    from conceptrules import __version__

    return [
        f"Made by conceptrules {__version__} from the network {content_hash(network)}.",
        *([f"It was edited; the last entry of its trail is {head_of(network)}."] if network.trail else []),
        "Change the network and export again, rather than this text.",
        *_list_types(network),
        *_reading(network),
    ]


def _list_types(network: RuleNetwork) -> list[str]:
    """Return what the columns hold that rules compare with numbers: text that was read as such has to be read first."""
    used = {predicate.column for predicate in network.predicates}
    relations = (each.derivation for each in network.columns if each.name in used)
    used |= {name for relation in relations if isinstance(relation, Relation) for name in relation.columns}
    names: dict[Kind, list[str]] = {}
    for column in network.own_columns:
        if column.ordered and column.name in used:
            names.setdefault(column.kind, []).append(word(column.name))
    listed = [f"{NOUNS[kind]} in {', '.join(columns)}" for kind, columns in names.items()]
    return [f"It expects {'; '.join(listed)}: not text that is written so."] if listed else []


def _reading(network: RuleNetwork) -> list[str]:
    """Return how rules become an answer."""
    if network.head is not None:
        return list(card_sentences(network))
    return [
        f"Classes, the first that fires wins: {', '.join(map(word, network.priority))}.",
        f"If none fires: {word(network.default)}.",
    ]


def rule_lines(network: RuleNetwork) -> Iterator[str]:
    """Yield every rule and every concept in words."""
    for number, level in enumerate(network.levels):
        for index in range(len(level.rules)):
            words = rule_text(network, number, index)
            title = given_name(network, words)
            points = f": {list_points(network, index)}" if network.head and number + 1 == len(network.levels) else ""
            yield f"R{rule_id(number, index)}{f' ({title})' if title else ''}: {words}{points}"
        for index, concept in enumerate(level.concepts):
            rules = " or ".join(f"R{rule_id(number, rule)}" for rule in concept.rules) or "never"
            yield f"{concept_title(network, number, index)}: {rules}"


def comment(text: str) -> str:
    """Return one line that is safe in the comments of any language, whatever the names in it.

    Nothing ends the line (`printable` escapes line ends and all control characters), a block comment, a script or a
    CDATA section, and nothing is a trigraph: a blank goes in between.

    >>> comment("a */ b ]]> c </script> d ??/")
    'a * / b ]] > c < /script> d ? ?/'
    """
    return _ENDS.sub(" ", printable(text))
