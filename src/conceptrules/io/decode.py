"""From JSON to a network. Whatever the text is, the answer is a network or an `InputError` that says where it errs.

Nothing in a file is a name to be imported, a place to be fetched or code to be run.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from conceptrules.io.decode_records import (
    read_cases,
    read_codes,
    read_names,
    read_policy,
    read_proof,
    read_trail,
    read_training,
)
from conceptrules.io.encode import FORMAT, VERSION, predicate_names
from conceptrules.io.json_readers import (
    At,
    counts,
    fields,
    flag,
    index,
    items,
    number,
    one_value,
    optional,
    place,
    text,
    values,
    whole,
    wrong,
)
from conceptrules.io.json_text import check_numbers, parse_json
from conceptrules.model.content_hash import content_hash
from conceptrules.model.derived import OPERATORS, Derivation, Length, Mention, Relation
from conceptrules.model.errors import InputError, shortened, warn
from conceptrules.model.heads import Points
from conceptrules.model.network import Cell, Concept, Level, Literal, Rule, RuleNetwork, Statistics, check_columns
from conceptrules.model.predicate import KINDS, Column, Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.provenance import without_rule_figures
from conceptrules.model.text import concept_name
from conceptrules.model.trail import file_hash

Places = Mapping[str, int]
_HASH = re.compile("sha256:[0-9a-f]{64}")
_OPTIONAL = ("hash", "target", "names", "reason_codes", "cases", "policy", "proof", "trail")
_KEYS = (
    *_OPTIONAL, "classes", "columns", "predicates", "levels", "statistics", "training", "format", "version",
)  # fmt: skip
_DECISION, _HEAD = ("priority", "default"), ("head",)


def loads(source: str) -> RuleNetwork:
    """Return the network that `dumps` wrote.

    Parameters
    ----------
    source : str
        The text of a model file.

    Returns
    -------
    RuleNetwork
        The network, with its statistics and training.

    Raises
    ------
    InputError
        If the text is no model; the message says where it errs.
    """
    try:
        return _read_version(parse_json(source))
    except InputError as error:
        raise InputError(_readable(str(error))) from None


def _read_version(model: object) -> RuleNetwork:
    if not isinstance(model, dict) or model.get("format") != FORMAT:
        raise InputError(f'not a conceptrules model: it does not say "format": "{FORMAT}"')
    version = index(model.get("version"), ("version",))
    if version != VERSION:
        raise InputError(
            f"the model has version {shortened(str(version))} of the file format, but this conceptrules reads version "
            f"{VERSION}; install the conceptrules that wrote it, or learn the model again"
        )
    columns = model.get("columns")
    described = [c.get("categories") for c in columns if isinstance(c, dict)] if isinstance(columns, list) else []
    check_numbers([model.get("classes"), *described])
    return _network(model)


def _readable(message: str) -> str:
    """Shorten an error, since one about a list of a million classes need not show them all."""
    return message if len(message) <= 500 else f"{message[:240]} ... {message[-240:]}"


def read_column(value: object, at: At) -> Column:
    """Read a column."""
    derived = isinstance(value, dict) and "derivation" in value
    keys = ("name", "kind", "categories", "missing", *(["derivation"] if derived else []))
    name, kind, categories, missing, *derivation = fields(value, at, keys)
    for known in KINDS:
        if kind == known:
            return Column(
                text(name, (*at, "name")),
                known,
                values(categories, (*at, "categories")),
                flag(missing, (*at, "missing")),
                _derivation(derivation[0], (*at, "derivation")) if derived else None,
            )
    wrong(kind, (*at, "kind"), f"one of {', '.join(KINDS)}")


def _derivation(value: object, at: At) -> Derivation:
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind == "relation":
        left, operator, right, _ = fields(value, at, ("left", "operator", "right", "kind"))
        for known in OPERATORS:
            if operator == known:
                return Relation(text(left, (*at, "left")), known, text(right, (*at, "right")))
        wrong(operator, (*at, "operator"), f"one of {', '.join(OPERATORS)}")
    if kind == "mention":
        column, terms, _ = fields(value, at, ("column", "terms", "kind"))
        return Mention(text(column, (*at, "column")), items(text, terms, (*at, "terms")))
    if kind == "length":
        column, _ = fields(value, at, ("column", "kind"))
        return Length(text(column, (*at, "column")))
    wrong(kind, (*at, "kind"), "relation, mention or length")


def read_predicate(value: object, at: At, more: tuple[str, ...] = ()) -> Predicate:
    """Read a predicate; `more` are keys that are read elsewhere."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind == "interval":
        column, low, high, *_ = fields(value, at, ("column", "low", "high", "kind", *more))
        bounds = _bound(low, -math.inf, (*at, "low")), _bound(high, math.inf, (*at, "high"))
        return Interval(text(column, (*at, "column")), *bounds)
    if kind == "equals":
        column, category, *_ = fields(value, at, ("column", "value", "kind", *more))
        return Equals(text(column, (*at, "column")), one_value(category, (*at, "value")))
    if kind == "one_of":
        column, categories, *_ = fields(value, at, ("column", "values", "kind", *more))
        return OneOf(text(column, (*at, "column")), values(categories, (*at, "values")))
    if kind == "missing":
        column, *_ = fields(value, at, ("column", "kind", *more))
        return Missing(text(column, (*at, "column")))
    wrong(kind, (*at, "kind"), "interval, equals, one_of or missing")


