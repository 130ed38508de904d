"""From a network to JSON, one node a line. `decode` is the way back.

`_flat` writes a piece of JSON on one line, `_list` and `_object` give each item a line of its own. A rule's line has
its literals in words and the concepts that it is for, or its points, and no figures: when a network is learned anew,
the lines that change are those of the rules that do.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict

from conceptrules.io.json_readers import finite
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import plain_derivation
from conceptrules.model.network import Level, RuleNetwork, Statistics
from conceptrules.model.policy.plain import to_plain
from conceptrules.model.predicate import Column, Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.provenance import Setting, Training, Validation
from conceptrules.model.reason_codes import plain_reason_codes
from conceptrules.model.text import concept_name, predicate_text
from conceptrules.model.trail import file_hash

FORMAT = "conceptrules"
VERSION = 1
# What the text puts in quotes, but told by ASCII alone: which other characters are blanks, digits or printable depends
# on the version of Python, and a file has to be the same for all.
_OURS = re.compile(
    r'(^|\s)(and|or|not|is|always|[=<>]|!=|<=)(\s|$)|, |^[CR]\d+\.\d+\b|^\(|\)$|^\s|\s$|  |"|^$', re.ASCII
)
_SET = re.compile(r"(^|\s)in \{")


def dumps(network: RuleNetwork) -> str:
    """Return a network as the text of a model file.

    Parameters
    ----------
    network : RuleNetwork
        The network.

    Returns
    -------
    str
        JSON, one node a line; `loads` gives back an equal network, with its statistics and training.
    """
    names = predicate_names(network.columns, network.predicates)
    own = content_hash(network)
    statistics = network.statistics
    fields = {
        "format": _flat(FORMAT),
        "version": _flat(VERSION),
        "hash": _flat(file_hash(network)),
        **({} if network.target is None else {"target": _flat(network.target)}),
        "classes": _values(network.classes),
        **_deciding_fields(network),
        "columns": _list(map(_flat, map(column_fields, network.columns))),
        "predicates": _list(map(_predicate, names, network.predicates)),
        "levels": _list(_levels(network, names)),
        "statistics": "null" if statistics is None else _statistics(statistics, network, names, own),
        "training": "null" if network.training is None else _training(network.training),
        **_governance(network),
    }
    # What UTF-8 cannot hold (half of a surrogate pair) becomes \udc80, which is how JSON writes it.
    return _object(fields).encode("utf-8", "backslashreplace").decode("utf-8") + "\n"


def _deciding_fields(network: RuleNetwork) -> dict[str, str]:
    """Return priority and default, or the head of a scorecard; the points of a rule are in its line."""
    head = network.head
    if head is None:
        return {"priority": _values(network.priority), "default": _flat(finite(network.default))}
    fields: dict[str, str] = {"base": _flat(head.base)}
    if head.step is not None:
        fields |= {"step": _flat(_number(head.step)), "link": _flat(head.link)}
    elif head.probabilities:
        fields |= {"cutoff": _flat(head.cutoff), "probabilities": _list(map(_flat, head.probabilities))}
    else:
        fields |= {"unit": _flat(_number(head.unit)), "offsets": _flat(head.offsets)}
    return {"head": _object(fields)}


def _governance(network: RuleNetwork) -> dict[str, str]:
    """Return names, reason codes, test cases, the policy, its proof and the trail, where there are any."""
    parts = {}
    if network.names:
        parts["names"] = _object({node: _flat(name) for node, name in network.names})
    if network.reason_codes:
        codes = plain_reason_codes(network.reason_codes)
        parts["reason_codes"] = _object({name: _flat(entry) for name, entry in codes.items()})
    if network.cases:
        parts["cases"] = _list(_flat(finite(case.plain())) for case in network.cases)
    if network.policy is not None:
        parts["policy"] = _object({key: _flat(value) for key, value in finite(to_plain(network.policy)).items()})
    if network.proof is not None:
        verdicts = _list(_flat(asdict(verdict)) for verdict in network.proof.verdicts)
        parts["proof"] = _object({"hash": _flat(network.proof.hash), "verdicts": verdicts})
    if network.trail:
        entries = ({key: _flat(value) for key, value in asdict(entry).items()} for entry in network.trail)
        parts["trail"] = _list(map(_object, entries))
    return parts


def column_fields(column: Column) -> dict[str, object]:
    """Return a column as values of JSON."""
    fields = {"name": column.name, "kind": column.kind, "categories": finite(list(column.categories))}
    derivation = {} if column.derivation is None else {"derivation": plain_derivation(column.derivation)}
    return {**fields, "missing": column.missing, **derivation}


def _predicate(name: str, predicate: Predicate) -> str:
    return _flat({"name": name, **predicate_fields(predicate)})


def predicate_fields(predicate: Predicate) -> dict[str, object]:
    """Return a predicate as values of JSON."""
    test: dict[str, object]
    match predicate:
        case Interval(column=column, low=low, high=high):
            test = {"kind": "interval", "column": column, "low": _bound(low), "high": _bound(high)}
        case Equals(column=column, value=value):
            test = {"kind": "equals", "column": column, "value": finite(value)}
        case OneOf(column=column, values=values):
            test = {"kind": "one_of", "column": column, "values": finite(list(values))}
        case Missing(column=column):
            test = {"kind": "missing", "column": column}
        case _:
            raise AssertionError(predicate)
    return test


def _levels(network: RuleNetwork, predicates: Sequence[str]) -> Iterable[str]:
    below: Sequence[object] = predicates
    for number, level in enumerate(network.levels):
        concepts = finite(concept_names(network, number))
        scored = network.head if number == len(network.levels) - 1 else None
        purposes = [{"points": points} for points in scored.points] if scored else _list_owners(level, concepts)
        yield _object({"concepts": _flat(concepts), "rules": _list(_rules(level, below, purposes))})
        below = concepts


def _list_owners(level: Level, concepts: Sequence[object]) -> list[dict[str, object]]:
    """Return the concepts that each rule is for."""
    owners: list[list[object]] = [[] for _ in level.rules]
    for name, concept in zip(concepts, level.concepts, strict=True):
        for index in concept.rules:
            owners[index].append(name)
    return [{"for": owned} for owned in owners]


def _rules(level: Level, below: Sequence[object], purposes: Sequence[Mapping[str, object]]) -> Iterable[str]:
    for rule, purpose in zip(level.rules, purposes, strict=True):
        yes = [below[literal.index] for literal in rule.literals if not literal.negated]
        no = [below[literal.index] for literal in rule.literals if literal.negated]
        yield _flat({**purpose, "all": yes, "none": no})


def _statistics(statistics: Statistics, network: RuleNetwork, names: Sequence[str], described: str) -> str:
    """Return the statistics with the hash of the rules that they describe, which may be edited by hand later."""
    covered = (_list(map(_numbers, level)) for level in statistics.covered)
    patterns = (_pattern(network.classes, *pattern) for pattern in statistics.patterns)
    fields = {
        "hash": _flat(described),
        "rows": _numbers(statistics.rows),
        "covered": _list(covered),
        "patterns": _list(patterns),
    }
    if statistics.decided:
        fields["decided"] = _list(_list(map(_numbers, rules)) for rules in statistics.decided)
    if statistics.optimism:
        fields["optimism"] = _list(map(_numbers, statistics.optimism))
    if statistics.scores:
        fields["scores"] = _list(f'{{"score": {score}, "rows": {_numbers(rows)}}}' for score, rows in statistics.scores)
    if statistics.answered:
        fields["answered"] = _numbers(statistics.answered)
    if statistics.cells:
        words = dict(zip(network.predicates, names, strict=True))
        fields["cells"] = _list(
            _flat(asdict(cell) | {"holds": [words[test] for test in cell.holds], "rows": _number(cell.rows)})
            for cell in statistics.cells
        )
    return _object(fields)


def _pattern(classes: Sequence[Value], fires: Sequence[bool], rows: Sequence[float]) -> str:
    fired = [name for name, fires_too in zip(classes, fires, strict=True) if fires_too]
    return f'{{"fires": {_values(fired)}, "rows": {_numbers(rows)}}}'


def _training(training: Training) -> str:
    fields = {
        "version": _flat(training.version),
        "seed": _flat(training.seed),
        "settings": _object({name: _setting(value) for name, value in training.settings}),
        "rows": _flat(training.rows),
        "rate": _number_or_none(training.rate),
        "epoch": _flat(training.epoch),
        "validation": "null" if training.validation is None else _validation(training.validation),
        "stability": _list(map(_numbers, training.stability)),
        "fingerprint": _flat("".join(f"{row:016x}" for row in training.fingerprint)),
        "distinct": _flat(training.distinct),
        "categories_dropped": _flat(dict(training.categories_dropped)),
    }
    if training.edge_penalty is not None:
        fields["price"] = _flat(_number(training.edge_penalty))
    if training.errors:
        fields["errors"] = _list(map(_numbers, training.errors))
    if training.augmented:
        fields["augmented"] = "true"
    return _object(fields)


def _validation(validation: Validation) -> str:
    fields = {
        "source": _flat(validation.source),
        "rows": _flat(_number(validation.rows)),
        "macro_f1": _flat(_number(validation.macro_f1)),
        "fires": _numbers(validation.fires),
        "reliability": _list(map(_numbers, validation.reliability)),
    }
    if validation.mllp_f1 is not None:
        disagreement = _number_or_none(validation.disagreement)
        fields |= {"mllp_f1": _number_or_none(validation.mllp_f1), "disagreement": disagreement}
    return _object(fields)


def _number_or_none(value: float | None) -> str:
    return "null" if value is None else _flat(_number(value))


def _setting(value: Setting) -> str:
    if value is None:
        return "null"
    return _values(value) if isinstance(value, tuple) else _flat(finite(value))


def _values(values: Iterable[Value]) -> str:
    return _flat(finite(list(values)))


def _numbers(values: Iterable[float]) -> str:
    return _flat([_number(value) for value in values])


def _number(value: float) -> float:
    """Return whole numbers without `.0`."""
    return int(value) if float(value).is_integer() and abs(value) < 2**53 else value


def _bound(value: float) -> float | None:
    """Return a bound; an infinity is a bound that is not there, since JSON has none."""
    return None if math.isinf(value) else _number(value)


def _flat(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _list(items: Iterable[str]) -> str:
    return _block("[", items, "]")


def _object(items: Mapping[str, str]) -> str:
    return _block("{", (f"{_flat(key)}: {item}" for key, item in items.items()), "}")


def _block(start: str, items: Iterable[str], end: str) -> str:
    body = ",\n".join(items).replace("\n", "\n ")
    return f"{start}\n {body}\n{end}" if body else start + end


# What the file calls predicates and concepts, so that a rule can be read where it stands


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
    """Return the names C1.1, C1.2, ... of the concepts of a level; on the last level, the classes that have rules."""
    if level == len(network.levels) - 1:
        return [] if network.head else list(network.classes)
    return [concept_name(level, index) for index in range(len(network.levels[level].concepts))]
