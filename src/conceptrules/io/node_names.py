"""What the model file calls predicates and concepts, so that a rule can be read where it stands."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Sequence

from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Column, OneOf, Predicate, Value
from conceptrules.model.text import concept_name, predicate_text

# What the text puts in quotes, but told by ASCII alone: which other characters are blanks, digits or printable depends
# on the version of Python, and a file has to be the same for all.
_OURS = re.compile(
    r'(^|\s)(and|or|not|is|always|[=<>]|!=|<=)(\s|$)|, |^[CR]\d+\.\d+\b|^\(|\)$|^\s|\s$|  |"|^$', re.ASCII
)


_SET = re.compile(r"(^|\s)in \{")


def predicate_names(columns: Sequence[Column], predicates: Sequence[Predicate]) -> list[str]:
    """Return the text of each predicate; of those that read alike (1 and "1"), the second gets `, 2` and so on.

    No text ends like this by itself: what has a comma and a blank in it is in quotes. These names are part of the
    model file: where they change, its version has to.
    """
    kinds = {column.name: column for column in columns}
    seen = Counter[str]()
    names = []
    for predicate in predicates:
        quoted = _word_beside_sets if isinstance(predicate, OneOf) else _word
        text = predicate_text(predicate, kinds[predicate.column], quoted)
        seen[text] += 1
        names.append(text if seen[text] == 1 else f"{text}, {seen[text]}")
    return names


def _word(value: object) -> str:
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if _OURS.search(text) else text


def _word_beside_sets(value: object) -> str:
    """Return a value of a set as text; other predicates stood in files before there were sets, and keep their text."""
    text = str(value)
    return json.dumps(text, ensure_ascii=False) if _SET.search(text) else _word(text)


def concept_names(network: RuleNetwork, level: int) -> list[Value]:
    """Return the names C1.1, C1.2, ... of the concepts of a level; on the last level, the classes."""
    if level == len(network.levels) - 1:
        return list(network.classes)
    return [concept_name(level, index) for index in range(len(network.levels[level].concepts))]