def _bound(value: object, absent: float, at: At) -> float:
    return absent if value is None else number(value, at)


def _statistics(value: object, classes: Places, names: Mapping[str, Predicate], edited: bool) -> Statistics:
    """Read the statistics; those of rules that were edited since may be of another number of classes."""

    def pattern(value: object, at: At) -> tuple[tuple[bool, ...], tuple[float, ...]]:
        firing, weights = fields(value, at, ("fires", "rows"))
        rows = counts(weights, (*at, "rows"))
        if not edited and len(rows) != len(classes):
            raise InputError(f"{place(at)}.rows needs one figure for each of the {len(classes)} classes")
        indices = set(items(partial(_named, classes), firing, (*at, "fires")))
        return tuple([i in indices for i in range(len(classes))]), rows

    def score(value: object, at: At) -> tuple[int, tuple[float, ...]]:
        number, rows = fields(value, at, ("score", "rows"))
        return whole(number, (*at, "score")), counts(rows, (*at, "rows"))

    def test(value: object, at: At) -> Predicate:
        name = text(value, at)
        if name not in names:
            raise InputError(f"{place(at)} names {shortened(repr(name))}, which is not among the predicates")
        return names[name]

    def cell(value: object, at: At) -> Cell:
        column, holds, gap, weight = fields(value, at, ("column", "holds", "gap", "rows"))
        tests = items(test, holds, (*at, "holds"))
        (rows,) = counts([weight], (*at, "rows"))
        return Cell(text(column, (*at, "column")), tests, flag(gap, (*at, "gap")), rows)

    optional_lists = ("decided", "optimism", "scores", "answered", "cells")
    filled = {"hash": None, **{key: [] for key in optional_lists}, **value} if isinstance(value, dict) else value
    own, rows, covered, patterns, decided, optimism, scores, answered, cells = fields(
        filled, ("statistics",), ("hash", "rows", "covered", "patterns", *optional_lists)
    )
    if own is not None and not _HASH.fullmatch(text(own, ("statistics", "hash"))):
        wrong(own, ("statistics", "hash"), "a hash such as that of the file")
    return Statistics(
        counts(rows, ("statistics", "rows")),
        items(partial(items, counts), covered, ("statistics", "covered")),
        items(pattern, patterns, ("statistics", "patterns")),
        items(partial(items, counts), decided, ("statistics", "decided")),
        items(partial(items, number), optimism, ("statistics", "optimism")),
        items(score, scores, ("statistics", "scores")),
        counts(answered, ("statistics", "answered")),
        () if edited else items(cell, cells, ("statistics", "cells")),
    )


