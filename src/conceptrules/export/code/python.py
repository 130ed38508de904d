"""A network as one Python function that needs the standard library only."""

from __future__ import annotations

import keyword
import math
from collections.abc import Iterable

from conceptrules.export.code.statements import Syntax, class_names, function_name, node_lines
from conceptrules.export.comments import comment, header
from conceptrules.export.inputs import Family, Input, inputs
from conceptrules.export.node_names import concept_ids, predicate_words, rule_ids
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Equals, Interval, Missing, OneOf, Predicate, Value

SYNTAX = Syntax(" and ", " or ", "not ", "True", "False")
_USE = '''
    """The class of a row: a mapping from the name of each column to its value, None where it is missing.

    Dates and times are those of datetime, or microseconds since 1970-01-01 in UTC; durations are timedeltas or
    microseconds. Returns label, class (its number from 0), fires (for each class), and the names of the rules ("1.3"
    is R1.3) and of the concepts that hold.
    """
'''
_VALUE = """
    def value(name):
        found = row[name]
        return None if found is None or found != found else found

    def refuse(name, found, wanted):
        raise TypeError(f"column {name!r} needs {wanted}, not {found!r}")
"""
_READERS: dict[str, str] = {
    "number": """
    def number(name):
        found = value(name)
        if found is None or isinstance(found, (numbers.Real, decimal.Decimal)) or type(found).__name__ == "bool_":
            return None if found is None else float(found)
        refuse(name, found, "a number")
""",
    "moment": """
    def moment(name):
        found = value(name)
        if found is None or isinstance(found, numbers.Real):
            return None if found is None else float(found)
        if isinstance(found, datetime.datetime):
            zoned = found.tzinfo is not None
            naive = found.astimezone(datetime.timezone.utc).replace(tzinfo=None) if zoned else found
        elif isinstance(found, datetime.date):
            naive = datetime.datetime(found.year, found.month, found.day)
        else:
            refuse(name, found, "a date or microseconds")
        return (naive - datetime.datetime(1970, 1, 1)) / datetime.timedelta(microseconds=1)
""",
    "duration": """
    def duration(name):
        found = value(name)
        if found is None or isinstance(found, numbers.Real):
            return None if found is None else float(found)
        if isinstance(found, datetime.timedelta):
            return found / datetime.timedelta(microseconds=1)
        refuse(name, found, "a timedelta or microseconds")
""",
    "flag": """
    def flag(name):
        found = value(name)
        if found is None or type(found).__name__ in ("bool", "bool_"):
            return None if found is None else bool(found)
        refuse(name, found, "True or False")
""",
    "text": """
    def text(name):
        found = value(name)
        return found if found is None or isinstance(found, str) else refuse(name, found, "text")
""",
    "figure": """
    def figure(name):
        found = value(name)
        if found is None or isinstance(found, numbers.Integral):
            return found
        if isinstance(found, (numbers.Real, decimal.Decimal)) or type(found).__name__ == "bool_":
            return float(found)
        refuse(name, found, "a number")
""",
}
_MODULES = ("datetime", "decimal", "numbers")


def python(network: RuleNetwork, *, name: str = "decide") -> str:
    """Return the network as a Python function, with the imports that it needs.

    Parameters
    ----------
    network : RuleNetwork
        The network.
    name : str, default="decide"
        The name of the function, which takes a row as a mapping.

    Returns
    -------
    str
        The content of a .py file.

    Raises
    ------
    InputError
        If a function cannot have this name.
    """
    function_name(name, "Python", " ".join(keyword.kwlist))
    used = inputs(network)
    body = [_readers(used), *_inputs(network, used), *_levels(network), _answer(network)]
    code = "\n".join(block for block in body if block)
    imports = [f"import {module}" for module in _MODULES if f"{module}." in code]
    top = ["".join(f"# {comment(line)}\n" for line in header(network)) + "\n".join(imports)]
    return "\n\n\n".join([*top, f"def {name}(row):\n{_USE.strip(chr(10))}\n\n{code}\n"]).replace("\n\n\n\n", "\n\n\n")


def value_literal(value: Value) -> str:
    """Return a category or a class, in ASCII."""
    if isinstance(value, float) and math.isinf(value):
        return 'float("inf")' if value > 0 else 'float("-inf")'
    return ascii(value)


def _reader(one: Input) -> str:
    by_kind = {"date": "moment", "datetime": "moment", "duration": "duration", "number": "number"}
    return by_kind.get(one.column.kind, "figure" if one.family == "whole" else one.family)


def _readers(used: Iterable[Input]) -> str:
    needed = {_reader(one) for one in used}
    texts = [text for name, text in _READERS.items() if name in needed]
    return "\n".join(text.strip("\n") + "\n" for text in ([_VALUE, *texts] if texts else ()))


def _inputs(network: RuleNetwork, used: Iterable[Input]) -> Iterable[str]:
    for number, one in enumerate(used, start=1):
        yield f"    x{number} = {_reader(one)}({one.column.name!a})"
        for index in one.predicates:
            test = _test(network.predicates[index], f"x{number}", one.family)
            yield f"    p{index + 1} = {test}  # {comment(predicate_words(network, index))}"


def _fits(value: Value, family: Family) -> bool:
    """Return whether a cell of the column can hold it."""
    return value in (0, 1) if family == "flag" else isinstance(value, str) == (family == "text")


def _test(predicate: Predicate, x: str, family: Family) -> str:
    match predicate:
        case Missing():
            return f"{x} is None"
        case Interval(low=low, high=high):
            left = f"{low + 0.0!r} < " if low != -math.inf else ""
            right = f" <= {high + 0.0!r}" if high != math.inf else ""
            return f"{x} is not None" + (f" and {left}{x}{right}" if left or right else "")
        case Equals(value=value):
            return f"{x} == {value_literal(value)}" if _fits(value, family) else "False"
        case OneOf(values=values):
            some = [value_literal(value) for value in values if _fits(value, family)]
            return f"{x} in ({', '.join(some)},)" if some else "False"
    raise AssertionError(predicate)


def _levels(network: RuleNetwork) -> Iterable[str]:
    for line in node_lines(network, SYNTAX):
        title = f"  # {comment(line.title)}" if line.title else ""
        yield f"    {line.name} = {line.code}{title}" if line.name else f"    # {line.title}"


def _answer(network: RuleNetwork) -> str:
    labels = ", ".join(map(value_literal, network.classes))
    order = list(network.priority_indices)
    return f"""
    labels = [{labels}]
    fires = [{", ".join(class_names(network))}]
    winner = next((index for index in {order} if fires[index]), {network.default_index})
    rules = {_held("r", rule_ids(network))}
    concepts = {_held("c", concept_ids(network))}
    return {{
        "label": labels[winner],
        "class": winner,
        "fires": fires,
        "rules": [name for name, holds in rules.items() if holds],
        "concepts": [name for name, holds in concepts.items() if holds],
    }}
""".strip("\n")


def _held(letter: str, ids: Iterable[str]) -> str:
    pairs = [f'"{name}": {letter}{name.replace(".", "_")}' for name in ids]
    lines = [", ".join(pairs[start : start + 6]) for start in range(0, len(pairs), 6)]
    return "{" + "".join(f"\n        {line}," for line in lines) + "\n    }"
