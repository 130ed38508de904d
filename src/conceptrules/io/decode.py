"""From JSON to a network. Whatever the text is, the answer is a network or an `InputError` that says where it errs.

Nothing in a file is a name to be imported, a place to be fetched or code to be run.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from conceptrules.io.decode_provenance import training
from conceptrules.io.encode import FORMAT, VERSION
from conceptrules.io.governance import read_names, read_policy, read_proof, read_trail
from conceptrules.io.json_readers import (
    At,
    counts,
    fields,
    flag,
    index,
    items,
    number,
    one_value,
    place,
    shortened,
    text,
    values,
    wrong,
)
from conceptrules.io.json_text import parsed
from conceptrules.io.limits import check_numbers
from conceptrules.io.node_names import predicate_names
from conceptrules.model.content_hash import content_hash
from conceptrules.model.errors import InputError, warn
from conceptrules.model.network import Concept, Level, Literal, Rule, RuleNetwork, Statistics, check_columns
from conceptrules.model.predicate import KINDS, Column, Equals, Interval, Missing, OneOf, Predicate, Value
from conceptrules.model.provenance import for_other_rules
from conceptrules.model.text import concept_name

Places = Mapping[str, int]
_OPTIONAL = ("hash", "target", "names", "policy", "proof", "trail")
_KEYS = (
    *_OPTIONAL, "classes", "priority", "default", "columns", "predicates", "levels", "statistics", "training",
    "format", "version",
)  # fmt: skip


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
        return _versioned(parsed(source))
    except InputError as error:
        raise InputError(_readable(str(error))) from None


def _versioned(model: object) -> RuleNetwork:
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


def _column(value: object, at: At) -> Column:
    name, kind, categories, missing = fields(value, at, ("name", "kind", "categories", "missing"))
    for known in KINDS:
        if kind == known:
            known_values = values(categories, (*at, "categories"))
            return Column(text(name, (*at, "name")), known, known_values, flag(missing, (*at, "missing")))
    wrong(kind, (*at, "kind"), f"one of {', '.join(KINDS)}")


def read_predicate(value: object, at: At, more: tuple[str, ...] = ()) -> Predicate:
    """Read a predicate; `more` are keys that are read elsewhere."""
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind == "interval":
        column, low, high, *_ = fields(value, at, ("column", "low", "high", "kind", *more))
        bounds = _bound(low, -math.inf, (*at, "low")), _bound(high, math.inf, (*at, "high"))
        return Interval(text(column, (*at, "column")), *bounds)
    if kind == "equals":
        column, wanted, *_ = fields(value, at, ("column", "value", "kind", *more))
        return Equals(text(column, (*at, "column")), one_value(wanted, (*at, "value")))
    if kind == "one_of":
        column, some, *_ = fields(value, at, ("column", "values", "kind", *more))
        return OneOf(text(column, (*at, "column")), values(some, (*at, "values")))
    if kind == "missing":
        column, *_ = fields(value, at, ("column", "kind", *more))
        return Missing(text(column, (*at, "column")))
    wrong(kind, (*at, "kind"), "interval, equals, one_of or missing")


def _bound(value: object, absent: float, at: At) -> float:
    return absent if value is None else number(value, at)


def _priority(value: object) -> tuple[Value, ...]:
    """Read the priority; a file says it even where it is the order of the classes."""
    return values(value, ("priority",)) or wrong(
        value, ("priority",), "a list of all classes, in the order of priority"
    )


def _statistics(
    value: object, classes: int | None, fires: Callable[[object, At], tuple[bool, ...]]
) -> Statistics | None:
    """Read the statistics; `fires` reads which classes fire. Where `classes` is None, they may be of other classes."""
    if value is None:
        return None

    def pattern(value: object, at: At) -> tuple[tuple[bool, ...], tuple[float, ...]]:
        fired, weights = fields(value, at, ("fires", "rows"))
        rows = counts(weights, (*at, "rows"))
        if classes is not None and len(rows) != classes:  # told now: `fires` can be shorter in the file than in memory
            raise InputError(f"{place(at)}.rows needs one figure for each of the {classes} classes")
        return fires(fired, (*at, "fires")), rows

    whole = {"hash": None, "decided": [], "optimism": [], **value} if isinstance(value, dict) else value
    described, rows, covered, patterns, decided, optimism = fields(
        whole, ("statistics",), ("hash", "rows", "covered", "patterns", "decided", "optimism")
    )
    if described is not None:
        text(described, ("statistics", "hash"))
    return Statistics(
        counts(rows, ("statistics", "rows")),
        items(partial(items, counts), covered, ("statistics", "covered")),
        items(pattern, patterns, ("statistics", "patterns")),
        items(partial(items, counts), decided, ("statistics", "decided")),
        items(partial(items, number), optimism, ("statistics", "optimism")),
    )


def _rule(yes: Sequence[int], no: Sequence[int]) -> Rule:
    return Rule((*map(Literal, yes), *(Literal(i, negated=True) for i in no)))


def _network(model: dict[str, object]) -> RuleNetwork:
    filled = {**dict.fromkeys(_OPTIONAL), **model}
    (given, target, names, policy, proof, trail, classes, priority, default, columns, predicates, levels, statistics,
     trained, *_) = fields(filled, (), _KEYS)  # fmt: skip
    known = items(_column, columns, ("columns",))
    tests = items(partial(read_predicate, more=("name",)), predicates, ("predicates",))
    labels = values(classes, ("classes",))
    network = RuleNetwork(
        columns=known,
        predicates=tests,
        levels=_levels(levels, _checked_names(known, tests, predicates), labels),
        classes=labels,
        priority=_priority(priority),
        default=one_value(default, ("default",)),
        training=None if trained is None else training(trained, ("training",)),
        target=None if target is None else text(target, ("target",)),
        policy=None if policy is None else read_policy(policy, ("policy",)),
        proof=None if proof is None else read_proof(proof, ("proof",)),
        trail=() if trail is None else read_trail(trail, ("trail",)),
        names=() if names is None else read_names(names, ("names",)),
    )
    own = content_hash(network)
    _check_hash(own, given)
    edited = given is None and _described(statistics) != own
    counted = _statistics(statistics, None if edited else len(labels), partial(_fires, _places(labels)))
    if edited:
        return _without_figures(network, counted is not None)
    _check_stability(network)
    return replace(network, statistics=counted)


def _described(statistics: object) -> object:
    """Return the hash of the rules that the statistics describe; None where they do not say it."""
    return statistics.get("hash") if isinstance(statistics, dict) else None


def _without_figures(network: RuleNetwork, counted: bool) -> RuleNetwork:
    """Return a network that was edited by hand without what was counted of other rules."""
    if counted:
        warn(
            "the rules were changed by hand, so what was counted of the old ones is left out; "
            "`conceptrules measure model.json data.csv -o model.json` counts it again"
        )
    training = for_other_rules(network.training)
    return replace(network, training=training and replace(training, validation=None))


def _checked_names(columns: Sequence[Column], predicates: Sequence[Predicate], given: object) -> list[str]:
    """Return the names of the predicates, or raise an error if the file gives one that says something else.

    Such a name would make rules that lie to whoever reads the file.
    """
    check_columns(columns, predicates)  # words can be made of what it lets pass
    names = predicate_names(columns, predicates)
    assert isinstance(given, list)
    for i, (name, item) in enumerate(zip(names, given, strict=True)):
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
        _check_concepts(names, classes if last else [concept_name(depth, i) for i in range(len(names))], at)
        result.append(_level(rules, below, names, (*at, "rules")))
        below = names
    return tuple(result)


def _check_concepts(found: Sequence[Value], expected: Sequence[Value], at: At) -> None:
    if list(found) != list(expected):
        raise InputError(f"{place(at)}.concepts must be {shortened(str(list(expected)))}")


def _level(value: object, below: Sequence[Value], concepts: Sequence[Value], at: At) -> Level:
    read = items(partial(_named_rule, _places(below), _places(concepts)), value, at)
    members: list[list[int]] = [[] for _ in concepts]
    for i, (owners, _) in enumerate(read):
        for owner in owners:
            members[owner].append(i)
    return Level(tuple(rule for _, rule in read), tuple(Concept(tuple(some)) for some in members))


def _named_rule(below: Places, concepts: Places, value: object, at: At) -> tuple[tuple[int, ...], Rule]:
    """Read the concepts that a rule is for, and the rule."""
    owners, yes, no = fields(value, at, ("for", "all", "none"))
    named = partial(items, partial(_named, below))
    rule = _rule(named(yes, (*at, "all")), named(no, (*at, "none")))
    return items(partial(_named, concepts), owners, (*at, "for")), rule


def _places(names: Sequence[Value]) -> Places:
    return {_key(name): i for i, name in enumerate(names)}


def _key(name: Value) -> str:
    """Return a key as text, since a file could choose numbers that share a hash; 1 and "1" stay apart."""
    return f"s{name}" if isinstance(name, str) else f"n{name!r}"


def _named(places: Places, value: object, at: At) -> int:
    """Return the number of what has this name."""
    found = places.get(_key(one_value(value, at)))
    if found is None:
        raise InputError(f"{place(at)} names {shortened(repr(value))}, which is not there")
    return found


def _fires(classes: Places, value: object, at: At) -> tuple[bool, ...]:
    fired = set(items(partial(_named, classes), value, at))
    return tuple([i in fired for i in range(len(classes))])


def _check_stability(network: RuleNetwork) -> None:
    found = network.training and [len(rules) for rules in network.training.stability]
    shape = [len(level.rules) for level in network.levels]
    if found and found != shape:
        raise InputError(f"training.stability is for {found} rules by level, the network has {shape}")


def _check_hash(own: str, given: object) -> None:
    if given is not None and text(given, ("hash",)) != own:
        raise InputError(
            'the rules were changed after they were saved: they do not give the "hash" of the file; if the change is '
            'meant, delete the line of "hash"'
        )