def _network(model: dict[str, object]) -> RuleNetwork:
    filled = {**dict.fromkeys(_OPTIONAL), **model}
    deciding = _HEAD if "head" in model else _DECISION
    (saved_hash, target, names, codes, cases, policy, proof, trail, classes, columns, predicates, levels, statistics,
     training, *_) = fields(filled, (), (*_KEYS, *deciding))  # fmt: skip
    known = items(read_column, columns, ("columns",))
    tests = items(partial(read_predicate, more=("name",)), predicates, ("predicates",))
    labels = values(classes, ("classes",))
    head, plain_levels = _head(model["head"], levels) if "head" in model else (None, levels)
    words = _checked_names(known, tests, predicates)
    network = RuleNetwork(
        columns=known,
        predicates=tests,
        levels=_levels(plain_levels, words, () if head else labels),
        classes=labels,
        **({} if head else _decision(model["priority"], model["default"])),
        head=head,
        training=optional(read_training, training, ("training",)),
        target=optional(text, target, ("target",)),
        policy=optional(read_policy, policy, ("policy",)),
        proof=optional(read_proof, proof, ("proof",)),
        trail=optional(read_trail, trail, ("trail",)) or (),
        names=optional(read_names, names, ("names",)) or (),
        reason_codes=optional(read_codes, codes, ("reason_codes",)) or (),
        cases=optional(read_cases, cases, ("cases",)) or (),
    )
    own = content_hash(network)
    # Files that were written before it covered the trail have the hash of what decides.
    if optional(text, saved_hash, ("hash",)) not in (None, own, file_hash(network)):
        raise InputError(
            'the rules were changed after they were saved, or their trail was: they do not give the "hash" of the '
            'file; if the change is meant, delete the line of "hash"'
        )
    counted_of = statistics.get("hash") if isinstance(statistics, dict) else None
    edited = saved_hash is None and counted_of != own
    named = dict(zip(words, tests, strict=True))
    counted = None if statistics is None else _statistics(statistics, _places(labels), named, edited)
    if edited:
        return _without_figures(network, counted)
    _check_stability(network)
    return replace(network, statistics=counted)


def _decision(priority: object, default: object) -> dict[str, Any]:
    ranked = values(priority, ("priority",))
    if not ranked:  # a file says the priority even where it is the order of the classes
        wrong(priority, ("priority",), "a list of all classes")
    return {"priority": ranked, "default": one_value(default, ("default",))}


def _head(value: object, levels: object) -> tuple[Points, list[object]]:
    """Read the head of a scorecard; return it, and the levels with rules that are for no concept and have no points."""
    if not isinstance(levels, list) or not levels:
        wrong(levels, ("levels",), "a list of one level or more")
    concepts, rules = fields(levels[-1], ("levels", len(levels) - 1), ("concepts", "rules"))
    scored = items(_read_points_rule, rules, ("levels", len(levels) - 1, "rules"))
    last = {"concepts": concepts, "rules": [rule for _, rule in scored]}
    several = isinstance(value, dict) and "unit" in value
    if isinstance(value, dict) and "step" in value:
        names: tuple[str, ...] = ("step", "link")
    else:
        names = ("unit", "offsets") if several else ("cutoff", "probabilities")
    base, *more = fields(value, ("head",), ("base", *names))
    scores = tuple(points for points, _ in scored), items(whole, base, ("head", "base"))
    if "step" in names:
        step, link = number(more[0], ("head", "step")), text(more[1], ("head", "link"))
        return Points(*scores, step=step, link=link), [*levels[:-1], last]
    if several:
        unit, offsets = number(more[0], ("head", "unit")), items(whole, more[1], ("head", "offsets"))
        return Points(*scores, unit=unit, offsets=offsets), [*levels[:-1], last]
    table = items(_probability, more[1], ("head", "probabilities"))
    return Points(*scores, cutoff=whole(more[0], ("head", "cutoff")), probabilities=table), [*levels[:-1], last]


