"""A network as one Python function that needs the standard library only."""

from __future__ import annotations

import keyword
import math
from collections.abc import Sequence

from conceptrules.export.code.writer import CodeWriter, class_variables, node_pairs
from conceptrules.export.inputs import Family
from conceptrules.export.wording import concept_ids, header, rule_ids
from conceptrules.model.network import RuleNetwork
from conceptrules.model.predicate import Value

_USE = '''
    """The class of a row: a mapping from the name of each column to its value, None where it is missing.

    Dates and times are those of datetime, or microseconds since 1970-01-01 in UTC; durations are timedeltas or
    microseconds. Returns label, class (its number from 0), fires (for each class), and the names of the rules ("1.3"
    is R1.3) and of the concepts that hold.
    """
'''
_READERS = {
    "": """
    def value(name):
        found = row[name]
        return None if found is None or found != found else found

    def refuse(name, found, wanted):
        raise TypeError(f"column {name!r} needs {wanted}, not {found!r}")
""",
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


class PythonWriter(CodeWriter):
    """Python."""

    language = "Python"
    reserved = " ".join(keyword.kwlist)
    statement = "    {name} = {value}"
    remark = "  # {}"
    conjunction, disjunction, negation, true, false = " and ", " or ", "not ", "True", "False"
    readers = _READERS

    def is_missing(self, x: str, family: Family) -> str:
        return f"{x} is None"

    def is_between(self, x: str, low: float, high: float) -> str:
        left = f"{low + 0.0!r} < " if low != -math.inf else ""
        right = f" <= {high + 0.0!r}" if high != math.inf else ""
        return f"{x} is not None" + (f" and {left}{x}{right}" if left or right else "")

    def is_equal(self, x: str, value: Value, family: Family) -> str:
        return f"{x} == {value_literal(value)}"

    def is_any(self, x: str, values: Sequence[Value], family: Family) -> str:
        return f"{x} in ({', '.join(map(value_literal, values))},)" if values else "False"

    def read(self, reader: str, column: str) -> str:
        return f"{reader}({column!a})"


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
    writer = PythonWriter()
    writer.check_function_name(name)
    readers = "".join(f"{text}\n\n" for text in writer.needed_readers(network))
    code = readers + "\n".join([*writer.statements(network), _answer(network)])
    imports = "".join(f"\nimport {module}" for module in _MODULES if f"{module}." in code)
    return f"{writer.comments(header(network))}{imports}\n\n\ndef {name}(row):\n{_USE.strip(chr(10))}\n\n{code}\n"


def value_literal(value: Value) -> str:
    """Return a category or a class, in ASCII."""
    if isinstance(value, float) and math.isinf(value):
        return 'float("inf")' if value > 0 else 'float("-inf")'
    return ascii(value)


def _answer(network: RuleNetwork) -> str:
    labels = ", ".join(map(value_literal, network.classes))
    order = list(network.priority_indices)
    pair, indent = '"{name}": {variable}', " " * 8
    return f"""
    labels = [{labels}]
    fires = [{", ".join(class_variables(network))}]
    winner = next((index for index in {order} if fires[index]), {network.default_index})
    rules = {{{node_pairs(pair, "r", rule_ids(network), indent)}
    }}
    concepts = {{{node_pairs(pair, "c", concept_ids(network), indent)}
    }}
    return {{
        "label": labels[winner],
        "class": winner,
        "fires": fires,
        "rules": [name for name, holds in rules.items() if holds],
        "concepts": [name for name, holds in concepts.items() if holds],
    }}
""".strip("\n")