def _read_points_rule(value: object, at: At) -> tuple[tuple[int, ...], dict[str, object]]:
    points, yes, no = fields(value, at, ("points", "all", "none"))
    return items(whole, points, (*at, "points")), {"for": [], "all": yes, "none": no}


def _probability(value: object, at: At) -> tuple[int, float]:
    if not isinstance(value, list) or len(value) != 2:
        wrong(value, at, "a score and its probability")
    return whole(value[0], (*at, 0)), number(value[1], (*at, 1))


def _without_figures(network: RuleNetwork, counted: Statistics | None) -> RuleNetwork:
    """Return a network that was edited by hand without what was counted of other rules."""
    if counted is not None:
        warn(
            "the rules were changed by hand, so what was counted of the old ones is left out; "
            "`conceptrules measure model.json data.csv -o model.json` counts it again"
        )
    training = without_rule_figures(network.training)
    return replace(network, training=training and replace(training, validation=None, errors=()))


def _checked_names(columns: Sequence[Column], predicates: Sequence[Predicate], written: object) -> list[str]:
    """Return the names of the predicates, or raise an error if the file gives one that says something else.

    Such a name would make rules that lie to whoever reads the file.
    """
    check_columns(columns, predicates)  # words can be made of what it lets pass
    names = predicate_names(columns, predicates)
    assert isinstance(written, list)
    for i, (name, item) in enumerate(zip(names, written, strict=True)):
        if item["name"] != name:
            wrong(item["name"], ("predicates", i, "name"), f"what the predicate says, {shortened(name)!r}")
    return names


def _levels(value: object, predicates: Sequence[str], classes: Sequence[Value]) -> tuple[Level, ...]:
    if not isinstance(value, list):
        wrong(value, ("levels",), "a list")
    result = []
    below: Sequence[Value] = predicates
    for depth, item in enumerate(value):
        at = ("levels", depth)
        concepts, rules = fields(item, at, ("concepts", "rules"))
        names = values(concepts, (*at, "concepts"))
        last = depth == len(value) - 1
        expected = list(classes) if last else [concept_name(depth, i) for i in range(len(names))]
        if list(names) != expected:
            raise InputError(f"{place(at)}.concepts must be {shortened(str(expected))}")
        result.append(_level(rules, below, names, (*at, "rules")))
        below = names
    return tuple(result)


def _level(value: object, below: Sequence[Value], concepts: Sequence[Value], at: At) -> Level:
    read = items(partial(_read_rule, _places(below), _places(concepts)), value, at)
    members: list[list[int]] = [[] for _ in concepts]
    for i, (owners, _) in enumerate(read):
        for owner in owners:
            members[owner].append(i)
    return Level(tuple(rule for _, rule in read), tuple(Concept(tuple(rules)) for rules in members))


def _read_rule(below: Places, concepts: Places, value: object, at: At) -> tuple[tuple[int, ...], Rule]:
    """Read the concepts that a rule is for, and the rule."""
    owners, yes, no = fields(value, at, ("for", "all", "none"))
    named = partial(items, partial(_named, below))
    literals = map(Literal, named(yes, (*at, "all")))
    negated = (Literal(i, negated=True) for i in named(no, (*at, "none")))
    return items(partial(_named, concepts), owners, (*at, "for")), Rule((*literals, *negated))


def _places(names: Sequence[Value]) -> Places:
    return {_key(name): i for i, name in enumerate(names)}


def _key(name: Value) -> str:
    """Return a key as text, since a file could choose numbers that share a hash; 1 and "1" stay apart."""
    return f"s{name}" if isinstance(name, str) else f"n{name!r}"


def _named(places: Places, value: object, at: At) -> int:
    """Return the number of what has this name."""
    index = places.get(_key(one_value(value, at)))
    if index is None:
        raise InputError(f"{place(at)} names {shortened(repr(value))}, which is not there")
    return index


def _check_stability(network: RuleNetwork) -> None:
    rated = network.training and [len(rules) for rules in network.training.stability]
    shape = [len(level.rules) for level in network.levels]
    if rated and rated != shape:
        raise InputError(f"training.stability is for {rated} rules by level, the network has {shape}")
